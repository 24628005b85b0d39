// SPDX-License-Identifier: Apache-2.0
// Private folders inside a directory.
#include "testbench/system/staged_files.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "models/machine/error.h"

namespace ecube {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view folder_prefix = ".ecube.part-";

bool is_staging_name(std::string_view name) {
  constexpr std::size_t digits = 16;
  return name.starts_with(folder_prefix) && name.size() == folder_prefix.size() + digits &&
         name.find_first_not_of("0123456789abcdef", folder_prefix.size()) == std::string_view::npos;
}

std::string name_of(const OpenDirectory& folder) { return fs::path(folder.path()).filename().string(); }

/// Removes a private folder with its files. What no process of ours puts there stays, and the folder with it.
void remove_staged(const OpenDirectory& directory, const OpenDirectory& folder) {
  try {
    for (const std::string& name : folder.names()) folder.remove(name);
    directory.remove_folder(name_of(folder));
  } catch (const std::system_error&) {
  }
}

}  // namespace

StagedFiles::StagedFiles(std::string directory) : path_(std::move(directory)) {
  std::error_code error;
  for (fs::path missing = fs::absolute(path_, error);
       !error && !fs::exists(missing, error) && missing.has_relative_path(); missing = missing.parent_path()) {
    first_made_ = missing.string();
  }
  const auto refuse = [&](const std::string& reason) {
    leave();
    throw InputError(fmt::format("cannot write into the directory {}: {}", ecube::quoted(path_), reason))
        .hint("give a directory that can be made or written with -o");
  };
  // A process that ends at this moment may remove the folder, and a directory that it made, while this one uses them.
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    fs::create_directories(path_, error);
    if (error) refuse(error.message());
    try {
      if (stage()) return;
    } catch (const std::system_error& problem) {
      if (problem.code() != std::errc::no_such_file_or_directory) refuse(problem.code().message());
    }
  }
  refuse("other processes make and remove it all the time");
}

/// Takes a folder, which its lock marks as in use, and removes the folders of killed processes.
bool StagedFiles::stage() {
  directory_.emplace(path_);
  folder_.emplace(directory_->make_folder(std::string(folder_prefix)));
  const LockState lock = folder_->lock();
  if (lock == LockState::held_by_another || !folder_->is_at_its_path()) {
    folder_.reset();
    return false;
  }
  for (const std::string& name : directory_->names()) {
    if (lock == LockState::unavailable || !is_staging_name(name) || name == name_of(*folder_)) continue;
    const std::optional<OpenDirectory> left = directory_->folder(name);
    // A folder that became() something else meanwhile is no longer locked, and is nobody's remains.
    const bool remains = left && left->lock() == LockState::taken && left->is_at_its_path();
    if (remains) remove_staged(*directory_, *left);
  }
  return true;
}

/// A directory that another process has begun to use is not empty and stays.
void StagedFiles::leave() {
  if (folder_) remove_staged(*directory_, *folder_);
  folder_.reset();
  if (first_made_.empty()) return;
  std::error_code ignored;
  for (fs::path made = fs::absolute(path_, ignored); fs::remove(made, ignored) && made != first_made_;) {
    made = made.parent_path();
  }
}

void StagedFiles::write(const std::string& name, std::string_view text) const {
  try {
    folder_->make_file(name, text);
  } catch (const std::system_error& problem) {
    throw std::runtime_error(fmt::format("{}/{} could not be written: {}", path_, name, problem.code().message()));
  }
}

bool StagedFiles::become(const std::string& name) {
  try {
    if (!directory_->move(name_of(*folder_), *directory_, name)) {
      throw std::system_error(ENOENT, std::generic_category(), folder_->path());
    }
  } catch (const std::system_error& problem) {
    if (problem.code() == std::errc::directory_not_empty || problem.code() == std::errc::file_exists) return false;
    throw;
  }
  folder_.reset();
  return true;
}

OutputFile::OutputFile(std::string path, Links links) : path_(std::move(path)) {
  const auto refuse = [&](int reason) {
    if (links == Links::none) {
      throw std::runtime_error(fmt::format("{} could not be made: {}", path_, std::strerror(reason)));
    }
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
  const bool beside = replaces_link || !fs::exists(target, error) || fs::is_regular_file(target, error);
  if (beside && links != Links::none) {
    if (!replaces_link && fs::exists(target, error) && access(target.c_str(), W_OK) != 0) refuse(errno);
    part_ = target + ".part-XXXXXX";
    const int descriptor = mkstemp(part_.data());
    if (descriptor < 0) refuse(errno);
    const mode_t mask = umask(0);
    umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
    stream_ = fdopen(descriptor, "w");
    path_ = target;
  } else {
    stream_ = std::fopen(path_.c_str(), "w");
  }
  if (stream_ == nullptr) refuse(errno);
  constexpr std::size_t buffered = std::size_t{1} << 16;
  (void)std::setvbuf(stream_, nullptr, _IOFBF, buffered);
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
