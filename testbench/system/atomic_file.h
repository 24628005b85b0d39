// SPDX-License-Identifier: Apache-2.0
// One file that replaces an earlier one when it is whole.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace ecube {

/// Writes beside the file, under a name of its own; commit() puts the result in its place, and until then the earlier
/// file stays. What is no regular file, as a pipe or a device, is written directly.
class OutputFile {
 public:
  /// What becomes of a symbolic link at the place of the file: the file behind it is replaced, or the link itself.
  enum class Links : std::uint8_t { followed, replaced };

  /// InputError when no file can be made there.
  explicit OutputFile(std::string path, Links links = Links::followed);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void put(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stream_); }
  /// std::runtime_error when not everything could be written; the earlier file then stays.
  void commit();

 private:
  std::string path_;
  std::string part_;  ///< empty when the file is written directly
  std::FILE* stream_ = nullptr;
};

void write_file(const std::string& path, std::string_view text, OutputFile::Links links = OutputFile::Links::followed);

}  // namespace ecube
