// SPDX-License-Identifier: Apache-2.0
// The files of a trace that this program writes itself.
#pragma once

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

  void put(std::string_view text) { (void)fwrite_unlocked(text.data(), 1, text.size(), stream_); }

  /// True when everything is in the file.
  [[nodiscard]] bool close();
  /// The same; std::runtime_error when something is not.
  void finish();

 private:
  std::string file_;
  std::FILE* stream_;
  std::vector<char> buffer_;
};

}  // namespace ecube
