// SPDX-License-Identifier: Apache-2.0
// File descriptors with an owner, locks of files and folders among processes, and a directory that is opened once: what
// is below it is reached by single names, and no link there is followed.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
  /// False, with errno, when the system reports an error of what had been written.
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

/// False, with errno, when not all of the text could be written.
[[nodiscard]] bool write_all(int descriptor, std::string_view text);

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
  /// In order.
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
  OpenDirectory(std::string path, FileDescriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  /// Not open when there is nothing of this name that these flags of open() allow.
  [[nodiscard]] FileDescriptor open_for_reading(const std::string& name, int flags) const;
  [[noreturn]] void fail(const std::string& name, const char* what) const;

  std::string path_;
  FileDescriptor descriptor_;
};

}  // namespace ecube
