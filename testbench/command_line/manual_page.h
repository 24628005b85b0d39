// SPDX-License-Identifier: Apache-2.0
// The program as a page for man(1).
#pragma once

#include <span>
#include <string>

#include "testbench/command_line/command.h"

namespace ecube {

/// A part of a manual page that no command's help has.
struct ManualSection {
  std::string title;  ///< "FILES"
  struct Entry {
    std::string what;
    std::string meaning;
  };
  std::vector<Entry> entries{};
};

/// The page of section 1 in roff: every command in a sentence, the options that many commands have, then `sections`.
/// `version` as "ecube 0.1.0".
[[nodiscard]] std::string manual_page(const CommandText& program, const std::string& version,
                                      std::span<const ManualSection> sections);

}  // namespace ecube
