// SPDX-License-Identifier: Apache-2.0
// Quantities with units: exact reading, conversion to cycles in integer arithmetic, printing.
#include "models/machine/quantity.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

namespace ecube {
namespace {

// Products of a number (10^18), a clock (10^12 Hz) and a fraction's denominator (10^6) need 120 bits.

constexpr std::uint64_t largest_mantissa = 1'000'000'000'000'000'000;
constexpr unsigned most_decimals = 6;
constexpr std::uint64_t largest_cost = 1'000'000;
constexpr std::uint64_t largest_phit_den = 1'000;
constexpr std::uint64_t largest_clock = 1'000'000'000'000;

struct NamedUnit {
  std::string name;
  std::uint64_t scale;
};
using Units = std::vector<NamedUnit>;

/// The number at the beginning of a text, and the text behind it.
struct Leading {
  Ratio number;
  std::string_view digits;
  std::string_view rest;
};

/// A number times its unit's scale.
struct Scaled {
  Ratio number;
  std::uint64_t scale;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Ratio reduced(std::uint64_t num, std::uint64_t den) {
  const std::uint64_t common = std::gcd(num, den);
  return {num / common, den / common};
}

Problem too_large() { return {"is too large", "", ""}; }
Problem not_a_number() { return {"is not a number", "write digits and at most one point: \"1000\", \"0.394\"", ""}; }

/// Appends the digits at the front of `text` to `value` and removes them; false beyond the largest mantissa.
bool take_digits(std::string_view& text, std::uint64_t& value) {
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    value = value * 10 + static_cast<std::uint64_t>(text.front() - '0');
    if (value > largest_mantissa) return false;
  }
  return true;
}

Parsed<Ratio> take_decimals(std::string_view& text, std::uint64_t mantissa) {
  text.remove_prefix(1);
  std::string_view decimals = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  if (decimals.empty()) return not_a_number();
  text.remove_prefix(decimals.size());
  while (!decimals.empty() && decimals.back() == '0') decimals.remove_suffix(1);
  if (decimals.size() > most_decimals) return Problem{"has more than six digits after the point", "", ""};
  std::uint64_t den = 1;
  for (std::size_t i = 0; i < decimals.size(); ++i) den *= 10;
  if (!take_digits(decimals, mantissa)) return too_large();
  return reduced(mantissa, den);
}

Parsed<Ratio> take_denominator(std::string_view& text, std::uint64_t num) {
  text.remove_prefix(1);
  std::uint64_t den = 0;
  if (!take_digits(text, den) || den > max_ratio_den) return Problem{"has a denominator above 1000000", "", ""};
  if (den == 0) return Problem{"has a denominator of zero", "", ""};
  return reduced(num, den);
}

Parsed<Leading> leading_number(std::string_view text) {
  text = trimmed(text);
  const std::string_view whole = text;
  if (text.empty()) return Problem{"is empty", "", ""};
  if (text.front() == '-') return Problem{"must not be negative", "", ""};
  if (!is_digit(text.front())) return not_a_number();
  std::uint64_t mantissa = 0;
  if (!take_digits(text, mantissa)) return too_large();
  Parsed<Ratio> number = Ratio{mantissa, 1};
  if (text.starts_with('.')) {
    number = take_decimals(text, mantissa);
  } else if (text.size() > 1 && text[0] == '/' && is_digit(text[1])) {
    number = take_denominator(text, mantissa);
  }
  if (!number) return number.problem();
  const bool goes_on = text.size() > 1 && std::string_view(".,_'eE").find(text[0]) != std::string_view::npos &&
                       (is_digit(text[1]) || text[1] == '-' || text[1] == '+');
  if (goes_on) return not_a_number();
  return Leading{*number, whole.substr(0, whole.size() - text.size()), trimmed(text)};
}

std::string spelling(std::string_view number, const NamedUnit& unit) {
  return "\"" + std::string(number) + " " + unit.name + "\"";
}

/// Reads a number with one of `units`; the first two are suggested where a unit is missing.
Parsed<Scaled> parse_scaled(std::string_view text, const Units& units) {
  const Parsed<Leading> leading = leading_number(text);
  if (!leading) return leading.problem();
  const std::string_view digits = (*leading).digits;
  const std::string_view rest = (*leading).rest;
  if (rest.empty())
    return Problem{"needs a unit", "write " + spelling(digits, units[0]) + " or " + spelling(digits, units[1]), ""};
  for (const NamedUnit& unit : units)
    if (unit.name == rest) return Scaled{(*leading).number, unit.scale};
  std::vector<std::string_view> names;
  for (const NamedUnit& unit : units) names.emplace_back(unit.name);
  return Problem{"has the unknown unit " + quoted(rest), did_you_mean(rest, names), joined(names)};
}

Parsed<Ratio> scaled_up(const Parsed<Scaled>& scaled) {
  if (!scaled) return scaled.problem();
  const auto& [number, scale] = *scaled;
  const std::uint64_t common = std::gcd(number.den, scale);
  const UInt128 num = UInt128{number.num} * scale / common;
  if (num > largest_mantissa) return too_large();
  return Ratio{static_cast<std::uint64_t>(num), number.den / common};
}

Parsed<std::uint64_t> whole(const Parsed<Ratio>& value, const std::string& number) {
  if (!value) return value.problem();
  if ((*value).den != 1) return Problem{"is not a whole " + number, "", ""};
  return (*value).num;
}

WideRatio in_cycles(const Time& time, std::uint64_t clock_hz) {
  if (time.per_second == 0) return {time.amount.num, time.amount.den};
  return {UInt128{time.amount.num} * std::min(clock_hz, largest_clock), UInt128{time.amount.den} * time.per_second};
}

Parsed<Ratio> cost_ratio(const WideRatio& x, std::uint64_t max_den) {
  if (x.num > x.den * largest_cost) return Problem{"is more than 1000000 cycles", "", ""};
  return nearest_ratio(x.num, x.den, max_den);
}

}  // namespace

Ratio nearest_ratio(UInt128 num, UInt128 den, std::uint64_t max_den) {
  Ratio before{0, 1};
  Ratio last{1, 0};
  while (den != 0) {
    UInt128 steps = num / den;
    if (last.num > 0) steps = std::min(steps, UInt128{(max_ratio_num - before.num) / last.num});
    if (last.den > 0) steps = std::min(steps, UInt128{(max_den - before.den) / last.den});
    const auto count = static_cast<std::uint64_t>(steps);
    const Ratio next{before.num + count * last.num, before.den + count * last.den};
    if (steps < num / den) {
      // With fewer steps than the expansion has, `next` may be farther away than the convergent before it.
      const bool nearer = num * last.den < den * (next.den + count * last.den);
      return nearer ? next : last;
    }
    before = last;
    last = next;
    num -= steps * den;
    std::swap(num, den);
  }
  return last;
}

Parsed<Ratio> parse_ratio(std::string_view text) {
  const Parsed<Leading> leading = leading_number(text);
  if (!leading) return leading.problem();
  if (!(*leading).rest.empty())
    return Problem{"has " + quoted((*leading).rest) + " after the number", "write a number without a unit", ""};
  return (*leading).number;
}

Parsed<std::uint64_t> parse_count(std::string_view text) { return whole(parse_ratio(text), "number"); }

Parsed<Time> parse_time(std::string_view text, std::string_view thing) {
  Units per_second = {{"cycles", 0}, {"us", 1'000'000}, {"ns", 1'000'000'000}, {"ms", 1'000}, {"s", 1}, {"cycle", 0}};
  for (NamedUnit& unit : per_second) unit.name += thing.empty() ? "" : "/" + std::string(thing);
  const Parsed<Scaled> scaled = parse_scaled(text, per_second);
  if (!scaled) return scaled.problem();
  return Time{(*scaled).number, (*scaled).scale};
}

Parsed<std::uint64_t> parse_frequency(std::string_view text) {
  const Units units = {{"MHz", 1'000'000}, {"kHz", 1'000}, {"GHz", 1'000'000'000}, {"Hz", 1}};
  return whole(scaled_up(parse_scaled(text, units)), "number of Hz");
}

Parsed<Bytes> parse_size(std::string_view text) {
  constexpr std::uint64_t k = 1024;
  constexpr std::uint64_t m = k * k;
  const Units units = {{"B", 1}, {"KB", k}, {"KiB", k}, {"MB", m}, {"MiB", m}, {"GB", k * m}, {"GiB", k * m}};
  return whole(scaled_up(parse_scaled(text, units)), "number of bytes");
}

Parsed<Ratio> parse_bandwidth(std::string_view text) {
  const Units units = {{"MB/s", 1'000'000}, {"kB/s", 1'000}, {"KB/s", 1'000}, {"GB/s", 1'000'000'000}, {"B/s", 1}};
  return scaled_up(parse_scaled(text, units));
}

Parsed<Cycles> whole_cycles(const Parsed<Time>& time, std::uint64_t clock_hz) {
  if (!time) return time.problem();
  const WideRatio x = in_cycles(*time, clock_hz);
  if ((*time).per_second == 0 && x.num % x.den != 0) return Problem{"is not a whole number of cycles", "", ""};
  const UInt128 rounded = (2 * x.num + x.den) / (2 * x.den);
  if (rounded > max_cycles) return Problem{"is more than 1000000000000 cycles", "", ""};
  return static_cast<Cycles>(rounded);
}

Parsed<Cycles> parse_cycles(std::string_view text, double clock_hz) {
  return whole_cycles(parse_time(text), static_cast<std::uint64_t>(clock_hz));
}

Parsed<Ratio> ratio_cycles(const Parsed<Time>& time, std::uint64_t clock_hz) {
  if (!time) return time.problem();
  return cost_ratio(in_cycles(*time, clock_hz), max_ratio_den);
}

Parsed<Ratio> phit_cycles(Bytes phit, std::uint64_t clock_hz, const Ratio& bytes_per_second) {
  const UInt128 cycles_by_den = UInt128{phit} * std::min(clock_hz, largest_clock);
  return cost_ratio({cycles_by_den * bytes_per_second.den, bytes_per_second.num}, largest_phit_den);
}

std::string format_cycles(Cycles cycles) { return std::to_string(cycles) + (cycles == 1 ? " cycle" : " cycles"); }

std::string format_ratio(const Ratio& ratio) {
  constexpr std::uint64_t million = 1'000'000;
  if (million % ratio.den != 0) return std::to_string(ratio.num) + "/" + std::to_string(ratio.den);
  std::string text = std::to_string(ratio.num / ratio.den);
  const std::uint64_t millionths = ratio.num % ratio.den * (million / ratio.den);
  if (millionths == 0) return text;
  std::string decimals = std::to_string(million + millionths).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + "." + decimals;
}

std::string format_frequency(std::uint64_t hertz) {
  constexpr std::array<std::pair<std::uint64_t, std::string_view>, 3> units = {
      {{1'000'000'000, " GHz"}, {1'000'000, " MHz"}, {1'000, " kHz"}}};
  for (const auto& [scale, name] : units)
    if (hertz != 0 && hertz % scale == 0) return std::to_string(hertz / scale) + std::string(name);
  return std::to_string(hertz) + " Hz";
}

std::string format_size(Bytes bytes) {
  constexpr Bytes k = 1024;
  if (bytes != 0 && bytes % (k * k) == 0) return std::to_string(bytes / (k * k)) + " MB";
  if (bytes != 0 && bytes % k == 0) return std::to_string(bytes / k) + " KB";
  return std::to_string(bytes) + " B";
}

}  // namespace ecube
