// SPDX-License-Identifier: Apache-2.0
// Exact ratios, for cycle costs that are not whole numbers per byte, item or phit.
#pragma once

#include <cstdint>

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

}  // namespace ecube
