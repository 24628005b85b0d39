// SPDX-License-Identifier: Apache-2.0
// Finds all files from the place of the executable: no path of the build machine is compiled in.
#include "testbench/system/program_files.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/system/open_files.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

fs::path folder_of_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

fs::path folder_beside_program(const char* way) { return (folder_of_program() / way).lexically_normal(); }

/// Another folder may have the same name, but not these sources in it.
bool is_installed(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / "rtl/CMakeLists.txt", none);
}

/// Sources beside the program are built and loaded. A copy of the program may stand in a stranger's directory.
bool is_of_program(const fs::path& folder) {
  struct stat program {};
  struct stat status {};
  return stat("/proc/self/exe", &program) == 0 && stat(folder.c_str(), &status) == 0 &&
         (status.st_uid == 0 || status.st_uid == program.st_uid) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
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

/// Any folder above may have a CMakeCache.txt; only the program's own tree has the number compiled into the program.
fs::path find_build_tree() {
  // An installation may stand inside a build tree.
  if (!installed_files().empty()) return {};
  for (fs::path folder = folder_of_program(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (remembered(folder, "ECUBE_TREE:INTERNAL=") == ECUBE_TREE) return folder;
  }
  return {};
}

constexpr mode_t all_modes = 07777;

[[noreturn]] void refuse_cache(const std::string& what, const std::string& what_to_do = {}) {
  throw InputError(what).hint(what_to_do + "XDG_CACHE_HOME=DIR names another place");
}

/// InputError unless the folder is the user's, and nobody else can write there.
void check_owner(const fs::path& folder, const struct stat& status) {
  if (status.st_uid != geteuid()) {
    refuse_cache(fmt::format("the program keeps its files in {}, which belongs to another user", folder.string()));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return;
  refuse_cache(fmt::format("the program keeps its files in {}, where others can write", folder.string()),
               fmt::format("remove it; or, where you know all that is in it: chmod go-w {}; ", folder.string()));
}

fs::path private_folder(const fs::path& folder) {
  const auto refuse_writing = [&folder](const char* reason) {
    refuse_cache(fmt::format("cannot write into {}: {}", folder.string(), reason));
  };
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) refuse_writing(std::strerror(errno));
  const FileDescriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!opened.is_open() || fstat(opened.number(), &status) != 0) refuse_writing(std::strerror(errno));
  check_owner(folder, status);
  const bool changed = (status.st_mode & all_modes) == S_IRWXU || fchmod(opened.number(), S_IRWXU) == 0;
  if (!changed || access(folder.c_str(), W_OK) != 0) refuse_writing(std::strerror(errno));
  return folder;
}

fs::path user_cache() {
  // The XDG base directory specification ignores a path that is relative.
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "ecube";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache/ecube";
  refuse_cache("there is no place for files that the program keeps: neither HOME nor XDG_CACHE_HOME is set");
}

}  // namespace

fs::path installed_files() {
  const fs::path folder = folder_beside_program(installed_files_from_program);
  return is_installed(folder) && is_of_program(folder) ? folder : fs::path();
}

std::string why_no_files() {
  for (const char* const way : {installed_files_from_program, headers_from_program}) {
    const fs::path folder = folder_beside_program(way);
    std::error_code none;
    if (!is_installed(folder_beside_program(installed_files_from_program)) || !fs::exists(folder, none)) break;
    if (is_of_program(folder)) continue;
    return folder.string() + " belongs to another user than the program, or others can write there";
  }
  return "the program is neither installed nor in its build tree";
}

fs::path build_tree() {
  static const fs::path tree = find_build_tree();
  return tree;
}

fs::path header_files() {
  std::error_code none;
  fs::path folder;
  if (!installed_files().empty()) {
    folder = folder_beside_program(headers_from_program);
    if (!is_of_program(folder)) return {};
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

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool on_path(const std::string& program) {
  const std::string folders = variable("PATH");
  return std::ranges::any_of(split(folders, ':'), [&program](std::string_view folder) {
    return access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0;
  });
}

fs::path user_cache_folder(const std::string& name) {
  const fs::path cache = user_cache();
  std::error_code failed;
  fs::create_directories(cache.parent_path(), failed);
  return private_folder(private_folder(cache) / name);
}

fs::path cache_folder(const std::string& name) {
  const fs::path tree = build_tree();
  struct stat status {};
  if (tree.empty() || stat(tree.c_str(), &status) != 0 || status.st_uid != geteuid()) return user_cache_folder(name);
  check_owner(tree, status);
  return private_folder(tree / name);
}

PrivateFolder::PrivateFolder() : path_((fs::temp_directory_path() / "ecube-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path_);
}

}  // namespace ecube
