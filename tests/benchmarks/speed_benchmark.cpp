// SPDX-License-Identifier: Apache-2.0
// The speed table: whole processes of the program beside a bare event wheel, and how their time grows.
#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/exchange/hull.h"
#include "models/machine/topology.h"
#include "tests/benchmarks/bare_wheel.h"
#include "tests/benchmarks/program.h"
#include "tests/benchmarks/speed_table.h"

namespace {

using ecube::bench::Line;
using ecube::bench::Masks;
using ecube::bench::Pattern;
using ecube::bench::ProgramRun;
using ecube::bench::Result;
using ecube::bench::Table;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// --- The yardstick -------------------------------------------------------------------------------------------------

/// Masks of a bare wheel that make about `messages` messages: an even selection from `all`.
Masks sampled(const Masks& all, unsigned dim, double messages) {
  const auto most = static_cast<std::size_t>(std::max(1.0, messages / std::exp2(dim)));
  if (all.size() <= most) return all;
  Masks some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * all.size() / most + all.size() / most / 2]);
  return some;
}

Masks steps_of(const std::vector<unsigned>& parts, unsigned dim) {
  Masks masks;
  unsigned low = dim;
  for (const unsigned part : parts) {
    low -= part;
    for (std::uint32_t step = 1; step < 1U << part; ++step) masks.push_back(step << low);
  }
  return masks;
}

template <Pattern pattern>
double wheel_rate(unsigned dim, const Masks& masks) {
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    double messages = 0;
    double seconds = 0;
    do {
      ecube::bench::BareWheel<pattern> wheel(dim, 33, masks);
      const auto begin = Clock::now();
      messages += static_cast<double>(wheel.run());
      seconds += seconds_since(begin);
    } while (seconds < 0.02);
    best = std::max(best, messages / seconds);
  }
  return best;
}

/// The result of `rate`, computed in a process of its own: otherwise the peak memory of programs started later would
/// begin with the peak of this process.
double apart(const std::function<double()>& rate) {
  int ends[2];
  double value = 0;
  if (pipe(ends) != 0) return value;
  const pid_t child = fork();
  if (child == 0) {
    value = rate();
    _exit(write(ends[1], &value, sizeof value) == sizeof value ? 0 : 1);
  }
  close(ends[1]);
  if (child > 0 && read(ends[0], &value, sizeof value) != sizeof value) value = 0;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return value;
}

// --- Runs ----------------------------------------------------------------------------------------------------------

Table& table() {
  static Table one;
  return one;
}

void keep(ProgramRun& best, const ProgramRun& run) {
  if (run.seconds < best.seconds || !best.good) best = run;
}

void measure(benchmark::State& state, const Line& line) {
  constexpr double messages_of_the_wheel = 1'000'000;
  Result result{line, {}, 0};
  // Wheel and runs take turns, because the load of the host changes with time.
  const Masks masks = sampled(line.masks, line.dim, messages_of_the_wheel);
  for (auto _ : state) {
    const double rate = apart([&] {
      return line.pattern == Pattern::pairs ? wheel_rate<Pattern::pairs>(line.dim, masks)
                                            : wheel_rate<Pattern::random>(line.dim, masks);
    });
    result.wheel = std::max(result.wheel, rate);
    const ProgramRun run = ecube::bench::run(ECUBE_PROGRAM, line.arguments);
    if (!run.good || run.circuits == 0) {
      state.SkipWithError("the program failed");
      return;
    }
    state.SetIterationTime(run.seconds);
    keep(result.best, run);
  }
  state.counters["messages/s"] = result.best.circuits / result.best.seconds;
  table().results.push_back(result);
}

void add(const Line& line) {
  const std::string name = fmt::format("{} d={} m={:.0f}", line.family, line.dim, line.size);
  benchmark::RegisterBenchmark(name.c_str(), [line](benchmark::State& state) { measure(state, line); })
      ->UseManualTime()
      ->Iterations(line.runs)
      ->Unit(benchmark::kMillisecond);
}

using Words = std::vector<std::string>;

Words words(Words begin, const Words& more) {
  begin.insert(begin.end(), more.begin(), more.end());
  begin.insert(begin.end(), {"--quiet", "--json"});
  return begin;
}

std::string joined(const std::vector<unsigned>& parts) {
  std::string text;
  for (const unsigned part : parts) text += (text.empty() ? "" : ",") + std::to_string(part);
  return text;
}

