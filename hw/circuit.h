// SPDX-License-Identifier: Apache-2.0
// The record of a circuit, from its probe to its tail, shared by the network interfaces and the fabric.
#pragma once

#include <cstdint>
#include <vector>

#include "models/node_port.h"

namespace ecube {

using CircuitId = std::uint32_t;
inline constexpr CircuitId no_circuit = ~CircuitId{0};

/// Records belong to circuits, not to nodes: a source may send its next probe while this circuit still drains.
struct Circuit {
  Operation* operation = nullptr;  ///< the sender's; null once the sender has been told that it is ready
  Operation* receiver = nullptr;   ///< the partner of a rendezvous
  std::byte* staged = nullptr;     ///< bytes set aside because the sender went on before the receiver took them
  Bytes bytes = 0;
  Cycles probe = 0;          ///< edge at which the interface drives the probe
  Cycles waiting_since = 0;  ///< first edge at which it asked for the output it waits for
  Cycles arrives = 0;        ///< receiver-ready edge, once known
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t type = 0;
  std::uint16_t label = 0;
  std::uint8_t inject_port = 0;
  std::uint8_t eject_port = 0;
  bool link_blocked = false;    ///< waited for a link
  bool port_blocked = false;    ///< waited for an eject port or a receive engine
  bool received = false;        ///< matched and delivered, or lost
  bool signal = false;          ///< belongs to a barrier: never lost
  CircuitId next = no_circuit;  ///< in the destination's list of arrived messages, or free
  std::uint64_t tag = 0;
};

/// Circuits by number. The free list is last-in-first-out: the record used next is in the cache.
class Circuits {
 public:
  [[nodiscard]] CircuitId allocate() {
    ++active_;
    if (free_ == no_circuit) {
      records_.emplace_back();
      return static_cast<CircuitId>(records_.size() - 1);
    }
    const CircuitId id = free_;
    free_ = records_[id].next;
    return id;
  }
  void release(CircuitId id) {
    --active_;
    records_[id].operation = nullptr;
    records_[id].next = free_;
    free_ = id;
  }
  [[nodiscard]] Circuit& operator[](CircuitId id) { return records_[id]; }
  [[nodiscard]] const Circuit& operator[](CircuitId id) const { return records_[id]; }
  [[nodiscard]] std::size_t active() const { return active_; }
  [[nodiscard]] std::size_t capacity() const { return records_.size(); }
  void reset() {
    records_.clear();
    free_ = no_circuit;
    active_ = 0;
  }

 private:
  std::vector<Circuit> records_;
  CircuitId free_ = no_circuit;
  std::size_t active_ = 0;
};

}  // namespace ecube
