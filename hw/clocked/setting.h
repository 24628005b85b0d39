// SPDX-License-Identifier: Apache-2.0
// What all nodes of a run have in common. Nobody changes it during the run.
#pragma once

#include <cstdint>

#include "hw/clocked/shape.h"
#include "hw/observed/observer.h"
#include "models/random.h"
#include "models/run.h"

namespace ecube::clocked {

/// A rule of hw/README.md that libraries, cores and receive engines do not obey: for tests, which have to notice.
/// Routers and ports are replaced by wrong ones instead.
enum class Breach : std::uint8_t {
  none,
  sends_by_last_issued,         ///< section 4: in order of issue
  sends_before_ready_circuits,  ///< section 4: ready circuits go before sends that have not begun
  sends_amid_others,            ///< section 4: a send begins when its predecessor's last circuit has left
  one_send_engine_more,         ///< section 4, K engines
  one_receive_engine_more,
  matched_with_last_receive,   ///< section 4, Matching: the first posted receive that fits
  matched_with_last_message,   ///< and the first arrived message
  program_starts_at_once,      ///< section 4, Jitter
  startups_overlap,            ///< section 4: queued ones occupy the processor
  computation_by_last_issued,  ///< section 5, Processor
  computation_while_phits_move,
  until_a_cycle_late,          ///< models/node_ports.h
  zero_bytes_start_as_others,  ///< section 5, Kinds of circuits
  zero_bytes_end_as_others,
  data_before_synchronisation,  ///< section 5, Synchronised exchange
  nothing_lost,                 ///< section 5, Forced
  more_than_room_kept,          ///< section 5, Unforced, up to the threshold
  copies_for_nothing,
  threshold_reserves,  ///< section 5, Unforced, above the threshold
  promises_forgotten,
  packets_of_a_byte_less,  ///< section 5, Store and forward
  forwarded_as_sent,
};

struct Setting {
  Machine machine;
  Shape shape;
  RunConditions conditions;
  Machine::PathLengths paths;  ///< of `machine`
  Observer* observer = nullptr;
  Breach breach = Breach::none;

  [[nodiscard]] bool breaks(Breach rule) const { return breach == rule; }
  [[nodiscard]] bool queued() const { return machine.node.startups == Startups::queued; }
  [[nodiscard]] bool protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool stores() const { return machine.network.switching == Switching::store_and_forward; }
  /// K engines, fewer than there are ports.
  [[nodiscard]] bool shares_engines() const { return shape.shared_engines; }
};

/// The random numbers of one node: the first is for the start of its program, the others for its start-ups.
class Jitter {
 public:
  void reset(const RunConditions& conditions, NodeId node) {
    conditions_ = conditions;
    node_ = node;
    count_ = 0;
  }
  [[nodiscard]] Cycles next() {
    if (conditions_.jitter == 0) return 0;
    return up_to(draw(conditions_.seed, node_, count_++), conditions_.jitter);
  }

 private:
  RunConditions conditions_;
  NodeId node_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace ecube::clocked
