// SPDX-License-Identifier: Apache-2.0
// Least squares, compared with exact lines, hand-worked fits and samples that do not determine all parameters; the
// machines of which the equations leave something out.
#include "models/fit/fit.h"

#include "models/fit/equation_gaps.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::fit_test {
namespace {

constexpr std::array<std::string_view, 2> line = {"intercept", "slope"};
constexpr std::array<std::string_view, 3> three = {"a", "b", "c"};

TEST(LinearFit, OfThreePointsIsTheOneWorkedByHand) {
  // (0, 1), (1, 2), (2, 4): mean (1, 7/3), slope 3/2, intercept 5/6; residuals -1/6, 1/3, -1/6.
  const std::array<double, 6> design = {1, 0, 1, 1, 1, 2};
  const std::array<double, 3> values = {1, 2, 4};
  const LinearFit fit = fit_linear(design, values, line);
  EXPECT_TRUE(fit.unseparated.empty());
  EXPECT_EQ(fit.rank, 2U);
  EXPECT_NEAR(*fit.coefficients[0], 5.0 / 6, 1e-15);
  EXPECT_NEAR(*fit.coefficients[1], 1.5, 1e-15);
  EXPECT_NEAR(fit.worst_percent, 100.0 / 6, 1e-12);  // both 1/6 of 1 and 1/3 of 2
  const double squares = 1.0 / 36 + 1.0 / 36 + 1.0 / 576;
  EXPECT_NEAR(fit.rms_percent, 100 * std::sqrt(squares / 3), 1e-12);
}

TEST(LinearFit, GivesNothingToAColumnThatOnlyRoundingUses) {
  // Times of 110.3 + 0.1 b, at 1, 2 and 3 hops: only the rounding of the sums is left for the hops.
  for (const double slope : {0.1, 0.3, 0.7, 1.1}) {
    std::vector<double> design;
    std::vector<double> values;
    for (const double bytes : {1.0, 7.0, 33.0, 129.0})
      for (const double hops : {1.0, 2.0, 3.0}) {
        design.insert(design.end(), {1, bytes, hops});
        values.push_back(110.3 + slope * bytes);
      }
    const LinearFit fit = fit_linear(design, values, three);
    EXPECT_EQ(*fit.coefficients[2], 0.0) << slope;
    EXPECT_NEAR(*fit.coefficients[1], slope, 1e-13);
    // A hop that takes a billionth of a message is still a cost.
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += 1e-7 * design[3 * i + 2];
    EXPECT_NEAR(*fit_linear(design, values, three).coefficients[2], 1e-7, 1e-11) << slope;
  }
}

TEST(LinearFit, LeavesResidualsOrthogonalToEveryColumn) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    constexpr std::size_t rows = 12;
    std::vector<double> design;
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i) {
      design.insert(design.end(), {uniform(random), 1000 * uniform(random), 1e-3 * uniform(random)});
      values.push_back(uniform(random));
    }
    const LinearFit fit = fit_linear(design, values, three);
    ASSERT_TRUE(fit.unseparated.empty()) << "seed " << seed;
    for (std::size_t column = 0; column < 3; ++column) {
      double product = 0;
      double size = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        double residual = values[i];
        for (std::size_t j = 0; j < 3; ++j) residual -= *fit.coefficients[j] * design[3 * i + j];
        product += residual * design[3 * i + column];
        size += std::abs(residual * design[3 * i + column]);
      }
      EXPECT_LT(std::abs(product), 1e-12 * size) << "seed " << seed << " column " << column;
    }
  }
}

TEST(LinearFit, NamesOnlyTheCoefficientsThatCannotBeSeparated) {
  // The third column is twice the first; the second stands on its own: y = 3 + 5 b.
  const std::array<double, 12> design = {1, 1, 2, 1, 2, 2, 1, 4, 2, 1, 9, 2};
  const std::array<double, 4> values = {8, 13, 23, 48};
  const LinearFit fit = fit_linear(design, values, three);
  EXPECT_FALSE(fit.unseparated.empty());
  EXPECT_EQ(fit.rank, 2U);
  EXPECT_FALSE(fit.coefficients[0]);
  EXPECT_FALSE(fit.coefficients[2]);
  ASSERT_TRUE(fit.coefficients[1]);
  EXPECT_NEAR(*fit.coefficients[1], 5, 1e-14);
  EXPECT_EQ(fit.unseparated, "these samples do not determine a and c (rank 2 of 3)");
  EXPECT_LT(fit.worst_percent, 1e-12);
}

TEST(LinearFit, OfTooFewSamplesSaysSo) {
  const LinearFit nothing = fit_linear({}, {}, line);
  EXPECT_EQ(nothing.unseparated, "these samples do not determine intercept and slope (rank 0 of 2)");
  EXPECT_EQ(nothing.worst_percent, 0);
  const std::array<double, 2> design = {1, 7};
  const std::array<double, 1> values = {3};
  EXPECT_EQ(fit_linear(design, values, line).rank, 1U);
  EXPECT_FALSE(fit_linear(design, values, line).coefficients[0]);
  const std::array<double, 4> no_slope = {1, 0, 1, 0};
  const std::array<double, 2> same = {3, 3};
  EXPECT_EQ(fit_linear(no_slope, same, line).unseparated, "these samples do not determine slope (rank 1 of 2)");
  EXPECT_EQ(*fit_linear(no_slope, same, line).coefficients[0], 3);
  EXPECT_THROW((void)fit_linear(design, same, line), std::invalid_argument);
}

