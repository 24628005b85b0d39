// SPDX-License-Identifier: Apache-2.0
// A study's directory, held by one process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/system/file_lock.h"

namespace ecube {

/// Holds a directory for one process, until the process ends in whatever way; makes the directory if there is none.
/// Where the file system has no locks, a note on standard error says so. Unless keep() is called, the destructor
/// removes the directories, lock and study.toml that did not exist before.
class DirectoryLock {
 public:
  /// InputError when another process holds the directory, or when it cannot be made.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  void keep() { made_.clear(); }

 private:
  void take(const std::string& directory);

  std::optional<FileLock> lock_;
  std::vector<std::string> made_;  ///< files and directories that were not there, the innermost first
};

/// Writes the copy of a study that lies beside its store, in place of an earlier copy. std::system_error when the
/// copy cannot be written.
void write_study_text(const std::string& directory, const std::string& text);

}  // namespace ecube
