// SPDX-License-Identifier: Apache-2.0
// File descriptors with an owner, and locks of files and folders among processes.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace ecube {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  /// A name under which the file can be opened again while this object lives, whatever becomes of its own name.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }
  /// The number, which is closed by somebody else from now on.
  int release() { return std::exchange(number_, -1); }
  /// 0, or what errno was when the system reported an error of what had been written.
  int close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

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
