// SPDX-License-Identifier: Apache-2.0
// Cycle totals of mixed runs, contended ones included, against files: the same in every build, before and after every
// change that should not move a cycle.
#include "tests/golden.h"

#include "testbench/exchange/exchange_experiment.h"
#include "testbench/sweep/sweep_manager.h"
#include "tests/draws.h"
#include "tests/test.h"

namespace ecube::golden_test {
namespace {

ExchangeExperiment mixed_run(std::uint64_t number) {
  Draws draws(number);
  ExchangeExperiment test;
  RunSetup& setup = test.setup;
  Machine& machine = setup.machine;
  ExchangeWorkload& workload = test.workload;
  setup.dim = static_cast<unsigned>(1 + draws.up_to(5));
  machine.link.phit_bytes = draws.of({1U, 2U, 4U});
  machine.link.cycles_per_phit = draws.of({Ratio{1, 1}, Ratio{3, 1}, Ratio{7, 2}, Ratio{1576, 25}});
  machine.router.route_cycles = 1 + draws.up_to(11);
  machine.network.accept_cycles = 1 + draws.up_to(3);
  machine.library.send_cycles = draws.of({20U, 100U, 777U});
  machine.library.send_zero_cycles = draws.of({20U, 60U});
  machine.library.signal_send_cycles = machine.library.send_zero_cycles;
  machine.node.ports.engines = draws.of({1U, 1U, 0U, 2U});
  machine.node.startups = draws.of({Startups::queued, Startups::overlapped});
  machine.core.permute.compiled = draws.of({Ratio{0, 1}, Ratio{1, 2}});
  if (draws.up_to(3) == 0) {
    machine.network.distance = Distance::fixed;
    machine.network.setup_cycles = 200;
  }
  setup.conditions = {.jitter = draws.of({0U, 0U, 50U, 1000U}), .seed = number};
  const std::vector<Partition> partitions = compositions_of(setup.dim);
  workload.partition = partitions[draws.up_to(partitions.size() - 1)];
  workload.bytes = draws.of({0U, 1U, 5U, 16U, 100U});
  workload.order = draws.of({BlockOrder::high, BlockOrder::low, BlockOrder::inplace});
  workload.schedule = draws.of({Schedule::xor_pairs, Schedule::shift, Schedule::ordered, Schedule::random});
  workload.sync = draws.of({PairwiseSync::on, PairwiseSync::off});
  workload.barrier = draws.of({Barrier::none, Barrier::phase, Barrier::step});
  workload.seed = number;
  return test;
}

std::string table() {
  TestBench bench(6);
  std::string text = "run,cycles,circuits,blocked_circuits,blocked_cycles,port_blocked_circuits,port_blocked_cycles\n";
  for (std::uint64_t number = 1; number <= 200; ++number) {
    const ExchangeMeasurement m = run_exchange(bench, mixed_run(number), ExchangeParameters{});
    EXPECT_EQ(m.verified, true) << "run " << number;
    const RunStatistics& network = m.run.network;
    for (const std::uint64_t value : {number, m.run.result.cycles, network.circuits, network.link_blocked.circuits,
                                      network.link_blocked.cycles, network.port_blocked.circuits}) {
      text += std::to_string(value) + ",";
    }
    text += std::to_string(network.port_blocked.cycles) + "\n";
  }
  return text;
}

TEST(Golden, TwoHundredMixedRunsTakeTheCyclesOnFile) {
  expect_golden(in_tree("tests/testbench/run/golden_cycles.csv"), table());
}

/// The options of a line of a shell, of which those in single quotes may have blanks.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  bool quoted = false;
  bool begun = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      begun = false;
    } else {
      if (!begun) words.emplace_back();
      begun = true;
      words.back() += c;
    }
  }
  return words;
}

/// Status, cycles and figures of the network of `ecube run LINE`.
std::string figures_of(Benches& benches, const std::string& line) {
  const PointOutcome outcome = run_point(words_of(line), benches);
  std::string text = std::to_string(outcome.status);
  if (outcome.result.is_null()) return text + "  " + outcome.error;
  text += "," + outcome.result["measured"]["cycles"].dump();
  for (const char* const figure :
       {"circuits", "payload_bytes", "blocked_circuits", "blocked_cycles", "port_blocked_circuits",
        "port_blocked_cycles", "control_circuits", "serialised_cycles", "lost_messages"}) {
    text += "," + outcome.result["network"][figure].dump();
  }
  return text + "," + outcome.result["verified"].dump();
}

TEST(Golden, RunsOfEveryWorkloadTakeTheCyclesOnFile) {
  // Lines "FIGURES  OPTIONS": shuffles, combines, traffic, several ports, worms, stored packets. The options were drawn
  // at random once, and the file keeps them.
  const std::string file = in_tree("tests/testbench/run/golden_runs.txt");
  const std::vector<std::string> lines = file_lines(file);
  Benches benches(6);
  std::string measured = lines.front() + "\n";
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t blanks = lines[i].find("  ");
    ASSERT_NE(blanks, std::string::npos) << lines[i];
    const std::string options = lines[i].substr(blanks + 2);
    measured.append(figures_of(benches, options)).append("  ").append(options).append("\n");
  }
  EXPECT_GT(lines.size(), 200U);
  expect_golden(file, measured);
}

}  // namespace
}  // namespace ecube::golden_test
