// SPDX-License-Identifier: Apache-2.0
// The files of a trace that this program writes itself.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// A file that is written from the front to the back. close() reports errors of the disk.
class TraceFile {
 public:
  /// std::runtime_error when the file cannot be made.
  explicit TraceFile(const std::string& file);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Where the next `bytes` bytes can be written, `most_room` at most; written() says where they end.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (buffer_.size() - filled_ < bytes) flush();
    return buffer_.data() + filled_;
  }
  void written(const char* end) { filled_ = static_cast<std::size_t>(end - buffer_.data()); }
  void put(std::string_view text);

  /// True when everything is in the file.
  [[nodiscard]] bool close();
  /// The same; std::runtime_error when something is not.
  void finish();

  static constexpr std::size_t most_room = std::size_t{1} << 16;

 private:
  void flush();

  std::string file_;
  std::FILE* stream_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
};

}  // namespace ecube
