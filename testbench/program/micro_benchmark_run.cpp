// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks as experiments of their own.
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "models/fit/equation_gaps.h"
#include "sw/micro_benchmarks/micro_benchmarks.h"
#include "testbench/run/commands.h"

namespace ecube {

namespace {

struct MicroArguments {
  RunArguments run;
  std::vector<std::int64_t> bytes = {0, 1, 100, 1000};
  NumberOption repeats{"--repeats", "", group::own, 1, {1, 1'000'000}};

  [[nodiscard]] std::vector<Effect> effects(const std::string& /*question*/, const Machine& /*machine*/) const {
    return {{run.seed, run.jitter.given(), "only --jitter draws"}};
  }
};

void declare_shared(Command& command, MicroArguments& a, const char* repeats) {
  a.repeats.say(repeats);
  a.repeats.declare(command);
  a.run.topology.list_in(group::common);
}

Machine with_barriers(Machine machine) {
  machine.library.barrier = Barrier::phase;
  return machine;
}

class MicroRun : public PlainRun {
 public:
  /// Parameters of the equation are those of `asked`.
  MicroRun(const MicroArguments& arguments, const RunSetup& setup, TestBench& bench, const Machine& asked)
      : PlainRun(setup, bench),
        repeats_(static_cast<unsigned>(arguments.repeats.value())),
        parameters_(parameters_for(arguments.run, bench, asked, setup.dim)) {}

 protected:
  void run_on_all(const Firmware::Body& body) {
    Firmware firmware(body);
    m_ = bench().run(setup(), firmware, ideal_costs(parameters_, setup().machine, setup().dim));
  }
  [[nodiscard]] nlohmann::ordered_json predicted_json(std::string_view equation) const {
    return {{"equation", equation}, {"us", predicted_us_}, {"parameters", exchange_parameters_json(parameters_)}};
  }

  unsigned repeats_;
  ExchangeParameters parameters_;
  double predicted_us_ = 0;
};

class BarrierRun : public MicroRun {
 public:
  BarrierRun(const MicroArguments& arguments, const RunSetup& setup, TestBench& bench)
      : MicroRun(arguments, setup, bench, with_barriers(setup.machine)) {
    predicted_us_ = parameters_.barrier_us * repeats_;
  }

  [[nodiscard]] RunSize size() const override {
    return {.circuits = barrier_messages(setup().topology().nodes()) * repeats_, .hops = 1};
  }

  void run() override {
    run_on_all([this](Node& node) { return barriers(node, repeats_); });
  }

  [[nodiscard]] RunReport report() const override {
    return {.command = "run barrier",
            .workload = {{"repeats", repeats_}},
            .predicted = predicted_json(setup().topology().is_cube()
                                            ? "Q = d zero-byte exchanges, fitted at d = 3"
                                            : "zero-byte exchanges with their hops; (largest load - 1) times the "
                                              "distance where they share links, a bound")};
  }

  void print(const Style& style) const override {
    const bool cube = setup().topology().is_cube();
    print_title(fmt::format("{} of {} zero-byte exchanges",
                            repeats_ == 1 ? "a barrier" : grouped(repeats_) + " barriers",
                            cube ? "d" : std::to_string(setup().topology().barrier_steps())));
    fmt::print("         predicted us   measured us     error  blocked\n");
    fmt::print("barrier  {}\n", compared_cells(predicted_us_ / repeats_, m_.result.us / repeats_,
                                               m_.network.link_blocked.circuits, style));
    if (!cube) fmt::print("predicted: where circuits share a link they pass one after the other, which is a bound\n");
  }
};

struct PingPongPoint {
  Bytes bytes = 0;
  unsigned hops = 0;
  NodeId other = 0;
  double predicted_us = 0;
  double begin_us = 0;
  double end_us = 0;
};

/// [hops]: the first node so far away from node 0; in a cube 1, 3, 7, ...
std::vector<NodeId> first_nodes(const Topology& topology) {
  std::vector<NodeId> first(topology.diameter() + std::size_t{1});
  for (NodeId node = topology.nodes(); node-- > 0;) first[topology.hops(0, node)] = node;
  return first;
}

/// Only the nodes of some point go through the points: others would take most of the time of a large network.
Task<> ping_pongs(Node& node, bool takes_part, std::vector<PingPongPoint>& points, unsigned repeats) {
  if (!takes_part) co_return;
  for (PingPongPoint& point : points) {
    if (node.id() == 0) point.begin_us = node.now_us();
    Cycles elapsed = 0;
    co_await ping_pong(node, 0, point.other, point.bytes, repeats, elapsed);
    if (node.id() == 0) point.end_us = node.now_us();
  }
}

class PingPongRun : public MicroRun {
 public:
  PingPongRun(const MicroArguments& arguments, const RunSetup& setup, TestBench& bench)
      : MicroRun(arguments, setup, bench, setup.machine), bytes_(arguments.bytes) {
    const ExchangeParameters& p = parameters_;
    const std::vector<NodeId> first = first_nodes(setup.topology());
    for (const std::int64_t bytes : bytes_) {
      for (unsigned hop_count = 1; hop_count < first.size(); ++hop_count) {
        double predicted = p.message_us(static_cast<double>(bytes), hop_count);
        // Of a message shorter than a phit, where a phit takes longer than a start-up: no prediction.
        if (predicted < 0) predicted = std::numeric_limits<double>::quiet_NaN();
        points_.push_back({.bytes = static_cast<Bytes>(bytes),
                           .hops = hop_count,
                           .other = first[hop_count],
                           .predicted_us = predicted});
        predicted_us_ += predicted * messages();
      }
    }
    if (setup.engine != EngineChoice::ideal) gaps_ = message_gaps(setup.machine, setup.dim);
  }

