// SPDX-License-Identifier: Apache-2.0
// Messages a second of whole processes of the program, beside a bare event wheel measured in the same run.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "models/hull.h"
#include "tests/benchmarks/bare_wheel.h"

namespace {

using Clock = std::chrono::steady_clock;

/// The best rate of each benchmark so far, messages a second: what the ratios at the end are made of.
std::map<std::string, double>& best_rates() {
  static std::map<std::string, double> rates;
  return rates;
}

void report(benchmark::State& state, const std::string& name, double messages, double seconds) {
  state.SetIterationTime(seconds);
  double& best = best_rates()[name];
  best = std::max(best, messages / seconds);
  state.counters["messages/s"] = messages / seconds;
}

template <ecube::bench::Pattern pattern>
void bare_wheel(benchmark::State& state, const std::string& name) {
  for (auto _ : state) {
    ecube::bench::BareWheel<pattern> wheel(10, 33);
    const auto begin = Clock::now();
    const std::uint64_t messages = wheel.run();
    report(state, name, static_cast<double>(messages), std::chrono::duration<double>(Clock::now() - begin).count());
  }
}

struct Process {
  double seconds = 0;
  double cycles = 0;  ///< simulated, if the output is JSON
  double peak_mib = 0;
  bool good = false;
};

/// Runs the program with these arguments; of its output, only the cycles are kept.
Process run(const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(ECUBE_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  std::FILE* const output = std::tmpfile();
  if (output == nullptr) return {};
  posix_spawn_file_actions_adddup2(&files, fileno(output), STDOUT_FILENO);
  Process process;
  pid_t child = 0;
  const auto begin = Clock::now();
  int status = 1;
  rusage usage{};
  if (posix_spawn(&child, ECUBE_PROGRAM, &files, nullptr, argv.data(), environ) == 0) wait4(child, &status, 0, &usage);
  process.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  posix_spawn_file_actions_destroy(&files);
  process.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024.0;
  process.good = status == 0;
  std::rewind(output);
  for (char line[256]; std::fgets(line, sizeof line, output) != nullptr && process.cycles == 0;) {
    std::sscanf(line, " \"cycles\": %lf", &process.cycles);
  }
  std::fclose(output);
  return process;
}

void whole_process(benchmark::State& state, const std::string& name, double messages,
                   const std::vector<std::string>& arguments) {
  for (auto _ : state) {
    const Process process = run(arguments);
    if (!process.good) {
      state.SkipWithError("the program failed");
      return;
    }
    report(state, name, messages, process.seconds);
    state.counters["peak MiB"] = process.peak_mib;
  }
}

/// Simulated cycles a second of uniform traffic on one engine.
void add_cycles(const std::string& engine, const std::string& dim, const std::string& messages) {
  const std::string name = engine + " d=" + dim;
  const std::vector<std::string> arguments = {"run",    "traffic", "--engine",   engine,   "--dim", dim,
                                              "--rate", "2",       "--messages", messages, "--json"};
  const auto measure = [=](benchmark::State& state) {
    (void)run(arguments);  // builds the RTL, if that has not been done
    for (auto _ : state) {
      const Process process = run(arguments);
      if (!process.good) {
        state.SkipWithError("the program failed");
        return;
      }
      state.SetIterationTime(process.seconds);
      best_rates()[name] = std::max(best_rates()[name], process.cycles / process.seconds);
      state.counters["cycles/s"] = process.cycles / process.seconds;
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), measure)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);
}

void print_rtl(const std::string& dim) {
  const auto& rates = best_rates();
  if (!rates.contains("rtl d=" + dim) || !rates.contains("event d=" + dim)) return;
  const double rtl = rates.at("rtl d=" + dim);
  const double event = rates.at("event d=" + dim);
  std::printf("d=%s uniform traffic: rtl %.0f cycles/s, event %.0f cycles/s, ratio 1 : %.0f\n", dim.c_str(), rtl, event,
              event / rtl);
}

void add(const std::string& name, double messages, const std::vector<std::string>& arguments, int iterations = 5) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) { whole_process(state, name, messages, arguments); })
      ->UseManualTime()
      ->Iterations(iterations)
      ->Unit(benchmark::kMillisecond);
}

