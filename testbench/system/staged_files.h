// SPDX-License-Identifier: Apache-2.0
// Files that are written beside their places and put there when they are whole: several at once, or one.
#pragma once

#include <algorithm>
#include <cstdio>

#include "testbench/system/open_files.h"

namespace ecube {

/// Collects files in a private folder inside their directory. Until they are put in their places the directory keeps
/// what it had; the destructor removes the folder and the directories that the constructor made. A process that is
/// killed leaves its folder, which the next process that stages files in the directory removes.
class StagedFiles {
 public:
  /// Makes `directory`, with its parents. InputError when it cannot be made or written.
  explicit StagedFiles(std::string directory);
  ~StagedFiles() { leave(); }

  [[nodiscard]] const OpenDirectory& directory() const { return *directory_; }
  [[nodiscard]] const OpenDirectory& folder() const { return *folder_; }
  /// Where a file is written until it has its place.
  [[nodiscard]] std::string file(std::string_view name) const { return folder_->path() + "/" + std::string(name); }
  /// Writes a whole file. std::runtime_error, which names its place, when the disk does not take it.
  void write(const std::string& name, std::string_view text) const;
  [[nodiscard]] std::vector<std::string> names() const { return folder_->names(); }

  /// Puts the files in their places, each by one rename, those of `last` behind the others and in this order.
  void move_each(const std::vector<std::string>& last = {}) {
    for (const std::string& name : names()) {
      if (std::ranges::find(last, name) == last.end()) folder_->move(name, *directory_, name);
    }
    for (const std::string& name : last) folder_->move(name, *directory_, name);
  }
  /// Gives the folder, with all files at once, this name. False when one of this name that is not empty is there.
  [[nodiscard]] bool become(const std::string& name);

 private:
  bool stage();
  void leave();

  std::string path_;
  std::string first_made_;  ///< the topmost directory made; empty when all existed
  std::optional<OpenDirectory> directory_;
  std::optional<OpenDirectory> folder_;
};

/// Writes beside the file, under a name of its own; commit() puts the result in its place, and until then the earlier
/// file stays. What is no regular file, as a pipe or a device, is written directly.
class OutputFile {
 public:
  /// What becomes of a symbolic link at the place of the file: the file behind it is replaced, or the link itself.
  /// Where there can be none, in a folder of this process's own, the file is written directly.
  enum class Links : std::uint8_t { followed, replaced, none };

  /// InputError when no file can be made there; std::runtime_error in a folder of this process's own.
  explicit OutputFile(std::string path, Links links = Links::followed);
  ~OutputFile();
  OutputFile(OutputFile&&) = delete;  // nor copied

  void put(std::string_view text) { (void)fwrite_unlocked(text.data(), 1, text.size(), stream_); }
  /// std::runtime_error when not everything could be written; the earlier file then stays.
  void commit();

 private:
  std::string path_;
  std::string part_;  ///< empty when the file is written directly
  std::FILE* stream_ = nullptr;
};

/// A file in the folder of StagedFiles, written from the front to the back.
class StagedFile : public OutputFile {
 public:
  explicit StagedFile(const std::string& file) : OutputFile(file, Links::none) {}
};

void write_file(const std::string& path, std::string_view text, OutputFile::Links links = OutputFile::Links::followed);

}  // namespace ecube
