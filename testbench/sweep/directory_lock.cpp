// SPDX-License-Identifier: Apache-2.0
// Locking, and tidying up.
#include "testbench/sweep/directory_lock.h"

#include <fmt/core.h>

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
    lock_.emplace(directory);
    if (lock_->error() != 0) {
      const std::string why = error ? error.message() : std::strerror(lock_->error());
      take_away(made_);
      throw InputError(fmt::format("cannot write into {}: {}", ecube::quoted(directory), why))
          .hint("give a directory that can be made or written with -o");
    }
    take(directory);
    if (lock_->is_at_its_path()) break;
  }
  // Only now: until here another process may have written its own.
  if (!locked) made_.insert(made_.begin(), lock);
  if (std::string study = directory + "/study.toml"; !is_there(study)) made_.insert(made_.begin(), std::move(study));
}

void DirectoryLock::take(const std::string& directory) {
  const LockState state = lock_->take();
  if (state == LockState::unavailable) {
    fmt::print(stderr, "note: the file system of {} has no locks: let one sweep at a time write into it\n",
               ecube::quoted(directory));
  }
  if (state != LockState::held_by_another) return;
  throw InputError(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
      .hint("wait for it, or give another directory with -o; shards of one study have directories of their own");
}

DirectoryLock::~DirectoryLock() { take_away(made_); }

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
