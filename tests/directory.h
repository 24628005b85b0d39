// SPDX-License-Identifier: Apache-2.0
// A directory of a test's own, removed at its end.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

class Directory {
 public:
  explicit Directory(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "ecube-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Names of the files in the directory, or in its directory `under`.
  [[nodiscard]] std::vector<std::string> files(const std::string& under = "") const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_ / under)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};
