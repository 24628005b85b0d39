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

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

std::vector<std::string_view> command_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.emplace_back(command->get_name());  // hidden ones have no group
  }
  return names;
}

/// Calls visit(command, "ecube run exchange") for the commands of all levels, without the hidden ones.
template <class Visit>
void each_command(const CLI::App& app, const std::string& path, const Visit& visit) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;
    const std::string whole = path + " " + command->get_name();
    visit(*command, whole);
    each_command(*command, whole, visit);
  }
}

/// Where else such a command is: "there is 'ecube run exchange', .."; empty where there is none.
std::string elsewhere(const CLI::App& app, const std::string& word) {
  std::vector<std::string_view> names;
  each_command(app, "ecube",
               [&](const CLI::App& command, const std::string&) { names.emplace_back(command.get_name()); });
  const std::optional<std::string_view> meant = nearest(word, names);
  if (!meant) return {};
  std::string text;
  each_command(app, "ecube", [&](const CLI::App& command, const std::string& path) {
    if (command.get_name() == *meant) text += (text.empty() ? "there is '" : ", '") + path + "'";
  });
  return text;
}

std::string instead(const CLI::App& app, const std::string& option) {
  std::vector<std::string> owners;
  each_command(app, "ecube", [&](const CLI::App& command, const std::string& path) {
    if (command.get_option_no_throw(option) != nullptr) owners.push_back(path);
  });
  return owners.empty() ? "" : "an option of " + listed(owners, 3, [](const std::string& path) { return path; });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

struct Reached {
  const CLI::App* command;
  std::string name = "ecube";
  std::string unknown_command = {};
  std::string unknown_option = {};
  std::string value = {};  ///< that stands behind it
};

Reached reach(const CLI::App& app, std::span<const std::string> arguments) {
  Reached reached{.command = &app};
  bool positionals = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.size() > 1 && word[0] == '-') {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* const option = reached.command->get_option_no_throw(name);
      if (option == nullptr) {
        reached.unknown_option = name;
        const bool value_follows = i + 1 < arguments.size() && !arguments[i + 1].starts_with('-');
        reached.value = name != word ? word.substr(name.size() + 1) : value_follows ? arguments[i + 1] : "";
        return reached;
      }
      if (option->get_items_expected_max() > 0 && name == word) ++i;
    } else if (positionals || reached.command->get_subcommands({}).empty()) {
      positionals = true;
    } else if (const CLI::App* const next = command_named(*reached.command, word)) {
      reached.command = next;
      reached.name += " " + word;
    } else {
      reached.unknown_command = word;
      return reached;
    }
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

InputError usage_error(const CLI::App& app, std::span<const std::string> arguments, const CLI::ParseError& problem) {
  const Reached reached = reach(app, arguments);
  const std::string help = "see: " + reached.name + " --help";
  if (!reached.unknown_command.empty()) {
    const auto names = command_names(*reached.command);
    std::string hint = instead_of_word(reached.unknown_command);
    if (hint.empty()) hint = did_you_mean(reached.unknown_command, names);
    if (hint.empty()) hint = elsewhere(app, reached.unknown_command);
    return InputError(fmt::format("unknown command {} of {}", ecube::quoted(reached.unknown_command), reached.name))
        .hint(hint)
        .valid(joined(names));
  }
  if (!reached.unknown_option.empty()) {
    const std::vector<std::string> options = option_names(*reached.command);
    const std::vector<std::string_view> names(options.begin(), options.end());
    std::string hint = instead_of_old_option(reached.unknown_option, reached.value);
    if (hint.empty()) hint = did_you_mean(reached.unknown_option, names);
    if (hint.empty()) hint = instead(app, reached.unknown_option);
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