void add_exchange(const std::string& family, const std::vector<unsigned>& parts, double bytes, const Words& more,
                  int runs) {
  unsigned dim = 0;
  for (const unsigned part : parts) dim += part;
  Line line{.family = family, .dim = dim, .size = bytes, .masks = steps_of(parts, dim), .runs = runs};
  line.arguments = words({"run", "exchange", "--dim", std::to_string(dim), "--partition", joined(parts), "--bytes",
                          fmt::format("{:.0f}", bytes)},
                         more);
  if (std::find(more.begin(), more.end(), "random") != more.end()) line.pattern = Pattern::random;
  add(line);
}

/// d directions of distance one, `times` times each.
Masks neighbours(unsigned dim, unsigned times = 1) {
  Masks masks;
  for (unsigned i = 0; i < times; ++i)
    for (unsigned bit = 0; bit < dim; ++bit) masks.push_back(1U << bit);
  return masks;
}

void add_combine(unsigned dim, double items, int runs, const Words& more = {}) {
  const bool carried = more.empty();
  Line line{.family = carried ? "combine hybrid" : "combine hybrid, no payload",
            .dim = dim,
            .size = items,
            .masks = neighbours(dim),
            .runs = runs};
  line.arguments =
      words({"run", "combine", "--dim", std::to_string(dim), "--items", fmt::format("{:.0f}", items)}, more);
  add(line);
}

void add_shuffle(unsigned dim, double elements, int runs) {
  Line line{.family = "shuffle n ports", .dim = dim, .size = elements, .masks = neighbours(dim, 8), .runs = runs};
  line.arguments = words(
      {"run", "shuffle", "--dim", std::to_string(dim), "--ports", "n", "--elements", fmt::format("{:.0f}", elements)},
      {});
  add(line);
}

void add_traffic(unsigned dim, double messages, int runs) {
  Line line{.family = "uniform traffic", .dim = dim, .size = 16, .pattern = Pattern::random, .runs = runs};
  line.masks = Masks(64, 1);
  line.arguments = words(
      {"run", "traffic", "--dim", std::to_string(dim), "--rate", "3", "--messages", fmt::format("{:.0f}", messages)},
      {});
  add(line);
}

std::vector<unsigned> ones(unsigned dim) { return std::vector<unsigned>(dim, 1); }

void add_runs(bool all) {
  const Words no_payload = {"--payload", "none"};
  // As many runs as it takes to meet an idle core on a host with other work: for some seconds at a time, all runs take
  // one and a half times as long.
  constexpr int until_idle = 30;
  for (const unsigned dim : {6U, 8U}) add_exchange("exchange Direct", {dim}, 16, {}, 5);
  add_exchange("exchange Direct", {10}, 16, {}, until_idle);
  for (const double bytes : {256.0, 4096.0}) add_exchange("exchange Direct", {8}, bytes, {}, 3);
  for (const unsigned dim : {10U, 12U, 13U}) {
    add_exchange("exchange Direct, no payload", {dim}, 16, no_payload, dim == 13 ? 1 : 3);
  }
  const Words random = {"--schedule", "random"};
  for (const unsigned dim : {6U, 8U}) add_exchange("exchange random", {dim}, 16, random, 5);
  add_exchange("exchange random", {10}, 16, random, until_idle);
  for (const unsigned dim : {8U, 10U}) add_exchange("exchange Direct, ipsc860", {dim}, 16, {"--machine", "ipsc860"}, 3);
  for (const unsigned dim : {6U, 8U, 10U, 12U}) add_exchange("exchange Standard", ones(dim), 16, {}, 3);
  for (const unsigned dim : {14U, 16U, 20U})
    add_exchange("exchange Standard, no payload", ones(dim), 16, no_payload, 1);
  for (const unsigned dim : {8U, 10U, 12U}) {
    add_exchange("exchange {d/2,d/2}", {dim / 2, dim / 2}, 16, dim > 10 ? Words{"--payload", "checks"} : Words{}, 3);
  }
  for (const unsigned dim : {14U, 16U}) {
    add_exchange("exchange {d/2,d/2}, no payload", {dim / 2, dim / 2}, 16, no_payload, 1);
  }
  add_exchange("exchange 4 parts, no payload", {4, 4, 4, 4}, 16, no_payload, 1);
  for (const unsigned dim : {6U, 10U, 14U, 16U}) add_combine(dim, 1024, dim > 12 ? 1 : 3);
  for (const double items : {64.0, 16384.0}) add_combine(10, items, 3);
  add_combine(20, 1024, 1, no_payload);
  for (const unsigned dim : {6U, 8U, 10U, 12U}) add_shuffle(dim, 64, 3);
  for (const double elements : {16.0, 256.0, 1024.0}) add_shuffle(10, elements, 3);
  for (const unsigned dim : {16U, 18U, 20U}) add_shuffle(dim, dim == 16 ? 64 : dim == 18 ? 36 : 4, 1);
  for (const unsigned dim : {6U, 8U, 10U}) add_traffic(dim, dim == 6 ? 4000 : 1000, 3);
  if (all) add_exchange("exchange Direct, no payload", {16}, 16, no_payload, 1);
}

