// SPDX-License-Identifier: Apache-2.0
// A directory that is opened once: what is below it is reached by single names, and no link there is followed.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "testbench/system/file_lock.h"

namespace ecube {

/// Operations throw std::system_error, with the file's name, when the system cannot do them or tell what is there.
class OpenDirectory {
 public:
  /// The directory that a user names, links in the path followed. std::system_error when it cannot be opened.
  explicit OpenDirectory(const std::string& path);

  /// The path, as given, and below it the name.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_at_its_path() const;

  /// A folder in it; nothing when there is none of this name, or a link or a file.
  [[nodiscard]] std::optional<OpenDirectory> folder(const std::string& name) const;
  /// Makes a folder of the name `prefix` and 16 random digits.
  [[nodiscard]] OpenDirectory make_folder(const std::string& prefix) const;

  [[nodiscard]] std::optional<struct stat> status(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  /// A regular file for reading; not open when there is none of this name, or something else.
  [[nodiscard]] FileDescriptor open_file(const std::string& name) const;
  void make_file(const std::string& name, std::string_view text) const;
  /// What the system has in memory of a file, or of the directory itself, goes to the disk.
  void sync(const std::string& name) const;
  void sync() const;
  /// Moves a name to another directory of the same file system, where it replaces a file. False when it is not there.
  bool move(const std::string& name, const OpenDirectory& to, const std::string& new_name) const;
  /// Removes a file or a link, or an empty folder; nothing happens when it is not there.
  void remove(const std::string& name) const;
  void remove_folder(const std::string& name) const;

  [[nodiscard]] LockState lock() const { return try_lock(descriptor_); }

 private:
  OpenDirectory(std::string path, FileDescriptor descriptor);
  /// Not open when there is nothing of this name that these flags of open() allow.
  [[nodiscard]] FileDescriptor open_for_reading(const std::string& name, int flags) const;
  [[noreturn]] void fail(const std::string& name, const char* what) const;

  std::string path_;
  FileDescriptor descriptor_;
};

}  // namespace ecube
