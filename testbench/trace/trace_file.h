// SPDX-License-Identifier: Apache-2.0
// The files of a trace that this program writes itself.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// A file that is written from the front to the back.
class TraceFile {
 public:
  /// std::runtime_error when the file cannot be made.
  explicit TraceFile(const std::string& file) : file_(file), buffer_(std::size_t{1} << 16) {
    stream_.pubsetbuf(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (stream_.open(file, std::ios::out | std::ios::binary) == nullptr) {
      throw std::runtime_error(file + " cannot be made");
    }
  }

  void put(std::string_view text) {
    const auto size = static_cast<std::streamsize>(text.size());
    whole_ = whole_ && stream_.sputn(text.data(), size) == size;
  }

  /// std::runtime_error unless everything is in the file.
  void finish() {
    if (stream_.close() == nullptr || !whole_) throw std::runtime_error(file_ + " is incomplete: is the disk full?");
  }

 private:
  std::string file_;
  std::vector<char> buffer_;
  std::filebuf stream_;
  bool whole_ = true;  ///< nothing that was put has been refused
};

}  // namespace ecube
