// SPDX-License-Identifier: Apache-2.0
// Who sends to whom, by the definitions of the patterns in address bits, and when: after gaps of the formula that their
// table stands for.
#include "models/machine/random.h"
#include "sw/traffic/traffic.h"
#include "tests/test.h"

namespace ecube::traffic_plan_test {
namespace {

/// s_(d-1) .. s_0 as a text.
std::string bits(NodeId node, unsigned dim) { return std::bitset<32>(node).to_string().substr(32 - dim); }

std::vector<TrafficMessage> made(TrafficPattern pattern, unsigned dim, std::uint64_t messages, double rate = 1000,
                                 std::uint64_t seed = 3) {
  return make_traffic({.pattern = pattern, .messages = messages, .rate = rate, .bytes = 24, .seed = seed},
                      Topology::cube(dim));
}

TEST(TrafficPatterns, PermuteTheBitsOfAddresses) {
  using Permuted = std::string (*)(std::string bits);
  const std::map<TrafficPattern, Permuted> patterns{
      {TrafficPattern::bitcomp,
       [](std::string bits) {
         for (char& bit : bits) bit = bit == '0' ? '1' : '0';
         return bits;
       }},
      {TrafficPattern::bitrev, [](std::string bits) { return std::string(bits.rbegin(), bits.rend()); }},
      {TrafficPattern::shuffle, [](std::string bits) { return bits.substr(1) + bits[0]; }},
      {TrafficPattern::transpose, [](std::string bits) {
         std::rotate(bits.begin(), bits.end() - static_cast<std::ptrdiff_t>(bits.size() / 2), bits.end());
         return bits;
       }}};
  for (unsigned dim = 1; dim <= 6; ++dim)
    for (const auto& [pattern, permuted] : patterns) {
      if (pattern == TrafficPattern::transpose && dim % 2 != 0) continue;
      for (const TrafficMessage& message : made(pattern, dim, 1)) {
        EXPECT_EQ(bits(message.destination, dim), permuted(bits(message.source, dim)));
      }
    }
}

TEST(TrafficPatterns, HaveEveryMessageOfEveryNodeInOrder) {
  constexpr unsigned dim = 3;
  for (const TrafficPattern pattern : {TrafficPattern::uniform, TrafficPattern::neighbor, TrafficPattern::hotspot,
                                       TrafficPattern::randperm, TrafficPattern::all_to_one}) {
    const std::vector<TrafficMessage> messages = made(pattern, dim, 7, 100);
    ASSERT_EQ(messages.size(), pattern == TrafficPattern::all_to_one ? 7U * 7 : 8U * 7);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      EXPECT_EQ(messages[i].source, i / 7 + (pattern == TrafficPattern::all_to_one ? 1 : 0));
      EXPECT_EQ(messages[i].bytes, 24U);
      EXPECT_LT(messages[i].destination, 8U);
      EXPECT_GT(messages[i].cycle, i % 7 > 0 ? messages[i - 1].cycle : 0);
      if (pattern == TrafficPattern::all_to_one) {
        EXPECT_EQ(messages[i].destination, 0U);
      }
    }
    EXPECT_EQ(made(pattern, dim, 7, 100)[5].cycle, messages[5].cycle) << "the same seed, other messages";
    EXPECT_NE(made(pattern, dim, 7, 100, 4)[5].cycle, messages[5].cycle) << "another seed, the same messages";
  }
}

/// Destinations of many messages of each node.
std::vector<std::vector<int>> counted(TrafficPattern pattern, unsigned dim, std::uint64_t messages) {
  std::vector<std::vector<int>> counts(std::size_t{1} << dim, std::vector<int>(std::size_t{1} << dim));
  for (const TrafficMessage& message : made(pattern, dim, messages)) ++counts[message.source][message.destination];
  return counts;
}

/// Whether a count of draws of a probability is within five standard deviations, which one of two million is not.
void expect_probability(int count, int draws, double probability, const std::string& what) {
  const double deviation = std::sqrt(draws * probability * (1 - probability));
  EXPECT_NEAR(count, draws * probability, 5 * deviation + 1e-9) << what;
}

TEST(TrafficPatterns, AtRandomHaveTheirProbabilities) {
  constexpr unsigned dim = 3;
  constexpr int draws = 4000;
  const auto uniform = counted(TrafficPattern::uniform, dim, draws);
  const auto hotspot = counted(TrafficPattern::hotspot, dim, draws);
  const auto near = counted(TrafficPattern::neighbor, dim, draws);
  for (NodeId source = 0; source < 8; ++source)
    for (NodeId to = 0; to < 8; ++to) {
      const std::string what = bits(source, dim) + " to " + bits(to, dim);
      const bool self = source == to;
      expect_probability(uniform[source][to], draws, self ? 0 : 1.0 / 7, "uniform " + what);
      // The last node gets a quarter, and its share of the others; it sends like any other node of `uniform`.
      const double hot = source == 7 ? 1.0 / 7 : to == 7 ? 0.25 + 0.75 / 7 : 0.75 / 7;
      expect_probability(hotspot[source][to], draws, self ? 0 : hot, "hotspot " + what);
      const bool neighbours = (std::bitset<32>(source) ^ std::bitset<32>(to)).count() == 1;
      expect_probability(near[source][to], draws, neighbours ? 1.0 / 3 : 0, "neighbour " + what);
    }
}

TEST(TrafficPatterns, OfAPermutationAreOneThatTheSeedDraws) {
  constexpr unsigned dim = 4;
  std::set<std::vector<NodeId>> all;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<NodeId> to(16);
    for (const TrafficMessage& message : made(TrafficPattern::randperm, dim, 3, 1000, seed)) {
      if (to[message.source] != 0) {
        EXPECT_EQ(to[message.source], message.destination);
      }
      to[message.source] = message.destination;
    }
    EXPECT_EQ(std::set<NodeId>(to.begin(), to.end()).size(), 16U);
    all.insert(to);
  }
  EXPECT_EQ(all.size(), 50U);
  // Each node goes to each other one as often.
  int to_itself = 0;
  int first_to_last = 0;
  constexpr int draws = 4000;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const std::vector<TrafficMessage> messages = made(TrafficPattern::randperm, 2, 1, 1000, seed);
    to_itself += messages[0].destination == 0 ? 1 : 0;
    first_to_last += messages[0].destination == 3 ? 1 : 0;
  }
  expect_probability(to_itself, draws, 0.25, "to itself");
  expect_probability(first_to_last, draws, 0.25, "first to last");
}

