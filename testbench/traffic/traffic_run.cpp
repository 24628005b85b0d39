// SPDX-License-Identifier: Apache-2.0
// From a pattern or a file to a run, and from the messages' cycles to throughput and latency.
#include <fmt/core.h>

#include <limits>

#include "hw/observed/observer.h"
#include "sw/api/firmware.h"
#include "testbench/run/commands.h"
#include "testbench/text/json_text.h"
#include "testbench/traffic/traffic_experiment.h"

namespace ecube {

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

/// The ports of a kind, or the links.
struct TrafficBound {
  std::string_view what;
  double cycles = 0;  ///< for which a message holds one, on average
  /// The most that a node's share of the machine can accept if no circuit ever waits: 1,000 cycles divided by the
  /// cycles that one message of every node takes on the busiest of them.
  double rate = 0;
};

/// Messages of the traffic sent one at a time, measured: the cost of each message when nothing is in its way.
struct UnloadedTraffic {
  double latency = 0;  ///< mean, cycles
  /// Inject ports, start-up included; links on the way; eject ports, receipt included.
  std::array<TrafficBound, 3> bounds;
};

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

/// Where a load-latency curve bends.
struct Saturation {
  std::optional<double> keeps_up;   ///< the highest rate at which at least 95 % of the offered messages are accepted
  std::optional<double> saturated;  ///< the first rate after it at which less is accepted
  double most_accepted = 0;
};

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

Json steady_json(const SteadyState& state) {
  return {{"warm_up_until_cycle", state.window_from},
          {"window_until_cycle", state.window_until},
          {"drained_at_cycle", state.drained},
          {"messages", state.messages},
          {"offered", state.offered},
          {"accepted", state.accepted},
          {"latency_mean_cycles", state.mean},
          {"latency_half_width_95_cycles", json_or_null(state.half_width)},
          {"batches", SteadyState::batches}};
}

Json figures_json(const TrafficFigures& figures) {
  return {
      {"offered", figures.offered},
      {"accepted", figures.accepted},
      {"accepted_percent", 100 * figures.accepted / figures.offered},
      {"latency_cycles", {{"mean", figures.mean}, {"p50", figures.p50}, {"p99", figures.p99}, {"max", figures.max}}},
      {"steady_state", figures.steady ? steady_json(*figures.steady) : Json()}};
}

struct LoadCurve {
  std::vector<TrafficFigures> points;
  UnloadedTraffic alone;
};

Json curve_json(const LoadCurve& curve) {
  const auto point_json = [](const TrafficFigures& point) {
    Json json = {{"rate", point.rate}};
    json.update(figures_json(point));
    json["link_wait_cycles"] = point.link_wait;
    json["port_wait_cycles"] = point.port_wait;
    json["utilisation_mean"] = point.utilisation_mean;
    json["utilisation_max"] = point.utilisation_max;
    return json;
  };
  const Saturation saturation = saturation_of(curve.points);
  return {{"points", json_list(curve.points, point_json)},
          {"unloaded_latency_cycles", curve.alone.latency},
          {"bounds",
           {{"source_ports", curve.alone.bounds[0].rate},
            {"links", curve.alone.bounds[1].rate},
            {"destination_ports", curve.alone.bounds[2].rate}}},
          {"saturation",
           {{"keeps_up_at", json_or_null(saturation.keeps_up)},
            {"saturated_at", json_or_null(saturation.saturated)},
            {"most_accepted", saturation.most_accepted}}}};
}

std::string title_of(const TrafficArguments& arguments, const TrafficPlan& plan) {
  const std::string more = plan.dependent()       ? fmt::format(", {} dependencies", grouped(plan.dependencies()))
                           : from_file(arguments) ? std::string()
                                                  : fmt::format(" of {} B", arguments.bytes.value());
  return fmt::format("traffic {}  {} messages{}", arguments.pattern.value(), grouped(plan.size()), more);
}

void print_one(const TrafficFigures& figures, const RunMeasurement& m, const RunSetup& setup) {
  const auto cycles = [&](const char* what, double value) {
    fmt::print("{:<16}{:>14.1f} cycles  {:>12.3f} us\n", what, value, setup.machine.us(value));
  };
  fmt::print("{:<16}{:>14.3f} messages a node per 1,000 cycles\n", "offered", figures.offered);
  fmt::print("{:<16}{:>14.3f}\n", "accepted", figures.accepted);
  cycles("latency, mean", figures.mean);
  cycles("latency, median", static_cast<double>(figures.p50));
  cycles("latency, 99 %", static_cast<double>(figures.p99));
  cycles("latency, most", static_cast<double>(figures.max));
  cycles("run", static_cast<double>(m.result.cycles));
  fmt::print("{:<16}{:>13.1f}% mean, {:.1f}% most\n", "link use", 100 * m.utilisation_mean, 100 * m.utilisation_max);
  fmt::print("{} circuits, {} blocked at a link for {} cycles, {} at a port for {} cycles\n",
             grouped(m.network.circuits), grouped(m.network.link_blocked.circuits),
             grouped(m.network.link_blocked.cycles), grouped(m.network.port_blocked.circuits),
             grouped(m.network.port_blocked.cycles));
}

void print_curve(const LoadCurve& curve) {
  fmt::print("messages a node per 1,000 cycles    latency in cycles              waits of a circuit    link use\n");
  fmt::print("{:>8} {:>10} {:>10} {:>10} {:>8} {:>9} {:>10} {:>9} {:>6} {:>6}\n", "rate", "offered", "accepted", "mean",
             "median", "99 %", "for links", "ports", "mean", "most");
  fmt::print("{:>8} {:>10} {:>10} {:>10.1f}\n", "alone", "", "", curve.alone.latency);
  for (const TrafficFigures& point : curve.points) {
    fmt::print("{:>8.6g} {:>10.3f} {:>10.3f} {:>10.1f} {:>8} {:>9} {:>10.1f} {:>9.1f} {:>5.1f}% {:>5.1f}%\n",
               point.rate, point.offered, point.accepted, point.mean, grouped(point.p50), grouped(point.p99),
               point.link_wait, point.port_wait, 100 * point.utilisation_mean, 100 * point.utilisation_max);
  }
}

/// Explains in words where the curve bends, the most that could have been accepted, and why it was less.
void explain_curve(const LoadCurve& curve) {
  const Saturation saturation = saturation_of(curve.points);
  fmt::print("\n");
  if (!saturation.saturated) {
    fmt::print("not saturated: at every rate 95 % of the offered messages or more are accepted; try higher rates\n");
  } else if (saturation.keeps_up) {
    fmt::print(
        "saturates between rate {:.6g} and {:.6g}: no more than {:.3f} are accepted, the rest queue at their\n"
        "  sources, and latency grows with the length of the run\n",
        *saturation.keeps_up, *saturation.saturated, saturation.most_accepted);
  } else {
    fmt::print("saturated at every rate: no more than {:.3f} are accepted; try rates below {:.6g}\n",
               saturation.most_accepted, *saturation.saturated);
  }
  fmt::print("if nothing ever waited, the busiest of each kind would allow\n");
  for (const TrafficBound& one : curve.alone.bounds) {
    fmt::print("  {:<18}{:>10.3f}   alone, a message takes one for {:.1f} cycles\n", one.what, one.rate, one.cycles);
  }
  if (!saturation.saturated) return;
  const auto& bounds = curve.alone.bounds;
  const TrafficBound& least = *std::ranges::min_element(bounds.rbegin(), bounds.rend(), {}, &TrafficBound::rate);
  const TrafficFigures& last = curve.points.back();
  fmt::print(
      "{:.1f}% of what the {} allow is reached: circuits hold their paths while they wait, at rate {:.6g}\n"
      "  {:.1f} cycles for links and {:.1f} for ports on average\n",
      100 * saturation.most_accepted / least.rate, least.what, last.rate, last.link_wait, last.port_wait);
}

class TrafficRun : public PlainRun {
 public:
  TrafficRun(const TrafficArguments& arguments, const RunSetup& setup, std::vector<double> rates, TrafficPlan first,
             TestBench& bench)
      : PlainRun(setup, bench), arguments_(arguments), rates_(std::move(rates)), plan_(std::move(first)) {}

