// SPDX-License-Identifier: Apache-2.0
// A script with which bash completes commands, options and values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/command_line/command.h"

namespace ecube {

/// The words that can be a value.
struct CompletionValues {
  std::string of;  ///< an option, as "--engine", or the command whose argument it is, as "machines"
  std::vector<std::string> words;
  bool files = false;  ///< a file name can be the value too
};

/// The script. Options and arguments that `values` does not name are completed as files.
[[nodiscard]] std::string bash_completion(const CommandText& program, std::span<const CompletionValues> values);

}  // namespace ecube
