// SPDX-License-Identifier: Apache-2.0
// Micro-benchmarks as experiments of their own.
#include "testbench/program/micro_benchmark_command.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "models/fit/deviation.h"
#include "sw/micro_benchmarks/micro_benchmarks.h"
#include "testbench/run/run_session.h"

namespace ecube {

namespace {

struct MicroArguments {
  RunArguments run;
  std::vector<std::int64_t> bytes = {0, 1, 100, 1000};
  std::int64_t repeats = 1;
};

nlohmann::ordered_json parameters_json(const ExchangeParameters& p) {
  return {{"source", p.source},
          {"lambda_us", p.lambda_us},
          {"lambda0_us", p.lambda0_us},
          {"tau_us_per_byte", p.tau_us_per_byte},
          {"delta_us_per_hop", p.delta_hop_us},
          {"delta_us", p.delta_us},
          {"tau_us_per_byte_and_hop", p.tau_hop_us_per_byte},
          {"barrier_us", p.barrier_us}};
}

int run_barriers(const MicroArguments& arguments, const Invocation& invocation) {
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run));
  const auto repeats = static_cast<unsigned>(in_range("--repeats", arguments.repeats, 1, 1'000'000));
  const std::uint64_t messages = (std::uint64_t{setup.dim} * repeats) << setup.dim;
  if (invocation.estimate) {
    invocation.estimate({.circuits = messages});
    return 0;
  }
  TestBench& bench = invocation.benches->get(arguments.run, setup);
  const ExchangeParameters parameters = parameters_for(arguments.run, bench, setup.machine, setup.dim);
  Firmware firmware([repeats](Node& node) { return barriers(node, repeats); });
  RunSession session(arguments.run, setup, bench, {.circuits = messages, .where = {}, .hops = 1});
  const RunMeasurement m = bench.run(setup, firmware, ideal_costs(parameters, setup.machine, setup.dim));
  const double predicted = parameters.barrier_us * repeats;
  RunReport report{
      .command = "run barrier",
      .workload = {{"repeats", repeats}, {"jitter_cycles", setup.conditions.jitter}, {"seed", setup.conditions.seed}},
      .predicted = {{"equation", "Q = d zero-byte exchanges, fitted at d = 3"},
                    {"us", predicted},
                    {"parameters", parameters_json(parameters)}},
      .error_percent = deviation_percent(m.result.us, predicted)};
  return session.finish(m, report, invocation, [&] {
    fmt::print("{}  d={} ({} nodes)  {} of d zero-byte exchanges  engine {}  seed {}\n\n", setup.machine.name,
               setup.dim, grouped(1U << setup.dim), repeats == 1 ? "a barrier" : grouped(repeats) + " barriers",
               word_of(setup.engine, engines), setup.conditions.seed);
    fmt::print("         predicted us   measured us     error  blocked\n");
    fmt::print("barrier  {:>12.3f}  {:>12.3f}  {:>8}  {:>7}\n", predicted / repeats, m.result.us / repeats,
               percent(report.error_percent), grouped(m.network.link_blocked.circuits));
  });
}

/// One length over one distance.
struct PingPongPoint {
  Bytes bytes = 0;
  unsigned hops = 0;
  double predicted_us = 0;
  double begin_us = 0;
  double end_us = 0;
};

/// All points one after the other: node 0 and the node whose label has the lowest `hops` bits set.
Task<> ping_pongs(Node& node, std::vector<PingPongPoint>& points, unsigned repeats) {
  for (PingPongPoint& point : points) {
    const NodeId other = (NodeId{1} << point.hops) - 1;
    if (node.id() == 0) point.begin_us = node.now_us();
    Cycles elapsed = 0;
    co_await ping_pong(node, 0, other, point.bytes, repeats, elapsed);
    if (node.id() == 0) point.end_us = node.now_us();
  }
}

