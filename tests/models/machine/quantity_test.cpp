// SPDX-License-Identifier: Apache-2.0
// Quantities with units and topologies, read exactly or refused with the reason, and the nearest ratios by search.
#include "models/machine/quantity.h"

#include "models/machine/topology.h"
#include "tests/test.h"

namespace ecube::quantity_test {
namespace {

constexpr std::uint64_t mhz40 = 40'000'000;

std::string written(std::uint64_t value) { return std::to_string(value); }
std::string written(const Ratio& value) { return std::to_string(value.num) + "/" + std::to_string(value.den); }
std::string written(const Topology& value) { return value.name(); }

/// The value, or ! and message|hint|valid.
template <typename T>
std::string written(const Parsed<T>& parsed) {
  if (parsed) return written(*parsed);
  return "! " + parsed.problem().message + "|" + parsed.problem().hint + "|" + parsed.problem().valid;
}

/// What becomes of a text that is read as `kind`.
std::string answer(const std::string& kind, const std::string& text) {
  const std::size_t at = kind.find('@');
  const std::uint64_t clock = at == std::string::npos ? mhz40 : std::stoull(kind.substr(at + 1));
  const auto count = [&] { return *parse_count(text); };
  const std::map<std::string, std::function<std::string()>> readers{
      {"count", [&] { return written(parse_count(text)); }},
      {"ratio", [&] { return written(parse_ratio(text)); }},
      {"frequency", [&] { return written(parse_frequency(text)); }},
      {"size", [&] { return written(parse_size(text)); }},
      {"bandwidth", [&] { return written(parse_bandwidth(text)); }},
      {"topology", [&] { return written(Topology::parse(text)); }},
      {"cycles", [&] { return written(whole_cycles(parse_time(text), clock)); }},
      {"ratio_cycles", [&] { return written(ratio_cycles(parse_time(text), clock)); }},
      {"cycles_per_byte", [&] { return written(ratio_cycles(parse_time(text, "byte"), clock)); }},
      {"as_cycles", [&] { return format_cycles(count()); }},
      {"as_ratio", [&] { return format_ratio(*parse_ratio(text)); }},
      {"as_frequency", [&] { return format_frequency(count()); }},
      {"as_size", [&] { return format_size(count()); }}};
  return readers.at(kind.substr(0, at))();
}

TEST(Quantities, AreReadExactlyOrRefusedWithTheReason) {
  unsigned rows = 0;
  for (const std::string& line : file_lines(in_tree("tests/models/machine/quantities.txt"))) {
    std::smatch row;
    if (line.starts_with("#")) continue;
    ASSERT_TRUE(std::regex_match(line, row, std::regex("(\\S+): (.*) -> (.*)"))) << line;
    const std::string found = answer(row[1], row[2]);
    const bool refused = row[3].str().starts_with("!");
    EXPECT_EQ(refused ? found.substr(0, row[3].str().size()) : found, row[3]) << line << "\n" << found;
    EXPECT_FALSE(found.starts_with("! |")) << "no reason: " << line;
    ++rows;
  }
  EXPECT_GT(rows, 100U);
  EXPECT_FALSE(parse_time("\xff\xfe us"));
}

TEST(Quantities, TakeAnyBytesWithoutHarm) {
  std::mt19937 random(1);
  const std::string alphabet = "0123456789./ eE+-MKGkHzBusnmcycles\xff\n\t";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto length = random() % 14; length > 0; --length) text += alphabet[random() % alphabet.size()];
    // An accepted text is a number; a refused text has an error with a reason.
    if (const auto ratio = parse_ratio(text)) {
      EXPECT_GT((*ratio).den, 0U) << text;
    } else {
      EXPECT_FALSE(ratio.problem().message.empty()) << text;
    }
    if (const auto count = parse_count(text); !count) {
      EXPECT_FALSE(count.problem().message.empty()) << text;
    }
    if (const auto time = parse_time(text)) {
      (void)whole_cycles(*time, mhz40);
      (void)ratio_cycles(*time, mhz40);
    }
    (void)parse_time(text, "byte");
    (void)parse_frequency(text);
    (void)parse_size(text);
    if (const auto rate = parse_bandwidth(text); rate && (*rate).num > 0) (void)phit_cycles(4, mhz40, *rate);
  }
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
    const Time time{{1 + random() % 1'000'000'000, 1 + random() % 1'000'000}, 1'000'000'000};
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

}  // namespace
}  // namespace ecube::quantity_test