/// Gaps of a Bernoulli process are geometric: k cycles with probability p (1 - p)^(k - 1), 1 / p on average.
TEST(TrafficPatterns, LeaveGapsOfABernoulliProcess) {
  for (const double rate : {20.0, 250.0, 900.0}) {
    const double p = rate / 1000;
    constexpr int draws = 8 * 4000;
    std::vector<int> gaps(4);
    double sum = 0;
    Cycles before = 0;
    NodeId source = 0;
    for (const TrafficMessage& message : made(TrafficPattern::uniform, 3, draws / 8, rate)) {
      if (message.source != source) before = 0;
      source = message.source;
      const Cycles gap = message.cycle - before;
      before = message.cycle;
      ASSERT_GE(gap, 1U);
      sum += static_cast<double>(gap);
      if (gap < gaps.size()) ++gaps[gap];
    }
    for (std::size_t k = 1; k < gaps.size(); ++k) {
      expect_probability(gaps[k], draws, p * std::pow(1 - p, static_cast<double>(k - 1)), "gap " + std::to_string(k));
    }
    EXPECT_NEAR(sum / draws, 1 / p, 5 * std::sqrt((1 - p) / draws) / p);
  }
  for (const double rate : {1000.0, 2000.0}) {
    for (const TrafficMessage& message : made(TrafficPattern::all_to_one, 1, 5, rate)) EXPECT_LE(message.cycle, 5U);
    EXPECT_EQ(made(TrafficPattern::all_to_one, 1, 5, rate)[4].cycle, 5U);
  }
}

