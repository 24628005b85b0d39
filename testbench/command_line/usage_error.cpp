// SPDX-License-Identifier: Apache-2.0
// Reading a refused command line once more, word by word, for the first unknown word.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "models/machine/spelling.h"
#include "testbench/command_line/command.h"
#include "testbench/text/text.h"

namespace ecube {

/// other_words.tsv: words of earlier versions, of MPI and of other simulators, and what there is in their place.
extern const std::string_view other_words;

namespace {

/// Options that were another name of a machine parameter, and that parameter.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> old_parameters{
    {{"startups", "node.startups"},
     {"barrier", "library.barrier"},
     {"protocol", "library.protocol"},
     {"slack", "library.slack"},
     {"identity-shuffle", "library.identity_shuffle"}}};

/// What there is in the place of a command or an option that no command has; empty for words that mean nothing here.
std::string instead_of_word(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const std::string word_of_line = "\n" + plain + "\t";
  const std::size_t at = other_words.find(word_of_line);
  if (at == std::string_view::npos) return {};
  const std::string_view meaning = other_words.substr(at + word_of_line.size());
  return std::string(meaning.substr(0, meaning.find('\n')));
}

/// What stands in the place of an option that no command has, as "it is a machine parameter: --set
/// library.barrier=step" for `option` "--barrier" with the value "step"; else as instead_of_word().
std::string instead_of_old_option(std::string_view option, std::string_view value) {
  const std::string_view name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
  const std::string_view key = parameter_of_old_option(name);
  if (key.empty()) return instead_of_word(name);
  const std::string setting = fmt::format("{}={}", key, value.empty() ? "VALUE" : value);
  return fmt::format("it is a machine parameter: --set {}", shell_word(setting));
}

std::vector<std::string_view> command_names(const CommandText& command) {
  std::vector<std::string_view> names;
  for (const CommandText& below : command.commands) names.emplace_back(below.name);
  return names;
}

/// Where else such a command is: "there is 'ecube run exchange', .."; empty where there is none.
std::string elsewhere(const CommandText& program, const std::string& word) {
  std::vector<std::string_view> names;
  each_command(program, program.name,
               [&](const CommandText& command, const std::string&) { names.emplace_back(command.name); });
  const std::optional<std::string_view> meant = nearest(word, names);
  if (!meant) return {};
  std::string text;
  each_command(program, program.name, [&](const CommandText& command, const std::string& path) {
    if (command.name == *meant) text += (text.empty() ? "there is '" : ", '") + path + "'";
  });
  return text;
}

/// Null where the command has no such option.
const OptionText* option_of(const CommandText& command, const std::string& name) {
  const auto found = std::ranges::find_if(
      command.options, [&](const OptionText& option) { return std::ranges::count(option.names, name) > 0; });
  return found == command.options.end() ? nullptr : &*found;
}

std::string instead(const CommandText& program, const std::string& option) {
  std::vector<std::string> owners;
  each_command(program, program.name, [&](const CommandText& command, const std::string& path) {
    if (option_of(command, option) != nullptr) owners.push_back(path);
  });
  return owners.empty() ? "" : "an option of " + listed(owners, 3, [](const std::string& path) { return path; });
}

std::vector<std::string_view> option_names(const CommandText& command) {
  std::vector<std::string_view> names;
  for (const OptionText& option : command.options) {
    if (!option.argument) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

struct Reached {
  const CommandText* command;
  std::string name;
  std::string unknown_command = {};
  std::string unknown_option = {};
  std::string value = {};  ///< that stands behind it
};

Reached reach(const CommandText& program, std::span<const std::string> arguments) {
  Reached reached{.command = &program, .name = program.name};
  bool positionals = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(0, word.find('='));
      const OptionText* const option = option_of(*reached.command, name);
      if (option == nullptr) {
        reached.unknown_option = name;
        const bool value_follows = i + 1 < arguments.size() && !arguments[i + 1].starts_with('-');
        reached.value = name != word ? word.substr(name.size() + 1) : value_follows ? arguments[i + 1] : "";
        return reached;
      }
      if (!option->value.empty() && name == word) ++i;
      continue;
    }
    positionals = positionals || reached.command->commands.empty();
    if (positionals) continue;
    const auto next = std::ranges::find(reached.command->commands, word, &CommandText::name);
    if (next == reached.command->commands.end()) {
      reached.unknown_command = word;
      return reached;
    }
    reached.command = &*next;
    reached.name += " " + word;
  }
  return reached;
}

constexpr std::string_view conversion = "Could not convert: ";

}  // namespace

std::string_view parameter_of_old_option(std::string_view option) {
  for (const auto& [old, parameter] : old_parameters) {
    if (old == option) return parameter;
  }
  return {};
}

InputError usage_error(const CommandText& program, std::span<const std::string> arguments,
                       const CLI::ParseError& problem) {
  const Reached reached = reach(program, arguments);
  const std::string help = "see: " + reached.name + " --help";
  if (!reached.unknown_command.empty()) {
    const auto names = command_names(*reached.command);
    std::string hint = instead_of_word(reached.unknown_command);
    if (hint.empty()) hint = did_you_mean(reached.unknown_command, names);
    if (hint.empty()) hint = elsewhere(program, reached.unknown_command);
    return InputError(fmt::format("unknown command {} of {}", ecube::quoted(reached.unknown_command), reached.name))
        .hint(hint)
        .valid(joined(names));
  }
  if (!reached.unknown_option.empty()) {
    std::string hint = instead_of_old_option(reached.unknown_option, reached.value);
    if (hint.empty()) hint = did_you_mean(reached.unknown_option, option_names(*reached.command));
    if (hint.empty()) hint = instead(program, reached.unknown_option);
    return InputError(fmt::format("unknown option {} of {}", ecube::quoted(reached.unknown_option), reached.name))
        .hint(hint)
        .hint(help);
  }
  const std::string_view message = problem.what();
  const std::size_t equals = message.find(" = ");
  if (message.starts_with(conversion) && equals != std::string_view::npos) {
    const std::string_view option = message.substr(conversion.size(), equals - conversion.size());
    return InputError(fmt::format("{} takes a whole number, not {}", option, ecube::quoted(message.substr(equals + 3))))
        .hint(help);
  }
  if (dynamic_cast<const CLI::ValidationError*>(&problem) != nullptr) {
    const std::size_t colon = std::min(message.find(": "), message.size());
    return InputError(std::string(message.substr(0, colon)) +
                      std::string(message.substr(std::min(colon + 1, message.size()))))
        .hint(help);
  }
  const auto names = command_names(*reached.command);
  if (!names.empty()) {
    return InputError(fmt::format("{} needs the name of a command", reached.name)).valid(joined(names)).hint(help);
  }
  return InputError(message).hint(help);
}

}  // namespace ecube
