// SPDX-License-Identifier: Apache-2.0
// Files that keep what was measured once.
#pragma once

#include "tests/test.h"

/// Compares a text with its file, line by line; with ECUBE_UPDATE_GOLDEN=1 the file is written first.
inline void expect_golden(const std::string& file, const std::string& measured) {
  if (std::getenv("ECUBE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << measured;
  const std::string golden = file_text(file);
  const std::vector<std::string> found = lines_in(measured);
  const std::vector<std::string> expected = lines_in(golden);
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) ASSERT_EQ(found[i], expected[i]) << file;
  EXPECT_EQ(measured.size(), golden.size()) << file << ": run this test with ECUBE_UPDATE_GOLDEN=1 to write it";
}
