// SPDX-License-Identifier: Apache-2.0
// Counts the uses of every link and port by the circuits of a step.
#include "models/static_check/link_conflicts.h"

#include <algorithm>

namespace ecube {

std::vector<LinkConflict> conflicts_of(std::span<const PlannedCircuit> step, unsigned dim) {
  const auto place = [dim](const LinkId& link) { return std::size_t{link.node} * dim + link.dimension; };
  std::vector<std::uint32_t> uses(std::size_t{dim} << dim, 0);
  for (const PlannedCircuit& circuit : step) {
    for (const LinkId link : Route(circuit.source, circuit.destination)) ++uses[place(link)];
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
    for (const LinkId link : Route(step[number].source, step[number].destination)) {
      const std::uint32_t conflict = uses[place(link)];
      if (conflict != none) conflicts[conflict].circuits.push_back(number);
    }
  }
  return conflicts;
}

std::size_t port_conflicts_of(std::span<const PlannedCircuit> step, unsigned dim) {
  std::vector<std::uint32_t> injects(std::size_t{dim} << dim, 0);
  std::vector<std::uint32_t> ejects(std::size_t{dim} << dim, 0);
  for (const PlannedCircuit& circuit : step) {
    ++injects[std::size_t{circuit.source} * dim + first_dimension(circuit.source, circuit.destination)];
    ++ejects[std::size_t{circuit.destination} * dim + last_dimension(circuit.source, circuit.destination)];
  }
  const auto shared = [](const std::vector<std::uint32_t>& uses) {
    return static_cast<std::size_t>(std::count_if(uses.begin(), uses.end(), [](std::uint32_t n) { return n > 1; }));
  };
  return shared(injects) + shared(ejects);
}

}  // namespace ecube
