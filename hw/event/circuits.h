// SPDX-License-Identifier: Apache-2.0
// The record of a circuit, from its probe to its tail, shared by network interfaces and fabric; the counts of a run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/observed/circuit.h"
#include "models/contract/node_ports.h"
#include "models/contract/run.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// Records belong to circuits, not to nodes: a source may send its next probe while this circuit still drains. One
/// cache line holds all that most circuits need; CircuitAside holds the rest.
struct alignas(64) Circuit : CircuitRecord {
  bool carries : 1 = false;  ///< has contents, not only a length; false once its operation has been dropped on the way
  bool staged : 1 = false;   ///< contents set aside because the sender went on before the receiver took them
  bool link_blocked : 1 = false;  ///< waited for a link
  bool port_blocked : 1 = false;  ///< waited for an eject port or a receive engine
  bool received : 1 = false;      ///< delivered or lost: the destination no longer needs the record
  bool granted : 1 = false;       ///< data that reserved first
  bool buffered : 1 = false;      ///< its bytes have room in the destination's system buffer
  CircuitId next = no_circuit;  ///< in a list of arrived messages, of circuits that wait for a port, or of free records
  Operation* operation = nullptr;  ///< the sender's; null once the circuit has been sent, and for grants
  Operation* receiver = nullptr;   ///< the receive of the message: of a rendezvous, promised or matched

  /// While the circuit waits for its inject port, in the room of the edge that is not known yet: its place among the
  /// circuits that are ready.
  [[nodiscard]] Cycles& turn() { return probe; }
  /// The circuit begins to wait for a link, or else for an eject port.
  void wait_for(bool link) {
    if (link) {
      link_blocked = true;
    } else {
      port_blocked = true;
    }
  }
};
static_assert(sizeof(Circuit) == 64);

/// Fields of a circuit that waits, is kept, or is part of a protocol.
struct CircuitAside {
  Operation* about = nullptr;   ///< of a control circuit: the send or exchange that it serves
  std::byte* staged = nullptr;  ///< the contents set aside
  Cycles waiting_since = 0;     ///< first edge at which it asked for the output that it waits for
  Cycles first_phit = 0;        ///< when it arrived
  union {
    Cycles receiver_ready = 0;  ///< once known, where ports share engines or circuits are cut
    Cycles receipt_ends;        ///< of a message that has arrived
  };
  std::uint32_t message = 0;  ///< store-and-forward: the message that this circuit is a packet of
};

/// Circuits by number. The free list is last-in-first-out: the record used next is in the cache.
class Circuits {
 public:
  [[nodiscard]] [[gnu::always_inline]] CircuitId allocate() {
    if (free_ == no_circuit) {
      records_.emplace_back();
      aside_.emplace_back();
      return static_cast<CircuitId>(records_.size() - 1);
    }
    const CircuitId id = free_;
    free_ = records_[id].next;
    return id;
  }
  void release(Circuit& circuit, CircuitId id) {
    circuit.operation = nullptr;
    circuit.next = free_;
    free_ = id;
  }
  [[nodiscard]] Circuit& operator[](CircuitId id) { return records_[id]; }
  [[nodiscard]] const Circuit& operator[](CircuitId id) const { return records_[id]; }
  /// Fields that this circuit has not written still hold the values of the last circuit with this number.
  [[nodiscard]] CircuitAside& aside(CircuitId id) { return aside_[id]; }
  /// Into the cache, soon to be written.
  void fetch(CircuitId id) const { fetch_to_write(&records_[id]); }
  [[nodiscard]] std::size_t capacity() const { return records_.size(); }
  void reset() {
    records_.clear();
    aside_.clear();
    free_ = no_circuit;
  }

 private:
  Table<Circuit> records_;
  Table<CircuitAside> aside_;
  CircuitId free_ = no_circuit;
};

/// Circuits one after the other, linked by Circuit::next.
struct CircuitList {
  CircuitId head = no_circuit;
  CircuitId tail = no_circuit;

  [[nodiscard]] bool empty() const { return head == no_circuit; }
  void append(Circuits& circuits, CircuitId id) {
    circuits[id].next = no_circuit;
    (head == no_circuit ? head : circuits[tail].next) = id;
    tail = id;
  }
  [[nodiscard]] CircuitId take_first(const Circuits& circuits) {
    const CircuitId id = head;
    head = circuits[id].next;
    return id;
  }
};

/// The counts of hw/README.md section 6.
class Statistics {
 public:
  void reset() { *this = {}; }
  [[nodiscard]] const RunStatistics& totals() const { return totals_; }

  /// A circuit has waited for a link, or else for an eject port or a receive engine.
  void waited(const Circuit& circuit, bool for_link, Cycles cycles) {
    (for_link ? totals_.link_blocked : totals_.port_blocked).cycles += cycles;
    if (for_link) totals_.blocked_by(circuit.label).cycles += cycles;
  }
  /// Rule 6.6: a circuit was accepted `cycles` later because the destination was sending.
  void serialised(Cycles cycles) {
    ++totals_.serialised.circuits;
    totals_.serialised.cycles += cycles;
  }
  /// Rules 6.3, 6.4 and 6.7: a circuit has been received whole; `payload` of its bytes are for the node at its end.
  [[gnu::always_inline]] void received(auto has, const Circuit& circuit, Bytes payload) {
    ++totals_.circuits;
    totals_.payload_bytes += payload;
    if (circuit.link_blocked || circuit.port_blocked) received_late(circuit);
    if (has->protocol && is_control(circuit.kind)) [[unlikely]]
      ++totals_.control_circuits;
  }
  void lost(const Circuit& circuit, Cycles at) {
    ++totals_.lost;
    if (totals_.first_lost.size() < 16) {
      totals_.first_lost.push_back({circuit.source, circuit.destination, circuit.tag, at});
    }
  }
  /// Rule 12.5: a circuit has lost, or will have lost, a word or its acknowledge on a dead link.
  void cut(const Circuit& circuit, LinkId link, CutCircuit::Lost lost, Cycles at) {
    totals_.add_cut({circuit.source, circuit.destination, circuit.tag, link, lost, at});
    last_cut_ = std::max(last_cut_, at + 1);
  }
  /// The latest edge at which a word that is lost would have arrived. It may be to come.
  [[nodiscard]] Cycles last_cut() const { return last_cut_; }
  void stored(Bytes bytes) { totals_.most_stored = std::max(totals_.most_stored, bytes); }
  void packets(std::uint64_t count) { totals_.most_packets = std::max(totals_.most_packets, count); }

 private:
  /// Of a circuit that has waited. Not inlined: it would push what every circuit needs out of registers.
  [[gnu::noinline]] void received_late(const Circuit& circuit) {
    if (circuit.link_blocked) {
      ++totals_.link_blocked.circuits;
      ++totals_.blocked_by(circuit.label).circuits;
    }
    if (circuit.port_blocked) ++totals_.port_blocked.circuits;
  }

  RunStatistics totals_;
  Cycles last_cut_ = 0;
};

}  // namespace ecube::event
