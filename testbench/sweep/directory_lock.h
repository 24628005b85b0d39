// SPDX-License-Identifier: Apache-2.0
// A study's directory, held by one process.
#pragma once

#include <string>
#include <vector>

namespace ecube {

/// Holds a directory, made when it is not there, for one process, which releases it however it ends. Unless keep() is
/// called, the end takes away what was not there at the beginning: directories, lock and store.
class DirectoryLock {
 public:
  /// InputError when another process holds it, or it cannot be made.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  void keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;  ///< files and directories that were not there, the innermost first
  int descriptor_ = -1;
};

/// Writes the copy of a study that lies beside its store, in place of what was there. runtime_error when it cannot.
void write_study_text(const std::string& directory, const std::string& text);

}  // namespace ecube
