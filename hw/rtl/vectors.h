// SPDX-License-Identifier: Apache-2.0
// Fields of the vectors that Verilator makes of pins.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>

namespace ecube::rtl {

// Verilator gives a pin the smallest of 8, 16, 32 and 64 bits that holds it, or an array of words. A field has at most
// 33 bits, those of a wire in the largest cube.
template <typename T>
std::uint64_t field(const T& value, unsigned from, unsigned bits) {
  return std::uint64_t{value} >> from & ((std::uint64_t{1} << bits) - 1);
}
template <std::size_t words>
std::uint64_t field(const VlWide<words>& value, unsigned from, unsigned bits) {
  const std::size_t word = from / 32;
  std::uint64_t both = value[word];
  if (word + 1 < words) both |= std::uint64_t{value[word + 1]} << 32;
  return field(both, from % 32, bits);
}
template <typename T>
void set_field(T& value, unsigned from, unsigned bits, std::uint64_t to) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << from;
  value = static_cast<T>((std::uint64_t{value} & ~mask) | to << from);
}
template <std::size_t words>
void set_field(VlWide<words>& value, unsigned from, unsigned bits, std::uint64_t to) {
  const std::size_t word = from / 32;
  const bool two = from % 32 + bits > 32;
  std::uint64_t both = value[word];
  if (two) both |= std::uint64_t{value[word + 1]} << 32;
  set_field(both, from % 32, bits, to);
  value[word] = static_cast<EData>(both);
  if (two) value[word + 1] = static_cast<EData>(both >> 32);
}

}  // namespace ecube::rtl
