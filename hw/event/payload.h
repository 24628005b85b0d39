// SPDX-License-Identifier: Apache-2.0
// The contents of messages: when they move, and where they are kept until then.
#pragma once

#include "hw/event/circuits.h"
#include "hw/event/operation_list.h"
#include "models/contract/operations.h"
#include "models/contract/payload.h"

namespace ecube::event {

/// Contents are moved once, when their receive is complete. They are set aside only where the sender goes on earlier or
/// arriving bytes need their place.
class Payload {
 public:
  explicit Payload(Circuits& circuits) : circuits_(circuits) {}
  void reset() { buffers_.reset(); }

  /// Partners have met: notes whether their contents only change places.
  static void pair(Operation& a, Operation& b) { notes(a).swaps = notes(b).swaps = swap_in_place(a, b); }
  /// Moves the contents of a circuit to the region that `receive` names.
  [[gnu::always_inline]] void deliver(Operation& receive, const Circuit& circuit, CircuitId id) {
    if (!circuit.carries) return;
    if (!circuit.staged && notes(*circuit.operation).swaps && !circuit.operation->outgoing.empty()) {
      swap(*circuit.operation, receive);
    } else {
      move(receive, id);
    }
  }
  /// The sender goes on before the receiver has taken the contents of its circuit.
  void stage(CircuitId id) {
    Circuit& circuit = circuits_[id];
    if (!circuit.carries) return;
    stage(id, take(*circuit.operation));
  }
  /// The circuit's contents are in memory of their own or, if `contents` is null, dropped.
  void stage(CircuitId id, std::byte* contents) {
    circuits_.aside(id).staged = contents;
    circuits_[id].carries = circuits_[id].staged = contents != nullptr;
  }
  /// The contents of a send, from now on in memory of their own; null if the operation has been dropped together with
  /// its contents.
  [[nodiscard]] std::byte* take(Operation& send) {
    if (send.outgoing.empty()) return nullptr;
    if (notes(send).contents != Contents::set_aside) set_aside(send);
    notes(send).contents = Contents::taken;
    return data_notes(send).saved;
  }
  /// Frees the record of a circuit that has been sent and received, and the contents that it kept.
  [[gnu::always_inline]] void release(CircuitId id) {
    const Circuit& circuit = circuits_[id];
    if (circuit.staged) [[unlikely]]
      buffers_.release(circuits_.aside(id).staged, circuit.bytes);
    circuits_.release(id);
  }

 private:
  [[nodiscard]] static bool swap_in_place(const Operation& a, const Operation& b) {
    const auto in_place = [](const Operation& exchange) {
      return exchange.kind == OperationKind::exchange && exchange.bytes > 0 && !exchange.outgoing.empty() &&
             exchange.outgoing.base == exchange.incoming.base;
    };
    return in_place(a) && in_place(b) && same_layout(a.outgoing, b.outgoing);
  }
  /// Neither partner continues before both circuits are established, so nothing moves until the second one is.
  static void swap(Operation& send, Operation& receive) {
    notes(send).contents = Contents::taken;
    if (notes(receive).contents == Contents::taken) swap_contents(send.outgoing, receive.outgoing);
  }
  void move(Operation& receive, CircuitId id) {
    const auto overlap = [](const Region& a, const Region& b) {
      const auto end = [](const Region& region) { return region.base + region.stride * region.runs; };
      return !a.empty() && !b.empty() && a.base < end(b) && b.base < end(a);
    };
    const Circuit& circuit = circuits_[id];
    if (!circuit.staged && circuit.operation->outgoing.empty()) return;  // dropped
    const Region to = region_for(receive, circuit.source);
    if (to.empty()) return;
    // The bytes that arrive for an exchange in place overwrite the bytes to be sent: unsent bytes are set aside first.
    if (receive.kind == OperationKind::exchange && notes(receive).contents == Contents::in_place &&
        overlap(receive.outgoing, to)) {
      set_aside(receive);
    }
    if (circuit.staged) {
      unpack(circuits_.aside(id).staged, circuit.bytes, to);
      return;
    }
    Operation& send = *circuit.operation;
    if (notes(send).contents == Contents::set_aside) {
      unpack(data_notes(send).saved, circuit.bytes, to);
      buffers_.release(data_notes(send).saved, send.bytes);
    } else {
      copy(send.outgoing, to, buffers_);
    }
    notes(send).contents = Contents::taken;
  }
  void set_aside(Operation& send) {
    data_notes(send).saved = buffers_.allocate(send.bytes);
    pack(send.outgoing, data_notes(send).saved);
    notes(send).contents = Contents::set_aside;
  }

  Circuits& circuits_;
  BufferPool buffers_;
};

}  // namespace ecube::event
