// SPDX-License-Identifier: Apache-2.0
// One builder at a time in a folder.
#pragma once

#include <filesystem>

#include "testbench/system/file_descriptor.h"

namespace ecube {

/// Held by one process at a time for what is built in a folder, ./ecube included. Waits, with a note on standard error,
/// for the process that holds it.
class BuildLock {
 public:
  /// InputError when a link is in the place of the lock.
  explicit BuildLock(const std::filesystem::path& tree);

  /// False where nothing can be written.
  [[nodiscard]] bool taken() const { return file_.is_open(); }

 private:
  FileDescriptor file_;
};

}  // namespace ecube
