// SPDX-License-Identifier: Apache-2.0
// Locks of files and folders among processes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "testbench/system/file_descriptor.h"

namespace ecube {

enum class LockState : std::uint8_t { taken, held_by_another, unavailable };

/// Locks an open file or directory for this process until it is closed; does not wait. Some file systems have no locks.
[[nodiscard]] LockState try_lock(const FileDescriptor& file);

/// The file .lock of a folder, made where there is none.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& folder);

  /// 0, or why the file is not open; ELOOP where a link, or no file, is in its place.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] LockState take() const { return try_lock(file_); }
  void wait() const;
  /// False when the process that held the file before has removed it.
  [[nodiscard]] bool is_at_its_path() const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  int error_ = 0;
};

/// Held by one process at a time for what is built in a folder, ./ecube included. Waits, with a note on standard error,
/// for the process that holds it; not taken where nothing can be written. InputError when a link is in its place.
[[nodiscard]] FileLock build_lock(const std::filesystem::path& tree);

}  // namespace ecube
