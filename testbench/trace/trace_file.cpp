// SPDX-License-Identifier: Apache-2.0
#include "testbench/trace/trace_file.h"

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

TraceFile::TraceFile(const std::string& file) : file_(file), stream_(make(file)), buffer_(std::size_t{1} << 16) {
  if (stream_ == nullptr) throw std::runtime_error(file + " cannot be made");
  std::setvbuf(stream_, buffer_.data(), _IOFBF, buffer_.size());
}

TraceFile::~TraceFile() {
  if (stream_ != nullptr) std::fclose(stream_);
}

bool TraceFile::close() {
  const bool whole = std::ferror(stream_) == 0;
  const bool closed = std::fclose(stream_) == 0;
  stream_ = nullptr;
  return whole && closed;
}

void TraceFile::finish() {
  if (!close()) throw std::runtime_error(file_ + " is incomplete: is the disk full?");
}

}  // namespace ecube
