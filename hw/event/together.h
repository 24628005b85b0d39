// SPDX-License-Identifier: Apache-2.0
// When a node that is sending accepts a circuit (hw/README.md section 4, Together).
#pragma once

#include "hw/event/inject_ports.h"

namespace ecube::event {

/// A node that is sending accepts only circuits that begin together with its own.
class Together {
 public:
  void reset(const Machine& machine, std::size_t ports) {
    within_ = machine.network.together_cycles;
    first_phits_.assign(machine.network.duplex == Duplex::together ? ports : 0, 0);
  }
  /// The circuit of a port drives its first phit at edge `first_phit`.
  void begins(InjectPorts::Number port, Cycles first_phit) { first_phits_[port] = first_phit; }
  /// The edge from which `node`, with `count` ports, accepts a probe that it sees at edge `seen`.
  [[nodiscard]] Cycles accepted_from(const InjectPorts& ports, unsigned count, NodeId node, Cycles seen) const {
    Cycles from = seen;
    for (unsigned port = 0; port < count; ++port) {
      const InjectPorts::Number number = ports.number(port, node);
      const Cycles free_at = ports.free_at(number);
      if (free_at == never || free_at <= seen || first_phits_[number] + within_ >= seen) continue;
      from = std::max(from, free_at);
    }
    return from;
  }

 private:
  Cycles within_ = 0;
  std::vector<Cycles> first_phits_;  ///< [port]: edge of the first phit of the circuit that ends at its free_at
};

}  // namespace ecube::event
