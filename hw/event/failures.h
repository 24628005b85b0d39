// SPDX-License-Identifier: Apache-2.0
// The links and nodes that fail in a run, and from which edge on (hw/README.md section 12).
#pragma once

#include <algorithm>
#include <vector>

#include "hw/event/circuits.h"
#include "models/contract/run.h"

namespace ecube::event {

class Failures {
 public:
  struct DeadLink {
    LinkId link;
    Cycles from = never;
  };

  void reset(const std::vector<Failure>& failures, const Topology& topology) {
    const unsigned outputs = topology.outputs();
    const NodeId nodes = topology.nodes();
    label_bits_ = topology.label_bits();
    links_.clear();
    nodes_.clear();
    in_order_.clear();
    if (failures.empty()) return;
    links_.assign(static_cast<std::size_t>(outputs) << label_bits_, never);
    nodes_.assign(nodes, never);
    for (const Failure& failure : failures) {
      if (failure.output) {
        dies({failure.node, *failure.output}, failure.from);
        continue;
      }
      nodes_[failure.node] = std::min(nodes_[failure.node], failure.from);
      for (unsigned output = 0; output < outputs; ++output) {
        if (topology.exists(failure.node, output)) dies({failure.node, output}, failure.from);
        if (topology.has_origin(failure.node, output)) {
          dies({topology.origin(failure.node, output), output}, failure.from);
        }
      }
    }
    for_each_link(topology, [this](LinkId at) {
      if (link(at) != never) in_order_.push_back({at, link(at)});
    });
    std::ranges::stable_sort(in_order_, {}, &DeadLink::from);
  }
  [[nodiscard]] bool any() const { return !links_.empty(); }
  /// Rule 12.1: the edge from which on the link is dead, or never.
  [[nodiscard]] Cycles link(LinkId link) const { return links_[place(link)]; }
  /// Rule 12.2: the edge from which on the node's program does not go on, or never.
  [[nodiscard]] Cycles node(NodeId node) const { return nodes_[node]; }
  /// Links that die, in order of their edge.
  [[nodiscard]] const std::vector<DeadLink>& links() const { return in_order_; }

 private:
  [[nodiscard]] std::size_t place(LinkId link) const {
    return (static_cast<std::size_t>(link.output) << label_bits_) + link.node;
  }
  void dies(LinkId link, Cycles from) { links_[place(link)] = std::min(links_[place(link)], from); }

  unsigned label_bits_ = 0;
  std::vector<Cycles> links_;  ///< empty where nothing fails
  std::vector<Cycles> nodes_;
  std::vector<DeadLink> in_order_;
};

}  // namespace ecube::event
