// SPDX-License-Identifier: Apache-2.0
// Shares that are whole numbers.
#include "models/node/loop_times.h"

#include <numeric>

#include "models/machine/ratio.h"

namespace ecube::node {

Cycles LoopTimes::total() const { return std::accumulate(cycles.begin(), cycles.end(), Cycles{0}); }

LoopTimes LoopTimes::scaled_to(Cycles wanted) const {
  const Cycles all = total();
  if (all == wanted) return *this;
  LoopTimes scaled;
  if (all == 0) {
    scaled[LoopTime::issue] = wanted;
    return scaled;
  }
  // Differences of rounded sums up to each share: their sum is exact, and none is more than a cycle off.
  Cycles up_to = 0;
  Cycles given = 0;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    up_to += cycles[i];
    const auto share = static_cast<Cycles>(UInt128{up_to} * wanted / all);
    scaled.cycles[i] = share - given;
    given = share;
  }
  return scaled;
}

LoopTimes& LoopTimes::operator+=(const LoopTimes& other) {
  for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] += other.cycles[i];
  return *this;
}

}  // namespace ecube::node
