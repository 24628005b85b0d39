// SPDX-License-Identifier: Apache-2.0
// The seam between network interfaces and the network of routers and links.
#pragma once

#include <string>
#include <vector>

#include "hw/circuit.h"
#include "hw/observed/link.h"
#include "hw/observed/observer.h"
#include "models/machine.h"

namespace ecube {

/// What a fabric tells the network interfaces. Edges may lie in the future as soon as they are known.
class FabricClient {
 public:
  /// The probe is seen by the destination's interface at edge `at`. Answered by Fabric::accept, at once or later.
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
  /// The fabric let the acceptance of a circuit wait for `cycles`, because the destination was sending.
  virtual void serialised(Cycles cycles) = 0;
  /// The fabric does not do what its specification says; ends the run.
  virtual void failed(const std::string& what) = 0;
  /// The circuit waited `cycles` for a link, or else for an eject port, and has now been granted it.
  virtual void blocked(const Circuit& circuit, bool link, Cycles cycles) = 0;

 protected:
  ~FabricClient() = default;
};

/// Routers and links: takes probes in, delivers circuits. The event engine implements it by arithmetic on edges, the
/// RTL by clocking registers.
class Fabric {
 public:
  virtual ~Fabric() = default;
  /// Returns to cycle 0 with nothing on the wires.
  virtual void reset(const Machine& machine, unsigned dim) = 0;
  /// The interface of circuits[id].source drives the probe at circuits[id].probe, which must not be in the past.
  virtual void inject(CircuitId id) = 0;
  /// Acceptance of an arrived probe begins at edge `at`, not before it was seen. In answer to probe_arrived().
  virtual void accept(CircuitId id, Cycles at) = 0;
  /// The next cycle in which the fabric has work, or never.
  [[nodiscard]] virtual Cycles next_cycle() const = 0;
  /// Does the work of this cycle.
  virtual void advance(Cycles now) = 0;

  /// Events processed since the reset, what an engine's work is counted in; of clocked routers, one for each and every
  /// edge.
  [[nodiscard]] virtual std::uint64_t events() const = 0;
  virtual void observe(Observer* observer) = 0;
  [[nodiscard]] virtual LinkStatistics statistics(LinkId link) const = 0;
  [[nodiscard]] virtual std::vector<WaitingCircuit> waiting() const = 0;
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;

 protected:
  Fabric() = default;
  Fabric(const Fabric&) = default;
  Fabric& operator=(const Fabric&) = default;
};

}  // namespace ecube
