// SPDX-License-Identifier: Apache-2.0
// Locks by flock().
#include "testbench/system/file_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "models/machine/error.h"

namespace ecube {

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

bool FileLock::is_at_its_path() const {
  struct stat held {};
  struct stat now {};
  return fstat(file_.number(), &held) == 0 && lstat(path_.c_str(), &now) == 0 && held.st_ino == now.st_ino &&
         held.st_dev == now.st_dev;
}

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

}  // namespace ecube
