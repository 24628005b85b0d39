// SPDX-License-Identifier: Apache-2.0
// The page of all reproduced results.
#pragma once

#include <string>
#include <vector>

#include "testbench/figure/figure.h"

namespace ecube {

/// One result on the page.
struct PageEntry {
  std::string id;
  std::string what;  ///< "Bokhari 1993, Figure 1: run times of all partitions"
  const Reproduction* reproduction = nullptr;
  Verdict verdict{};
  std::vector<std::string> files{};
};

/// Writes index.html into `directory`: an overview by paper, then every result with its picture, what differs and why,
/// all its checks and the command that does it again. std::runtime_error when it cannot be written.
void write_page(const std::string& directory, const std::vector<PageEntry>& entries, const VerdictCounts& counts);

}  // namespace ecube
