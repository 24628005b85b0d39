// SPDX-License-Identifier: Apache-2.0
// A temporary folder of this process.
#pragma once

#include <string>

#include "testbench/system/interruption.h"

namespace ecube {

/// A folder that only this user enters, removed with its contents, by a Ctrl-C too.
class PrivateFolder {
 public:
  /// std::system_error where there is no place for one.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  Interruptible until_removed_;
  std::string path_;
};

}  // namespace ecube
