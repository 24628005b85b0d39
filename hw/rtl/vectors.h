// SPDX-License-Identifier: Apache-2.0
// Fields of the vectors that Verilator makes of pins.
#pragma once

#include <verilated.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ecube::rtl {

// Verilator gives a pin the smallest of 8, 16, 32 and 64 bits that holds it, or an array of words. A field has at most
// 37 bits, those of a wire in the largest cube, and lies in three words at most.
template <typename T>
std::uint64_t field(const T& value, unsigned from, unsigned bits) {
  return std::uint64_t{value} >> from & ((std::uint64_t{1} << bits) - 1);
}
template <std::size_t words>
std::uint64_t field(const VlWide<words>& value, unsigned from, unsigned bits) {
  const std::size_t word = from / 32;
  const unsigned first = std::min(bits, 32 - from % 32);  // bits of the field in this word
  const std::uint64_t low = value[word] >> from % 32 & ((std::uint64_t{1} << first) - 1);
  return first == bits ? low : low | field(value, from + first, bits - first) << first;
}
template <typename T>
void set_field(T& value, unsigned from, unsigned bits, std::uint64_t to) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << from;
  value = static_cast<T>((std::uint64_t{value} & ~mask) | to << from);
}
template <std::size_t words>
void set_field(VlWide<words>& value, unsigned from, unsigned bits, std::uint64_t to) {
  const std::size_t word = from / 32;
  const unsigned first = std::min(bits, 32 - from % 32);
  EData changed = value[word];
  set_field(changed, from % 32, first, to & ((std::uint64_t{1} << first) - 1));
  value[word] = changed;
  if (first < bits) set_field(value, from + first, bits - first, to >> first);
}

}  // namespace ecube::rtl
