// SPDX-License-Identifier: Apache-2.0
// A lock on a file in the folder.
#include "testbench/system/build_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "models/machine/error.h"

namespace ecube {

BuildLock::BuildLock(const std::filesystem::path& tree)
    // For writing: network file systems lock no other files. Nothing is written, so that a file with further names
    // stays as it is; O_NONBLOCK for a pipe.
    : file_(open((tree / ".lock").c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644)) {
  struct stat found {};
  if (file_.is_open() ? fstat(file_.number(), &found) == 0 && !S_ISREG(found.st_mode) : errno == ELOOP) {
    throw ErrorText(fmt::format(".lock in {} is a link, or no file", ecube::quoted(tree.string())))
        .hint("builds lock a file of this name: remove what is there")
        .error();
  }
  if (!file_.is_open() || flock(file_.number(), LOCK_EX | LOCK_NB) == 0) return;
  fmt::print(stderr, "ecube: waiting for another process, which is building in {}\n", tree.string());
  while (flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace ecube
