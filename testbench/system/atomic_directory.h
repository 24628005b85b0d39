// SPDX-License-Identifier: Apache-2.0
// Files of a directory that replace those of an earlier run all together or not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// Collects files in a folder of their own inside a directory, and moves them into the directory when all are whole.
/// Until then the directory keeps what an earlier run left there; without publish() the destructor leaves everything
/// as it was. A process that is killed leaves at most the folder, which the next run empties, or a move that was
/// decided and not finished, which complete() finishes.
class OutputDirectory {
 public:
  /// Makes `directory`, with its parents, and takes the folder for this process. `group` names the folder where files
  /// of several runs may share a directory, as waveforms do. InputError when the directory cannot be made or written,
  /// or when another process is writing the same group into it.
  explicit OutputDirectory(std::string directory, std::string_view group = "");
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  /// The directory, as given.
  [[nodiscard]] const std::string& path() const { return directory_; }
  /// The folder that files are written into.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Where a file is written; after publish() it is `path()`/`name`.
  [[nodiscard]] std::string file(std::string_view name) const { return folder_ + "/" + std::string(name); }
  /// Writes a whole file. std::runtime_error when the disk does not take it.
  void write(std::string_view name, std::string_view text) const;
  /// Names of the files that have been written.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Moves the files into the directory, then removes those of the names in `obsolete` that are not among them. One
  /// rename decides: a process killed before it has changed nothing, one killed after it leaves the rest to
  /// complete(). std::runtime_error when the disk does not take it.
  void publish(const std::vector<std::string>& obsolete = {});

  /// Finishes a move that a killed process has begun. Everything that reads such a directory calls this first.
  static void complete(const std::string& directory, std::string_view group = "");

 private:
  void take_folder();
  void leave_directory();

  std::string directory_;
  std::string folder_;
  std::string decided_;     ///< the folder's name once its files are to be moved
  std::string first_made_;  ///< the topmost directory made; empty when all existed
  int lock_ = -1;           ///< the folder, open and locked
};

}  // namespace ecube
