// SPDX-License-Identifier: Apache-2.0
// Locking, and tidying up.
#include "testbench/sweep/directory_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "models/machine/error.h"
#include "testbench/system/open_directory.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

bool is_there(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

/// False when the process that held the file before has removed it.
bool is_still(const std::string& path, int descriptor) {
  struct stat held {};
  struct stat now {};
  return fstat(descriptor, &held) == 0 && lstat(path.c_str(), &now) == 0 && held.st_ino == now.st_ino &&
         held.st_dev == now.st_dev;
}

void take_away(const std::vector<std::string>& made) {
  std::error_code none;
  for (const std::string& path : made) fs::remove(path, none);
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) {
  const std::string lock = directory + "/.lock";
  for (fs::path path(directory); !path.empty() && !is_there(path.string()); path = path.parent_path()) {
    made_.push_back(path.string());
  }
  std::error_code error;
  fs::create_directories(directory, error);
  const bool locked = is_there(lock);
  for (;;) {
    descriptor_ = error ? -1 : open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ < 0) {
      const std::string why = error ? error.message() : std::strerror(errno);
      take_away(made_);
      throw ErrorText(fmt::format("cannot write into {}: {}", ecube::quoted(directory), why))
          .hint("give a directory that can be made or written with -o")
          .error();
    }
    take(directory);
    if (is_still(lock, descriptor_)) break;
    close(descriptor_);
  }
  // Only now: until here another process may have written its own.
  if (!locked) made_.insert(made_.begin(), lock);
  if (std::string study = directory + "/study.toml"; !is_there(study)) made_.insert(made_.begin(), std::move(study));
}

void DirectoryLock::take(const std::string& directory) {
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      fmt::print(stderr, "note: the file system of {} has no locks: let one sweep at a time write into it\n",
                 ecube::quoted(directory));
      return;
    }
    close(descriptor_);
    throw ErrorText(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
        .hint("wait for it, or give another directory with -o; shards of one study have directories of their own")
        .error();
  }
}

DirectoryLock::~DirectoryLock() {
  take_away(made_);
  close(descriptor_);
}

void write_study_text(const std::string& directory, const std::string& text) {
  // Writes a new file and moves it, because study.toml may be a link to another place.
  const std::string aside = ".study.toml";
  const OpenDirectory place(directory);
  place.remove(aside);
  try {
    place.make_file(aside, text);
    place.sync(aside);
    place.move(aside, place, "study.toml");
  } catch (...) {
    place.remove(aside);
    throw;
  }
}

}  // namespace ecube
