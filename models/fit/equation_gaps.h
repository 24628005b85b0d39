// SPDX-License-Identifier: Apache-2.0
// How far measurements are from the cost equations, and which mechanisms of a machine these leave out.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

/// 100 (measured - predicted) / predicted, in percent; 0 where the two differ by no more than the rounding of sums of
/// doubles. Not a number, or infinite, where `predicted` is 0.
[[nodiscard]] inline double deviation_percent(double measured, double predicted) {
  constexpr double rounding = 1e-10;
  const double percent = 100.0 * (measured - predicted) / predicted;
  return std::abs(percent) < rounding ? 0 : percent;
}

/// Of predictions with a term for links that circuits of a step share (LinkWaits), `waiting_us`.
inline constexpr const char* shared_links_gap =
    "circuits of a step share links and wait for one another, holding others: (largest load - 1) times the hold of one "
    "is a bound where steps begin together";

/// A sentence for each mechanism that makes runs on `machine`, a cube of dimension `dim`, differ from the equation by
/// more than a few percent; empty where the equation describes the machine. `longest` is the longest message, in bytes.
[[nodiscard]] std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes longest);
/// Of single messages, whatever their length.
[[nodiscard]] std::vector<std::string> message_gaps(const Machine& machine, unsigned dim);
[[nodiscard]] std::vector<std::string> combine_gaps(const Machine& machine, unsigned dim, double waiting_us = 0);
[[nodiscard]] std::vector<std::string> shuffle_gaps(const Machine& machine, unsigned dim);

}  // namespace ecube