TEST(LinearFit, MeasuresTheErrorAtZeroAgainstTheLargestValue) {
  const std::array<double, 3> design = {1, 1, 1};
  const std::array<double, 3> values = {0, 3, 3};  // fitted 2
  const std::array<std::string_view, 1> constant = {"constant"};
  const LinearFit fit = fit_linear(design, values, constant);
  EXPECT_NEAR(fit.worst_percent, 200.0 / 3, 1e-12);
  const std::array<double, 3> zeros = {0, 0, 0};
  EXPECT_EQ(fit_linear(design, zeros, constant).worst_percent, 0);
}

std::vector<MessageSample> ipsc860_cycles() {
  std::vector<MessageSample> samples;
  for (const Bytes bytes : {1U, 4U, 100U, 1024U, 4096U, 65536U, 1048576U})
    for (unsigned hops = 1; hops <= 6; ++hops)
      samples.push_back({bytes, hops, 3800.0 + 412.0 * hops + 16.0 * static_cast<double>(bytes)});
  for (unsigned hops = 1; hops <= 6; ++hops) samples.push_back({0, hops, 3300.0 + 412.0 * hops});
  return samples;
}

TEST(MessageFit, RecoversWholeCyclesExactly) {
  const MessageFit fit = fit_messages(ipsc860_cycles());
  EXPECT_TRUE(fit.unseparated.empty());
  EXPECT_NEAR(*fit.lambda_us / 3800, 1, 1e-12);
  EXPECT_NEAR(*fit.lambda0_us / 3300, 1, 1e-12);
  EXPECT_NEAR(*fit.delta_hop_us / 412, 1, 1e-12);
  EXPECT_NEAR(*fit.tau_us_per_byte / 16, 1, 1e-12);
  EXPECT_LT(fit.worst_percent, 1e-10);
}

TEST(MessageFit, FindsNoDistanceWhereThereIsNone) {
  std::vector<MessageSample> samples;
  for (const Bytes bytes : {1U, 80U, 640U})
    for (unsigned hops = 1; hops <= 3; ++hops)
      samples.push_back({bytes, hops, 4400.0 + 80.0 * static_cast<double>(bytes)});
  const MessageFit fit = fit_messages(samples);
  EXPECT_NEAR(*fit.delta_hop_us, 0, 1e-9);
  EXPECT_NEAR(*fit.lambda_us, 4400, 1e-9);
  EXPECT_FALSE(fit.lambda0_us);
  EXPECT_TRUE(fit.unseparated.empty());
}

TEST(MessageFit, IsNotMovedByMessagesWithoutBytes) {
  std::vector<MessageSample> samples = ipsc860_cycles();
  for (MessageSample& sample : samples)
    if (sample.bytes == 0) sample.us = 3712.0 + (sample.hops % 2 == 0 ? 100.0 : -100.0) + 412.0 * sample.hops;
  const MessageFit fit = fit_messages(samples);
  EXPECT_NEAR(*fit.delta_hop_us / 412, 1, 1e-12);
  EXPECT_NEAR(*fit.lambda0_us / 3712, 1, 1e-12);
  // The worst: 100 us off at one hop, 3712 - 100 + 412. The others with bytes add nothing to the mean square.
  EXPECT_NEAR(fit.worst_percent, 100.0 * 100 / 4024, 1e-9);
  double squares = 0;
  for (const MessageSample& sample : samples)
    if (sample.bytes == 0) squares += std::pow(100.0 * 100 / sample.us, 2);
  EXPECT_NEAR(fit.rms_percent, std::sqrt(squares / static_cast<double>(samples.size())), 1e-9);
}

TEST(MessageFit, AtOneDistanceDeterminesTheRateOnly) {
  const std::vector<MessageSample> samples = {{1, 2, 120}, {10, 2, 138}, {100, 2, 318}, {0, 2, 90}};
  const MessageFit fit = fit_messages(samples);
  EXPECT_FALSE(fit.lambda_us);
  EXPECT_FALSE(fit.delta_hop_us);
  EXPECT_FALSE(fit.lambda0_us);
  EXPECT_NEAR(*fit.tau_us_per_byte, 2, 1e-13);
  EXPECT_EQ(fit.unseparated,
            "these samples do not determine lambda and delta_hop (rank 2 of 3); lambda0 needs delta_hop");
}

TEST(MessageFit, AtOneLengthDeterminesTheDistanceOnly) {
  const std::vector<MessageSample> samples = {{8, 1, 110}, {8, 2, 120}, {8, 3, 130}, {0, 1, 90}};
  const MessageFit fit = fit_messages(samples);
  EXPECT_EQ(fit.unseparated, "these samples do not determine lambda and tau (rank 2 of 3)");
  EXPECT_NEAR(*fit.delta_hop_us, 10, 1e-13);
  EXPECT_NEAR(*fit.lambda0_us, 80, 1e-12);
}

