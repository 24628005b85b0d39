// SPDX-License-Identifier: Apache-2.0
// Help in roff.
#include "testbench/command_line/manual_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>

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

void add_command(std::string& page, const CommandText& command, const std::string& path) {
  std::string arguments;
  for (const OptionText& option : command.options) {
    if (option.argument) arguments += " " + option.names.front();
  }
  page += fmt::format(".SS \"{} [OPTION ...]{}\"\n{}.\n", roff(path), roff(arguments), roff(command.description));
  for (const OptionText& option : command.options) add_option(page, option);
  // A footer that a command inherits from the command above it is printed there only.
  if (!command.footer.empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(without_end(command.footer)));
  for (CommandText below : command.commands) {
    if (below.footer == command.footer) below.footer.clear();
    add_command(page, below, path + " " + below.name);
  }
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
  for (const OptionText& option : program.options) add_option(page, option);
  page += fmt::format(".PP\n.nf\n{}\n.fi\n.SH COMMANDS\n", roff(without_end(program.footer)));
  for (CommandText command : program.commands) {
    if (command.footer == program.footer) command.footer.clear();
    add_command(page, command, program.name + " " + command.name);
  }
  for (const ManualSection& section : sections) {
    page += fmt::format(".SH \"{}\"\n", section.title);
    for (const auto& [what, meaning] : section.entries) {
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(what), roff(meaning));
    }
    if (!section.table.empty()) page += fmt::format(".nf\n{}\n.fi\n", roff(without_end(section.table)));
  }
  return page;
}

}  // namespace ecube