/// A file in a directory that is removed when this process ends.
std::string trace_file() {
  struct Temporary {
    std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("ecube-benchmark-{}", getpid());
    Temporary() { std::filesystem::create_directory(path); }
    ~Temporary() {
      std::error_code none;
      std::filesystem::remove_all(path, none);
    }
  };
  static const Temporary directory;
  return directory.path / "trace.fst";
}

/// Simulated cycles a second of uniform traffic on one engine.
void add_cycles(const std::string& engine, const std::string& dim, const std::string& messages) {
  const std::string name = engine + " d=" + dim;
  const Words arguments =
      words({"run", "traffic", "--engine", engine, "--dim", dim, "--rate", "2", "--messages", messages}, {});
  const auto cycles = [=](benchmark::State& state) {
    (void)ecube::bench::run(ECUBE_PROGRAM, arguments);  // builds the RTL, if that has not been done
    for (auto _ : state) {
      const ProgramRun run = ecube::bench::run(ECUBE_PROGRAM, arguments);
      if (!run.good) {
        state.SkipWithError("the program failed");
        return;
      }
      state.SetIterationTime(run.seconds);
      double& best = table().rtl[name];
      best = std::max(best, run.cycles / run.seconds);
    }
    state.counters["cycles/s"] = table().rtl[name];
  };
  benchmark::RegisterBenchmark(name.c_str(), cycles)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);
}

/// Grants of outputs a second of uniform traffic at a third of the rate that the network takes at most: those of each
/// link of a route, and of the eject port.
void add_grants(const std::string& name) {
  const ecube::Topology topology = *ecube::Topology::parse(name);
  const auto traffic = [name](double rate, double messages) {
    return ecube::bench::run(
        ECUBE_PROGRAM, words({"run", "traffic", "--topology", name},
                             {"--rate", fmt::format("{:.4f}", rate), "--messages", fmt::format("{:.0f}", messages)}));
  };
  benchmark::RegisterBenchmark(("grants " + name).c_str(),
                               [=](benchmark::State& state) {
                                 constexpr double most = 60;
                                 const ProgramRun full = traffic(1000, most);
                                 for (auto _ : state) {
                                   const ProgramRun run = traffic(most / full.cycles * 1000 / 3, 1000);
                                   if (!full.good || !run.good) return state.SkipWithError("the program failed");
                                   state.SetIterationTime(run.seconds);
                                   double& best = table().grants[name];
                                   const double nodes = topology.nodes();
                                   const double hops = topology.mean_distance() * nodes / (nodes - 1);
                                   best = std::max(best, run.circuits * (hops + 1) / run.seconds);
                                 }
                                 state.counters["grants/s"] = table().grants[name];
                               })
      ->UseManualTime()
      ->Iterations(5)
      ->Unit(benchmark::kMillisecond);
}

