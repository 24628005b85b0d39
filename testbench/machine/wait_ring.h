// SPDX-License-Identifier: Apache-2.0
// Circuits that wait for each other in a ring, as routers that do not keep to e-cube routing can make them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <vector>

#include "hw/observed/link.h"

namespace ecube {

/// For each circuit that waits, the place of the one that holds what it waits for, or the number of circuits where that
/// one does not wait itself.
[[nodiscard]] inline std::vector<std::size_t> holders_among(const std::vector<WaitingCircuit>& waiting) {
  // A port drives one probe at an edge, so these name a circuit.
  const auto name = [](const CircuitRecord& circuit) {
    return std::tuple(circuit.source, circuit.inject_port, circuit.probe);
  };
  const auto name_at = [&](std::size_t place) { return name(waiting[place].waiting); };
  std::vector<std::size_t> by_name(waiting.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  std::ranges::stable_sort(by_name, [&](std::size_t a, std::size_t b) { return name_at(a) < name_at(b); });
  std::vector<std::size_t> holders(waiting.size(), waiting.size());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (!waiting[i].held) continue;
    const auto holder = name(waiting[i].holder);
    const auto at = std::lower_bound(by_name.begin(), by_name.end(), holder,
                                     [&](std::size_t place, const auto& wanted) { return name_at(place) < wanted; });
    if (at != by_name.end() && name_at(*at) == holder) holders[i] = *at;
  }
  return holders;
}

/// Each waits for an output that the next one holds, the last one for that of the first. Empty where there is none.
[[nodiscard]] inline std::vector<WaitingCircuit> ring_among(const std::vector<WaitingCircuit>& waiting) {
  const std::vector<std::size_t> holders = holders_among(waiting);
  std::vector<std::size_t> visited(waiting.size(), 0);  // the search that came by, from 1 on
  for (std::size_t begin = 0; begin < waiting.size(); ++begin) {
    std::size_t at = begin;
    while (at < waiting.size() && visited[at] == 0) {
      visited[at] = begin + 1;
      at = holders[at];
    }
    if (at == waiting.size() || visited[at] != begin + 1) continue;
    std::vector<WaitingCircuit> ring{waiting[at]};
    for (std::size_t next = holders[at]; next != at; next = holders[next]) ring.push_back(waiting[next]);
    return ring;
  }
  return {};
}

/// How many things each chain has that begins at a thing and goes on to the next one of the last, up to one that has
/// none (next[i] = next.size()) or that the chain has already.
[[nodiscard]] inline std::vector<std::size_t> chain_lengths(const std::vector<std::size_t>& next) {
  std::vector<std::size_t> lengths(next.size(), 0);  // 0: not known yet
  std::vector<bool> on_path(next.size(), false);
  std::vector<std::size_t> path;
  for (std::size_t begin = 0; begin < next.size(); ++begin) {
    path.clear();
    std::size_t at = begin;
    for (; at < next.size() && lengths[at] == 0 && !on_path[at]; at = next[at]) {
      path.push_back(at);
      on_path[at] = true;
    }
    if (at < next.size() && lengths[at] == 0) {  // a ring: a chain from anywhere in it has all of it
      const auto ring = std::find(path.begin(), path.end(), at);
      const auto size = static_cast<std::size_t>(path.end() - ring);
      for (auto member = ring; member != path.end(); ++member) lengths[*member] = size;
      path.erase(ring, path.end());
    }
    for (auto member = path.rbegin(); member != path.rend(); ++member) {
      lengths[*member] = 1 + (next[*member] < next.size() ? lengths[next[*member]] : 0);
    }
  }
  return lengths;
}

}  // namespace ecube
