// SPDX-License-Identifier: Apache-2.0
// Options of traffic, as typed, and the messages they ask for; throughput and latency.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/cube.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/test_bench.h"
#include "testbench/run/run_arguments.h"

namespace ecube {

struct TrafficArguments {
  RunArguments run;
  TextOption pattern{
      "--pattern",
      "uniform, bitcomp, bitrev, transpose (even d), shuffle, randperm, neighbor (across a random dimension), hotspot "
      "(a quarter to the last node), all-to-one (node 0), or a file of lines: source destination bytes cycle [as NAME] "
      "[after NAME ..]",
      group::common, "uniform"};
  TextOption rate{
      "--rate",
      "Messages of each node per 1,000 cycles, at random times; several rates, as 1,2,5 or 1:64 (doubling) or "
      "2:20:2, give the load-latency curve",
      group::common, "5"};
  NumberOption messages{"--messages", "Messages of each node", group::common, 100, {1}};
  NumberOption bytes{"--bytes", "Bytes of a message",       group::common,
                     16,        {0, std::int64_t{1} << 30}, NumberOption::Unit::bytes};
  NumberOption warm_up{"--warm-up",
                       "Per cent of the sending time before the steady state of --json, studies and reports begins",
                       group::own,
                       20,
                       {0, 90}};

  [[nodiscard]] std::vector<Effect> effects(const std::string& question, const Machine& machine) const;
};

/// `--rate` as typed: one rate, a list, FROM:TO in doublings, or FROM:TO:STEP. InputError for anything else.
[[nodiscard]] std::vector<double> rates_of(const std::string& text);
/// True when the messages come from a file, which says when each of them is sent.
[[nodiscard]] bool from_file(const TrafficArguments& arguments);
/// Where messages come from a file and no dimension is given, that of the smallest cube with their nodes.
[[nodiscard]] TrafficArguments with_dim(TrafficArguments arguments);
/// The messages of a pattern at one rate, or of a file. InputError for whatever is wrong with the options.
[[nodiscard]] TrafficPlan plan_of(const TrafficArguments& arguments, const RunSetup& setup, double rate);

struct TrafficList {
  std::vector<TrafficMessage> messages;         ///< in the order of the file
  std::vector<TrafficDependency> dependencies;  ///< between messages by their numbers in the file
};

/// InputError, with the line and its mistake, when the file cannot be read, names nodes that the topology does not
/// have, or has a message that can never be sent: it waits for one that is not there, that its node neither sends nor
/// receives, or that waits for it.
[[nodiscard]] TrafficList read_traffic(const std::string& file, const Topology& topology);

/// The figures of the messages that were to be sent in a window of time. The window begins after a warm-up, a share of
/// the time for which all nodes send, and ends when the first node has sent its last message; what follows is the
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
  std::optional<double> half_width{};
  static constexpr unsigned batches = 10;
};

/// A count for every latency, from which mean and percentiles follow exactly. Memory grows with their spread alone.
class LatencyCounts {
 public:
  void add(Cycles latency) {
    ++pages_[latency / width][latency % width];
    ++messages_;
    sum_ += latency;
    max_ = std::max(max_, latency);
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// 0 without messages, as the other figures.
  [[nodiscard]] double mean() const {
    return messages_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(messages_);
  }
  [[nodiscard]] Cycles max() const { return max_; }
  /// The smallest latency that this share of the messages does not exceed.
  [[nodiscard]] Cycles quantile(double share) const;
  [[nodiscard]] std::size_t memory_bytes() const { return pages_.size() * sizeof(Page); }

 private:
  static constexpr std::size_t width = 512;
  using Page = std::array<std::uint64_t, width>;  ///< counts of so many latencies, one after the other

  std::map<std::uint64_t, Page> pages_;
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

/// Counts the messages of a run one by one, in any order, in memory that does not depend on their number.
class TrafficCounts final : public TrafficListener {
 public:
  /// The plan outlives the counts.
  explicit TrafficCounts(const TrafficPlan& plan, std::uint64_t warm_up_percent = 20) : plan_(plan) {
    // Nobody knows beforehand for how long nodes send whose messages wait for others.
    if (plan.size() == 0 || plan.dependent()) return;
    state_.window_until = plan.first_end();
    state_.window_from = state_.window_until * warm_up_percent / 100;
  }
  void received(const TrafficMessage& message, Cycles at) override;
  [[nodiscard]] TrafficFigures figures(const RunMeasurement& measurement, double rate) const;
  /// None where the window has no message.
  [[nodiscard]] std::optional<SteadyState> steady() const;

 private:
  const TrafficPlan& plan_;
  Cycles last_offered_ = 0;
  LatencyCounts latencies_;
  SteadyState state_;  ///< its window, and when it was drained
  std::uint64_t received_inside_ = 0;
  std::array<std::uint64_t, SteadyState::batches> sum_{};  ///< of latencies
  std::array<std::uint64_t, SteadyState::batches> count_{};
};

}  // namespace ecube