/// The hull of optimality of a cube, and look-ups of blocks all over it.
void add_hull(unsigned dim) {
  static constexpr ecube::HullParameters figure_1{.message_us = 110, .tau_us_per_byte = 2, .rho_us_per_byte = 1};
  const auto timed = [](benchmark::State& state, std::map<unsigned, double>& seconds, unsigned at, const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    for (auto _ : state) work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds[at] = took.count() / static_cast<double>(state.iterations());
  };
  benchmark::RegisterBenchmark(("hull d=" + std::to_string(dim)).c_str(), [dim, timed](benchmark::State& state) {
    table().faces[dim] = static_cast<double>(ecube::Hull(dim, figure_1).faces().size());
    timed(state, table().hull, dim, [dim] { benchmark::DoNotOptimize(ecube::Hull(dim, figure_1).faces().size()); });
  })->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark(("look-up in the hull d=" + std::to_string(dim)).c_str(), [dim, timed](
                                                                                             benchmark::State& state) {
    const ecube::Hull hull(dim, figure_1);
    std::array<ecube::Wide, 64> blocks;  // x from 2^5 to 2^(d+5), in an order of no order
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i * 37 % blocks.size()] = std::exp2(5 - static_cast<ecube::Wide>(dim * i) / 63);
    }
    std::size_t next = 0;
    timed(state, table().look_up, dim,
          [&] { benchmark::DoNotOptimize(hull.at_block(blocks[next++ % 64]).line.phases); });
  })->Unit(benchmark::kNanosecond);
}

void add_others() {
  const auto process = [](const char* name, const Words& arguments, int runs, auto then) {
    benchmark::RegisterBenchmark(name,
                                 [=](benchmark::State& state) {
                                   ProgramRun best;
                                   for (auto _ : state) {
                                     const ProgramRun run = ecube::bench::run(ECUBE_PROGRAM, arguments);
                                     state.SetIterationTime(run.seconds);
                                     keep(best, run);
                                   }
                                   then(best);
                                 })
        ->UseManualTime()
        ->Iterations(runs)
        ->Unit(benchmark::kMillisecond);
  };
  process("start-up", {"--version"}, 20, [](const ProgramRun& best) { table().start = best; });
  process("calibrate ipsc860", {"calibrate", "--machine", "ipsc860"}, 5, [](const ProgramRun&) {});
  // Both sides take turns, because the load of the host changes with time.
  const auto compare = [](const char* name, int runs, const auto& with, const auto& without,
                          std::optional<double>& kept) {
    benchmark::RegisterBenchmark(name,
                                 [=, &kept](benchmark::State& state) {
                                   double best_with = 1e9;
                                   double best_without = 1e9;
                                   for (auto _ : state) {
                                     best_without = std::min(best_without, without());
                                     best_with = std::min(best_with, with());
                                     state.SetIterationTime(best_with);
                                   }
                                   if (best_with == 1e9 || best_without == 1e9) {
                                     return state.SkipWithError("the program failed");
                                   }
                                   kept = best_with / best_without;
                                 })
        ->UseManualTime()
        ->Iterations(runs)
        ->Unit(benchmark::kMillisecond);
  };
  const auto alone = [](const char* program, const Words& of_what = {}) {
    return [program, of_what] {
      Words words{"10"};
      words.insert(words.end(), of_what.begin(), of_what.end());
      const ProgramRun run = ecube::bench::run(program, words);
      return run.good ? run.alone_seconds : 1e9;
    };
  };
  const auto exchange = [](const Words& more) {
    return [more] {
      const ProgramRun run = ecube::bench::run(ECUBE_PROGRAM, words({"run", "exchange", "--dim", "6"}, more));
      return run.good ? run.seconds : 1e9;
    };
  };
  for (const char* const known : {"plain", "watched", "ipsc860"}) {
    compare(fmt::format("features that are tested, {}", known).c_str(), 20, alone(ECUBE_ALONE, {known, "asked"}),
            alone(ECUBE_ALONE, {known}), table().asked[known]);
  }
  compare("trace d=6", 30, exchange({"--trace", trace_file()}), exchange({}), table().traced);
  for (const unsigned dim : {10U, 32U, 100U, 316U, 1'000U, 3'162U, 10'000U}) add_hull(dim);
}

}  // namespace

int main(int argc, char** argv) {
  // --all: also the runs that take many minutes.
  const auto all =
      std::find_if(argv + 1, argv + argc, [](const char* word) { return std::strcmp(word, "--all") == 0; });
  const bool with_long = all != argv + argc;
  if (with_long) argc = static_cast<int>(std::remove(argv + 1, argv + argc, *all) - argv);
  add_others();
  add_runs(with_long);
  for (const char* const topology : {"cube:10", "mesh:32x32", "generalised:8x8x16"}) add_grants(topology);
  for (const char* const engine : {"rtl", "event"}) {
    add_cycles(engine, "3", "2000");
    add_cycles(engine, "6", "500");
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  print(table());
  return 0;
}
