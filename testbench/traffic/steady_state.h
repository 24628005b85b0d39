// SPDX-License-Identifier: Apache-2.0
// Latency and load of traffic without the beginning and the end of its run.
#pragma once

#include <optional>

#include "sw/traffic/traffic.h"

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

/// None where the window has no message.
[[nodiscard]] std::optional<SteadyState> steady_state_of(const Traffic& traffic, unsigned dim);
/// The same from messages and the cycles of their reception.
[[nodiscard]] std::optional<SteadyState> steady_state_of(const std::vector<TrafficMessage>& messages,
                                                         const std::vector<Cycles>& received_at, unsigned dim);

}  // namespace ecube
