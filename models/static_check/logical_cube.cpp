// SPDX-License-Identifier: Apache-2.0
// Labels of a cube as nodes of a network.
#include "models/static_check/logical_cube.h"

#include <utility>

namespace ecube {

LogicalCube::LogicalCube(const Topology& topology, std::vector<NodeId> nodes)
    : topology_(topology), nodes_(std::move(nodes)) {}

std::vector<PlannedCircuit> LogicalCube::placed(std::span<const PlannedCircuit> step) const {
  std::vector<PlannedCircuit> circuits(step.begin(), step.end());
  for (auto& [source, destination] : circuits) {
    source = nodes_[source];
    destination = nodes_[destination];
  }
  return circuits;
}

Topology::StepLoad LogicalCube::load_of(std::span<const PlannedCircuit> step) const {
  if (step.empty()) return {.hops = 1, .circuits = 1};
  return ecube::load_of(placed(step), topology_);
}

const Topology::StepLoad& LogicalCube::load_along(NodeId directions) const {
  const auto [found, is_new] = along_.try_emplace(directions);
  if (is_new) {
    std::vector<PlannedCircuit> step;
    for (NodeId bit = 1; bit < nodes_.size(); bit <<= 1) {
      if ((directions & bit) == 0) continue;
      for (NodeId label = 0; label < nodes_.size(); ++label) step.push_back({label, label ^ bit});
    }
    found->second = load_of(step);
  }
  return found->second;
}

}  // namespace ecube
