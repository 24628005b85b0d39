// SPDX-License-Identifier: Apache-2.0
// Measuring traffic, and computing its bounds.
#include "testbench/traffic/traffic_experiment.h"

#include <algorithm>

#include "hw/observed/observer.h"
#include "sw/api/firmware.h"

namespace ecube {

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

/// Adds up the time for which ports and links are taken.
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

}  // namespace

UnloadedTimes unloaded(TestBench& bench, const RunSetup& setup, const TrafficPlan& plan) {
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
  return {.latency = figures.mean,
          .source = times.source(static_cast<double>(count)),
          .link = times.link(),
          .eject = times.eject() + receipt};
}

double TrafficBounds::least() const { return std::min({source_ports, links, destination_ports}); }

TrafficBounds bounds_of(const UnloadedTimes& times, const TrafficPlan& plan, const Machine& machine) {
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
                   [&](LinkId link) { ++links[std::size_t{link.node} * outputs + link.dimension]; });
  }
  const double of_node = static_cast<double>(plan.size()) / static_cast<double>(nodes);
  // The busiest port or link takes `uses` messages of `cycles` each for every `of_node` that a node sends.
  const auto bound = [&](const std::vector<std::uint32_t>& uses, double cycles) {
    const double most = *std::max_element(uses.begin(), uses.end());
    return most * cycles > 0 ? 1000.0 * of_node / (most * cycles) : std::numeric_limits<double>::infinity();
  };
  return {.source_ports = bound(sources, times.source),
          .links = bound(links, times.link),
          .destination_ports = bound(destinations, times.eject)};
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

}  // namespace ecube
