// SPDX-License-Identifier: Apache-2.0
// Counts of latencies have the percentiles of the sorted latencies, whatever their spread, in memory of the spread.
#include "models/machine/random.h"
#include "testbench/traffic/traffic_experiment.h"
#include "tests/test.h"

namespace ecube::latency_counts_test {
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

}  // namespace
}  // namespace ecube::latency_counts_test
