// SPDX-License-Identifier: Apache-2.0
// Tables of the program's words, and the one function that looks them up.
#include "testbench/command_line/completion.h"

#include <fmt/core.h>

#include <string_view>

namespace ecube {

namespace {

struct Tables {
  std::string commands;  ///< branches of a case: the commands below a command
  std::string options;   ///< its options
  std::string flags;     ///< its options that no value follows
};

std::string row(const std::string& key, const std::string& words) {
  return words.empty() ? "" : fmt::format("    '{}') echo '{}' ;;\n", key, words);
}

void add_word(std::string& words, const std::string& word) { words += (words.empty() ? "" : " ") + word; }

void add_rows(Tables& tables, const CommandText& command, const std::string& path) {
  std::string commands;
  std::string options;
  std::string flags;
  for (const CommandText& below : command.commands) add_word(commands, below.name);
  for (const OptionText& option : command.options) {
    if (option.argument) continue;
    for (const std::string& name : option.names) {
      add_word(options, name);
      if (option.value.empty()) add_word(flags, name);
    }
  }
  tables.commands += row(path, commands);
  tables.options += row(path, options);
  tables.flags += row(path, flags);
  for (const CommandText& below : command.commands)
    add_rows(tables, below, path + (path.empty() ? "" : " ") + below.name);
}

std::string table(std::string_view function, std::string_view comment, const std::string& rows) {
  return fmt::format("# {}\n_ecube_{}() {{\n  case $1 in\n{}  esac\n}}\n", comment, function, rows);
}

constexpr std::string_view lookup = R"bash(_ecube() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' values='' word i
  COMPREPLY=()
  # Bash makes three words of --option=value.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ " $(_ecube_commands "$command") " != *" $word "* ]] || command+=${command:+ }$word
  done
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_ecube_options "$command")" -- "$current")
    return
  fi
  if [[ $previous == -* && " $(_ecube_flags "$command") " != *" $previous "* ]]; then
    values=$previous
  else
    mapfile -t COMPREPLY < <(compgen -W "$(_ecube_commands "$command")" -- "$current")
    values=$command
  fi
  word=$(_ecube_values "$values")
  if [[ -n $word ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$word" -- "$current")
    [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
  fi
  if [[ -z $word || " $(_ecube_or_files) " == *" ${values// /_} "* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _ecube ecube
)bash";

}  // namespace

std::string bash_completion(const CommandText& program, std::span<const CompletionValues> values) {
  Tables tables;
  add_rows(tables, program, "");
  std::string rows;
  std::string or_files;
  for (const CompletionValues& value : values) {
    std::string words;
    for (const std::string& word : value.words) add_word(words, word);
    rows += row(value.of, words);
    std::string name = value.of;
    for (char& c : name) c = c == ' ' ? '_' : c;
    if (value.files) add_word(or_files, name);
  }
  return "# shellcheck shell=bash\n# SPDX-License-Identifier: Apache-2.0\n"
         "# Bash completion of the command `ecube`, made from its help.\n\n" +
         table("commands", "Commands below a command.", tables.commands) +
         table("options", "Options of a command.", tables.options) +
         table("flags", "Those that no value follows.", tables.flags) +
         table("values", "Values of an option, or arguments of a command.", rows) +
         fmt::format("# Those that may also be files.\n_ecube_or_files() {{ echo '{}'; }}\n\n", or_files) +
         std::string(lookup);
}

}  // namespace ecube