void print_ratio(const char* name, const char* yardstick, double asked) {
  const auto& rates = best_rates();
  if (!rates.contains(name) || !rates.contains(yardstick)) return;
  std::printf("%-34s %6.2f million/s   %5.3f of the %s (asked: %.2f)\n", name, rates.at(name) / 1e6,
              rates.at(name) / rates.at(yardstick), yardstick, asked);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double direct10 = 1024.0 * 1023.0;
  const auto wheel = [](const char* name, auto function) {
    benchmark::RegisterBenchmark(name, function)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);
  };
  wheel("bare wheel, pairs",
        [](benchmark::State& state) { bare_wheel<ecube::bench::Pattern::pairs>(state, "bare wheel, pairs"); });
  wheel("bare wheel, random",
        [](benchmark::State& state) { bare_wheel<ecube::bench::Pattern::random>(state, "bare wheel, random"); });
  add("direct d=10 16 B", direct10, {"run", "exchange", "--dim", "10", "--bytes", "16", "--quiet"});
  add("random one-sided d=10 16 B", direct10,
      {"run", "exchange", "--dim", "10", "--bytes", "16", "--schedule", "random", "--quiet"});
  add("ipsc860 direct d=10 16 B", direct10,
      {"run", "exchange", "--machine", "ipsc860", "--dim", "10", "--bytes", "16", "--quiet"});
  add("direct d=13 no payload", 8192.0 * 8191.0, {"run", "exchange", "--dim", "13", "--payload", "none", "--quiet"}, 1);
  add("d=14 {7,7} no payload", 16384.0 * 2 * 127,
      {"run", "exchange", "--dim", "14", "--partition", "7,7", "--payload", "none", "--quiet"}, 1);
  add("standard d=14 no payload", 16384.0 * 14,
      {"run", "exchange", "--dim", "14", "--partition", "standard", "--payload", "none", "--quiet"}, 1);
  add("combine d=16 1,024 floats", 65536.0 * 24,
      {"run", "combine", "--dim", "16", "--items", "1024", "--strategy", "0000000011111111", "--quiet"}, 2);
  // About sigma (K/2 + 2) exchanges of every node.
  add("shuffle d=16 64 elements", 65536.0 * 16 * 34,
      {"run", "shuffle", "--dim", "16", "--ports", "n", "--elements", "64", "--quiet"}, 1);
  add("shuffle d=12 4,096 elements", 4096.0 * 12 * 2050,
      {"run", "shuffle", "--dim", "12", "--ports", "n", "--elements", "4096", "--quiet"}, 1);
  for (const char* const engine : {"rtl", "event"}) {
    add_cycles(engine, "3", "2000");
    add_cycles(engine, "6", "500");
  }
  const ecube::HullParameters figure_1{.message_us = 110, .tau_us_per_byte = 2, .rho_us_per_byte = 1};
  benchmark::RegisterBenchmark("hull d=10,000", [figure_1](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(ecube::Hull(10'000, figure_1).faces().size());
  })->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark("look-up in the hull d=10,000", [figure_1](benchmark::State& state) {
    const ecube::Hull hull(10'000, figure_1);
    // Sizes of x from 2^6 to 2^10005.
    ecube::Wide bytes = std::exp2(ecube::Wide{-9994});
    for (auto _ : state) {
      benchmark::DoNotOptimize(hull.at_block(bytes).line.phases);
      bytes = bytes > 1 ? std::exp2(ecube::Wide{-9994}) : bytes * 1024;
    }
  })->Unit(benchmark::kNanosecond);
  add("calibrate ipsc860", 1, {"calibrate", "--machine", "ipsc860"});

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::printf("\nwhole processes, best of the iterations, one core:\n");
  print_ratio("direct d=10 16 B", "bare wheel, pairs", 0.25);
  print_ratio("random one-sided d=10 16 B", "bare wheel, random", 0.25);
  print_ratio("ipsc860 direct d=10 16 B", "bare wheel, pairs", 0.0);
  print_rtl("3");
  print_rtl("6");
  return 0;
}
