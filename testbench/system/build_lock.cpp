// SPDX-License-Identifier: Apache-2.0
// A lock on a file in the folder.
#include "testbench/system/build_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

namespace ecube {

BuildLock::BuildLock(const std::filesystem::path& tree)
    : file_(open((tree / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
  if (file_ < 0) return;
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    std::array<char, 200> holder{};
    const ssize_t size = pread(file_, holder.data(), holder.size(), 0);
    const std::string_view name(holder.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    fmt::print(stderr, "ecube: waiting for {}, which is building in {}\n",
               name.empty() ? "another process" : name.substr(0, name.find('\n')), tree.string());
    while (flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  const std::string own = fmt::format("process {}\n", getpid());
  (void)!ftruncate(file_, 0);
  (void)!pwrite(file_, own.data(), own.size(), 0);
}

BuildLock::~BuildLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace ecube
