// SPDX-License-Identifier: Apache-2.0
// Folders of the program: for files that it can make again and believes, and temporary ones.
#pragma once

#include <filesystem>
#include <string>

#include "testbench/system/interruption.h"

namespace ecube {

/// The folder `name` of the user's cache, XDG_CACHE_HOME/ecube or ~/.cache/ecube. Both are made where they are not
/// there, and are changed to be the user's alone (mode 0700). InputError when there is no place for them, and when they
/// belong to another user or others can write there: the program would run code of strangers.
[[nodiscard]] std::filesystem::path user_cache_folder(const std::string& name);

/// The same in the program's build tree, if the user has built it; else in the user's cache.
[[nodiscard]] std::filesystem::path cache_folder(const std::string& name);

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
