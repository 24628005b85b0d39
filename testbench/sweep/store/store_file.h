// SPDX-License-Identifier: Apache-2.0
// The directory of a study and its store: how they are locked, opened, copied and made, on any file system.
#pragma once

#include <SQLiteCpp/Database.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/error.h"
#include "testbench/system/open_files.h"

namespace ecube {

/// Holds a directory for one process, until the process ends in whatever way; makes the directory if there is none.
/// Where the file system has no locks, a note on standard error says so. Unless keep() is called, the destructor
/// removes the directories, lock and study.toml that did not exist before.
class DirectoryLock {
 public:
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

/// Replaces the copy of a study beside its store. std::system_error when it cannot be written.
void write_study_text(const std::string& directory, const std::string& text);

class StoreDatabase;

/// The path of the store in a directory; of a file its own path, of a link that of the file behind it.
[[nodiscard]] std::string store_file(const std::string& path);

/// Makes an empty file if there is none. InputError for a symbolic link, or a journal that names other files.
[[nodiscard]] SQLite::Database open_store(const std::string& file);

/// A copy of its own: nobody who writes into the store waits for a reader longer than the copy takes, and no reader
/// changes anything. Of a store whose writer was ended in the midst of a change, the copy has the state before. Waits
/// while another program writes. InputError for a symbolic link.
[[nodiscard]] SQLite::Database copy_store(const std::string& file, bool quiet);

/// False when there is no file, or one without tables: what a process leaves that is ended at its beginning.
[[nodiscard]] bool has_store(const std::string& file);

void make_store(const std::string& file, const std::function<void(StoreDatabase&)>& fill);

/// What is wrong with a store's file. std::runtime_error instead where the disk is to blame.
[[nodiscard]] InputError unreadable(const std::string& file, const SQLite::Exception& problem);

}  // namespace ecube
