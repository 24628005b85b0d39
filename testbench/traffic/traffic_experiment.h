// SPDX-License-Identifier: Apache-2.0
// Throughput and latency of traffic, their bounds, and when the network saturates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "models/machine/cube.h"
#include "sw/traffic/traffic.h"
#include "sw/traffic/traffic_plan.h"
#include "testbench/machine/test_bench.h"

namespace ecube {

/// The figures of the messages that were to be sent in a window of time. The window begins after a warm-up of a fifth
/// of the time for which all nodes send, and ends when the first node has sent its last message; what follows is the
/// drain. Rates are messages of each node per 1,000 cycles.
struct SteadyState {
  Cycles window_from = 0;
  Cycles window_until = 0;
  Cycles drained = 0;  ///< when the last message was received
  std::uint64_t messages = 0;
  double offered = 0;
  double accepted = 0;  ///< received within the window
  double mean = 0;      ///< latency in cycles
  /// Half of the interval that has the mean with 95 % confidence, by the means of `batches` equal parts of the window
  /// (Student's t); none where a part has fewer than 10 messages.
  std::optional<double> half_width;
  static constexpr unsigned batches = 10;
};

/// Counts the messages of a run one by one, in any order, in memory that does not depend on their number.
class SteadyStateCounts {
 public:
  explicit SteadyStateCounts(const TrafficPlan& plan);
  /// A message that was due at one cycle was received at another.
  void add(Cycles due, Cycles at);
  /// None where the window has no message.
  [[nodiscard]] std::optional<SteadyState> result() const;

 private:
  NodeId nodes_;
  Cycles from_ = 0;
  Cycles until_ = 0;
  Cycles drained_ = 0;
  std::uint64_t received_inside_ = 0;
  std::array<std::uint64_t, SteadyState::batches> sum_{};  ///< of latencies
  std::array<std::uint64_t, SteadyState::batches> count_{};
};

/// A count for every latency, from which mean and percentiles follow exactly. Memory grows with their spread alone.
class LatencyCounts {
 public:
  void add(Cycles latency) {
    const std::uint64_t number = latency / width;
    Page* const known = number < near_.size() ? near_[number].get() : nullptr;
    ++(known != nullptr ? *known : page(number))[latency % width];
    ++messages_;
    sum_ += latency;
    max_ = std::max(max_, latency);
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// 0 without messages, as the other figures.
  [[nodiscard]] double mean() const;
  [[nodiscard]] Cycles max() const { return max_; }
  /// The smallest latency that this share of the messages does not exceed.
  [[nodiscard]] Cycles quantile(double share) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t width = 512;
  using Page = std::array<std::uint64_t, width>;  ///< counts of so many latencies, one after the other

  [[nodiscard]] Page& page(std::uint64_t number);  ///< made, if there is none

  /// Most latencies are near one another: their pages are found by number, all others in the map.
  static constexpr std::uint64_t near_pages = 4096;
  std::vector<std::unique_ptr<Page>> near_;
  std::map<std::uint64_t, Page> far_;
  std::uint64_t messages_ = 0;
  std::uint64_t sum_ = 0;
  Cycles max_ = 0;
};

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
