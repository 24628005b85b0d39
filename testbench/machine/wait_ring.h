// SPDX-License-Identifier: Apache-2.0
// Circuits that wait for each other in a ring, as routers that do not keep to e-cube routing can make them.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "hw/observed/link.h"

namespace ecube {

/// The first ring among circuits that wait: each for an output that the next one holds, the last one for that of the
/// first. Empty where there is none.
[[nodiscard]] inline std::vector<WaitingCircuit> ring_among(const std::vector<WaitingCircuit>& waiting) {
  // A port drives one probe at an edge, so these name a circuit.
  const auto name = [](const CircuitRecord& circuit) {
    return std::tuple(circuit.source, circuit.inject_port, circuit.probe);
  };
  std::vector<std::size_t> visited(waiting.size(), 0);  // the search that came by, from 1 on
  for (std::size_t begin = 0; begin < waiting.size(); ++begin) {
    std::vector<WaitingCircuit> chain;
    std::size_t at = begin;
    while (at < waiting.size() && visited[at] == 0) {
      visited[at] = begin + 1;
      chain.push_back(waiting[at]);
      if (!waiting[at].held) break;
      const auto holder = name(waiting[at].holder);
      at = static_cast<std::size_t>(
          std::find_if(waiting.begin(), waiting.end(),
                       [&](const WaitingCircuit& other) { return name(other.waiting) == holder; }) -
          waiting.begin());
    }
    if (chain.empty() || !chain.back().held || at >= waiting.size() || visited[at] != begin + 1) continue;
    const auto first = std::find_if(chain.begin(), chain.end(), [&](const WaitingCircuit& circuit) {
      return name(circuit.waiting) == name(waiting[at].waiting);
    });
    return {first, chain.end()};
  }
  return {};
}

}  // namespace ecube
