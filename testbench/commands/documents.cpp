// SPDX-License-Identifier: Apache-2.0
// Writes the documents that are made from the program's help and installed with it: manual page and bash completion.
// ecube_documents MANUAL_PAGE COMPLETION
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "testbench/command_line/command.h"
#include "testbench/lesson/lesson.h"
#include "testbench/reproduction/results.h"
#include "testbench/run/commands.h"
#include "testbench/run/run_arguments.h"
#include "testbench/system/staged_files.h"
#include "testbench/version.h"

namespace ecube {

/// Sections of the manual page that no command's help has.
extern const std::string_view manual_sections;
/// The functions of the completion that look into its tables.
extern const std::string_view completion_lookup;

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

void add_option(std::string& page, const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (!option.value.empty() && !option.argument) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  page += fmt::format(".TP\n{}\n{}{}\n", names, roff(option.description),
                      option.initial.empty() ? "" : fmt::format(" [{}]", roff(option.initial)));
}

/// Every command in a sentence; those that an earlier command has too, as the workloads of run, by their names only.
void add_commands(std::string& page, const CommandText& program) {
  std::set<std::pair<std::string, std::string>> described;
  for (const CommandText& command : program.commands) {
    std::string names;
    std::string others;
    for (const CommandText& below : command.commands) {
      if (described.emplace(below.name, below.description).second) {
        others += fmt::format(".TP\n\\fB{} {}\\fR\n{}.\n", command.name, roff(below.name), roff(below.description));
      } else {
        names += fmt::format("{}{}", names.empty() ? " " : ", ", roff(below.name));
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
      auto same = std::find_if(counted.begin(), counted.end(), [&option](const auto& one) {
        return one.first.names == option.names && one.first.description == option.description;
      });
      if (same == counted.end()) same = counted.emplace(same, option, std::size_t{0});
      ++same->second;
    }
  });
  std::vector<OptionText> shared;
  for (const auto& [option, commands] : counted) {
    if (commands >= shared_by) shared.push_back(option);
  }
  return shared;
}

/// Every command in a sentence, the options that many commands have, then sections.man. `version` as "ecube 0.1.0".
std::string manual_page(const CommandText& program, const std::string& version) {
  const std::size_t colon = program.description.find(": ");
  std::string title = program.name;
  std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string page = fmt::format(
      ".\\\" SPDX-License-Identifier: Apache-2.0\n.TH {} 1 \"\" \"{}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n.I COMMAND\n[\\fIOPTION\\fR ...]\n.SH DESCRIPTION\n{}.\n",
      title, version, program.name,
      roff(colon == std::string::npos ? program.description : program.description.substr(colon + 2)), program.name,
      roff(program.description));
  page += fmt::format(".PP\n.nf\n{}\n.fi\n.SH COMMANDS\n",
                      roff(std::string_view(program.footer).substr(0, program.footer.find_last_not_of('\n') + 1)));
  add_commands(page, program);
  page += fmt::format(
      ".SH OPTIONS\nOptions that many commands have. \\fB{0}\\fR \\fICOMMAND\\fR \\fB\\-\\-help all\\fR has all "
      "options of a command, with examples.\n",
      program.name);
  for (const OptionText& option : program.options) add_option(page, option);
  for (const OptionText& option : shared_options(program)) {
    if (option.names != program.options.front().names) add_option(page, option);
  }
  return page + std::string(manual_sections);
}

struct Tables {
  std::string commands;                                      ///< branches of a case: the commands below a command
  std::string options;                                       ///< its options
  std::string flags;                                         ///< its options that no value follows
  std::map<std::string, std::set<std::string_view>> values;  ///< of an option of any command
};

std::string row(const std::string& key, const std::string& words) {
  return words.empty() ? "" : fmt::format("    '{}') echo '{}' ;;\n", key, words);
}

void add_word(std::string& words, std::string_view word) { words.append(words.empty() ? "" : " ").append(word); }

void add_rows(Tables& tables, const CommandText& command, const std::string& path) {
  Tables own;
  for (const CommandText& below : command.commands) add_word(own.commands, below.name);
  for (const OptionText& option : command.options) {
    if (option.argument) continue;
    for (const std::string& name : option.names) {
      add_word(own.options, name);
      if (option.value.empty()) add_word(own.flags, name);
      tables.values[name].insert(option.words.begin(), option.words.end());
    }
  }
  tables.commands += row(path, own.commands);
  tables.options += row(path, own.options);
  tables.flags += row(path, own.flags);
  for (const CommandText& below : command.commands)
    add_rows(tables, below, path + (path.empty() ? "" : " ") + below.name);
}

std::string table(std::string_view function, std::string_view comment, const std::string& rows) {
  return fmt::format("# {}\n_ecube_{}() {{\n  case $1 in\n{}  esac\n}}\n", comment, function, rows);
}

/// The values of options, as --engine, and the arguments of commands, as machines; others are completed as files.
std::string rows_of_values(const Tables& tables) {
  std::string machines;
  for (const Preset& preset : presets()) add_word(machines, preset.name);
  std::string parameters;
  for (const Option& option : options()) add_word(parameters, std::string(option.key) + "=");
  std::string results = "list all";
  for (const PublishedResult& result : published_results()) add_word(results, result.id);
  std::string lessons;
  for (const auto& lesson : lesson_texts) add_word(lessons, lesson.word);
  std::string rows = row("--machine", machines) + row("machines", machines) + row("--set", parameters) +
                     row("reproduce", results) + row("lesson", lessons);
  for (const auto& [option, words] : tables.values) rows += row(option, fmt::format("{}", fmt::join(words, " ")));
  return rows;
}

std::string bash_completion(const CommandText& program) {
  Tables tables;
  add_rows(tables, program, "");
  return "# shellcheck shell=bash\n# SPDX-License-Identifier: Apache-2.0\n"
         "# Bash completion of the command `ecube`, made from its help.\n\n" +
         table("commands", "Commands below a command.", tables.commands) +
         table("options", "Options of a command.", tables.options) +
         table("flags", "Those that no value follows.", tables.flags) +
         table("values", "Values of an option, or arguments of a command.", rows_of_values(tables)) +
         "# Those that may also be files.\n_ecube_or_files() { echo '--machine'; }\n\n" +
         std::string(completion_lookup);
}

}  // namespace

}  // namespace ecube

int sc_main(int argc, char** argv) {
  try {
    const std::span<char*> words(argv, static_cast<std::size_t>(argc));
    if (words.size() != 3) throw ecube::InputError("ecube_documents MANUAL_PAGE COMPLETION");
    ecube::Command app("ecube", ecube::program_description);
    ecube::Invocation invocation;
    ecube::add_commands(app, invocation);
    const ecube::CommandText text = app.text();
    ecube::write_file(words[1], ecube::manual_page(text, std::string("ecube ") + ecube::program_version));
    ecube::write_file(words[2], ecube::bash_completion(text));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}
