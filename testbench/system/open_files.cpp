// SPDX-License-Identifier: Apache-2.0
// Locks by flock(), and the system's calls that take a directory and a name.
#include "testbench/system/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <random>
#include <system_error>

#include "models/machine/error.h"

namespace ecube {

namespace {

/// True when `status`, stat() or lstat(), finds the open file at this path.
bool is_at(const FileDescriptor& file, const std::string& path, int (*status)(const char*, struct stat*)) {
  struct stat held {};
  struct stat there {};
  return fstat(file.number(), &held) == 0 && status(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t more = ::write(descriptor, text.data(), text.size());
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(more));
  }
  return true;
}

LockState try_lock(const FileDescriptor& file) {
  while (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return LockState::held_by_another;
    if (errno != EINTR) return LockState::unavailable;
  }
  return LockState::taken;
}

FileLock::FileLock(const std::filesystem::path& folder)
    : path_(folder / ".lock"),
      // For writing: network file systems lock no other files. Nothing is written; O_NONBLOCK for a pipe.
      file_(open(path_.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644)),
      error_(file_.is_open() ? 0 : errno) {
  struct stat found {};
  if (!file_.is_open() || fstat(file_.number(), &found) != 0 || S_ISREG(found.st_mode)) return;
  file_.close();
  error_ = ELOOP;
}

void FileLock::wait() const {
  while (flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

bool FileLock::is_at_its_path() const { return is_at(file_, path_, lstat); }

FileLock build_lock(const std::filesystem::path& tree) {
  FileLock lock(tree);
  if (lock.error() == ELOOP) {
    throw InputError(fmt::format(".lock in {} is a link, or no file", ecube::quoted(tree.string())))
        .hint("builds lock a file of this name: remove what is there");
  }
  if (lock.error() != 0 || lock.take() != LockState::held_by_another) return lock;
  fmt::print(stderr, "ecube: waiting for another process, which is building in {}\n", tree.string());
  lock.wait();
  return lock;
}

OpenDirectory::OpenDirectory(const std::string& path)
    : OpenDirectory(path, FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {
  if (!descriptor_.is_open()) throw std::system_error(errno, std::generic_category(), path);
}

void OpenDirectory::fail(const std::string& name, const char* what) const {
  throw std::system_error(errno, std::generic_category(), fmt::format("{}/{} could not be {}", path_, name, what));
}

bool OpenDirectory::is_at_its_path() const { return is_at(descriptor_, path_, ::stat); }

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
  std::sort(names.begin(), names.end());
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
  if (!file.is_open() || !write_all(file.number(), text) || !file.close()) fail(name, "written");
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