  [[nodiscard]] RunSize size() const override {
    return {.circuits = plan_.size() * rates_.size(), .one_run = !several()};
  }

  void run() override {
    if (several()) curve_.alone = unloaded(bench(), setup(), plan_);
    // Observers and files get the run at the last rate.
    for (; done_ < rates_.size(); ++done_) {
      if (done_ > 0) plan_ = plan_of(arguments_, setup(), rates_[done_]);
      TrafficCounts counts(plan_, arguments_.warm_up.value());
      Traffic traffic(plan_, &counts, operations());
      Firmware firmware([&traffic](Node& node) { return traffic.run(node); });
      m_ = done_ + 1 == rates_.size() ? bench().run(setup(), firmware) : bench().run_aside(setup(), firmware);
      if (m_.result.status != RunResult::Status::finished) break;
      wrong_ += traffic.wrong();
      curve_.points.push_back(counts.figures(m_, rates_[done_]));
    }
  }

  [[nodiscard]] std::string where() const override {
    return several() ? fmt::format("rate {}/{}", std::min(done_ + 1, rates_.size()), rates_.size()) : std::string();
  }

  [[nodiscard]] std::optional<bool> verified() const override { return wrong_ == 0; }

  [[nodiscard]] RunReport report() const override {
    Json traffic_json = figures_json(curve_.points.back());
    if (several()) traffic_json["curve"] = curve_json(curve_);
    Json workload = {{"pattern", arguments_.pattern.value()},
                     {"rate", rates_.back()},
                     {"messages", plan_.size()},
                     {"bytes", arguments_.bytes.value()}};
    if (arguments_.warm_up.given()) workload["warm_up_percent"] = arguments_.warm_up.value();
    if (plan_.dependent()) workload["dependencies"] = plan_.dependencies();
    return {.command = "run traffic", .workload = std::move(workload), .extra = {{"traffic", traffic_json}}};
  }

