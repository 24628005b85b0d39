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
#include <stdexcept>

#include "models/machine/error.h"

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
  for (const char* const file : {"results.sqlite-journal", "results.sqlite-wal", "results.sqlite-shm", "results.sqlite",
                                 "study.toml", ".lock"}) {
    if (std::string path = directory + "/" + file; !is_there(path)) made_.push_back(std::move(path));
  }
  for (fs::path path(directory); !path.empty() && !is_there(path.string()); path = path.parent_path()) {
    made_.push_back(path.string());
  }
  std::error_code error;
  fs::create_directories(directory, error);
  for (;;) {
    descriptor_ = error ? -1 : open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (descriptor_ < 0) {
      const std::string why = error ? error.message() : std::strerror(errno);
      take_away(made_);
      throw ErrorText(fmt::format("cannot write into {}: {}", ecube::quoted(directory), why))
          .hint("give a directory that can be made or written with -o")
          .error();
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor_);
      throw ErrorText(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
          .hint("wait for it, or give another directory with -o; shards of one study have directories of their own")
          .error();
    }
    if (is_still(lock, descriptor_)) return;
    close(descriptor_);
  }
}

DirectoryLock::~DirectoryLock() {
  take_away(made_);
  close(descriptor_);
}

void write_study_text(const std::string& directory, const std::string& text) {
  // Writes a new file and moves it, because study.toml may be a link to another place.
  const std::string aside = directory + "/.study.toml";
  unlink(aside.c_str());
  const int descriptor = open(aside.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
  const auto size = static_cast<ssize_t>(text.size());
  const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) == size;
  const int problem = errno;
  if (descriptor >= 0) close(descriptor);
  if (written && rename(aside.c_str(), (directory + "/study.toml").c_str()) == 0) return;
  const std::string why = std::strerror(written ? errno : problem);
  unlink(aside.c_str());
  throw std::runtime_error(fmt::format("cannot write into {}: {}", ecube::quoted(directory), why));
}

}  // namespace ecube
