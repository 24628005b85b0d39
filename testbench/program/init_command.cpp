// SPDX-License-Identifier: Apache-2.0
// The files of a project: a program, a machine, a study, and a page that says how to run them.
#include <fmt/core.h>

#include "models/machine/error.h"
#include "testbench/run/commands.h"
#include "testbench/system/program_files.h"
#include "testbench/system/staged_files.h"
#include "testbench/text/text.h"

namespace ecube {

/// The files of project/, in which names between @ are filled in.
extern const std::string_view project_program, project_machine, project_study, project_readme;

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<const char*, const std::string_view*>, 4> project_files{
    {{"program.cpp", &project_program},
     {"machine.toml", &project_machine},
     {"study.toml", &project_study},
     {"README.md", &project_readme}}};

/// The command as it is typed in any folder.
std::string command_anywhere() {
  if (!installed_files().empty()) return "ecube";
  const fs::path script = header_files() / "ecube";
  std::error_code none;
  return fs::exists(script, none) ? shell_word(script.string()) : "ecube";
}

std::string filled_in(std::string text, std::string_view name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
    text.replace(at, name.size(), value);
  }
  return text;
}

void write_project(const std::string& directory) {
  std::error_code failed;
  if (fs::exists(directory, failed) && !(fs::is_directory(directory, failed) && fs::is_empty(directory, failed))) {
    throw InputError(fmt::format("{} is there and is not an empty directory", ecube::quoted(directory)))
        .hint("give a new one; nothing was written");
  }
  fs::create_directories(directory, failed);
  if (failed) throw InputError(fmt::format("cannot make {}: {}", ecube::quoted(directory), failed.message()));
  const std::string command = command_anywhere();
  const std::string tutorial = (header_files() / "sw/program/program.h").string();
  for (const auto& [name, text] : project_files) {
    write_file((fs::path(directory) / name).string(),
               filled_in(filled_in(std::string(*text), "@command@", command), "@tutorial@", tutorial));
  }
  fmt::print(
      "{} has a program, a machine, a study and a README.md\nnext: cd {} && {} run program ./program.cpp --machine "
      "machine.toml -d 4\n",
      directory, shell_word(directory), command);
}

}  // namespace

void add_init(Command& app, Invocation& /*invocation*/) {
  const auto directory = std::make_shared<std::string>();
  Command& command = app.add_command("init", "A project of your own, to begin with");
  command.add_option("directory", *directory, "A directory that is new or empty", {.required = true});
  command.on_run([directory] { write_project(*directory); });
}

}  // namespace ecube
