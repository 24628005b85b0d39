// SPDX-License-Identifier: Apache-2.0
// How many random cases a test takes.
#pragma once

#include <cstddef>

/// All of them; a quarter under sanitizers, which look for errors of memory in the same code, ten times slower. What
/// the test states is stated by the other runs.
constexpr std::size_t random_cases(std::size_t all) {
#ifdef __SANITIZE_ADDRESS__
  return all / 4;
#else
  return all;
#endif
}
