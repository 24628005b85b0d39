// SPDX-License-Identifier: Apache-2.0
// What the network of routers and links tells the network interfaces.
#pragma once

#include "hw/circuit.h"
#include "hw/observed/circuit.h"

namespace ecube {

/// Edges may lie in the future as soon as they are known.
class FabricClient {
 public:
  /// The probe is seen by the destination's interface at edge `at`. Answered by EventFabric::accept, at once or later.
  virtual void probe_arrived(CircuitId circuit, Cycles at) = 0;
  /// The probe of this circuit is about to arrive: whatever it will need may be fetched.
  virtual void probe_comes(const Circuit& circuit) const = 0;
  /// The same, some circuits later: what that was may tell what else.
  virtual void probe_is_near(const Circuit& circuit) const = 0;
  /// The destination has the whole message at edge `at`, and had its first phit at edge `first_phit`.
  virtual void received(CircuitId circuit, Cycles first_phit, Cycles at) = 0;
  /// The source drives the first phit at edge `first_phit`; its inject port is free, the circuit sent, from edge `at`.
  /// A worm may have been sent before its probe arrives.
  virtual void sent(CircuitId circuit, Cycles first_phit, Cycles at) = 0;
  /// Both of a circuit at once: received(), with its first phit at edge `first_received`, then sent().
  virtual void established(CircuitId circuit, const CircuitEdges& edges, Cycles first_received) = 0;
  /// The interface of `node` moves phits of a circuit in the cycles `from` .. `until` - 1, if the machine computes in
  /// others only. Told before the first of them; or, when that is not possible, one cycle later. With until = never,
  /// stopped() will tell how long.
  virtual void moving(NodeId node, Cycles from, Cycles until) = 0;
  /// What moves since `from` stops: `until` - 1 is the last cycle.
  virtual void stopped(NodeId node, Cycles from, Cycles until) = 0;
  /// The circuit waited `cycles` for a link, or else for an eject port, and has now been granted it.
  virtual void blocked(const Circuit& circuit, bool link, Cycles cycles) = 0;

 protected:
  ~FabricClient() = default;
};

}  // namespace ecube
