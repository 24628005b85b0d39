// SPDX-License-Identifier: Apache-2.0
// Counting the messages of traffic.
#include "testbench/traffic/traffic_experiment.h"

#include <cmath>
#include <numeric>

namespace ecube {

Cycles LatencyCounts::quantile(double share) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(messages_)));
  std::uint64_t left = std::max<std::uint64_t>(rank, 1);
  for (const auto& [number, page] : pages_) {
    for (std::size_t place = 0; place < width; ++place) {
      if (page[place] >= left) return number * width + place;
      left -= page[place];
    }
  }
  return 0;
}

TrafficFigures TrafficCounts::figures(const RunMeasurement& m, double rate) const {
  TrafficFigures result{.rate = rate, .steady = steady()};
  const double thousands = static_cast<double>(plan_.topology().nodes()) / 1000.0;
  // When messages that wait for others were to be sent is known by their reception only.
  const Cycles last_offered = std::max<Cycles>({1, plan_.last_cycle(), plan_.dependent() ? last_offered_ : 0});
  result.offered = static_cast<double>(plan_.size()) / (static_cast<double>(last_offered) * thousands);
  const Cycles cycles = m.result.cycles;
  if (latencies_.messages() == 0 || cycles == 0) return result;
  result.accepted = static_cast<double>(latencies_.messages()) / (static_cast<double>(cycles) * thousands);
  result.mean = latencies_.mean();
  result.p50 = latencies_.quantile(0.50);
  result.p99 = latencies_.quantile(0.99);
  result.max = latencies_.max();
  const auto circuits = static_cast<double>(std::max<std::uint64_t>(m.network.circuits, 1));
  result.link_wait = static_cast<double>(m.network.link_blocked.cycles) / circuits;
  result.port_wait = static_cast<double>(m.network.port_blocked.cycles) / circuits;
  result.utilisation_mean = m.utilisation_mean;
  result.utilisation_max = m.utilisation_max;
  return result;
}

void TrafficCounts::received(const TrafficMessage& message, Cycles at) {
  const Cycles due = message.cycle;
  latencies_.add(at - due);
  last_offered_ = std::max(last_offered_, due);
  state_.drained = std::max(state_.drained, at);
  const Cycles from = state_.window_from;
  const Cycles until = state_.window_until;
  if (at >= from && at < until) ++received_inside_;
  if (due < from || due >= until) return;
  const auto batch = static_cast<std::size_t>((due - from) * SteadyState::batches / (until - from));
  sum_[batch] += at - due;
  ++count_[batch];
}

std::optional<SteadyState> TrafficCounts::steady() const {
  constexpr std::uint64_t least_of_a_batch = 10;
  /// Student's t for 95 % confidence and batches - 1 = 9 degrees of freedom.
  constexpr double students_t = 2.262;
  static_assert(SteadyState::batches == 10);
  SteadyState state = state_;
  state.messages = std::accumulate(count_.begin(), count_.end(), std::uint64_t{0});
  const Cycles width = state.window_until - state.window_from;
  if (width < SteadyState::batches || state.messages == 0) return std::nullopt;
  const std::uint64_t all = std::accumulate(sum_.begin(), sum_.end(), std::uint64_t{0});
  state.mean = static_cast<double>(all) / static_cast<double>(state.messages);
  const double node_thousands = static_cast<double>(width) * static_cast<double>(plan_.topology().nodes()) / 1000.0;
  state.offered = static_cast<double>(state.messages) / node_thousands;
  state.accepted = static_cast<double>(received_inside_) / node_thousands;
  if (*std::min_element(count_.begin(), count_.end()) < least_of_a_batch) return state;
  std::array<double, SteadyState::batches> means{};
  double mean_of_means = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = static_cast<double>(sum_[i]) / static_cast<double>(count_[i]);
    mean_of_means += means[i] / SteadyState::batches;
  }
  double squares = 0;
  for (const double one : means) squares += (one - mean_of_means) * (one - mean_of_means);
  state.half_width = students_t * std::sqrt(squares / (SteadyState::batches - 1) / SteadyState::batches);
  return state;
}

}  // namespace ecube
