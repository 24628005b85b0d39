// SPDX-License-Identifier: Apache-2.0
// From a pattern or a file to a run, and from the messages' cycles to throughput and latency.
#include "testbench/traffic_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "sw/traffic.h"
#include "testbench/run_session.h"
#include "testbench/traffic_file.h"

namespace ecube {

namespace {

constexpr Word<TrafficPattern> patterns[] = {
    {"uniform", TrafficPattern::uniform},      {"bitcomp", TrafficPattern::bitcomp},
    {"bitrev", TrafficPattern::bitrev},        {"transpose", TrafficPattern::transpose},
    {"shuffle", TrafficPattern::shuffle},      {"randperm", TrafficPattern::randperm},
    {"neighbor", TrafficPattern::neighbor},    {"hotspot", TrafficPattern::hotspot},
    {"all-to-one", TrafficPattern::all_to_one}};

struct TrafficArguments {
  RunArguments run;
  std::string pattern = "uniform";
  double rate = 5;
  std::int64_t messages = 100;
  std::int64_t bytes = 16;
};

/// What became of the messages. Latency is from the cycle a message was to be sent at to its reception.
struct TrafficFigures {
  double offered = 0;  ///< messages of each node per 1,000 cycles
  double accepted = 0;
  double mean = 0;
  Cycles p50 = 0;
  Cycles p99 = 0;
  Cycles max = 0;
};

TrafficFigures figures_of(const Traffic& traffic, unsigned dim, Cycles cycles) {
  TrafficFigures result;
  std::vector<Cycles> latencies;
  Cycles last_offered = 1;
  for (std::size_t i = 0; i < traffic.messages().size(); ++i) {
    last_offered = std::max(last_offered, traffic.messages()[i].cycle);
    const Cycles at = traffic.received_at()[i];
    if (at != Traffic::not_received) latencies.push_back(at - traffic.messages()[i].cycle);
  }
  const double thousands = static_cast<double>(std::uint64_t{1} << dim) / 1000.0;
  result.offered = static_cast<double>(traffic.messages().size()) / (static_cast<double>(last_offered) * thousands);
  if (latencies.empty() || cycles == 0) return result;
  result.accepted = static_cast<double>(latencies.size()) / (static_cast<double>(cycles) * thousands);
  result.mean = static_cast<double>(std::accumulate(latencies.begin(), latencies.end(), Cycles{0})) /
                static_cast<double>(latencies.size());
  std::sort(latencies.begin(), latencies.end());
  // The smallest latency that this part of the messages does not exceed.
  const auto quantile = [&latencies](double part) {
    const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(latencies.size())));
    return latencies[std::max<std::size_t>(rank, 1) - 1];
  };
  result.p50 = quantile(0.50);
  result.p99 = quantile(0.99);
  result.max = latencies.back();
  return result;
}

std::vector<TrafficMessage> messages_of(const TrafficArguments& arguments, const RunSetup& setup) {
  TrafficWorkload workload;
  workload.bytes = static_cast<Bytes>(in_range("--bytes", arguments.bytes, 0, std::int64_t{1} << 30));
  const auto most = static_cast<std::int64_t>(max_traffic_messages >> setup.dim);
  workload.messages = static_cast<std::uint64_t>(in_range("--messages", arguments.messages, 1, most));
  workload.seed = setup.conditions.seed;
  workload.rate = arguments.rate;
  if (!(arguments.rate > 0.0 && arguments.rate <= 1000.0)) {
    throw ErrorText(fmt::format("--rate {} is out of range", arguments.rate))
        .valid("messages of each node per 1,000 cycles, above 0, at most 1000")
        .error();
  }
  for (const Word<TrafficPattern>& word : patterns) {
    if (word.word != arguments.pattern) continue;
    workload.pattern = word.value;
    return make_traffic(workload, setup.dim);
  }
  // Neither a pattern nor what looks like a file's name: rather a pattern misspelt.
  if (arguments.pattern.find_first_of("./") == std::string::npos) {
    (void)choose("--pattern", arguments.pattern, patterns);
  }
  return read_traffic(arguments.pattern, setup.dim);
}

int run(const TrafficArguments& arguments, const Invocation& invocation) {
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run));
  if (setup.engine == EngineChoice::ideal) {
    throw ErrorText("--engine ideal has no network for traffic to load").valid("event | rtl").error();
  }
  Traffic traffic(messages_of(arguments, setup), setup.dim);
  TestBench bench = bench_for(arguments.run, setup);
  Firmware firmware([&traffic](Node& node) { return traffic.run(node); });
  RunSession session(arguments.run, setup, bench, {.circuits = traffic.messages().size(), .where = {}});
  const RunMeasurement m = bench.run(setup, firmware);
  const TrafficFigures figures = figures_of(traffic, setup.dim, m.result.cycles);
  RunReport report{
      .command = "run traffic",
      .workload = {{"pattern", arguments.pattern},
                   {"rate", arguments.rate},
                   {"messages", traffic.messages().size()},
                   {"bytes", arguments.bytes},
                   {"jitter_cycles", setup.conditions.jitter},
                   {"seed", setup.conditions.seed}},
      .extra = {{"traffic",
                 {{"offered", figures.offered},
                  {"accepted", figures.accepted},
                  {"latency_cycles",
                   {{"mean", figures.mean}, {"p50", figures.p50}, {"p99", figures.p99}, {"max", figures.max}}}}}},
      .verified = traffic.wrong() == 0};
  return session.finish(m, report, invocation, [&] {
    fmt::print("{}  d={} ({} nodes, {} links)  traffic {}  {} messages  engine {}  seed {}\n\n", setup.machine.name,
               setup.dim, grouped(1U << setup.dim), grouped(std::uint64_t{setup.dim} << setup.dim), arguments.pattern,
               grouped(traffic.messages().size()), word_of(setup.engine, engines), setup.conditions.seed);
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
    fmt::print("{} of {} messages received as sent\n", grouped(traffic.messages().size() - traffic.wrong()),
               grouped(traffic.messages().size()));
  });
}

}  // namespace

void add_run_traffic(CLI::App& run_command, Invocation& invocation) {
  const auto arguments = std::make_shared<TrafficArguments>();
  CLI::App* const command =
      run_command.add_subcommand("traffic", "Messages by a pattern or from a file, in contention");
  command
      ->add_option("--pattern", arguments->pattern,
                   "uniform, bitcomp, bitrev, transpose, shuffle, randperm, neighbor, hotspot (a quarter to the last "
                   "node), all-to-one (node 0), or a file of lines: source destination bytes cycle")
      ->capture_default_str();
  command->add_option("--rate", arguments->rate, "Messages of each node per 1,000 cycles, at random times")
      ->capture_default_str();
  command->add_option("--messages", arguments->messages, "Messages of each node")->capture_default_str();
  command->add_option("--bytes", arguments->bytes, "Bytes of a message")->capture_default_str();
  add_run_options(*command, arguments->run);
  add_footer(*command,
             "Examples:\n"
             "  ecube run traffic --pattern uniform --dim 8 --rate 10 --messages 1000\n"
             "  ecube run traffic --pattern bitrev --dim 3 --engine rtl\n"
             "  ecube run traffic --pattern ./messages.txt --dim 4 --ports n -o runs/mine --circuits");
  command->callback([arguments, &invocation] { invocation.status = run(*arguments, invocation); });
}

}  // namespace ecube
