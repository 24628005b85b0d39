// SPDX-License-Identifier: Apache-2.0
// The settings that all nodes of a run share, constant during the run.
#pragma once

#include <cstdint>

#include "hw/clocked/shape.h"
#include "hw/observed/observer.h"
#include "models/contract/run.h"
#include "models/node/node_work.h"

namespace ecube::clocked {

/// A rule of hw/README.md that libraries, cores, receive engines or the monitor break on purpose, for tests that have
/// to notice. To break rules of routers and ports, tests replace the modules instead.
enum class Breach : std::uint8_t {
  none,
  zero_bytes_are_two_phits,         // 3.8
  leaves_by_the_highest_dimension,  // 4.1
  sends_by_last_issued,             // 4.2
  sends_before_ready_circuits,      // 4.2
  sends_amid_others,                // 4.2
  startups_a_cycle_longer,          // 4.3
  startups_overlap,                 // 4.4
  startups_always_queue,            // 4.5
  receipts_a_cycle_longer,          // 4.6
  one_send_engine_more,             // 4.8
  one_receive_engine_more,          // 4.8
  exchanges_do_not_meet,            // 4.9
  messages_do_not_meet,             // 4.10
  matched_with_last_receive,        // 4.11
  matched_with_last_message,        // 4.11
  program_starts_at_once,           // 4.12
  startups_without_jitter,          // 4.12
  computation_by_last_issued,       // 5.1
  computation_while_phits_move,     // 5.1
  until_a_cycle_late,               // models/contract/node_ports.h
  loops_a_cycle_longer,             // 5.2
  combining_when_received,          // 5.3
  zero_bytes_start_as_others,       // 5.4
  zero_bytes_end_as_others,         // 5.4
  data_before_synchronisation,      // 5.5
  nothing_lost,                     // 5.6
  more_than_room_kept,              // 5.7
  copies_for_nothing,               // 5.7
  threshold_reserves,               // 5.8
  promises_forgotten,               // 5.8
  signals_as_messages,              // 5.9
  packets_of_a_byte_less,           // 5.10
  forwarded_as_sent,                // 5.10
  turnaround_is_busy,               // 6.1
  waits_from_the_next_edge,         // 6.2
  waits_for_ports_are_blocked,      // 6.3
  waits_for_engines_uncounted,      // 6.4
  winners_wait,                     // 6.5
  serialised_uncounted,             // 6.6
  control_uncounted,                // 6.7
  arrivals_before_departures,       // 6.8, 8.2
  programs_a_cycle_later,           // 8.3
  sends_before_reservations,        // 8.4
  lost_at_once,                     // 8.5
  links_die_a_cycle_late,           // 12.1
  dead_nodes_go_on,                 // 12.2
  acknowledges_cross_dead_links,    // 12.3
  dead_links_of_worms_stop_late,    // 12.4
  cut_circuits_uncounted,           // 12.5
};

struct Setting {
  Machine machine;
  Shape shape;
  RunConditions conditions;
  Machine::PathLengths paths;  ///< of `machine`
  NodeWork* work = nullptr;    ///< what the loops of all cores cost
  Observer* observer = nullptr;
  Breach breach = Breach::none;

  [[nodiscard]] bool breaks(Breach rule) const { return breach == rule; }
  [[nodiscard]] bool queued() const { return machine.node.startups == Startups::queued; }
  [[nodiscard]] bool protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool stores() const { return machine.network.switching == Switching::store_and_forward; }
  /// True with K engines, fewer than ports.
  [[nodiscard]] bool shares_engines() const { return shape.shared_engines; }
};

}  // namespace ecube::clocked
