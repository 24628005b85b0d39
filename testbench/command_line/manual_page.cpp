// SPDX-License-Identifier: Apache-2.0
// Help in roff.
#include "testbench/command_line/manual_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace ecube {

namespace {

/// Escapes a text so that roff finds no command in it, and man shows dashes that can be typed.
std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    // A line that begins with one of these is a command.
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else {
      result += c;
    }
    line_begins = c == '\n';
  }
  return result;
}

std::string without_end(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

void add_option(std::string& page, const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty() && !option.argument) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  page += fmt::format(".TP\n{}\n{}{}\n", names, roff(option.description),
                      option.initial.empty() ? "" : fmt::format(" [{}]", roff(option.initial)));
}

/// Calls action(command, path) for the commands below this one, each before those below it.
template <class Action>
void each_command(const CommandText& command, const std::string& path, const Action& action) {
  for (const CommandText& below : command.commands) {
    const std::string name = path + below.name;
    action(below, name);
    each_command(below, name + " ", action);
  }
}

/// Every command in a sentence; those that an earlier command has too, as the workloads of run, by their names only.
void add_commands(std::string& page, const CommandText& program) {
  std::vector<std::pair<std::string, std::string>> described;
  for (const CommandText& command : program.commands) {
    std::string names;
    std::string others;
    for (const CommandText& below : command.commands) {
      const std::pair<std::string, std::string> one(below.name, below.description);
      if (std::find(described.begin(), described.end(), one) != described.end()) {
        names += fmt::format("{}{}", names.empty() ? " " : ", ", roff(below.name));
      } else {
        described.push_back(one);
        others += fmt::format(".TP\n\\fB{} {}\\fR\n{}.\n", command.name, roff(below.name), roff(below.description));
      }
    }
    page += fmt::format(".TP\n\\fB{}{}\\fR\n{}.\n", roff(command.name), names, roff(command.description)) + others;
  }
}

/// Options that at least so many commands have are in the page; each command's help has its own.
constexpr std::size_t shared_by = 12;

/// The options, in the order in which help has them first, that commands share with the same names and meaning.
std::vector<OptionText> shared_options(const CommandText& program) {
  std::vector<std::pair<OptionText, std::size_t>> counted;
  each_command(program, "", [&counted](const CommandText& command, const std::string&) {
    for (const OptionText& option : command.options) {
      const auto same = std::find_if(counted.begin(), counted.end(), [&option](const auto& one) {
        return one.first.names == option.names && one.first.description == option.description;
      });
      if (same == counted.end()) {
        counted.emplace_back(option, 1);
      } else {
        ++same->second;
      }
    }
  });
  std::vector<OptionText> shared;
  for (const auto& [option, commands] : counted) {
    if (commands >= shared_by) shared.push_back(option);
  }
  return shared;
}

}  // namespace

std::string manual_page(const CommandText& program, const std::string& version,
                        std::span<const ManualSection> sections) {
  const std::size_t colon = program.description.find(": ");
  std::string title = program.name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string page = fmt::format(
      ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH {} 1 \"\" \"{}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n.I COMMAND\n[\\fIOPTION\\fR ...]\n.SH DESCRIPTION\n{}.\n",
      title, version, program.name,
      roff(colon == std::string::npos ? program.description : program.description.substr(colon + 2)), program.name,
      roff(program.description));
  page += fmt::format(".PP\n.nf\n{}\n.fi\n.SH COMMANDS\n", roff(without_end(program.footer)));
  add_commands(page, program);
  page += fmt::format(
      ".SH OPTIONS\nOptions that many commands have. \\fB{0}\\fR \\fICOMMAND\\fR \\fB\\-\\-help all\\fR has all "
      "options of a "
      "command, with examples.\n",
      program.name);
  for (const OptionText& option : program.options) add_option(page, option);
  for (const OptionText& option : shared_options(program)) {
    if (option.names != program.options.front().names) add_option(page, option);
  }
  for (const ManualSection& section : sections) {
    page += fmt::format(".SH \"{}\"\n", section.title);
    for (const auto& [what, meaning] : section.entries) {
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(what), roff(meaning));
    }
  }
  return page;
}

}  // namespace ecube
