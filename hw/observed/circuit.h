// SPDX-License-Identifier: Apache-2.0
// The record and the edges of a circuit, the counts of a link, and the circuits that wait for an output, the same for
// every engine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/machine/hierarchy_names.h"
#include "models/machine/topology.h"

namespace ecube {

using CircuitId = std::uint32_t;
inline constexpr CircuitId no_circuit = ~CircuitId{0};

/// The purpose of a circuit (hw/README.md section 5).
enum class CircuitKind : std::uint8_t { data, signal, synchronisation, reservation, grant };
inline constexpr std::array<std::string_view, 5> circuit_kind_names{"data", "signal", "synchronisation", "reservation",
                                                                    "grant"};

/// True for circuits that the message library makes for its own protocol.
[[nodiscard]] constexpr bool is_control(CircuitKind kind) { return kind >= CircuitKind::synchronisation; }

/// One circuit, from its probe to its tail.
struct CircuitRecord {
  Bytes bytes = 0;
  Cycles probe = 0;         ///< edge at which the interface of the source drives the probe
  std::uint64_t check = 0;  ///< sent beside the contents
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t tag = 0;
  std::uint16_t label = 0;  ///< phase or step, as the firmware numbers them
  std::uint8_t inject_port = 0;
  std::uint8_t eject_port = 0;  ///< once it has been granted
  CircuitKind kind = CircuitKind::data;
};

/// The edges of one established circuit (hw/README.md section 3).
struct CircuitEdges {
  Cycles acknowledge = 0;     ///< the destination's interface drives the acknowledge, or has taken a worm's probe
  Cycles data = 0;            ///< T0: first phit driven
  Cycles tail = 0;            ///< Tt: tail driven
  Cycles sender_ready = 0;    ///< Tt + 1
  Cycles receiver_ready = 0;  ///< Tt + h + 3
};

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
  [[nodiscard]] virtual std::optional<LinkId> find(const std::string& /*name*/) const { return std::nullopt; }

 protected:
  /// The same for links in a hierarchy whose cube is called `cube`.
  [[nodiscard]] std::optional<LinkId> find_in(const std::string& cube, const std::string& name) const {
    const auto link = HierarchyNames(cube).link(name, topology().outputs());
    if (!link || link->node >= topology().nodes() || !topology().exists(link->node, link->output)) return std::nullopt;
    return link;
  }
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
