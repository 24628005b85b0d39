// SPDX-License-Identifier: Apache-2.0
// Where the files of the running program are: in its build tree, or beside an installed program, wherever the
// installation was moved. Folders for files that it can make again and believes, and temporary ones.
#pragma once

#include <filesystem>

#include "testbench/system/process.h"

namespace ecube {

/// The folder share/ecube of an installed program, found from where the program is now. Empty in a build tree, and
/// where the folder belongs neither to root nor to the owner of the program, or others can write there.
[[nodiscard]] std::filesystem::path installed_files();
/// Why a program that is neither installed nor in its build tree has no files.
[[nodiscard]] std::string why_no_files();
/// The tree that the running program was built in and is in. Empty for an installed program, and for a copy elsewhere.
[[nodiscard]] std::filesystem::path build_tree();

/// Where programs include "sw/..." and "models/..." from: the source tree, or installed headers. Empty without any.
[[nodiscard]] std::filesystem::path header_files();

/// The ECharts file of report pages, which need not exist. Empty where there is no place for the file.
[[nodiscard]] std::filesystem::path echarts_file();
/// The folder of the studies that come with the program, as help names it: relative to the source tree in a build tree.
[[nodiscard]] std::string studies_folder();
/// How hints name this program: ./ecube in a source tree, ecube where it is installed.
[[nodiscard]] inline std::string own_command() { return installed_files().empty() ? "./ecube" : "ecube"; }

[[nodiscard]] std::string variable(const char* name);
[[nodiscard]] bool on_path(const std::string& program);

/// The folder `name` of the user's cache, XDG_CACHE_HOME/ecube or ~/.cache/ecube. Both are made where they are not
/// there, and are changed to be the user's alone (mode 0700). InputError when there is no place for them, and when they
/// belong to another user or others can write there: the program would run code of strangers.
[[nodiscard]] std::filesystem::path user_cache_folder(const std::string& name);

/// The same in the program's build tree, if the user has built it; else in the user's cache.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& name);

/// A folder that only this user enters, removed with its contents, by a Ctrl-C too.
class PrivateFolder {
 public:
  /// std::system_error where there is no place for one.
  PrivateFolder();
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  Interruptible until_removed_;
  std::string path_;
};

}  // namespace ecube
