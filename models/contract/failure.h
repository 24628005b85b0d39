// SPDX-License-Identifier: Apache-2.0
// Links and nodes that fail in a run (hw/README.md section 12).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/machine/topology.h"

namespace ecube {

/// A link, or a node with all its links, that is dead from an edge on.
struct Failure {
  NodeId node = 0;
  std::optional<unsigned> output;  ///< of the link that leaves the node; empty for the node itself
  Cycles from = 0;
};

/// The edge from which on `node` is dead, or never.
[[nodiscard]] inline Cycles dead_from(const std::vector<Failure>& failures, NodeId node) {
  Cycles from = never;
  for (const Failure& failure : failures) {
    if (!failure.output && failure.node == node) from = std::min(from, failure.from);
  }
  return from;
}

/// The edge from which on `link` is dead, or never: it fails by itself or with a node at one of its ends.
[[nodiscard]] inline Cycles dead_from(const std::vector<Failure>& failures, const Topology& topology, LinkId link) {
  Cycles from =
      std::min(dead_from(failures, link.node), dead_from(failures, topology.neighbour(link.node, link.output)));
  for (const Failure& failure : failures) {
    if (failure.output == link.output && failure.node == link.node) from = std::min(from, failure.from);
  }
  return from;
}

/// A circuit of which a word or its acknowledge was lost on a dead link.
struct CutCircuit {
  enum class Lost : std::uint8_t { probe, acknowledge, tail };
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t tag = 0;
  LinkId link;
  Lost lost = Lost::probe;
  Cycles at = 0;  ///< the edge at which it was driven
};

}  // namespace ecube
