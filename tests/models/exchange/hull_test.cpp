// SPDX-License-Identifier: Apache-2.0
// The hull of optimality against all partitions, in whole numbers, and against the papers' numbers.
#include "models/exchange/hull.h"

#include "models/machine/error.h"
#include "models/presets/presets.h"
#include "tests/planted.h"
#include "tests/test.h"

namespace ecube::hull_test {
namespace {

__extension__ using Whole = __int128;

/// A partition's line over x, times 2^24 in the slope.
struct ExactLine {
  unsigned phases = 0;
  Whole slope = 0;
  Whole intercept = 0;
};

/// Lines of all partitions with L = 2 l, tau, rho and Q = q in whole numbers; of equal lines the first.
std::vector<ExactLine> all_lines(unsigned dim, Whole l, Whole tau, Whole rho, Whole q) {
  std::vector<ExactLine> lines;
  for (const Partition& partition : partitions_of(dim)) {
    ExactLine line{.phases = static_cast<unsigned>(partition.size())};
    const Whole one = Whole{1} << 24;
    Whole fractions = 0;
    Whole powers = 0;
    for (const unsigned part : partition.parts()) {
      fractions += one >> part;
      powers += Whole{1} << part;
    }
    const Whole n = line.phases;
    line.slope = (n * one - fractions) * tau + n * one * rho;
    line.intercept = (powers - n) * l + n * q;
    lines.push_back(line);
  }
  return lines;
}

/// The lower envelope from x = 0 on, going from each face to the line that undercuts it first. A line that only touches
/// a vertex is not a face.
std::vector<ExactLine> envelope(const std::vector<ExactLine>& lines) {
  // At x = 0 the line with the least intercept; of equal intercepts, the least slope.
  ExactLine at = lines.front();
  for (const ExactLine& line : lines) {
    if (line.intercept < at.intercept || (line.intercept == at.intercept && line.slope < at.slope)) at = line;
  }
  std::vector<ExactLine> faces = {at};
  for (;;) {
    // Least (b' - b) / (a - a') over flatter lines; of equals the flattest.
    const ExactLine* next = nullptr;
    for (const ExactLine& line : lines) {
      if (line.slope >= at.slope) continue;
      if (next == nullptr) {
        next = &line;
        continue;
      }
      const Whole here = (line.intercept - at.intercept) * (at.slope - next->slope);
      const Whole there = (next->intercept - at.intercept) * (at.slope - line.slope);
      if (here < there || (here == there && line.slope < next->slope)) next = &line;
    }
    if (next == nullptr) return faces;
    at = *next;
    faces.push_back(at);
  }
}

TEST(Hull, IsTheEnvelopeOfAllPartitions) {
  // rho / tau in thousandths; L = 1000, barriers up to 100 L.
  constexpr std::array<int, 14> ratios = {0, 1, 10, 50, 100, 250, 333, 500, 1000, 1371, 2000, 5000, 20'000, 1'000'000};
  for (unsigned dim = 1; dim <= 24; ++dim)
    for (const int ratio : ratios)
      for (const int barrier : {0, 500, 1000, 3000, 5000, 100'000}) {
        if (ratio == 0 && barrier == 0 && dim > 20) continue;
        const std::vector<ExactLine> exact = envelope(all_lines(dim, 1000, 1000, ratio, barrier));
        const HullParameters p{.message_us = 1000,
                               .tau_us_per_byte = 1,
                               .rho_us_per_byte = ratio / 1000.0,
                               .barrier_us = static_cast<double>(barrier)};
        const Hull hull(dim, p);
        ASSERT_EQ(hull.faces().size(), exact.size()) << "d " << dim << " rho/tau " << ratio << " Q " << barrier;
        for (std::size_t i = 0; i < exact.size(); ++i) {
          EXPECT_EQ(hull.faces()[i].line.phases, exact[i].phases) << "d " << dim << " " << ratio << " " << barrier;
          if (i == 0) continue;
          // Slopes are times 1000 x 2^24.
          const auto x = static_cast<double>(exact[i].intercept - exact[i - 1].intercept) /
                         (static_cast<double>(exact[i - 1].slope - exact[i].slope) / 1000 / (1 << 24));
          EXPECT_NEAR(static_cast<double>(hull.faces()[i].from) / x, 1, 1e-9);
        }
      }
}

/// Every other one has barriers.
ExchangeParameters drawn(std::mt19937_64& random, unsigned trial) {
  return {.lambda_us = 1 + static_cast<double>(random() % 300),
          .tau_us_per_byte = 0.1 + static_cast<double>(random() % 100) / 20,
          .delta_us = static_cast<double>(random() % 30),
          .delta_hop_us = static_cast<double>(random() % 40),
          .rho_us_per_byte = static_cast<double>(random() % 100) / 30,
          .barrier_us = trial % 2 == 0 ? 0 : static_cast<double>(random() % 900)};
}

ExchangeOptions drawn(unsigned trial, HopCount hops) {
  return {.hops = hops,
          .identity_shuffle = trial % 3 == 0 ? IdentityShuffle::skip : IdentityShuffle::charge,
          .barrier = trial % 5 == 0 ? Barrier::step : Barrier::phase};
}

TEST(Hull, FindsTheBestPartitionOfEveryBlock) {
  const unsigned seed = 3;
  std::mt19937_64 random(seed);
  for (unsigned trial = 0; trial < 400; ++trial) {
    const auto dim = 1 + static_cast<unsigned>(random() % 20);
    const ExchangeParameters p = drawn(random, trial);
    const ExchangeOptions options = drawn(trial, HopCount::average);
    const Hull hull(dim, hull_parameters(p, dim, options));
    for (unsigned point = 0; point < 20; ++point) {
      const double bytes = std::exp2(static_cast<double>(random() % 2400) / 100 - 4);
      const Partition found = hull.partition(hull.at_block(claimed("N30", bytes, 2 * bytes)));
      const double least =
          exchange_cost(best_partition(Topology::cube(dim), bytes, p, options), bytes, p, options).total();
      EXPECT_NEAR(exchange_cost(found, bytes, p, options).total() / least, 1, 1e-12)
          << "seed " << seed << " trial " << trial << " d " << dim << " m " << bytes;
    }
  }
}

TEST(Hull, WithRealHopsIsBestAtEveryBlock) {
  // Against the least of all partitions, each costed at that block.
  const unsigned seed = 5;
  std::mt19937_64 random(seed);
  for (unsigned trial = 0; trial < 60; ++trial) {
    const auto dim = 1 + static_cast<unsigned>(random() % 12);
    const ExchangeParameters p = drawn(random, trial);
    const ExchangeOptions real = drawn(trial, HopCount::real);
    const std::vector<RealHopsFace> faces = real_hops_hull(Topology::cube(dim), p, real);
    for (std::size_t i = 1; i < faces.size(); ++i) ASSERT_LT(faces[i - 1].from_bytes, faces[i].from_bytes);
    for (unsigned point = 0; point < 20; ++point) {
      const double bytes = std::exp2(static_cast<double>(random() % 2400) / 100 - 8);
      const auto next = std::find_if(faces.begin() + 1, faces.end(),
                                     [bytes](const RealHopsFace& one) { return one.from_bytes > bytes; });
      const RealHopsFace& face = *(next - 1);
      const double least = exchange_cost(best_partition(Topology::cube(dim), bytes, p, real), bytes, p, real).total();
      EXPECT_NEAR(exchange_cost(face.partition, bytes, p, real).total() / least, 1, 1e-12)
          << "seed " << seed << " trial " << trial << " d " << dim << " m " << bytes;
      EXPECT_NEAR((face.intercept_us + bytes * face.slope_us_per_byte) / least, 1, 1e-12);
    }
  }
}

/// On planes permutations hide tunings, up to a block, and the order of parts matters.
TEST(Hull, OnPlanesIsTheBestOrderAtEveryBlock) {
  std::mt19937_64 random(6);
  for (unsigned trial = 0; trial < 60; ++trial) {
    const auto dim = 2 + static_cast<unsigned>(random() % 5);
    const Topology planes = Topology::on_planes(dim, 1 + static_cast<unsigned>(random() % 5));
    const ExchangeParameters p{
        .lambda_us = 2, .tau_us_per_byte = 1e-3, .rho_us_per_byte = 1e-3 * static_cast<double>(random() % 5)};
    const ExchangeOptions options{.retune_us = std::exp2(static_cast<double>(random() % 12)),
                                  .retuning = trial % 3 == 0 ? Retuning::after : Retuning::together};
    const std::vector<RealHopsFace> faces = real_hops_hull(planes, p, options);
    PhaseExtents extents(planes);
    for (std::size_t i = 1; i < faces.size(); ++i) ASSERT_LT(faces[i - 1].from_bytes, faces[i].from_bytes);
    for (unsigned point = 0; point < 40; ++point) {
      const double bytes = std::exp2(static_cast<double>(random() % 2400) / 100 - 4);
      const auto us = [&](const Partition& one) { return exchange_cost(one, extents, bytes, p, options).total(); };
      const auto next = std::find_if(faces.begin() + 1, faces.end(),
                                     [bytes](const RealHopsFace& one) { return one.from_bytes > bytes; });
      const double least = us(cheapest(compositions_of(dim), us));
      EXPECT_NEAR(us((next - 1)->partition) / least, 1, 1e-9) << "trial " << trial << " m " << bytes;
      EXPECT_NEAR(us(best_partition(planes, bytes, p, options)) / least, 1, 1e-9) << "trial " << trial;
    }
  }
}

TEST(Hull, WithRealHopsIsThatOfTheAverageWhereDistanceCostsTheSameEverywhere) {
  const ExchangeParameters p{.lambda_us = 100, .tau_us_per_byte = 2, .delta_us = 10, .rho_us_per_byte = 1};
  ExchangeParameters dearer = p;
  dearer.delta_hop_us = 20;
  for (unsigned dim = 1; dim <= 20; ++dim) {
    const Hull average(dim, hull_parameters(p, dim, {}));
    const std::vector<RealHopsFace> real = real_hops_hull(Topology::cube(dim), claimed("N9", p, dearer), {});
    ASSERT_EQ(real.size(), average.faces().size()) << dim;
    for (std::size_t i = 0; i < real.size(); ++i) {
      EXPECT_EQ(real[i].partition, average.partition(average.faces()[i])) << dim;
      EXPECT_NEAR(real[i].from_bytes, static_cast<double>(average.block(average.faces()[i])),
                  1e-9 * (1 + real[i].from_bytes));
    }
  }
}

TEST(Hull, OfTheIpsc860IsTheOneOfNicolAndBokhari) {
  const ExchangeParameters p = *published_parameters("ipsc860", 5);
  ExchangeParameters five = p;
  five.pairwise_sync_messages = true;
  const ExchangeOptions charged{.hops = HopCount::average};
  const Hull hull(5, hull_parameters(five, 5, charged));
  ASSERT_EQ(hull.faces().size(), 2U);
  EXPECT_EQ(hull.partition(hull.faces()[0]), Partition({3, 2}));
  EXPECT_NEAR(static_cast<double>(hull.faces()[0].line.intercept), 3790, 0.5);
  EXPECT_NEAR(static_cast<double>(hull.faces()[0].line.slope) * 32, 55.048, 1e-3);
  EXPECT_NEAR(static_cast<double>(hull.faces()[1].line.intercept), 7849, 0.5);
  EXPECT_NEAR(static_cast<double>(hull.block(hull.faces()[1])), 158.84, 5e-3);
  ExchangeOptions skipped = charged;
  skipped.identity_shuffle = IdentityShuffle::skip;
  EXPECT_NEAR(static_cast<double>(Hull(5, hull_parameters(five, 5, skipped)).faces().back().from) / 32, 94.8, 0.05);
  ExchangeParameters six = *published_parameters("ipsc860", 6);
  six.pairwise_sync_messages = true;
  const Hull hull6(6, hull_parameters(six, 6, charged));
  ASSERT_EQ(hull6.faces().size(), 3U);
  EXPECT_NEAR(static_cast<double>(hull6.block(hull6.faces()[1])), 6.286, 5e-4);
  EXPECT_NEAR(static_cast<double>(hull6.block(hull6.faces()[2])), 200.97, 5e-3);
  EXPECT_NEAR(static_cast<double>(Hull(6, hull_parameters(six, 6, skipped)).faces().back().from) / 64, 122.4, 0.05);
}

TEST(Hull, HasAsManyFacesAsTheoryCounts) {
  const HullParameters p{.message_us = 110, .tau_us_per_byte = 2, .rho_us_per_byte = 1};
  constexpr std::array<std::size_t, 12> counts = {1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 6};
  for (unsigned dim = 1; dim <= 12; ++dim) EXPECT_EQ(Hull(dim, p).faces().size(), counts[dim - 1]) << dim;
  for (unsigned dim = 1; dim <= 5000; ++dim) {
    const std::size_t faces = Hull(dim, p).faces().size();
    const auto root = static_cast<std::size_t>(std::floor(std::sqrt(dim)));
    EXPECT_EQ(faces, face_candidates(dim).size()) << dim;
    EXPECT_GE(faces, 2 * root - 1) << dim;
    EXPECT_LE(faces, 3 * root) << dim;
  }
  const Hull large(max_predicted_dim, p);
  for (std::size_t i = 1; i < large.faces().size(); ++i) EXPECT_LT(large.faces()[i - 1].from, large.faces()[i].from);
  EXPECT_TRUE(std::isfinite(large.faces().back().from));
}

TEST(Hull, OptimalPartsObeyTheBoundsOfNicolAndBokhari) {
  std::mt19937_64 random(4);
  for (unsigned trial = 0; trial < 2000; ++trial) {
    const auto dim = 2 + static_cast<unsigned>(random() % 20);
    const HullParameters p{.message_us = 1 + static_cast<double>(random() % 300),
                           .tau_us_per_byte = 0.1 + static_cast<double>(random() % 100) / 20,
                           .rho_us_per_byte = static_cast<double>(random() % 100) / 30,
                           .barrier_us = trial % 2 == 0 ? 0 : static_cast<double>(random() % 300)};
    const double bytes = std::exp2(static_cast<double>(random() % 2000) / 100 - 4);
    const Hull hull(dim, p);
    const Partition best = hull.partition(hull.at_block(bytes));
    const double s = optimal_sum(dim, bytes, p);
    const auto parts = best.parts();
    EXPECT_LE(parts.front(), std::ceil(s)) << dim << " " << bytes;
    if (parts.size() > 1) {
      EXPECT_GE(parts[parts.size() - 1] + parts[parts.size() - 2], std::floor(s - 1e-9));
    }
    EXPECT_LE(static_cast<double>(best.size()), std::max(1.0, 2 * dim / std::ceil(s)) + 1e-9);  // Direct at any s* >= d
    const OptimalityBounds bounds = optimality_bounds(dim, bytes, p);
    const double level = p.message_us / (bytes * p.tau_us_per_byte);
    if (level < bounds.direct * (1 - 1e-9)) {
      EXPECT_EQ(best.size(), 1U);
    }
    if (level > bounds.standard * (1 + 1e-9)) {
      EXPECT_EQ(best.size(), dim);
    }
  }
}

TEST(Hull, RefusesMachinesWithoutLines) {
  ExchangeParameters p{.lambda_us = 1, .tau_us_per_byte = 1, .short_bytes = 100};
  EXPECT_THROW((void)hull_parameters(p, 4, {}), InputError);
  p.short_bytes = 0;
  p.tau_hop_us_per_byte = 1;
  EXPECT_THROW((void)hull_parameters(p, 4, {}), InputError);
}

}  // namespace
}  // namespace ecube::hull_test
