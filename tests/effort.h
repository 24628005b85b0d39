// SPDX-License-Identifier: Apache-2.0
// How many random cases a test takes.
#pragma once

#include <cstddef>
#include <cstdint>

/// All of them; a quarter under sanitizers, which look for errors of memory in the same code, ten times slower. What
/// the test states is stated by the other runs.
constexpr std::size_t random_cases(std::size_t all) {
#ifdef __SANITIZE_ADDRESS__
  return all / 4;
#else
  return all;
#endif
}

/// Whether an exhaustive test tries its next case: all of them; of five, one under sanitizers, counted so that every
/// value of every loop has its turn.
class Tried {
 public:
  bool operator()() {
#ifdef __SANITIZE_ADDRESS__
    return number_++ % 5 == 0;
#else
    return true;
#endif
  }

 private:
  [[maybe_unused]] std::uint64_t number_ = 0;
};
