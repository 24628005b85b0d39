// SPDX-License-Identifier: Apache-2.0
// The counts of a run, for all nodes together.
#pragma once

#include <algorithm>

#include "hw/event/circuits.h"
#include "models/contract/run.h"

namespace ecube::event {

/// The counts of hw/README.md section 6.
class Statistics {
 public:
  void reset() {
    totals_ = {};
    last_cut_ = 0;
  }
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
