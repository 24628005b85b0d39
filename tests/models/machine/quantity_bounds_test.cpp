// SPDX-License-Identifier: Apache-2.0
// Quantities at their bounds, the nearest ratios by search, and the reasons of refusals.
#include "models/machine/quantity.h"
#include "tests/test.h"

namespace ecube::quantity_bounds_test {
namespace {

constexpr std::uint64_t mhz40 = 40'000'000;

/// message|hint|valid; empty where the text is read.
template <typename T>
std::string refusal(const Parsed<T>& parsed) {
  if (parsed) return "";
  return parsed.problem().message + "|" + parsed.problem().hint + "|" + parsed.problem().valid;
}

Cycles cycles(const std::string& text, std::uint64_t clock) { return *whole_cycles(*parse_time(text), clock); }

TEST(Numbers, AreReadUpToTheirBounds) {
  EXPECT_EQ(*parse_count("1000000000000000000"), 1'000'000'000'000'000'000U);
  EXPECT_EQ(refusal(parse_count("1000000000000000001")), "is too large||");
  EXPECT_EQ(*parse_count("9"), 9U);
  EXPECT_EQ(*parse_count("0"), 0U);
  EXPECT_EQ(*parse_ratio("0.000001"), (Ratio{1, 1'000'000}));
  EXPECT_EQ(*parse_ratio("0.1000000"), (Ratio{1, 10}));
  EXPECT_EQ(refusal(parse_ratio("0.0000001")), "has more than six digits after the point||");
  EXPECT_EQ(*parse_ratio("1/1000000"), (Ratio{1, 1'000'000}));
  EXPECT_EQ(refusal(parse_ratio("1/1000001")), "has a denominator above 1000000||");
  EXPECT_EQ(refusal(parse_ratio("1/0")), "has a denominator of zero||");
  EXPECT_EQ(*parse_ratio("6/4"), (Ratio{3, 2}));
  EXPECT_EQ(*parse_ratio("2.50"), (Ratio{5, 2}));
  EXPECT_EQ(refusal(parse_count("2.5")), "is not a whole number||");
  EXPECT_EQ(*parse_count("2.0"), 2U);
}

TEST(Numbers, ThatAreNoneSayWhy) {
  const std::string digits = "is not a number|write digits and at most one point: \"1000\", \"0.394\"|";
  EXPECT_EQ(refusal(parse_ratio("")), "is empty||");
  EXPECT_EQ(refusal(parse_ratio("-1")), "must not be negative||");
  for (const char* const text :
       {"x", ":1", ".5", "1.", "1.x", "1.2.3", "1e5", "1E-5", "1,000", "1_000", "1'000", "1e+5"}) {
    EXPECT_EQ(refusal(parse_ratio(text)), digits) << text;
  }
  EXPECT_EQ(refusal(parse_ratio("1 x")), "has 'x' after the number|write a number without a unit|");
  EXPECT_EQ(refusal(parse_ratio("1e")), "has 'e' after the number|write a number without a unit|");
  EXPECT_EQ(refusal(parse_ratio("1/x")), "has '/x' after the number|write a number without a unit|");
}

TEST(Units, AreTheseAndNoOthers) {
  EXPECT_EQ(refusal(parse_time("95")), "needs a unit|write \"95 cycles\" or \"95 us\"|");
  EXPECT_EQ(refusal(parse_time("95 uss")),
            "has the unknown unit 'uss'|did you mean 'us'?|cycles | us | ns | ms | s | cycle");
  EXPECT_EQ(refusal(parse_size("4 XB")).substr(0, 27), "has the unknown unit 'XB'|d");
  EXPECT_EQ(refusal(parse_frequency("2.5 Hz")), "is not a whole number of Hz||");
  EXPECT_EQ(refusal(parse_size("0.3 KB")), "is not a whole number of bytes||");
  EXPECT_EQ(*parse_frequency("0.002 GHz"), 2'000'000U);
  EXPECT_EQ(*parse_frequency("3 Hz"), 3U);
  EXPECT_EQ(*parse_frequency("3 kHz"), 3'000U);
  EXPECT_EQ(*parse_size("3 B"), 3U);
  EXPECT_EQ(*parse_size("3 KiB"), 3'072U);
  EXPECT_EQ(*parse_size("3 MB"), 3'145'728U);
  EXPECT_EQ(*parse_size("3 GB"), 3'221'225'472U);
  EXPECT_EQ(*parse_size("3 GiB"), 3'221'225'472U);
  EXPECT_EQ(*parse_size("0.5 KB"), 512U);
  EXPECT_EQ(*parse_bandwidth("3 B/s"), (Ratio{3, 1}));
  EXPECT_EQ(*parse_bandwidth("3 kB/s"), (Ratio{3'000, 1}));
  EXPECT_EQ(*parse_bandwidth("3 KB/s"), (Ratio{3'000, 1}));
  EXPECT_EQ(*parse_bandwidth("3 MB/s"), (Ratio{3'000'000, 1}));
  EXPECT_EQ(*parse_bandwidth("3 GB/s"), (Ratio{3'000'000'000, 1}));
  EXPECT_EQ(*parse_bandwidth("0.25 B/s"), (Ratio{1, 4}));
  EXPECT_EQ(refusal(parse_size("1000000000 GB")), "is too large||");
}

TEST(Times, CountCyclesOfAnyClock) {
  EXPECT_EQ(cycles("1 s", mhz40), 40'000'000U);
  EXPECT_EQ(cycles("1 ms", mhz40), 40'000U);
  EXPECT_EQ(cycles("1 us", mhz40), 40U);
  EXPECT_EQ(cycles("100 ns", mhz40), 4U);
  EXPECT_EQ(cycles("7 cycles", mhz40), 7U);
  EXPECT_EQ(cycles("1 s", 1'000'000'000'000), 1'000'000'000'000U);
  EXPECT_EQ(refusal(whole_cycles(*parse_time("1000001 us"), 1'000'000'000'000)), "is more than 1000000000000 cycles||");
  EXPECT_EQ(cycles("1000000000000 cycles", mhz40), 1'000'000'000'000U);
  EXPECT_EQ(refusal(whole_cycles(*parse_time("1/3 cycles"), mhz40)), "is not a whole number of cycles||");
  EXPECT_EQ(refusal(ratio_cycles(*parse_time("1000001 cycles"), mhz40)), "is more than 1000000 cycles||");
  EXPECT_EQ(*ratio_cycles(*parse_time("1000000 cycles"), mhz40), (Ratio{1'000'000, 1}));
}

/// Every ratio with a denominator of at most 1,000, against the cycles of a phit.
TEST(PhitCycles, AreTheNearestRatio) {
  std::mt19937_64 random(5);
  for (int draw = 0; draw < 200; ++draw) {
    const std::uint64_t phit = 1 + random() % 16;
    const std::uint64_t clock = 1'000'000 + random() % 100'000'000;
    const Ratio rate{1'000 + random() % 50'000'000, 1};
    const long double exact =
        static_cast<long double>(phit) * static_cast<long double>(clock) / static_cast<long double>(rate.num);
    if (exact > 10'000) continue;
    const Parsed<Ratio> found = phit_cycles(phit, clock, rate);
    ASSERT_TRUE(found);
    long double best = 1e9L;
    for (std::uint64_t den = 1; den <= 1'000; ++den) {
      const auto num = std::llround(exact * static_cast<long double>(den));
      best = std::min(best, std::abs(static_cast<long double>(num) / static_cast<long double>(den) - exact));
    }
    const long double error =
        std::abs(static_cast<long double>((*found).num) / static_cast<long double>((*found).den) - exact);
    EXPECT_LE((*found).den, 1'000U);
    EXPECT_LE(error, best * (1 + 1e-9L) + 1e-15L) << phit << " B at " << clock << " Hz and " << rate.num << " B/s";
  }
}

/// Times whose ratio has a larger numerator than costs may have: the bound is 2^24 - 1.
TEST(RatioCycles, StayWithinTheirBoundsAndNearTheTime) {
  std::mt19937_64 random(6);
  for (int draw = 0; draw < 2000; ++draw) {
    const Time time{{1 + random() % 1'000'000'000, 1 + random() % 1'000'000}, TimeUnit::ns};
    const std::uint64_t clock = 1'000 + random() % 1'000'000'000;
    const long double exact = static_cast<long double>(time.amount.num) / static_cast<long double>(time.amount.den) *
                              static_cast<long double>(clock) / 1e9L;
    const Parsed<Ratio> found = ratio_cycles(time, clock);
    ASSERT_EQ(static_cast<bool>(found), exact <= 1'000'000);
    if (!found) continue;
    const auto [num, den] = *found;
    EXPECT_LE(num, (1U << 24) - 1);
    EXPECT_LE(den, 1'000'000U);
    EXPECT_EQ(std::gcd(num, den), 1U);
    // The nearest ratio is within one part of the spacing of the ratios with the largest denominator that fits.
    const long double largest_den = std::min<long double>(1e6L, 16'777'215 / std::max(exact, 1e-30L));
    const long double spacing = 1 / std::max(1.0L, std::floor(largest_den));
    EXPECT_LE(std::abs(static_cast<long double>(num) / static_cast<long double>(den) - exact), spacing / 2 + 1e-12L);
  }
}

TEST(Formats, AreTheShortestOfTheirValue) {
  EXPECT_EQ(format_cycles(1), "1 cycle");
  EXPECT_EQ(format_cycles(0), "0 cycles");
  EXPECT_EQ(format_cycles(2), "2 cycles");
  EXPECT_EQ(format_ratio({1, 1}), "1");
  EXPECT_EQ(format_ratio({5, 2}), "2.5");
  EXPECT_EQ(format_ratio({1, 1'000'000}), "0.000001");
  EXPECT_EQ(format_ratio({63'040'001, 1'000'000}), "63.040001");
  EXPECT_EQ(format_ratio({400, 7}), "400/7");
  EXPECT_EQ(format_frequency(0), "0 Hz");
  EXPECT_EQ(format_frequency(1), "1 Hz");
  EXPECT_EQ(format_frequency(1'000), "1 kHz");
  EXPECT_EQ(format_frequency(1'001'000), "1001 kHz");
  EXPECT_EQ(format_frequency(40'000'000), "40 MHz");
  EXPECT_EQ(format_frequency(2'000'000'000), "2 GHz");
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1'023), "1023 B");
  EXPECT_EQ(format_size(1'024), "1 KB");
  EXPECT_EQ(format_size(3'145'728), "3 MB");
  EXPECT_EQ(format_size(1'049'600), "1025 KB");
}

}  // namespace
}  // namespace ecube::quantity_bounds_test
