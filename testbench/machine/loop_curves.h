// SPDX-License-Identifier: Apache-2.0
// What a detailed node's loops cost against the size of their blocks, and where their cycles go.
#pragma once

#include <string>
#include <vector>

#include "models/node/memory_system.h"

namespace ecube {

/// A loop at one size, run a second time: in the state in which the first run left cache and TLB.
struct LoopPoint {
  std::string loop;       ///< "permute" or "combine"
  Bytes block_bytes = 0;  ///< of a permutation; of the vector of a combine
  double units = 0;       ///< bytes permuted or items combined
  node::LoopFigures figures;
  [[nodiscard]] double cycles_per_unit() const { return static_cast<double>(figures.cycles) / units; }
};

/// Permutations of 8 by 8 blocks of 1 B to 4 KiB, and combines of 64 B to 64 KiB.
[[nodiscard]] std::vector<LoopPoint> loop_curves(const Machine& machine);

/// The points as a table with bars, for the terminal: cycles of the core for each byte or item, and for what.
[[nodiscard]] std::string loop_curves_as_text(const Machine& machine, const std::vector<LoopPoint>& points);

}  // namespace ecube
