// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on seed, node and count only, never on the order of events.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ecube {

/// The finaliser of splitmix64 (Steele, Lea & Flood 2014): a bijection that mixes all bits.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// The common part of all draws of a stream: draw(seed, stream, count) is draw(stream_of(seed, stream), count).
[[nodiscard]] constexpr std::uint64_t stream_of(std::uint64_t seed, std::uint64_t stream) {
  return mix(mix(seed) ^ stream);
}
[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t stream, std::uint64_t count) { return mix(stream ^ count); }

/// The `count`-th draw of stream `stream` under `seed`.
[[nodiscard]] constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t count) {
  return draw(stream_of(seed, stream), count);
}

/// Uniform in 0..limit (inclusive); the bias is below 2^-32 for limits below 2^32.
[[nodiscard]] constexpr std::uint64_t up_to(std::uint64_t random, std::uint64_t limit) {
  return limit == ~std::uint64_t{0} ? random : random % (limit + 1);
}

/// Uniform in 0..count-1, 0 < count < 2^32, without a division; the bias is below count / 2^32.
[[nodiscard]] constexpr std::uint64_t below(std::uint64_t random, std::uint64_t count) {
  return ((random >> 32) * count) >> 32;
}

/// 0..2^bits, equally many between any two successive powers of two; half of them are 2^k or 2^k - 1, the limits of
/// registers.
[[nodiscard]] constexpr std::uint64_t logarithmic(std::uint64_t random, unsigned bits) {
  const std::uint64_t power = std::uint64_t{1} << below(random, bits + 1);
  if (random % 2 == 0) return power - random / 2 % 2;
  return std::min(power + up_to(random / 2, power - 1), std::uint64_t{1} << bits);
}

}  // namespace ecube
