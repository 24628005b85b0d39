// SPDX-License-Identifier: Apache-2.0
// Builders exclude each other, and the file of their lock is never written.
#include "testbench/system/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include "models/machine/error.h"
#include "tests/test.h"

namespace ecube::file_lock_test {
namespace {

namespace fs = std::filesystem;

/// Whether another process could take the lock now.
bool is_free(const std::string& file) {
  const FileDescriptor other(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return other.is_open() && flock(other.number(), LOCK_EX | LOCK_NB) == 0;
}

TEST(BuildLock, IsHeldAsLongAsItLives) {
  const Directory directory;
  {
    const FileLock lock = build_lock(directory / "");
    EXPECT_TRUE(lock.error() == 0);
    EXPECT_FALSE(is_free(directory / ".lock"));
  }
  EXPECT_TRUE(is_free(directory / ".lock"));
  EXPECT_NE(build_lock(directory / "none").error(), 0);
}

TEST(BuildLock, ChangesNoFileBehindALink) {
  const Directory directory;
  const std::string victim = directory / "victim";
  std::ofstream(victim) << "precious";
  for (const std::string& behind : {victim, directory / "none"}) {
    fs::create_symlink(behind, directory / ".lock");
    EXPECT_THROW((void)build_lock(directory / ""), InputError) << behind;
    fs::remove(directory / ".lock");
  }
  EXPECT_FALSE(fs::exists(directory / "none"));
  fs::create_hard_link(victim, directory / ".lock");
  EXPECT_EQ(build_lock(directory / "").error(), 0);
  EXPECT_EQ(file_text(victim), "precious");
}

}  // namespace
}  // namespace ecube::file_lock_test
