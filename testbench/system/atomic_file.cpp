// SPDX-License-Identifier: Apache-2.0
#include "testbench/system/atomic_file.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "models/machine/error.h"

namespace ecube {

namespace fs = std::filesystem;

OutputFile::OutputFile(std::string path, Links links) : path_(std::move(path)) {
  const auto refuse = [&](int reason) {
    throw InputError(fmt::format("cannot write {}: {}", ecube::quoted(path_), std::strerror(reason)))
        .hint("give a file in a directory that exists and can be written");
  };
  std::error_code error;
  std::string target = path_;
  const bool link = fs::is_symlink(path_, error);
  if (link && links == Links::followed) {
    const fs::path behind = fs::canonical(path_, error);
    if (!error) target = behind.string();
  }
  if (fs::is_directory(target, error)) refuse(EISDIR);
  const bool replaces_link = link && links == Links::replaced;
  if (replaces_link || !fs::exists(target, error) || fs::is_regular_file(target, error)) {
    if (!replaces_link && fs::exists(target, error) && access(target.c_str(), W_OK) != 0) refuse(errno);
    part_ = target + ".part-XXXXXX";
    const int descriptor = mkstemp(part_.data());
    if (descriptor < 0) {
      const int reason = errno;
      part_.clear();
      refuse(reason);
    }
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    stream_ = fdopen(descriptor, "w");
    path_ = target;
  } else {
    stream_ = std::fopen(path_.c_str(), "w");
  }
  if (stream_ == nullptr) refuse(errno);
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr) (void)std::fclose(stream_);
  std::error_code ignored;
  if (!part_.empty()) fs::remove(part_, ignored);
}

void OutputFile::commit() {
  errno = 0;
  bool whole = std::ferror(stream_) == 0 && std::fflush(stream_) == 0;
  // The name must not reach the disk before the text does.
  if (whole && !part_.empty()) whole = fsync(fileno(stream_)) == 0;
  int reason = errno;
  if (std::fclose(stream_) != 0 && whole) {
    whole = false;
    reason = errno;
  }
  stream_ = nullptr;
  std::error_code error;
  if (whole && !part_.empty()) {
    fs::rename(part_, path_, error);
    if (!error) part_.clear();
  }
  if (!whole || error) {
    throw std::runtime_error(fmt::format("{} could not be written: {}", path_,
                                         error         ? error.message()
                                         : reason != 0 ? std::strerror(reason)
                                                       : "is the disk full?"));
  }
}

void write_file(const std::string& path, std::string_view text, OutputFile::Links links) {
  OutputFile file(path, links);
  file.put(text);
  file.commit();
}

}  // namespace ecube