TEST(TrafficMessages, LeaveInOrderOfCycleThenOfPlace) {
  const std::vector<TrafficMessage> given = {{1, 0, 8, 9}, {0, 1, 8, 5}, {1, 2, 8, 3}, {1, 3, 8, 9}, {0, 2, 8, 5}};
  const TrafficPlan plan(given, Topology::cube(2));
  std::vector<NodeId> order;
  plan.for_each([&](const TrafficMessage& message) { order.push_back(message.source * 4 + message.destination); });
  EXPECT_EQ(order, (std::vector<NodeId>{1, 2, 4 + 2, 4 + 0, 4 + 3}));
  EXPECT_EQ(plan.expected(), (std::vector<std::uint32_t>{1, 1, 2, 1}));
  EXPECT_EQ(plan.last_cycle(), 9U);
  EXPECT_EQ(plan.first_end(), 5U);  // node 0 sends its last message, before node 1
}

TEST(TrafficMessages, CanBeFoundByTheirNumbers) {
  for (const TrafficPattern pattern : {TrafficPattern::uniform, TrafficPattern::hotspot, TrafficPattern::all_to_one}) {
    const TrafficPlan plan({.pattern = pattern, .messages = 9, .rate = 30, .bytes = 5, .seed = 2}, Topology::cube(3));
    std::uint64_t number = 0;
    plan.for_each([&](const TrafficMessage& message) {
      const TrafficMessage found = plan.without_cycle(number++);
      EXPECT_EQ(found.source, message.source);
      EXPECT_EQ(found.destination, message.destination);
      EXPECT_EQ(found.bytes, message.bytes);
    });
    EXPECT_EQ(number, plan.size());
  }
}

constexpr std::uint64_t many = GeometricGaps::worth_it;

TEST(GeometricGaps, OfTheTableAreThoseOfTheFormula) {
  for (const double probability : {1e-9, 1e-6, 0.0005, 0.003, 0.02, 0.3, 0.5, 0.9, 0.999999, 1 - 0x1p-53, 1.0}) {
    const GeometricGaps gaps(probability, many);
    const GeometricGaps few(probability, many - 1);  // not worth a table
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const std::uint64_t random = draw(1, 2, i);
      ASSERT_EQ(gaps(random), gaps.by_formula(random)) << probability << ", " << random;
      ASSERT_EQ(few(random), gaps.by_formula(random)) << probability << ", " << random;
    }
    for (const std::uint64_t random : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      EXPECT_EQ(gaps(random), gaps.by_formula(random)) << probability;
    }
  }
  // The least u is 2^-54: 1 + floor(log(2^-54) / log(0.7)) = 1 + floor(104.9).
  EXPECT_EQ(GeometricGaps(0.3, 1).by_formula(0), 105U);
}

/// The random numbers at which the gap changes, and their neighbours.
TEST(GeometricGaps, ChangeWhereTheFormulaDoes) {
  constexpr double probability = 0.003;
  const GeometricGaps gaps(probability, many);
  for (Cycles gap = 1; gap < 3'000; ++gap) {
    std::uint64_t longer = 0;  // in units of 2^-53
    std::uint64_t shorter = (std::uint64_t{1} << 53) - 1;
    while (shorter - longer > 1) {
      const std::uint64_t middle = longer + (shorter - longer) / 2;
      (gaps.by_formula(middle << 11) > gap ? longer : shorter) = middle;
    }
    for (std::uint64_t place = longer < 3 ? 0 : longer - 3; place <= longer + 3; ++place) {
      ASSERT_EQ(gaps(place << 11), gaps.by_formula(place << 11)) << gap;
    }
    EXPECT_EQ(gaps(longer << 11), gap + 1);
    EXPECT_EQ(gaps(shorter << 11), gap);
  }
}

}  // namespace
}  // namespace ecube::traffic_plan_test
