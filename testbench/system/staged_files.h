// SPDX-License-Identifier: Apache-2.0
// Files that are written beside their places and put there when they are whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/system/open_directory.h"

namespace ecube {

/// Collects files in a private folder inside their directory. Until they are put in their places the directory keeps
/// what it had; the destructor removes the folder and the directories that the constructor made. A process that is
/// killed leaves its folder, which the next process that stages files in the directory removes.
class StagedFiles {
 public:
  /// Makes `directory`, with its parents. InputError when it cannot be made or written.
  explicit StagedFiles(std::string directory);
  ~StagedFiles();
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  [[nodiscard]] const OpenDirectory& directory() const { return *directory_; }
  [[nodiscard]] const OpenDirectory& folder() const { return *folder_; }
  /// Where a file is written until it has its place.
  [[nodiscard]] std::string file(std::string_view name) const { return folder_->path() + "/" + std::string(name); }
  /// Writes a whole file. std::runtime_error, which names its place, when the disk does not take it.
  void write(const std::string& name, std::string_view text) const;
  [[nodiscard]] std::vector<std::string> names() const;

  /// Puts the files in their places, each by one rename, those of `last` behind the others and in this order.
  void move_each(const std::vector<std::string>& last = {});
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

}  // namespace ecube