  [[nodiscard]] RunSize size() const override { return {.circuits = points_.size() * std::uint64_t{repeats_} * 2}; }

  void run() override {
    const Topology topology = setup().topology();
    const std::vector<NodeId> first = first_nodes(topology);
    run_on_all([&](Node& node) {
      return ping_pongs(node, node.id() == first[topology.hops(0, node.id())], points_, repeats_);
    });
  }

  [[nodiscard]] RunReport report() const override {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const PingPongPoint& point : points_) {
      rows.push_back({{"bytes", point.bytes},
                      {"hops", point.hops},
                      {"predicted_us", point.predicted_us},
                      {"measured_us", measured_us(point)},
                      {"error_percent", deviation_percent(measured_us(point), point.predicted_us)}});
    }
    return {.command = "run pingpong",
            .workload = {{"bytes", bytes_}, {"repeats", repeats_}},
            .predicted = predicted_json("lambda + tau m + delta h, every message"),
            .extra = {{"points", rows}}};
  }

  void print(const Style& /*style*/) const override {
    print_title(setup().topology().is_cube() ? "ping-pong of node 0 with 1, 3, 7, ...: one way"
                                             : "ping-pong of node 0 with the first node at each distance: one way");
    fmt::print("     bytes  hops  predicted us   measured us     error\n");
    for (const PingPongPoint& point : points_) {
      const std::string predicted = std::isnan(point.predicted_us) ? "-" : fmt::format("{:.3f}", point.predicted_us);
      fmt::print("{:>10}  {:>4}  {:>12}  {:>12.3f}  {:>8}\n", grouped(point.bytes), point.hops, predicted,
                 measured_us(point), percent(deviation_percent(measured_us(point), point.predicted_us)));
    }
  }

 private:
  [[nodiscard]] double messages() const { return 2.0 * repeats_; }
  [[nodiscard]] double measured_us(const PingPongPoint& point) const {
    return (point.end_us - point.begin_us) / messages();
  }

  std::vector<std::int64_t> bytes_;
  std::vector<PingPongPoint> points_;
};

template <class Run>
std::unique_ptr<Experiment> micro_run(const MicroArguments& arguments, Benches& benches) {
  const RunSetup setup = setup_of(arguments.run, Networks::any);
  needs_fixed_links(setup.machine);
  (void)arguments.repeats.value();
  for (const std::int64_t bytes : arguments.bytes) (void)in_range("--bytes", bytes, 0, std::int64_t{1} << 30);
  return std::make_unique<Run>(arguments, setup, benches.get(setup));
}

}  // namespace

std::unique_ptr<RunRequest> pingpong_run_request() {
  return run_request_of<MicroArguments>(
      [](Command& command, MicroArguments& a) {
        command.add_option("--bytes", a.bytes, "Lengths, as 0,1,100",
                           {.show_default = true, .comma_separated = true, .size = true});
        declare_shared(command, a, "Round trips for each point");
      },
      micro_run<PingPongRun>);
}
std::unique_ptr<RunRequest> barrier_run_request() {
  return run_request_of<MicroArguments>(
      [](Command& command, MicroArguments& a) { declare_shared(command, a, "Barriers, one after the other"); },
      micro_run<BarrierRun>);
}

}  // namespace ecube
