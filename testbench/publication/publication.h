// SPDX-License-Identifier: Apache-2.0
// How the files of a run replace those of an earlier one: all at once, and no others.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "testbench/publication/manifest.h"
#include "testbench/system/staged_files.h"

namespace ecube {

/// The directory of one run. Files are written into a private folder; publish() makes them the directory's in one
/// rename, after which every reader (published_files.h) sees them, and then moves each to its place. A process that is
/// killed at any moment leaves the earlier run or the new one, whole; the next run moves what is left to be moved.
class Publication {
 public:
  /// Takes the directory, which is made when it does not exist, and finishes what a killed process left. InputError
  /// when it cannot be written, or another run is writing into it.
  explicit Publication(const std::string& directory);

  [[nodiscard]] const StagedFiles& files() const { return files_; }
  /// False when the file system has no locks: the user sees to it that one run at a time writes.
  [[nodiscard]] bool locked() const { return locked_; }
  /// Whether an earlier run has left files that this one replaces.
  [[nodiscard]] bool replaces() const { return replaces_; }

  /// Declares what the run may write. InputError when one of these names has a file that no run left, or when the
  /// earlier run has files besides these, or somebody has changed one: unless `replace` says that they may go.
  void claim(std::vector<std::string> names, bool replace);

  /// `provenance` becomes the manifest. std::runtime_error when the disk does not take something.
  void publish(nlohmann::ordered_json provenance);

 private:
  StagedFiles files_;
  bool locked_;
  bool replaces_ = false;
};

}  // namespace ecube
