// SPDX-License-Identifier: Apache-2.0
// Where the files of the running program are: in its build tree, or beside an installed program, wherever the
// installation was moved.
#pragma once

#include <filesystem>
#include <string>

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
[[nodiscard]] std::string own_command();

[[nodiscard]] std::string variable(const char* name);
[[nodiscard]] bool on_path(const std::string& program);

}  // namespace ecube
