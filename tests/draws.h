// SPDX-License-Identifier: Apache-2.0
// Random values of a test case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/machine/random.h"

/// The values of one case, all drawn from one number: the failure message names that number, so that the case can be
/// run again.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  /// 0 .. limit.
  std::uint64_t up_to(std::uint64_t limit) { return ecube::up_to(ecube::draw(seed_, 0, count_++), limit); }
  template <class Value, std::size_t count>
  Value of(const Value (&values)[count]) {
    return values[up_to(count - 1)];
  }
  const std::string& of(const std::vector<std::string>& values) { return values[up_to(values.size() - 1)]; }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};
