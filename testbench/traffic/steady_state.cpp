// SPDX-License-Identifier: Apache-2.0
// Warm-up, window, drain, and batch means.
#include "testbench/traffic/steady_state.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ecube {

namespace {

constexpr std::uint64_t least_of_a_batch = 10;
/// Student's t for 95 % confidence and batches - 1 = 9 degrees of freedom.
constexpr double students_t = 2.262;
static_assert(SteadyState::batches == 10);

/// The cycle at which the first of the sending nodes has sent its last message.
Cycles first_end(const std::vector<TrafficMessage>& messages, unsigned dim) {
  std::vector<Cycles> last(std::size_t{1} << dim, Traffic::not_received);
  for (const TrafficMessage& one : messages) {
    Cycles& of = last[one.source];
    of = of == Traffic::not_received ? one.cycle : std::max(of, one.cycle);
  }
  return *std::min_element(last.begin(), last.end());
}

}  // namespace

std::optional<SteadyState> steady_state_of(const Traffic& traffic, unsigned dim) {
  return steady_state_of(traffic.messages(), traffic.received_at(), dim);
}

std::optional<SteadyState> steady_state_of(const std::vector<TrafficMessage>& messages,
                                           const std::vector<Cycles>& received_at, unsigned dim) {
  if (messages.empty()) return std::nullopt;
  SteadyState state;
  state.window_until = first_end(messages, dim);
  state.window_from = state.window_until / 5;
  const Cycles width = state.window_until - state.window_from;
  if (width < SteadyState::batches) return std::nullopt;
  std::array<double, SteadyState::batches> sum{};
  std::array<std::uint64_t, SteadyState::batches> count{};
  std::uint64_t received_inside = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Cycles at = received_at[i];
    if (at == Traffic::not_received) continue;
    state.drained = std::max(state.drained, at);
    if (at >= state.window_from && at < state.window_until) ++received_inside;
    const Cycles due = messages[i].cycle;
    if (due < state.window_from || due >= state.window_until) continue;
    const auto batch = static_cast<std::size_t>((due - state.window_from) * SteadyState::batches / width);
    sum[batch] += static_cast<double>(at - due);
    ++count[batch];
    ++state.messages;
  }
  if (state.messages == 0) return std::nullopt;
  double all = 0;
  for (const double one : sum) all += one;
  state.mean = all / static_cast<double>(state.messages);
  const double node_thousands = static_cast<double>(width) * static_cast<double>(std::uint64_t{1} << dim) / 1000.0;
  state.offered = static_cast<double>(state.messages) / node_thousands;
  state.accepted = static_cast<double>(received_inside) / node_thousands;
  if (*std::min_element(count.begin(), count.end()) < least_of_a_batch) return state;
  std::array<double, SteadyState::batches> means{};
  double mean_of_means = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = sum[i] / static_cast<double>(count[i]);
    mean_of_means += means[i] / SteadyState::batches;
  }
  double squares = 0;
  for (const double one : means) squares += (one - mean_of_means) * (one - mean_of_means);
  state.half_width = students_t * std::sqrt(squares / (SteadyState::batches - 1) / SteadyState::batches);
  return state;
}

}  // namespace ecube
