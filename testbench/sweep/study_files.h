// SPDX-License-Identifier: Apache-2.0
// The files that the values of a study name.
#pragma once

#include <filesystem>
#include <string>

#include "testbench/sweep/study.h"
#include "testbench/text/toml_text.h"

namespace ecube {

/// Files are looked for beside the study, then where the command runs. What is in them counts.
struct StudyFiles {
  const TomlText& text;  ///< of the study
  CodeInStudies code;

  [[nodiscard]] std::filesystem::path found(const std::string& name) const;
  /// Notes in `study` what is in the file that the value of `key` at `node` names, if it names one; the value becomes
  /// the file that was found. InputError, with the place, for a program or a router where code is refused.
  void note(Study& study, const toml::node& node, const std::string& key, std::string& value) const;

  /// Of a program or a router, which is code.
  void note_code(Study& study, const toml::node& node, const std::string& key, std::string& value) const;
};

}  // namespace ecube
