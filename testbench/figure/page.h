// SPDX-License-Identifier: Apache-2.0
// The page of reproduced results.
#pragma once

#include <string>
#include <vector>

#include "testbench/figure/figure.h"

namespace ecube {

/// One result on the page.
struct PageEntry {
  std::string id;
  std::string what;  ///< paper, item: what it shows
  const Reproduction* reproduction = nullptr;
  Verdict verdict{};
  std::vector<std::string> files{};  ///< in the directory of the page
};

/// The counts, a table of all results, then every result with its picture, checks, verdict and command. Pictures are
/// read from `directory`. `commands`: the one that makes the page, then that of each entry. std::runtime_error when a
/// picture cannot be read.
[[nodiscard]] std::string results_page(const std::string& directory, const std::vector<PageEntry>& entries,
                                       const VerdictCounts& counts, const std::vector<std::string>& commands);

}  // namespace ecube