int run_ping_pongs(const MicroArguments& arguments, const Invocation& invocation) {
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run));
  const auto repeats = static_cast<unsigned>(in_range("--repeats", arguments.repeats, 1, 1'000'000));
  for (const std::int64_t bytes : arguments.bytes) (void)in_range("--bytes", bytes, 0, std::int64_t{1} << 30);
  const std::uint64_t all = arguments.bytes.size() * setup.dim * std::uint64_t{repeats} * 2;
  if (invocation.estimate) {
    invocation.estimate({.circuits = all});
    return 0;
  }
  TestBench& bench = invocation.benches->get(arguments.run, setup);
  const ExchangeParameters p = parameters_for(arguments.run, bench, setup.machine, setup.dim);
  std::vector<PingPongPoint> points;
  for (const std::int64_t bytes : arguments.bytes) {
    for (unsigned hop_count = 1; hop_count <= setup.dim; ++hop_count) {
      const double predicted = (bytes == 0 ? p.lambda0_us : p.lambda_us) +
                               p.tau_us_per_byte * static_cast<double>(bytes) + p.delta_us +
                               (p.delta_hop_us + p.tau_hop_us_per_byte * static_cast<double>(bytes)) * hop_count;
      points.push_back({.bytes = static_cast<Bytes>(bytes), .hops = hop_count, .predicted_us = predicted});
    }
  }
  Firmware firmware([&points, repeats](Node& node) { return ping_pongs(node, points, repeats); });
  RunSession session(arguments.run, setup, bench, {.circuits = all, .where = {}});
  const RunMeasurement m = bench.run(setup, firmware, ideal_costs(p, setup.machine, setup.dim));
  const double messages = 2.0 * repeats;
  double predicted_total = 0;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const PingPongPoint& point : points) {
    const double measured = (point.end_us - point.begin_us) / messages;
    predicted_total += point.predicted_us * messages;
    rows.push_back({{"bytes", point.bytes},
                    {"hops", point.hops},
                    {"us", measured},
                    {"predicted_us", point.predicted_us},
                    {"error_percent", deviation_percent(measured, point.predicted_us)}});
  }
  RunReport report{.command = "run pingpong",
                   .workload = {{"bytes", arguments.bytes},
                                {"repeats", repeats},
                                {"jitter_cycles", setup.conditions.jitter},
                                {"seed", setup.conditions.seed}},
                   .predicted = {{"equation", "lambda + tau m + delta h, every message"},
                                 {"us", predicted_total},
                                 {"parameters", parameters_json(p)}},
                   .extra = {{"points", rows}},
                   .error_percent = deviation_percent(m.result.us, predicted_total)};
  return session.finish(m, report, invocation, [&] {
    fmt::print("{}  d={}  ping-pong of node 0 with 1, 3, 7, ...: one way  engine {}  seed {}\n\n", setup.machine.name,
               setup.dim, word_of(setup.engine, engines), setup.conditions.seed);
    fmt::print("     bytes  hops  predicted us   measured us     error\n");
    for (const PingPongPoint& point : points) {
      const double measured = (point.end_us - point.begin_us) / messages;
      fmt::print("{:>10}  {:>4}  {:>12.3f}  {:>12.3f}  {:>8}\n", grouped(point.bytes), point.hops, point.predicted_us,
                 measured, percent(deviation_percent(measured, point.predicted_us)));
    }
  });
}

}  // namespace

void add_run_pingpong(Command& run, Invocation& invocation) {
  const auto arguments = std::make_shared<MicroArguments>();
  Command& command = run.add_command("pingpong", "The time of one message, by length and distance");
  command.add_option("--bytes", arguments->bytes, "Lengths, as 0,1,100").comma_separated().show_default();
  command.add_option("--repeats", arguments->repeats, "Round trips for each point").show_default();
  add_run_options(command, arguments->run);
  add_footer(command, "Example: ecube run pingpong --machine ipsc860 --dim 5 --bytes 0,100,1000");
  command.on_run([arguments, &invocation] { invocation.status = run_ping_pongs(*arguments, invocation); });
}

void add_run_barrier(Command& run, Invocation& invocation) {
  const auto arguments = std::make_shared<MicroArguments>();
  Command& command = run.add_command("barrier", "The time of a barrier of all nodes");
  command.add_option("--repeats", arguments->repeats, "Barriers, one after the other").show_default();
  add_run_options(command, arguments->run);
  add_footer(command, "Example: ecube run barrier --machine ipsc860 --dim 7");
  command.on_run([arguments, &invocation] { invocation.status = run_barriers(*arguments, invocation); });
}

}  // namespace ecube
