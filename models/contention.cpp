// SPDX-License-Identifier: Apache-2.0
// Routes of a step laid over each other.
#include "models/contention.h"

namespace ecube {

std::vector<LinkConflict> conflicts_of(std::span<const PlannedCircuit> step, unsigned dim) {
  const auto place = [dim](const LinkId& link) { return std::size_t{link.node} * dim + link.dimension; };
  std::vector<std::uint32_t> uses(std::size_t{dim} << dim, 0);
  for (const PlannedCircuit& circuit : step) {
    for (Route route(circuit.source, circuit.destination); !route.arrived(); route.advance()) {
      ++uses[place(route.next())];
    }
  }
  std::vector<LinkConflict> conflicts;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  for (std::size_t link = 0; link < uses.size(); ++link) {
    if (uses[link] < 2) {
      uses[link] = none;
      continue;
    }
    uses[link] = static_cast<std::uint32_t>(conflicts.size());
    conflicts.push_back({.link = {static_cast<NodeId>(link / dim), static_cast<unsigned>(link % dim)}});
  }
  for (std::size_t number = 0; !conflicts.empty() && number < step.size(); ++number) {
    for (Route route(step[number].source, step[number].destination); !route.arrived(); route.advance()) {
      const std::uint32_t conflict = uses[place(route.next())];
      if (conflict != none) conflicts[conflict].circuits.push_back(number);
    }
  }
  return conflicts;
}

}  // namespace ecube
