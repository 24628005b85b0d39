// SPDX-License-Identifier: Apache-2.0
// The pins of a verilated router alone, edge by edge beside the registers of the router in SystemC.
#pragma once

#include <algorithm>

#include "hw/clocked/shape.h"
#include "hw/observed/observer.h"
#include "hw/rtl/lone_router.h"

namespace ecube {

/// What happened to a circuit at an edge.
struct CircuitEdge {
  enum class Kind : std::uint8_t { probe, grant, acknowledge, first_phit, tail, sender_ready, arrives, release, ready };
  Cycles cycle = 0;
  NodeId node = 0;
  Kind kind = Kind::probe;
  unsigned output = 0;  ///< of a grant or a release
  NodeId source = 0;
  NodeId destination = 0;
  Cycles probe = 0;  ///< with source and port, the name of the circuit
  unsigned port = 0;
  friend auto operator<=>(const CircuitEdge&, const CircuitEdge&) = default;
};

class RecordedEdges final : public Observer {
 public:
  void injected(CircuitId, const CircuitRecord& circuit) override {
    note(circuit, circuit.probe, circuit.source, CircuitEdge::Kind::probe);
  }
  void granted(CircuitId, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles, Cycles at) override {
    note(circuit, at, router, CircuitEdge::Kind::grant, output);
  }
  void released(CircuitId, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    note(circuit, free_from, router, CircuitEdge::Kind::release, output);
  }
  void phits_arrive(CircuitId, const CircuitRecord& circuit, Cycles at) override {
    note(circuit, at, circuit.destination, CircuitEdge::Kind::arrives);
  }
  void established(CircuitId, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    note(circuit, edges.acknowledge, circuit.destination, CircuitEdge::Kind::acknowledge);
    note(circuit, edges.data, circuit.source, CircuitEdge::Kind::first_phit);
    note(circuit, edges.tail, circuit.source, CircuitEdge::Kind::tail);
    note(circuit, edges.sender_ready, circuit.source, CircuitEdge::Kind::sender_ready);
    note(circuit, edges.receiver_ready, circuit.destination, CircuitEdge::Kind::ready);
  }

  /// In order of cycle, node and kind.
  [[nodiscard]] const std::vector<CircuitEdge>& sorted() {
    std::sort(edges_.begin(), edges_.end());
    return edges_;
  }

 private:
  void note(const CircuitRecord& circuit, Cycles at, NodeId node, CircuitEdge::Kind kind, unsigned output = 0) {
    edges_.push_back({at, node, kind, output, circuit.source, circuit.destination, circuit.probe, circuit.inject_port});
  }
  std::vector<CircuitEdge> edges_;
};

/// The message and the edge at which two runs differ first, as lines of text; empty when they do not.
[[nodiscard]] std::string first_difference(RecordedEdges& event, RecordedEdges& other, const std::string& name);

/// The largest that were tried at the pins.
struct PinsTried {
  std::uint64_t edges = 0;
  std::uint64_t grants = 0;
  std::uint64_t route_delay = 0;
};

/// Runs program `seed`: random neighbours that keep the rules, a reset or two, and in half of the programs no clock
/// while the router says that nothing moves. Returns the first difference as lines of text, in which the router is
/// called `name`; empty where there is none.
[[nodiscard]] std::string pin_difference(MakeLoneRouter& make, const clocked::Shape& shape, std::uint64_t seed,
                                         const std::string& name, PinsTried& tried);

}  // namespace ecube
