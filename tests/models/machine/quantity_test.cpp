// SPDX-License-Identifier: Apache-2.0
// Quantities with units, read exactly or refused.
#include "models/machine/quantity.h"

#include "tests/test.h"

namespace ecube::quantity_test {
namespace {

constexpr std::uint64_t mhz40 = 40'000'000;

Cycles cycles(const std::string& text, std::uint64_t clock_hz = mhz40) {
  const Parsed<Time> time = parse_time(text);
  EXPECT_TRUE(time) << text;
  if (!time) return 0;
  const Parsed<Cycles> result = whole_cycles(*time, clock_hz);
  EXPECT_TRUE(result) << text;
  return result ? *result : 0;
}

TEST(Time, BecomesCyclesOfTheClock) {
  EXPECT_EQ(cycles("3800 cycles"), 3800U);
  EXPECT_EQ(cycles("1 cycle"), 1U);
  EXPECT_EQ(cycles("95 us"), 3800U);
  EXPECT_EQ(cycles("95us"), 3800U);
  EXPECT_EQ(cycles("  0.095 ms  "), 3800U);
  EXPECT_EQ(cycles("25 ns"), 1U);
  EXPECT_EQ(cycles("2 s", 1000), 2000U);
  EXPECT_EQ(cycles("10.3 us"), 412U);
}

TEST(Time, RoundsHalfACycleUp) {
  EXPECT_EQ(cycles("12 ns"), 0U);    // 0.48 cycles of 25 ns
  EXPECT_EQ(cycles("12.5 ns"), 1U);  // half a cycle
  EXPECT_EQ(cycles("37 ns"), 1U);    // 1.48
  EXPECT_EQ(cycles("37.5 ns"), 2U);  // 1.5
}

TEST(Time, InCyclesMustBeWhole) {
  const Parsed<Time> time = parse_time("2.5 cycles");
  ASSERT_TRUE(time);
  EXPECT_FALSE(whole_cycles(*time, mhz40));
}

TEST(Time, OfMoreThanTheMostCyclesIsRefused) {
  const Parsed<Time> time = parse_time("1000000000001 cycles");
  ASSERT_TRUE(time);
  EXPECT_FALSE(whole_cycles(*time, mhz40));
}

TEST(Ratio, OfATimeIsExact) {
  const Parsed<Time> per_byte = parse_time_per("0.394 us/byte", "byte");
  ASSERT_TRUE(per_byte);
  const Parsed<Ratio> ratio = ratio_cycles(*per_byte, mhz40);
  ASSERT_TRUE(ratio);
  EXPECT_EQ((*ratio).num * 25, (*ratio).den * 394);  // 15.76 cycles
}

TEST(Quantities, NeedTheirUnit) {
  EXPECT_FALSE(parse_time("95"));
  EXPECT_FALSE(parse_time("95 parsecs"));
  EXPECT_FALSE(parse_time("us"));
  EXPECT_FALSE(parse_frequency("40"));
  EXPECT_FALSE(parse_size("4"));
  EXPECT_FALSE(parse_bandwidth("2.8 MB"));
  EXPECT_FALSE(parse_time_per("0.5 us", "byte"));
  EXPECT_FALSE(parse_time_per("0.5 us/item", "byte"));
}

TEST(Quantities, AreReadExactly) {
  EXPECT_EQ(*parse_frequency("40 MHz"), mhz40);
  EXPECT_EQ(*parse_frequency("7.16 MHz"), 7'160'000U);
  EXPECT_EQ(*parse_size("8 KB"), 8192U);
  EXPECT_EQ(*parse_size("1 MiB"), 1048576U);
  EXPECT_EQ((*parse_bandwidth("2.8 MB/s")).value(), 2.8e6);
  EXPECT_EQ(*parse_count("17"), 17U);
}

TEST(Quantities, ThatAreNoNumbersAreRefused) {
  for (const char* const text :
       {"", " ", "nan us", "inf us", "-1 us", "+1 us", "1e3 us", "0x10 us", "1,000 us", "1..2 us", ". us", "1/0 us",
        "99999999999999999999999 us", "1.1234567 us", "\xff\xfe us", "1 us us", "us 1"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Quantities, FormatAsTheyAreRead) {
  for (const Cycles value : {0U, 1U, 2U, 3800U, 1000000007U}) EXPECT_EQ(cycles(format_cycles(value)), value);
  for (const std::uint64_t value : {1000U, 7'160'000U, 40'000'000U, 1'000'000'000U, 1'000'001U}) {
    EXPECT_EQ(*parse_frequency(format_frequency(value)), value);
  }
  for (const Bytes value : {1U, 4U, 1000U, 1024U, 1048576U, 1048577U})
    EXPECT_EQ(*parse_size(format_size(value)), value);
  for (const Ratio value : {Ratio{1, 1}, Ratio{1576, 25}, Ratio{400, 7}, Ratio{1, 1'000'000}}) {
    EXPECT_EQ(*parse_ratio(format_ratio(value)), value);
  }
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
    (void)parse_time_per(text, "byte");
    (void)parse_frequency(text);
    (void)parse_size(text);
    if (const auto rate = parse_bandwidth(text); rate && (*rate).num > 0) (void)phit_cycles(4, mhz40, *rate);
  }
}

}  // namespace
}  // namespace ecube::quantity_test
