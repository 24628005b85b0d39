// SPDX-License-Identifier: Apache-2.0
// The system's calls that take a directory and a name.
#include "testbench/system/open_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>

namespace ecube {

OpenDirectory::OpenDirectory(const std::string& path)
    : OpenDirectory(path, FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {
  if (!descriptor_.is_open()) throw std::system_error(errno, std::generic_category(), path);
}

OpenDirectory::OpenDirectory(std::string path, FileDescriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

void OpenDirectory::fail(const std::string& name, const char* what) const {
  throw std::system_error(errno, std::generic_category(), fmt::format("{}/{} could not be {}", path_, name, what));
}

bool OpenDirectory::is_at_its_path() const {
  struct stat held {};
  struct stat there {};
  return fstat(descriptor_.number(), &held) == 0 && ::stat(path_.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

FileDescriptor OpenDirectory::open_for_reading(const std::string& name, int flags) const {
  FileDescriptor found(openat(descriptor_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags));
  // Not there, or something else. Any other error says nothing about what is there.
  constexpr std::array elsewhere{ENOENT, ELOOP, ENOTDIR, ENXIO, EACCES};
  if (!found.is_open() && std::find(elsewhere.begin(), elsewhere.end(), errno) == elsewhere.end()) fail(name, "opened");
  return found;
}

std::optional<OpenDirectory> OpenDirectory::folder(const std::string& name) const {
  FileDescriptor found = open_for_reading(name, O_DIRECTORY);
  if (!found.is_open()) return std::nullopt;
  return OpenDirectory(path_ + "/" + name, std::move(found));
}

OpenDirectory OpenDirectory::make_folder(const std::string& prefix) const {
  std::random_device random;
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    const std::string name = fmt::format("{}{:08x}{:08x}", prefix, random(), random());
    if (mkdirat(descriptor_.number(), name.c_str(), 0777) != 0) {
      if (errno != EEXIST) fail(name, "made");
    } else if (std::optional<OpenDirectory> made = folder(name)) {
      return *std::move(made);
    }
  }
  fail(prefix, "made");
}

std::optional<struct stat> OpenDirectory::status(const std::string& name) const {
  struct stat found {};
  if (fstatat(descriptor_.number(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return found;
  if (errno != ENOENT) fail(name, "looked at");
  return std::nullopt;
}

std::vector<std::string> OpenDirectory::names() const {
  FileDescriptor own = open_for_reading(".", O_DIRECTORY);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(own.number()), closedir);
  if (!entries) fail(".", "listed");
  own.release();
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* const entry = readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) fail(".", "listed");
  return names;
}

FileDescriptor OpenDirectory::open_file(const std::string& name) const {
  // O_NONBLOCK: opening a pipe must not wait for somebody to write into it.
  FileDescriptor file = open_for_reading(name, O_NONBLOCK);
  struct stat found {};
  if (file.is_open() && fstat(file.number(), &found) != 0) fail(name, "looked at");
  if (file.is_open() && !S_ISREG(found.st_mode)) file.close();
  return file;
}

void OpenDirectory::make_file(const std::string& name, std::string_view text) const {
  FileDescriptor file(
      openat(descriptor_.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) fail(name, "written");
  while (!text.empty()) {
    const ssize_t more = ::write(file.number(), text.data(), text.size());
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail(name, "written");
    text.remove_prefix(static_cast<std::size_t>(more));
  }
  if (const int error = file.close(); error != 0) {
    errno = error;
    fail(name, "written");
  }
}

void OpenDirectory::sync(const std::string& name) const {
  const FileDescriptor file = open_file(name);
  if (!file.is_open() || fsync(file.number()) != 0) fail(name, "written");
}

void OpenDirectory::sync() const {
  // Some file systems cannot do this for a directory, and then do it by themselves.
  if (fsync(descriptor_.number()) != 0 && errno != EINVAL) fail("", "written");
}

bool OpenDirectory::move(const std::string& name, const OpenDirectory& to, const std::string& new_name) const {
  if (renameat(descriptor_.number(), name.c_str(), to.descriptor_.number(), new_name.c_str()) == 0) return true;
  if (errno != ENOENT) to.fail(new_name, "written");
  return false;
}

void OpenDirectory::remove(const std::string& name) const {
  if (unlinkat(descriptor_.number(), name.c_str(), 0) != 0 && errno != ENOENT) fail(name, "removed");
}

void OpenDirectory::remove_folder(const std::string& name) const {
  if (unlinkat(descriptor_.number(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) fail(name, "removed");
}

}  // namespace ecube
