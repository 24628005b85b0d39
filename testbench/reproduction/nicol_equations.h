// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994, section 3: the equations as printed, written here so that no check compares models/ with
// itself.
#pragma once

#include <cmath>
#include <optional>

#include "testbench/reproduction/judged.h"

namespace ecube {

/// With m tau = 1: the start-up is L / (m tau), the shuffle 2^d rho.
struct Startup {
  unsigned dim = 1;
  double ratio = 1;
  double rho = 0;
  double barrier = 0;

  [[nodiscard]] double blocks() const { return std::exp2(dim); }
  /// L / (m tau) below which parts of this sum are better merged.
  [[nodiscard]] double merge_below(double sum) const { return judged(std::exp2(dim - sum), "merged below"); }
  [[nodiscard]] double s_bar() const { return judged(dim - std::log2(ratio), "s-bar"); }
  /// Lemma 1, of L / (m tau).
  [[nodiscard]] double direct_up_to() const {
    return judged((blocks() * rho + barrier) / (blocks() - std::exp2(dim / 2.0 + 1) + 1) + 1, "Direct up to");
  }
  [[nodiscard]] double standard_from() const { return judged(blocks() * (0.25 + rho) + barrier, "Standard from"); }
  /// P_d
  [[nodiscard]] double phase(double x) const {
    return judged((std::exp2(x) - 1) * (ratio + std::exp2(dim - x)) + blocks() * rho + barrier, "P({:g})", x);
  }
  /// s*: one phase takes as long as two of half its dimensions, by bisection; below 2 or above d there is none. Where
  /// phases cost nothing of their own it is s-bar.
  [[nodiscard]] std::optional<double> equal_phases() const;
};

}  // namespace ecube