TEST(FitOfStoredMessages, FindsWhatEachHopCosts) {
  std::vector<MessageSample> samples;
  for (const Bytes bytes : {16U, 64U, 256U})
    for (unsigned hops = 1; hops <= 3; ++hops) {
      samples.push_back({bytes, hops, hops * (10 + 0.5 * static_cast<double>(bytes))});
    }
  // Messages without bytes have a start-up of 4 us, and change nothing else.
  for (unsigned hops = 1; hops <= 3; ++hops) samples.push_back({0, hops, 4 + 10.0 * hops});
  const MessageFit fit = fit_stored_messages(samples);
  ASSERT_TRUE(fit.unseparated.empty()) << fit.unseparated;
  EXPECT_NEAR(*fit.delta_hop_us, 10, 1e-9);
  EXPECT_NEAR(fit.tau_hop_us_per_byte, 0.5, 1e-9);
  EXPECT_NEAR(*fit.lambda0_us, 4, 1e-9);
  EXPECT_NEAR(fit.worst_percent, 0, 1e-6);
  EXPECT_NEAR(fit.rms_percent, 0, 1e-6);
}

constexpr unsigned dim = 6;
constexpr Bytes block = 32;

using Names = std::set<std::string>;

/// The presets with these ports for which `gaps` are not empty.
template <class Gaps>
Names presets_with_gaps(std::uint32_t ports, const Gaps& gaps) {
  Names names;
  for (const Preset& shipped : presets()) {
    if (!gaps(preset_machine(shipped.name, ports)).empty()) names.emplace(shipped.name);
  }
  return names;
}

// The workloads to which `validate` gives a tolerance above 5 % on one port: packets of the iPSC/1, unforced shuffles,
// and detailed nodes.
TEST(EquationGaps, OnOnePortAreThoseOfStoredPacketsUnforcedShufflesAndDetailedNodes) {
  EXPECT_EQ(presets_with_gaps(1, [](const Machine& m) { return exchange_gaps(m, dim, block); }),
            (Names{"ipsc1", "ipsc860-node"}));
  EXPECT_EQ(presets_with_gaps(1, [](const Machine& m) { return combine_gaps(m, dim); }),
            (Names{"ipsc1", "ipsc860-node"}));
  EXPECT_EQ(presets_with_gaps(1, [](const Machine& m) { return shuffle_gaps(m, dim); }),
            (Names{"ipsc860-node", "ipsc860-nx", "ipsc860-combine", "ipsc2"}));
}

TEST(EquationGaps, OnAllPortsAreThoseOfDuplexCallsAndProtocolsToo) {
  const Names intel = {"ipsc860", "ipsc860-node", "ipsc860-nx", "ipsc860-combine", "ipsc1", "ipsc2"};
  EXPECT_EQ(presets_with_gaps(Ports::n, [](const Machine& m) { return exchange_gaps(m, dim, block); }), intel);
  EXPECT_EQ(presets_with_gaps(Ports::n, [](const Machine& m) { return combine_gaps(m, dim); }), intel);
  EXPECT_EQ(presets_with_gaps(Ports::n, [](const Machine& m) { return shuffle_gaps(m, dim); }),
            (Names{"ipsc860", "ipsc860-node", "ipsc860-nx", "ipsc860-combine", "ipsc2"}));
}

TEST(EquationGaps, OfOneDimensionAreThoseOfOnePort) {
  EXPECT_FALSE(exchange_gaps(preset_machine("ipsc860", Ports::n), 2, block).empty());
  EXPECT_TRUE(exchange_gaps(preset_machine("ipsc860", Ports::n), 1, block).empty());
}

TEST(EquationGaps, SayOneReasonForEachMechanism) {
  Machine machine = preset_machine("ideal", Ports::n);
  EXPECT_TRUE(combine_gaps(machine, dim).empty());
  machine.library.call_cycles = 1;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 1U);
  machine.library.protocol = Protocol::forced;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 2U);
  machine.network.duplex = Duplex::together;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 3U);
  machine.library.send_zero_cycles = machine.library.send_cycles + 1;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 4U);
  // On one port an item takes 4 cycles to send, and the routine 8 / 2 for the one sent and the one received.
  machine.node.ports = {};
  machine.library.call_per_byte = {1, 2};
  machine.network.together_cycles = Cycles{dim} * 8;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 1U);
  --machine.network.together_cycles;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 2U);
}

TEST(EquationGaps, OfBlocksOfZeroBytesAreTheirOwnStartUps) {
  const Machine machine = preset_machine("ipsc860", 1);
  EXPECT_EQ(exchange_gaps(machine, dim, 0).size(), 1U);
  Machine same;
  same.library = {.send_cycles = 10, .send_zero_cycles = 10, .receive_cycles = 5, .receive_zero_cycles = 5};
  EXPECT_TRUE(exchange_gaps(same, dim, 0).empty());
}

}  // namespace
}  // namespace ecube::fit_test
