// SPDX-License-Identifier: Apache-2.0
// Owners and modes of folders.
#include "testbench/system/cache_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "models/machine/error.h"
#include "testbench/system/file_descriptor.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace fs = std::filesystem;

namespace {

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

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace ecube
