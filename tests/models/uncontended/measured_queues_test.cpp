// SPDX-License-Identifier: Apache-2.0
// Shuffles and combines on the nCUBE-2, whose start-ups queue: the equations against what the event engine measured.
#include "models/combine/combine_cost.h"
#include "models/shuffle/shuffle_workload.h"
#include "tests/planted.h"
#include "tests/test.h"

namespace ecube::measured_queues_test {
namespace {

using Fields = std::vector<std::string>;

/// The rows of a table beside this file, without its heading. Each is the time of `./ecube run shuffle` or `run
/// combine` with `--machine ncube2` and the options in the row.
std::vector<Fields> rows_of(const std::string& name) {
  std::vector<Fields> rows;
  for (const std::string& line : file_lines(in_tree("tests/models/uncontended/") + name)) {
    rows.push_back(pieces_of(line, ';'));
  }
  rows.erase(rows.begin());
  return rows;
}

Ports ports_of(const std::string& word) {
  return {.engines = word == "n" ? Ports::n : word == "one" ? 1 : static_cast<std::uint32_t>(std::stoul(word))};
}

unsigned number(const std::string& field) { return static_cast<unsigned>(std::stoul(field)); }

// The machine's description: 1,979 cycles of 20 MHz for a start-up, 1,750 without bytes, 1,179 for a receipt.
constexpr ProcessorTimes ncube2 = {
    .startup_us = 98.95, .receipt_us = 58.95, .startup_zero_us = 87.5, .receipt_zero_us = 58.95};

ShuffleParameters shuffle_parameters(const std::string& ports) {
  ShuffleParameters p{.tau_us = 162, .tc_us_per_element = 1.8, .rho_us_per_element = 3.2};
  if (ports != "1") p.processor = ncube2;
  return p;
}

ShuffleWorkload workload_of(const Fields& row) {
  ShuffleWorkload workload;
  workload.elements = number(row[2]);
  workload.packet = number(row[5]);
  workload.extend = number(row[6]);
  workload.align = row[7] == "on";
  workload.ports = ports_of(row[1] == "1" ? "one" : row[1]);
  workload.permutation = DimensionPermutation::parse(pieces_of(row[3], ' '), "", number(row[0]), workload.elements);
  if (row[4] == "pipelined") workload.mixed = MixedAlgorithm::pipelined;
  if (row[4] == "aapc") workload.mixed = MixedAlgorithm::aapc;
  if (row[4] == "aapc-concurrent") workload.mixed = MixedAlgorithm::aapc_concurrent;
  if (row[4] == "a1") workload.real = RealAlgorithm::a1;
  if (row[4] == "a1-pipelined") workload.real = RealAlgorithm::a1_pipelined;
  if (row[4] == "a2") workload.real = RealAlgorithm::a2;
  if (row[4] == "a2x2") workload.two_cycles = RealAlgorithm::a2x2;
  if (row[4] == "a2x2-sequential") workload.two_cycles = RealAlgorithm::a2x2_sequential;
  return workload;
}

TEST(MeasuredQueues, OfShufflesTakeWhatTheEquationsSay) {
  const std::vector<Fields> rows = rows_of("ncube2_shuffles.csv");
  ASSERT_GE(rows.size(), 40U);
  for (const Fields& row : rows) {
    const ShuffleParameters p = shuffle_parameters(row[1]);
    const double us = workload_cost(workload_of(row), number(row[0]), p).total();
    EXPECT_NEAR(us, std::stod(row[8]), 1e-6) << row[3] << " " << row[4] << " ports " << row[1] << " packet " << row[5];
  }
}

TEST(MeasuredQueues, OfCombinesTakeWhatTheEquationsSay) {
  const std::vector<Fields> rows = rows_of("ncube2_combines.csv");
  ASSERT_GE(rows.size(), 100U);
  for (const Fields& row : rows) {
    CombineProblem problem;
    problem.dim = number(row[0]);
    problem.ports = ports_of(claimed("V46", row[1], "one"));
    problem.items = number(row[2]);
    problem.startups = Startups::queued;
    problem.target = row[4] == "root" ? CombineTarget::root : CombineTarget::all;
    CombineParameters p;
    p.exchange = {.alpha_zero_us = 151, .alpha_short_us = 162, .alpha_us = 162, .beta_us_per_item = 1.8};
    p.one_way = p.exchange;
    p.gamma_us_per_item = 2;
    if (row[1] != "one") p.processor = ncube2;
    const HalvingRule rule = HalvingRule::by(Strategy::parse(row[3], problem.dim));
    const double us = followed_cost(problem, p, rule, false).terms.total();
    EXPECT_NEAR(us, std::stod(row[5]), 1e-6)
        << "d " << row[0] << " ports " << row[1] << " items " << row[2] << " " << row[3] << " " << row[4];
  }
}

/// The packet that is chosen takes the least time of all that fit, each costed by itself.
TEST(MeasuredQueues, AreShortestWithThePacketThatIsChosen) {
  for (const Fields& row : rows_of("ncube2_shuffles.csv")) {
    if (row[4] != "concurrent" && row[4] != "a1" && row[4] != "a2x2") continue;
    ShuffleWorkload workload = workload_of(row);
    ShuffleParameters p = shuffle_parameters(row[1]);
    const PacketChoice choice = best_packet_choice(workload, number(row[0]), [&](std::uint64_t) { return p; });
    workload.packet = choice.packet;
    EXPECT_NEAR(workload_cost(workload, number(row[0]), p).total(), choice.us, 1e-9) << row[3] << " " << row[4];
    // No packet of the table's is better.
    workload.packet = number(row[5]);
    EXPECT_LE(choice.us, workload_cost(workload, number(row[0]), p).total() + 1e-9) << row[3] << " " << row[4];
  }
}

}  // namespace
}  // namespace ecube::measured_queues_test
