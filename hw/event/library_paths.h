// SPDX-License-Identifier: Apache-2.0
// How long the library's code takes for each kind of circuit (hw/README.md section 5, Kinds of circuits).
#pragma once

#include "hw/event/circuits.h"

namespace ecube::event {

class LibraryPaths {
 public:
  void reset(const Machine::PathLengths& paths) { paths_ = paths; }

  /// Start-up of a circuit: cycles before its probe.
  [[nodiscard]] [[gnu::always_inline]] Cycles startup(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data || circuit.granted) [[unlikely]]
      return startup_of_library(circuit.kind);
    return circuit.bytes == 0 ? paths_.send_zero : paths_.send;
  }
  /// Cycles before the probe of a packet that is sent on.
  [[nodiscard]] Cycles forward() const { return paths_.forward; }
  /// Cycles after the arrival of a message.
  [[nodiscard]] Cycles receipt(const Circuit& circuit) const {
    if (circuit.kind != CircuitKind::data) [[unlikely]]
      return receipt_of_library(circuit.kind);
    return circuit.bytes == 0 ? paths_.receive_zero : paths_.receive;
  }
  /// No receipt takes any time.
  [[nodiscard]] bool without_receipts() const {
    return paths_.receive == 0 && paths_.receive_zero == 0 && paths_.signal_receive == 0;
  }

 private:
  /// Start-up of every circuit other than data sent at once.
  [[nodiscard]] Cycles startup_of_library(CircuitKind kind) const {
    switch (kind) {
      case CircuitKind::signal:
        return paths_.signal_send;
      case CircuitKind::synchronisation:
        return paths_.send_zero;
      case CircuitKind::reservation:
        return paths_.send;
      case CircuitKind::grant:
      case CircuitKind::data:  // granted
        break;
    }
    return paths_.control_send;
  }
  [[nodiscard]] Cycles receipt_of_library(CircuitKind kind) const {
    if (kind == CircuitKind::signal) return paths_.signal_receive;
    return kind == CircuitKind::synchronisation ? paths_.receive_zero : paths_.control_receive;
  }

  Machine::PathLengths paths_;
};

}  // namespace ecube::event
