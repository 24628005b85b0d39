// SPDX-License-Identifier: Apache-2.0
// Random failures for random programs: links and nodes, early and late, some of them twice on one path.
#pragma once

#include <random>
#include <vector>

#include "models/contract/failure.h"

namespace ecube {

inline std::vector<Failure> random_failures(std::uint64_t seed, const Topology& topology) {
  std::mt19937_64 random(seed * 1'000'003);
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  std::vector<Failure> failures;
  const std::uint64_t spread = pick(1) == 0 ? 300 : 3000;
  for (std::uint64_t count = 1 + pick(3); count > 0; --count) {
    Failure failure{.node = static_cast<NodeId>(pick(topology.nodes() - 1)), .output = {}, .from = pick(spread)};
    if (pick(5) != 0) failure.output = static_cast<unsigned>(pick(topology.outputs() - 1));
    if (!failure.output || topology.exists(failure.node, *failure.output)) failures.push_back(failure);
  }
  return failures;
}

}  // namespace ecube
