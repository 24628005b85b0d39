// SPDX-License-Identifier: Apache-2.0
// Warm-up, window, drain, and batch means.
#include "testbench/traffic/steady_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ecube {

namespace {

constexpr std::uint64_t least_of_a_batch = 10;
/// Student's t for 95 % confidence and batches - 1 = 9 degrees of freedom.
constexpr double students_t = 2.262;
static_assert(SteadyState::batches == 10);

}  // namespace

SteadyStateCounts::SteadyStateCounts(const TrafficPlan& plan) : nodes_(plan.topology().nodes()) {
  // Nobody knows beforehand for how long nodes send whose messages wait for others.
  if (plan.size() == 0 || plan.dependent()) return;
  until_ = plan.first_end();
  from_ = until_ / 5;
}

void SteadyStateCounts::add(Cycles due, Cycles at) {
  drained_ = std::max(drained_, at);
  if (at >= from_ && at < until_) ++received_inside_;
  if (due < from_ || due >= until_) return;
  const auto batch = static_cast<std::size_t>((due - from_) * SteadyState::batches / (until_ - from_));
  sum_[batch] += at - due;
  ++count_[batch];
}

std::optional<SteadyState> SteadyStateCounts::result() const {
  SteadyState state;
  state.window_from = from_;
  state.window_until = until_;
  state.drained = drained_;
  const Cycles width = until_ - from_;
  if (width < SteadyState::batches) return std::nullopt;
  state.messages = std::accumulate(count_.begin(), count_.end(), std::uint64_t{0});
  if (state.messages == 0) return std::nullopt;
  const std::uint64_t all = std::accumulate(sum_.begin(), sum_.end(), std::uint64_t{0});
  state.mean = static_cast<double>(all) / static_cast<double>(state.messages);
  const double node_thousands = static_cast<double>(width) * static_cast<double>(nodes_) / 1000.0;
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
