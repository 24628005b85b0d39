// SPDX-License-Identifier: Apache-2.0
// Latency and load of traffic without the beginning and the end of its run.
#pragma once

#include <array>
#include <optional>

#include "sw/traffic/traffic_plan.h"

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

}  // namespace ecube
