// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/trace_file.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace ecube {

namespace {

std::FILE* make(const std::string& file) {
  // ext4 writes an emptied file to the disk before it is closed, but keeps a new file in memory for a while: so an
  // earlier regular file is removed. Links and devices stay.
  std::error_code none;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(file, none)))
    std::filesystem::remove(file, none);
  return std::fopen(file.c_str(), "wb");
}

}  // namespace

TraceFile::TraceFile(const std::string& file) : file_(file), stream_(make(file)), buffer_(most_room) {
  if (stream_ == nullptr) throw std::runtime_error(file + " cannot be made");
  std::setvbuf(stream_, nullptr, _IONBF, 0);
}

TraceFile::~TraceFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

void TraceFile::flush() {
  (void)std::fwrite(buffer_.data(), 1, filled_, stream_);
  filled_ = 0;
}

void TraceFile::put(std::string_view text) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, most_room);
    written(std::copy(part.begin(), part.end(), room(part.size())));
    text.remove_prefix(part.size());
  }
}

bool TraceFile::close() {
  flush();
  const bool whole = std::ferror(stream_) == 0;
  const bool closed = std::fclose(stream_) == 0;
  stream_ = nullptr;
  return whole && closed;
}

void TraceFile::finish() {
  if (!close()) throw std::runtime_error(file_ + " is incomplete: is the disk full?");
}

}  // namespace ecube
