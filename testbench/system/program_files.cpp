// SPDX-License-Identifier: Apache-2.0
// Finds all files from the place of the executable: no path of the build machine is compiled in.
#include "testbench/system/program_files.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

fs::path folder_of_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

/// What CMake remembers in a build tree under this key; empty where it remembers nothing.
std::string remembered(const fs::path& tree, std::string_view key) {
  const fs::path file = tree / "CMakeCache.txt";
  constexpr std::uintmax_t most_bytes_of_cache = 10'000'000;  // a stranger's may be anything
  std::error_code none;
  if (!fs::is_regular_file(file, none) || fs::file_size(file, none) > most_bytes_of_cache) return {};
  std::ifstream cache(file);
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

/// Any folder above the program may have a file CMakeCache.txt, but only the program's own tree has there the number
/// that was compiled into the program.
fs::path find_build_tree() {
  // An installation may stand inside a build tree.
  if (!installed_files().empty()) return {};
  for (fs::path folder = folder_of_program(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (remembered(folder, "ECUBE_TREE:INTERNAL=") == ECUBE_TREE) return folder;
  }
  return {};
}

}  // namespace

fs::path installed_files() {
  const fs::path folder = (folder_of_program() / installed_files_from_program).lexically_normal();
  std::error_code none;
  // Another folder may have the same name, but not these sources in it.
  return fs::exists(folder / "rtl/CMakeLists.txt", none) ? folder : fs::path();
}

fs::path build_tree() {
  static const fs::path tree = find_build_tree();
  return tree;
}

fs::path header_files() {
  std::error_code none;
  fs::path folder;
  if (!installed_files().empty()) {
    folder = (folder_of_program() / headers_from_program).lexically_normal();
  } else if (const fs::path tree = build_tree(); !tree.empty()) {
    folder = remembered(tree, "CMAKE_HOME_DIRECTORY:INTERNAL=");
  }
  return fs::exists(folder / "sw/program/program.h", none) ? folder : fs::path();
}

fs::path echarts_file() {
  if (const fs::path installed = installed_files(); !installed.empty()) return installed / "report/echarts.min.js";
  const fs::path tree = build_tree();
  return tree.empty() ? tree : tree / "npm/ecube_charts/node_modules/echarts/dist/echarts.min.js";
}

std::string studies_folder() {
  const fs::path installed = installed_files();
  return installed.empty() ? "testbench/studies" : (installed / "studies").string();
}

std::string own_command() { return installed_files().empty() ? "./ecube" : "ecube"; }

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool on_path(const std::string& program) {
  std::string rest = variable("PATH");
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (access((rest.substr(0, colon) + "/" + program).c_str(), X_OK) == 0) return true;
    rest.erase(0, std::min(colon + 1, rest.size()));
  }
  return false;
}

}  // namespace ecube
