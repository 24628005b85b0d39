// SPDX-License-Identifier: Apache-2.0
// The files that the values of a study name.
#pragma once

#include <filesystem>
#include <string>

#include "testbench/sweep/study.h"
#include "testbench/text/toml_text.h"

namespace ecube {

/// Files are looked for beside the study, then where the command runs. What is in them counts.
class StudyFiles {
 public:
  /// `study` has to live as long.
  StudyFiles(const TomlText& study, CodeInStudies code) : study_(study), code_(code) {}

  [[nodiscard]] std::filesystem::path found(const std::string& name) const;
  /// Notes in `study` what is in the file that the value of `key` at `node` names, if it names one; the value becomes
  /// the file that was found. InputError, with the place, for a program or a router where code is refused.
  void note(Study& study, const toml::node& node, const std::string& key, std::string& value) const;

 private:
  /// Of a program or a router, which is code.
  void note_code(Study& study, const toml::node& node, const std::string& key, std::string& value) const;

  const TomlText& study_;
  CodeInStudies code_;
};

}  // namespace ecube
