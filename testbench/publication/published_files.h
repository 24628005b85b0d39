// SPDX-License-Identifier: Apache-2.0
// The files of a run directory, all of one run, however many runs are writing into it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "testbench/system/open_files.h"

namespace ecube {

/// Files of one publication, open: whatever happens to the directory, they stay as the run left them. Nothing in the
/// directory is written, moved or locked.
class PublishedFiles {
 public:
  using Wanted = std::function<bool(std::string_view name)>;

  /// Opens the manifest and the run's files that are wanted. InputError when the directory cannot be read, or a file is
  /// not what its manifest says. Directories of earlier versions, whose manifest has no sizes, are read as they are.
  PublishedFiles(std::string directory, const Wanted& wanted);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] bool has(const std::string& name) const { return files_.contains(name); }
  /// What messages call a file.
  [[nodiscard]] std::string shown(const std::string& name) const { return directory_ + "/" + name; }
  /// Where a file is opened again; InputError when the run has none of this name.
  [[nodiscard]] std::string path(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, file] : files_) all.push_back(name);
    return all;
  }

 private:
  /// False when the directory changed meanwhile.
  bool open(const Wanted& wanted);

  std::string directory_;
  std::map<std::string, std::shared_ptr<const FileDescriptor>> files_;
};

}  // namespace ecube
