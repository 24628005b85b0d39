// SPDX-License-Identifier: Apache-2.0
// Exact ratios, for cycle costs that are not whole numbers per byte, item or phit; quantities with units: how they are
// spelled, read exactly, converted to cycles and printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "models/machine/cube.h"

namespace ecube {

/// Room for products of two 64-bit numbers.
__extension__ using UInt128 = unsigned __int128;

/// A non-negative rational number num/den, den > 0. Kept exact so that cycle counts never depend on floating point.
struct Ratio {
  std::uint64_t num = 0;
  std::uint64_t den = 1;

  /// floor(count * ratio). Exact while count * num fits 64 bits (the option table bounds num).
  [[nodiscard]] constexpr std::uint64_t floor_of(std::uint64_t count) const { return count * num / den; }
  /// ceil(count * ratio), the same bound.
  [[nodiscard]] constexpr std::uint64_t ceil_of(std::uint64_t count) const { return (count * num + den - 1) / den; }
  [[nodiscard]] constexpr double value() const { return static_cast<double>(num) / static_cast<double>(den); }

  friend constexpr bool operator==(const Ratio&, const Ratio&) = default;
};

/// The same of wider numbers.
struct WideRatio {
  UInt128 num;
  UInt128 den;
};

/// ceil(amount / unit)
constexpr std::uint64_t quotient_up(std::uint64_t amount, std::uint64_t unit) { return (amount + unit - 1) / unit; }

/// The error in a text. The caller, who knows the place of the text, completes it: "<key> = 'text' <message>".
struct Problem {
  std::string message;  ///< "needs a unit"
  std::string hint;     ///< "write \"95 us\"", or empty
  std::string valid;    ///< the values allowed, or empty
};

/// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Parsed {
 public:
  Parsed(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor): a return value
  Parsed(Problem problem) : content_(std::move(problem)) {}  // NOLINT(google-explicit-constructor): a return value

  explicit operator bool() const { return content_.index() == 0; }
  const T& operator*() const { return std::get<0>(content_); }
  [[nodiscard]] const Problem& problem() const { return std::get<1>(content_); }

 private:
  std::variant<T, Problem> content_;
};

// Every parser takes any bytes. A number is digits with at most six after a point ("0.394"), or a fraction ("400/7",
// denominator at most 10^6, the exact spelling of ratios that have no short decimal); signs, exponents, separators, nan
// and inf are not numbers. Numbers are read exactly and reduced, up to 10^18 with the point left out. Between number
// and unit any number of blanks, none after; blanks around the whole are ignored.

/// A number without a unit.
Parsed<Ratio> parse_ratio(std::string_view text);
/// A whole number without a unit.
Parsed<std::uint64_t> parse_count(std::string_view text);

/// A time as spelled; it becomes cycles once the clock is known.
struct Time {
  Ratio amount;
  std::uint64_t per_second = 0;  ///< units of the amount in a second; 0: cycles
};

/// "95 us", "3800 cycles"; units ns, us, ms, s, cycles (cycle). Of a `thing`, "0.394 us/byte", "14 cycles/item".
Parsed<Time> parse_time(std::string_view text, std::string_view thing = "");
/// "40 MHz"; units Hz, kHz, MHz, GHz. Whole Hz.
Parsed<std::uint64_t> parse_frequency(std::string_view text);
/// "4 B", "8 KB"; units B, KB = KiB = 1,024 B, MB = MiB = 1,048,576 B, GB = GiB likewise, as memory is counted.
Parsed<Bytes> parse_size(std::string_view text);
/// "2.8 MB/s", in bytes per second; units B/s, kB/s = KB/s = 1,000 B/s, MB/s and GB/s likewise, as rates are counted.
Parsed<Ratio> parse_bandwidth(std::string_view text);

/// Cost ratios stay within these bounds, so that Ratio::floor_of and ceil_of are exact for counts up to 2^40.
inline constexpr std::uint64_t max_ratio_num = (std::uint64_t{1} << 24) - 1;
inline constexpr std::uint64_t max_ratio_den = 1'000'000;
inline constexpr Cycles max_cycles = 1'000'000'000'000;

/// The ratio nearest to num / den, which is at most 10^6, with a numerator of at most max_ratio_num and a denominator
/// of at most `max_den`: the last convergent of the continued fraction within the bounds, or the last step beyond it
/// that still fits (Khinchin 1935).
[[nodiscard]] Ratio nearest_ratio(UInt128 num, UInt128 den, std::uint64_t max_den);

/// The time in cycles of a clock of `clock_hz` (1 .. 10^12 Hz): rounded to the nearest, half a cycle up. A fraction of
/// a cycle that was spelled in cycles is an error, as is more than max_cycles.
Parsed<Cycles> whole_cycles(const Parsed<Time>& time, std::uint64_t clock_hz);
/// parse_time() and whole_cycles().
Parsed<Cycles> parse_cycles(std::string_view text, double clock_hz);
/// The time in cycles as a ratio: exact where the bounds above allow it, otherwise the nearest ratio within them.
/// More than 10^6 cycles is an error.
Parsed<Ratio> ratio_cycles(const Parsed<Time>& time, std::uint64_t clock_hz);
/// Cycles of one phit at `bytes_per_second` (> 0): the nearest ratio with a denominator of at most 1,000. More than
/// 10^6 cycles is an error.
Parsed<Ratio> phit_cycles(Bytes phit, std::uint64_t clock_hz, const Ratio& bytes_per_second);

/// Each is read back by its parser as the same value. "1 cycle", "3800 cycles"
std::string format_cycles(Cycles cycles);
/// "63.04", or "400/7" where six decimals are not enough. `ratio` reduced.
std::string format_ratio(const Ratio& ratio);
/// "40 MHz", "7160 kHz": the largest unit in which it is a whole number.
std::string format_frequency(std::uint64_t hertz);
/// "4 B", "8 KB"
std::string format_size(Bytes bytes);

}  // namespace ecube
