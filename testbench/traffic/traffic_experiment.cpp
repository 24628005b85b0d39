// SPDX-License-Identifier: Apache-2.0
// Measuring traffic, and computing its bounds.
#include "testbench/traffic/traffic_experiment.h"

#include <cmath>
#include <numeric>

#include "hw/observed/observer.h"
#include "sw/api/firmware.h"

namespace ecube {

double LatencyCounts::mean() const {
  return messages_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(messages_);
}

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
  TrafficFigures result{.rate = rate, .steady = steady_.result()};
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

namespace {

class HoldingTimes final : public Observer {
 public:
  explicit HoldingTimes(unsigned links) : links_of_router_(links) {}

  void begins(const Operation& operation, Cycles at) override {
    if (operation.kind == OperationKind::send) source_ -= static_cast<double>(at);
  }
  void left(const Operation&, Cycles at) override { source_ += static_cast<double>(at); }
  void granted(CircuitId, const CircuitRecord&, NodeId, unsigned output, Cycles, Cycles at) override {
    (output < links_of_router_ ? link_ : eject_) -= static_cast<double>(at);
    ++(output < links_of_router_ ? links_ : ejects_);
  }
  void released(CircuitId, const CircuitRecord&, NodeId, unsigned output, Cycles free_from) override {
    (output < links_of_router_ ? link_ : eject_) += static_cast<double>(free_from);
  }

  [[nodiscard]] double source(double messages) const { return source_ / messages; }
  [[nodiscard]] double link() const { return links_ == 0 ? 0 : link_ / static_cast<double>(links_); }
  [[nodiscard]] double eject() const { return ejects_ == 0 ? 0 : eject_ / static_cast<double>(ejects_); }

 private:
  unsigned links_of_router_;
  double source_ = 0;
  double link_ = 0;
  double eject_ = 0;
  std::uint64_t links_ = 0;
  std::uint64_t ejects_ = 0;
};

constexpr std::uint64_t least_of_a_batch = 10;
/// Student's t for 95 % confidence and batches - 1 = 9 degrees of freedom.
constexpr double students_t = 2.262;
static_assert(SteadyState::batches == 10);

/// Messages of the plan on the busiest inject port, link and eject port.
std::array<std::uint32_t, 3> most_uses(const TrafficPlan& plan, const Machine& machine) {
  const Topology& topology = plan.topology();
  const unsigned outputs = topology.outputs();
  const unsigned ports = machine.node.ports.physical(outputs);
  const NodeId nodes = topology.nodes();
  std::vector<std::uint32_t> links(std::size_t{nodes} * outputs);
  std::vector<std::uint32_t> sources(std::size_t{nodes} * ports);
  std::vector<std::uint32_t> destinations(std::size_t{nodes} * ports);
  for (std::uint64_t i = 0; i < plan.size(); ++i) {
    const TrafficMessage message = plan.without_cycle(i);
    const unsigned first = ports == 1 ? 0 : topology.first_output(message.source, message.destination);
    const unsigned last = ports == 1 ? 0 : topology.last_output(message.source, message.destination);
    ++sources[std::size_t{message.source} * ports + first];
    ++destinations[std::size_t{message.destination} * ports + last];
    topology.along(message.source, message.destination,
                   [&](LinkId link) { ++links[std::size_t{link.node} * outputs + link.output]; });
  }
  return {std::ranges::max(sources), std::ranges::max(links), std::ranges::max(destinations)};
}

}  // namespace

UnloadedTraffic unloaded(TestBench& bench, const RunSetup& setup, const TrafficPlan& plan) {
  // A sample spread over all messages, each sent long after the one before has arrived: idle cycles cost no host time.
  constexpr std::uint64_t most = 512;
  constexpr Cycles apart = 100'000'000;
  std::vector<TrafficMessage> messages;
  const std::uint64_t count = std::min(most, plan.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    messages.push_back(plan.without_cycle(i * plan.size() / count));
    messages.back().cycle = i * apart;
  }
  const TrafficPlan sample(std::move(messages), plan.topology());
  RunSetup quiet = setup;
  quiet.conditions.jitter = 0;
  quiet.conditions.failures.clear();
  TrafficCounts counts(sample);
  Traffic traffic(sample, &counts);
  Firmware firmware([&traffic](Node& node) { return traffic.run(node); });
  HoldingTimes times(plan.topology().outputs());
  const RunMeasurement m = bench.run_aside(quiet, firmware, {}, &times);
  const TrafficFigures figures = counts.figures(m, 0);
  const double receipt = static_cast<double>(setup.machine.from_core(setup.machine.library.receive_cycles));
  UnloadedTraffic result{.latency = figures.mean,
                         .bounds = {{{"source ports", times.source(static_cast<double>(count))},
                                     {"links", times.link()},
                                     {"destination ports", times.eject() + receipt}}}};
  // The busiest port or link takes `uses` messages for every `of_node` that a node sends.
  const double of_node = static_cast<double>(plan.size()) / static_cast<double>(plan.topology().nodes());
  const auto uses = most_uses(plan, setup.machine);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const double cycles = uses[i] * result.bounds[i].cycles;
    result.bounds[i].rate = cycles > 0 ? 1000.0 * of_node / cycles : std::numeric_limits<double>::infinity();
  }
  return result;
}

Saturation saturation_of(const std::vector<TrafficFigures>& curve) {
  constexpr double kept_up = 0.95;
  Saturation result;
  for (const TrafficFigures& point : curve) {
    result.most_accepted = std::max(result.most_accepted, point.accepted);
    if (point.accepted >= kept_up * point.offered) {
      result.keeps_up = std::max(result.keeps_up.value_or(0), point.rate);
    }
  }
  for (const TrafficFigures& point : curve) {
    if (point.accepted >= kept_up * point.offered || point.rate <= result.keeps_up.value_or(0)) continue;
    result.saturated = std::min(result.saturated.value_or(point.rate), point.rate);
  }
  return result;
}

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
  SteadyState state{.window_from = from_,
                    .window_until = until_,
                    .drained = drained_,
                    .messages = std::accumulate(count_.begin(), count_.end(), std::uint64_t{0})};
  const Cycles width = until_ - from_;
  if (width < SteadyState::batches) return std::nullopt;
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
