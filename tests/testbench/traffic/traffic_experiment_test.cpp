// SPDX-License-Identifier: Apache-2.0
// Latencies of traffic: percentiles as of the sorted latencies, in memory of their spread; and the steady state,
// without warm-up and drain, with the interval of batch means worked out by hand.
#include "testbench/traffic/traffic_experiment.h"

#include "models/machine/random.h"
#include "tests/test.h"

namespace ecube::traffic_experiment_test {
namespace {

TEST(LatencyCounts, HaveThePercentilesOfTheSortedLatencies) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    // Spreads from a cycle to 2^44, some draws at both ends.
    const std::uint64_t spread = std::uint64_t{1} << (seed * 44 / 60);
    std::vector<Cycles> latencies(1 + draw(seed, 0, 0) % 3000);
    LatencyCounts counts;
    for (std::size_t i = 0; i < latencies.size(); ++i) {
      latencies[i] =
          80 + draw(seed, 1, i) % (draw(seed, 2, i) % 4 == 0 ? spread : std::min<std::uint64_t>(spread, 900));
      counts.add(latencies[i]);
    }
    std::sort(latencies.begin(), latencies.end());
    for (const double share : {0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(latencies.size())));
      EXPECT_EQ(counts.quantile(share), latencies[std::max<std::size_t>(rank, 1) - 1]) << share << ", seed " << seed;
    }
    const auto sum = std::accumulate(latencies.begin(), latencies.end(), Cycles{0});
    EXPECT_DOUBLE_EQ(counts.mean(), static_cast<double>(sum) / static_cast<double>(latencies.size())) << seed;
    EXPECT_EQ(counts.max(), latencies.back()) << seed;
    EXPECT_EQ(counts.messages(), latencies.size()) << seed;
  }
}

TEST(LatencyCounts, TakeNoMoreMemoryForMoreMessages) {
  const auto memory = [](std::uint64_t messages) {
    LatencyCounts counts;
    for (std::uint64_t i = 0; i < messages; ++i) counts.add(100 + draw(1, 0, i) % 5000);
    return counts.memory_bytes();
  };
  EXPECT_EQ(memory(10'000), memory(1'000'000));
  EXPECT_LT(memory(10'000), 100'000U);
}

TEST(LatencyCounts, AreZeroWithoutMessages) {
  const LatencyCounts counts;
  EXPECT_EQ(counts.quantile(0.5), 0U);
  EXPECT_EQ(counts.mean(), 0);
}

/// The steady state of two nodes' messages and the cycles of their reception.
std::optional<SteadyState> steady_state_of(const std::vector<TrafficMessage>& messages,
                                           const std::vector<Cycles>& received_at, std::uint64_t percent = 20) {
  const TrafficPlan plan(messages, Topology::cube(1));
  TrafficCounts counts(plan, percent);
  for (std::size_t i = 0; i < messages.size(); ++i) counts.received(messages[i], received_at[i]);
  return counts.steady();
}

/// Two nodes, each with a message every 10 cycles up to cycle 1,000; `latency` of the message that is due at a cycle.
template <class Latency>
std::optional<SteadyState> steady(const Latency& latency, std::uint64_t percent = 20) {
  std::vector<TrafficMessage> messages;
  std::vector<Cycles> received;
  for (NodeId node = 0; node < 2; ++node)
    for (Cycles due = 0; due <= 1000; due += 10) {
      messages.push_back({.source = node, .destination = 1 - node, .bytes = 1, .cycle = due});
      received.push_back(due + latency(due));
    }
  return steady_state_of(messages, received, percent);
}

TEST(SteadyState, LeavesOutWarmUpAndDrain) {
  const auto state = steady([](Cycles due) { return due < 200 ? Cycles{9999} : Cycles{50}; });
  ASSERT_TRUE(state);
  EXPECT_EQ(state->window_from, 200U);
  EXPECT_EQ(state->window_until, 1000U);
  EXPECT_EQ(state->messages, 2U * 80);  // due at 200, 210, .. 990
  EXPECT_DOUBLE_EQ(state->mean, 50);
  ASSERT_TRUE(state->half_width);
  EXPECT_DOUBLE_EQ(*state->half_width, 0);
  EXPECT_DOUBLE_EQ(state->offered, 100);                             // a message every 10 cycles
  EXPECT_DOUBLE_EQ(state->accepted, 2.0 * 75 / (800 * 2 / 1000.0));  // received at 250, 260, .. 990
  EXPECT_EQ(state->drained, 190U + 9999U);
}

/// Of 1,000 cycles: messages due at 0, 10, .. 990, at 500, .. 990, and at 900, .. 990.
TEST(SteadyState, BeginsWhenTheWarmUpIsOver) {
  const std::map<std::uint64_t, std::uint64_t> messages{{0, 2 * 100}, {50, 2 * 50}, {90, 2 * 10}};
  for (const auto& [percent, count] : messages) {
    const auto state = steady([](Cycles due) { return Cycles{50} + due / 10; }, percent);
    ASSERT_TRUE(state) << percent;
    EXPECT_EQ(state->window_from, 10 * percent);
    EXPECT_EQ(state->messages, count);
    // The middle of the first and the last latency.
    EXPECT_DOUBLE_EQ(state->mean, 50 + (static_cast<double>(percent) + 99) / 2) << percent;
  }
}

TEST(SteadyState, HasTheIntervalOfBatchMeans) {
  // Batches of 80 cycles from 200 on: five with mean 40 and five with mean 60 have a standard deviation of
  // sqrt(10 * 100 / 9), and the interval is 2.262 times that divided by sqrt(10).
  const auto state =
      steady([](Cycles due) { return due >= 200 && (due - 200) / 80 % 2 == 0 ? Cycles{40} : Cycles{60}; });
  ASSERT_TRUE(state && state->half_width);
  EXPECT_DOUBLE_EQ(state->mean, 50);
  EXPECT_NEAR(*state->half_width, 2.262 * std::sqrt(1000.0 / 9) / std::sqrt(10.0), 1e-9);
}

TEST(SteadyState, EndsWhenTheFirstNodeHasNothingLeftToSend) {
  std::vector<TrafficMessage> messages{{.source = 0, .destination = 1, .bytes = 1, .cycle = 100}};
  for (Cycles due = 0; due < 1000; ++due) messages.push_back({.source = 1, .destination = 0, .bytes = 1, .cycle = due});
  const std::vector<Cycles> received(messages.size(), 2000);
  const auto state = steady_state_of(messages, received);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->window_until, 100U);
  EXPECT_DOUBLE_EQ(state->accepted, 0);
  EXPECT_FALSE(state->half_width);  // eight messages in a batch
}

TEST(SteadyState, IsNotThereWithoutMessagesOrTime) {
  EXPECT_FALSE(steady_state_of({}, {}));
  EXPECT_FALSE(steady_state_of({{.source = 0, .destination = 1, .bytes = 1, .cycle = 5}}, {9}));
}

}  // namespace
}  // namespace ecube::traffic_experiment_test
