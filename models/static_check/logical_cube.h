// SPDX-License-Identifier: Apache-2.0
// The steps of a cube whose nodes stand for those of another network, and the loads of the links there.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "models/static_check/link_conflicts.h"

namespace ecube {

class LogicalCube {
 public:
  /// `nodes`: of each label of the cube.
  LogicalCube(const Topology& topology, std::vector<NodeId> nodes);

  /// The circuits on the network of those between labels.
  [[nodiscard]] std::vector<PlannedCircuit> placed(std::span<const PlannedCircuit> step) const;
  /// Of a step of circuits between labels; without any, that of a step between neighbours.
  [[nodiscard]] Topology::StepLoad load_of(std::span<const PlannedCircuit> step) const;
  /// Where every node sends in all `directions` at once, bits of a label. Counted when it is asked for first.
  [[nodiscard]] const Topology::StepLoad& load_along(NodeId directions) const;

 private:
  Topology topology_;
  std::vector<NodeId> nodes_;
  mutable std::map<NodeId, Topology::StepLoad> along_;
};

}  // namespace ecube
