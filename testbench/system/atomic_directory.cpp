// SPDX-License-Identifier: Apache-2.0
// Folders, locks and moves.
#include "testbench/system/atomic_directory.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "models/machine/error.h"

namespace ecube {

namespace fs = std::filesystem;

namespace {

/// Inside the folder: names of earlier files to remove after the move, a line each.
constexpr const char* obsolete_list = ".obsolete";

std::string folder_name(std::string_view group, std::string_view state) {
  return group.empty() ? fmt::format(".ecube.{}", state) : fmt::format(".{}.ecube.{}", group, state);
}

/// Held by one process at a time for the moment in which files change places; readers and writers wait for it.
class PublishingLock {
 public:
  explicit PublishingLock(const std::string& directory)
      : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~PublishingLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  PublishingLock(const PublishingLock&) = delete;
  PublishingLock& operator=(const PublishingLock&) = delete;

 private:
  int descriptor_;
};

std::runtime_error not_written(const std::string& file, const std::string& why) {
  return std::runtime_error(fmt::format("{} could not be written: {}", file, why));
}

/// Under the directory's lock, moves every file of `decided` into `directory`, then removes `decided`.
void move_files(const fs::path& directory, const fs::path& decided) {
  std::error_code error;
  std::vector<std::string> moved;
  for (const fs::directory_entry& entry : fs::directory_iterator(decided, error)) {
    const std::string name = entry.path().filename().string();
    if (name != obsolete_list) moved.push_back(name);
  }
  for (const std::string& name : moved) {
    fs::rename(decided / name, directory / name, error);
    if (error) throw not_written((directory / name).string(), error.message());
  }
  std::ifstream obsolete(decided / obsolete_list);
  for (std::string name; std::getline(obsolete, name);) {
    if (std::find(moved.begin(), moved.end(), name) == moved.end()) fs::remove(directory / name, error);
  }
  fs::remove_all(decided, error);
}

}  // namespace

OutputDirectory::OutputDirectory(std::string directory, std::string_view group)
    : directory_(std::move(directory)),
      folder_(directory_ + "/" + folder_name(group, "part")),
      decided_(directory_ + "/" + folder_name(group, "whole")) {
  std::error_code error;
  for (fs::path missing = fs::absolute(directory_, error);
       !error && !fs::exists(missing, error) && missing.has_relative_path(); missing = missing.parent_path()) {
    first_made_ = missing.string();
  }
  try {
    take_folder();
  } catch (...) {
    leave_directory();
    throw;
  }
}

void OutputDirectory::take_folder() {
  const auto refuse = [&](const std::string& reason) {
    throw ErrorText(fmt::format("cannot write into the run directory {}: {}", ecube::quoted(directory_), reason))
        .hint("give a directory that can be made or written with -o")
        .error();
  };
  // A run that ends at this moment may remove the folder, and a directory that it made, while this run uses them.
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) refuse(error.message());
    if (!fs::is_directory(directory_, error)) refuse("it is not a directory");
    if (mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) {
      if (errno == ENOENT) continue;
      refuse(std::strerror(errno));
    }
    lock_ = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) {
      if (errno == ENOENT) continue;
      refuse(std::strerror(errno));
    }
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      close(lock_);
      lock_ = -1;
      throw ErrorText(fmt::format("another run is writing into {}", ecube::quoted(directory_)))
          .hint("wait for it, or give another directory")
          .error();
    }
    struct stat held {};
    struct stat there {};
    if (fstat(lock_, &held) == 0 && stat(folder_.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
        held.st_dev == there.st_dev) {
      break;
    }
    close(lock_);
    lock_ = -1;
  }
  if (lock_ < 0) refuse("other runs make and remove it all the time");
  // Removes the remains of a killed run.
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) fs::remove_all(entry.path(), error);
  // Only making a file shows whether files can be made: permissions are not the only obstacle.
  const bool made = static_cast<bool>(std::ofstream(file(".probe")));
  const int reason = errno;
  fs::remove(file(".probe"), error);
  if (!made) refuse(std::strerror(reason));
}

OutputDirectory::~OutputDirectory() {
  if (lock_ >= 0) leave_directory();
}

/// Removes the directories that the constructor has made. A directory that another process has begun to use is not
/// empty and stays.
void OutputDirectory::leave_directory() {
  std::error_code ignored;
  if (lock_ >= 0) {
    fs::remove_all(folder_, ignored);
    close(lock_);
    lock_ = -1;
  }
  if (first_made_.empty()) return;
  for (fs::path made = fs::absolute(directory_, ignored); fs::remove(made, ignored) && made != first_made_;) {
    made = made.parent_path();
  }
}

void OutputDirectory::write(std::string_view name, std::string_view text) const {
  errno = 0;
  std::ofstream stream(file(name), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw not_written(directory_ + "/" + std::string(name), std::strerror(errno != 0 ? errno : EIO));
}

std::vector<std::string> OutputDirectory::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void OutputDirectory::publish(const std::vector<std::string>& obsolete) {
  std::string list;
  for (const std::string& name : obsolete) list += name + "\n";
  write(obsolete_list, list);
  const PublishingLock lock(directory_);
  std::error_code error;
  if (fs::exists(decided_, error)) move_files(directory_, decided_);
  fs::rename(folder_, decided_, error);
  if (error) throw not_written(directory_, error.message());
  close(lock_);
  lock_ = -1;
  move_files(directory_, decided_);
}

void OutputDirectory::complete(const std::string& directory, std::string_view group) {
  const std::string decided = directory + "/" + folder_name(group, "whole");
  std::error_code error;
  if (!fs::exists(decided, error)) return;
  const PublishingLock lock(directory);
  if (fs::exists(decided, error)) move_files(directory, decided);
}

}  // namespace ecube
