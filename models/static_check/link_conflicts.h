// SPDX-License-Identifier: Apache-2.0
// The static contention check: which circuits of a step share a link, also of a cube on another network.
#pragma once

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "models/machine/topology.h"

namespace ecube {

/// A circuit that a step of a schedule sets up.
struct PlannedCircuit {
  NodeId source = 0;
  NodeId destination = 0;
};

/// A link that several circuits of one step take.
struct LinkConflict {
  LinkId link;
  std::vector<std::size_t> circuits{};  ///< places in the step, in order
};

/// Conflicts of the circuits of one step by their routes, in order of node, then output. Where all circuits of a step
/// begin at one edge and hold their links until all have asked, the machine blocks a circuit if and only if there is a
/// conflict.
[[nodiscard]] std::vector<LinkConflict> conflicts_of(std::span<const PlannedCircuit> step, const Topology& topology);

/// The hops of the longest circuit of a step, and the number of circuits on its fullest link.
[[nodiscard]] Topology::StepLoad load_of(std::span<const PlannedCircuit> step, const Topology& topology);

/// Inject and eject ports of an n-port machine that more than one circuit of the step takes. A circuit takes the inject
/// port of the output by which it leaves and the eject port of the one by which it arrives; a message to oneself takes
/// port 0 of both.
[[nodiscard]] std::size_t port_conflicts_of(std::span<const PlannedCircuit> step, const Topology& topology);

/// The steps of a cube whose labels stand for `nodes` of another network.
class LogicalCube {
 public:
  LogicalCube(Topology topology, std::vector<NodeId> nodes)
      : topology_(std::move(topology)), nodes_(std::move(nodes)) {}

  /// The circuits on the network of those between labels.
  [[nodiscard]] std::vector<PlannedCircuit> placed(std::vector<PlannedCircuit> step) const;
  /// Of a step of circuits between labels; without any, that of a step between neighbours.
  [[nodiscard]] Topology::StepLoad load_of(const std::vector<PlannedCircuit>& step) const;
  /// Where every node with the bits `alike` of `root` sends in all `directions` at once, bits of a label. Counted when
  /// it is asked for first.
  [[nodiscard]] const Topology::StepLoad& load_along(NodeId directions, NodeId alike = 0, NodeId root = 0) const;

 private:
  Topology topology_;
  std::vector<NodeId> nodes_;
  mutable std::map<std::array<NodeId, 3>, Topology::StepLoad> along_;
};

}  // namespace ecube
