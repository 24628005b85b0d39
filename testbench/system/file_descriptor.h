// SPDX-License-Identifier: Apache-2.0
// A file descriptor with an owner.
#pragma once

#include <unistd.h>

#include <cerrno>
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

}  // namespace ecube
