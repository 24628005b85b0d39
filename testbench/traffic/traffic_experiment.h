// SPDX-License-Identifier: Apache-2.0
// Throughput and latency of traffic, their bounds, and when the network saturates.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "sw/traffic/traffic.h"
#include "testbench/machine/test_bench.h"
#include "testbench/traffic/latency_counts.h"
#include "testbench/traffic/steady_state.h"

namespace ecube {

/// The figures of all messages. Latency lasts from the cycle at which a message was to be sent to its reception; a
/// message that waits for others is to be sent when its delay is over. Rates are messages of each node per 1,000
/// cycles.
struct TrafficFigures {
  double rate = 0;  ///< as asked for; 0 for messages of a file
  double offered = 0;
  double accepted = 0;  ///< of the whole run, until the last message was received
  double mean = 0;
  Cycles p50 = 0;
  Cycles p99 = 0;
  Cycles max = 0;
  double link_wait = 0;  ///< of a circuit, on average
  double port_wait = 0;
  double utilisation_mean = 0;
  double utilisation_max = 0;
  std::optional<SteadyState> steady;
};

/// Counts the messages of a run as they are received.
class TrafficCounts final : public TrafficListener {
 public:
  /// The plan outlives the counts.
  explicit TrafficCounts(const TrafficPlan& plan) : plan_(plan), steady_(plan) {}
  void received(const TrafficMessage& message, Cycles at) override {
    latencies_.add(at - message.cycle);
    last_offered_ = std::max(last_offered_, message.cycle);
    steady_.add(message.cycle, at);
  }
  [[nodiscard]] TrafficFigures figures(const RunMeasurement& measurement, double rate) const;
  [[nodiscard]] const LatencyCounts& latencies() const { return latencies_; }

 private:
  const TrafficPlan& plan_;
  Cycles last_offered_ = 0;
  LatencyCounts latencies_;
  SteadyStateCounts steady_;
};

/// Messages of the traffic sent one at a time, measured: the cost of each message when nothing is in its way.
struct UnloadedTimes {
  double latency = 0;  ///< mean, cycles
  double source = 0;   ///< mean cycles of an inject port, start-up included
  double link = 0;     ///< mean cycles for which a link on the way is owned
  double eject = 0;    ///< mean cycles for which an eject port is owned, and its receipt
};
[[nodiscard]] UnloadedTimes unloaded(TestBench& bench, const RunSetup& setup, const TrafficPlan& plan);

/// The most that a node's share of the machine can accept if no circuit ever waits: 1,000 cycles divided by the cycles
/// that one message of every node takes on the busiest port or link.
struct TrafficBounds {
  double source_ports = 0;
  double links = 0;
  double destination_ports = 0;

  [[nodiscard]] double least() const;
};
[[nodiscard]] TrafficBounds bounds_of(const UnloadedTimes& times, const TrafficPlan& plan, const Machine& machine);

/// Where a load-latency curve bends.
struct Saturation {
  std::optional<double> keeps_up;   ///< the highest rate at which at least 95 % of the offered messages are accepted
  std::optional<double> saturated;  ///< the first rate after it at which less is accepted
  double most_accepted = 0;
};
[[nodiscard]] Saturation saturation_of(const std::vector<TrafficFigures>& curve);

}  // namespace ecube
