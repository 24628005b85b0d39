// SPDX-License-Identifier: Apache-2.0
// The counts of a link, and the circuits that wait for an output.
#pragma once

#include <optional>
#include <string>

#include "hw/observed/circuit.h"
#include "models/machine/topology.h"

namespace ecube {

/// What a link has carried and how long circuits waited for it (hw/README.md section 6).
struct LinkStatistics {
  std::uint32_t circuits = 0;
  std::uint32_t most_waiters = 0;
  Bytes bytes = 0;
  Cycles busy = 0;
  Cycles blocked = 0;
  friend bool operator==(const LinkStatistics&, const LinkStatistics&) = default;
};

/// The links of a machine after a run, whichever engine ran it.
class Links {
 public:
  virtual ~Links() = default;
  [[nodiscard]] virtual const Topology& topology() const = 0;
  [[nodiscard]] virtual LinkStatistics statistics(LinkId link) const = 0;
  /// The link with this hierarchical name: the name of its router and the output, as "cube.node5.router.link2".
  /// Empty where the hierarchy has no such link.
  [[nodiscard]] virtual std::optional<LinkId> find(const std::string& name) const = 0;
};

/// A circuit that waits for an output of a router, and the one that holds it: for the report of a stalled machine.
struct WaitingCircuit {
  CircuitRecord waiting;
  NodeId router = 0;
  unsigned output = 0;  ///< a link, or the number of links + eject port
  bool held = false;
  CircuitRecord holder{};  ///< only if `held`
};

}  // namespace ecube
