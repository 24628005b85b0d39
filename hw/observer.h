// SPDX-License-Identifier: Apache-2.0
// What an observer of the machine is told. Without one, nothing is paid.
#pragma once

#include "hw/circuit.h"

namespace ecube {

/// The edges of one established circuit (hw/README.md section 3).
struct CircuitEdges {
  Cycles acknowledge = 0;     ///< the destination's interface drives the acknowledge
  Cycles data = 0;            ///< T0: first phit driven
  Cycles tail = 0;            ///< Tt: tail driven
  Cycles sender_ready = 0;    ///< Tt + 1
  Cycles receiver_ready = 0;  ///< Tt + h + 3
};

/// Told of every event of every circuit, in an order that only the cycle numbers define.
class Observer {
 public:
  virtual ~Observer() = default;
  /// The interface of the source will drive the probe at circuit.probe.
  virtual void injected(CircuitId, const Circuit&) {}
  /// `router` gives `output` to the circuit at edge `at`; it first asked at `asked`.
  virtual void granted(CircuitId, const Circuit&, NodeId /*router*/, unsigned /*output*/, Cycles /*asked*/,
                       Cycles /*at*/) {}
  /// All edges of the circuit are known; some may still lie ahead.
  virtual void established(CircuitId, const Circuit&, const CircuitEdges&) {}
  /// The tail of the circuit has passed; `output` of `router` can be granted again at edge `free_from`.
  virtual void released(CircuitId, const Circuit&, NodeId /*router*/, unsigned /*output*/, Cycles /*free_from*/) {}
  /// A forced message found no receive.
  virtual void lost(const Circuit&, Cycles /*at*/) {}

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

}  // namespace ecube
