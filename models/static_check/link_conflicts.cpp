// SPDX-License-Identifier: Apache-2.0
// Counts the uses of every link and port by the circuits of a step.
#include "models/static_check/link_conflicts.h"

#include <algorithm>

namespace ecube {

namespace {

/// The uses of each link by the circuits of a step, at node * outputs + output.
std::vector<std::uint32_t> uses_of(std::span<const PlannedCircuit> step, const Topology& topology) {
  std::vector<std::uint32_t> uses(std::size_t{topology.nodes()} * topology.outputs(), 0);
  for (const PlannedCircuit& circuit : step) {
    topology.along(circuit.source, circuit.destination,
                   [&](LinkId link) { ++uses[std::size_t{link.node} * topology.outputs() + link.output]; });
  }
  return uses;
}

}  // namespace

std::vector<LinkConflict> conflicts_of(std::span<const PlannedCircuit> step, const Topology& topology) {
  const unsigned outputs = topology.outputs();
  std::vector<std::uint32_t> uses = uses_of(step, topology);
  std::vector<LinkConflict> conflicts;
  constexpr std::uint32_t none = ~std::uint32_t{0};
  for (std::size_t link = 0; link < uses.size(); ++link) {
    if (uses[link] < 2) {
      uses[link] = none;
      continue;
    }
    uses[link] = static_cast<std::uint32_t>(conflicts.size());
    conflicts.push_back({.link = {static_cast<NodeId>(link / outputs), static_cast<unsigned>(link % outputs)}});
  }
  for (std::size_t number = 0; !conflicts.empty() && number < step.size(); ++number) {
    topology.along(step[number].source, step[number].destination, [&](LinkId link) {
      const std::uint32_t conflict = uses[std::size_t{link.node} * outputs + link.output];
      if (conflict != none) conflicts[conflict].circuits.push_back(number);
    });
  }
  return conflicts;
}

Topology::StepLoad load_of(std::span<const PlannedCircuit> step, const Topology& topology) {
  const std::vector<std::uint32_t> uses = uses_of(step, topology);
  Topology::StepLoad load{.circuits = *std::max_element(uses.begin(), uses.end())};
  for (const PlannedCircuit& circuit : step) {
    load.hops = std::max(load.hops, topology.hops(circuit.source, circuit.destination));
  }
  return load;
}

std::size_t port_conflicts_of(std::span<const PlannedCircuit> step, const Topology& topology) {
  const std::size_t outputs = topology.outputs();
  std::vector<std::uint32_t> injects(topology.nodes() * outputs, 0);
  std::vector<std::uint32_t> ejects(topology.nodes() * outputs, 0);
  for (const PlannedCircuit& circuit : step) {
    ++injects[circuit.source * outputs + topology.first_output(circuit.source, circuit.destination)];
    ++ejects[circuit.destination * outputs + topology.last_output(circuit.source, circuit.destination)];
  }
  const auto shared = [](const std::vector<std::uint32_t>& uses) {
    return static_cast<std::size_t>(std::count_if(uses.begin(), uses.end(), [](std::uint32_t n) { return n > 1; }));
  };
  return shared(injects) + shared(ejects);
}

std::vector<PlannedCircuit> LogicalCube::placed(std::vector<PlannedCircuit> step) const {
  for (PlannedCircuit& circuit : step) circuit = {nodes_[circuit.source], nodes_[circuit.destination]};
  return step;
}

Topology::StepLoad LogicalCube::load_of(const std::vector<PlannedCircuit>& step) const {
  return step.empty() ? Topology::StepLoad{.hops = 1, .circuits = 1} : ecube::load_of(placed(step), topology_);
}

const Topology::StepLoad& LogicalCube::load_along(NodeId directions, NodeId alike, NodeId root) const {
  const auto [found, is_new] = along_.try_emplace({directions, alike, root & alike});
  if (is_new) {
    std::vector<PlannedCircuit> step;
    for (NodeId label = 0; label < nodes_.size(); ++label) {
      if (((label ^ root) & alike) != 0) continue;
      for (NodeId left = directions; left != 0; left &= left - 1) step.push_back({label, label ^ (left & ~(left - 1))});
    }
    found->second = load_of(step);
  }
  return found->second;
}

}  // namespace ecube