  void print(const Style& /*style*/) const override {
    print_title(title_of(arguments_, plan_));
    if (several()) {
      print_curve(curve_);
      explain_curve(curve_);
    } else {
      print_one(curve_.points.back(), m_, setup());
    }
    const std::uint64_t messages = plan_.size() * curve_.points.size();
    fmt::print("{} of {} messages received as sent\n", grouped(messages - wrong_), grouped(messages));
  }

 private:
  [[nodiscard]] bool several() const { return rates_.size() > 1; }
  /// Traces, programs.csv and exported schedules show every operation.
  [[nodiscard]] TrafficOperations operations() const {
    const RunArguments& run = arguments_.run;
    const bool seen = !run.trace.empty() || run.circuits || !run.export_goal.empty();
    return seen || !setup().conditions.failures.empty() ? TrafficOperations::separate : TrafficOperations::counted;
  }

  TrafficArguments arguments_;
  std::vector<double> rates_;
  TrafficPlan plan_;  ///< of the rate that runs
  LoadCurve curve_;
  std::size_t done_ = 0;  ///< rates
  std::uint64_t wrong_ = 0;
};

std::unique_ptr<Experiment> traffic_run(const TrafficArguments& typed, Benches& benches) {
  const TrafficArguments arguments = with_dim(typed);
  const RunSetup setup = setup_of(arguments.run, Networks::any);
  needs_fixed_links(setup.machine);
  if (setup.engine == EngineChoice::ideal) {
    throw InputError("--engine ideal has no network for traffic to load").valid("event | clocked | rtl");
  }
  std::vector<double> rates = rates_of(arguments.rate.value());
  if (from_file(arguments)) rates = {0};
  if (rates.size() > 1 && !arguments.run.trace.empty()) {
    throw InputError("--trace is of one run, and --rate has several").hint("trace one rate");
  }
  (void)arguments.warm_up.value();  // refused here if it is out of range
  TrafficPlan first = plan_of(arguments, setup, rates.front());
  if (first.dependent() && arguments.warm_up.given()) {
    throw InputError("--warm-up is about a steady state, and messages that wait for others have none")
        .hint("leave it out");
  }
  TestBench& bench = benches.get(setup);
  return std::make_unique<TrafficRun>(arguments, setup, std::move(rates), std::move(first), bench);
}

}  // namespace

std::unique_ptr<RunRequest> traffic_run_request() {
  return run_request_of<TrafficArguments>(
      [](Command& command, TrafficArguments& a) {
        declare_options(command, {&a.pattern, &a.messages, &a.bytes, &a.rate, &a.warm_up});
        a.run.topology.list_in(group::common);
      },
      traffic_run);
}

}  // namespace ecube
