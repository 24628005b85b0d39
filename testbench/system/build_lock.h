// SPDX-License-Identifier: Apache-2.0
// One builder at a time in a folder.
#pragma once

#include <filesystem>

namespace ecube {

/// Held by one process at a time for what is built in a folder, ./ecube included. Waits, with a note on standard error,
/// for the process that holds it.
class BuildLock {
 public:
  explicit BuildLock(const std::filesystem::path& tree);
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

  /// False where nothing can be written.
  [[nodiscard]] bool taken() const { return file_ >= 0; }

 private:
  int file_;
};

}  // namespace ecube
