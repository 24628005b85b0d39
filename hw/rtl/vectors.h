// SPDX-License-Identifier: Apache-2.0
// Fields of the vectors that Verilator makes of pins, and the layout of a wire in them.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>

#include "hw/clocked/wires/wire.h"

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

/// Bits of a wire in a cube of `dim` dimensions, as in ecube_pkg.sv.
constexpr unsigned wire_bits(unsigned dim) { return 2 * dim + 3 + 16 + 2; }

inline std::uint64_t packed(const clocked::Wire& wire, unsigned dim) {
  std::uint64_t word = 0;
  set_field(word, 0, dim, wire.route);
  set_field(word, dim, dim, wire.source);
  set_field(word, 2 * dim, 3, wire.port);
  set_field(word, 2 * dim + 3, 16, wire.sequence);
  set_field(word, 2 * dim + 19, 2, static_cast<std::uint64_t>(wire.kind));
  return word;
}

inline clocked::Wire unpacked(std::uint64_t word, unsigned dim) {
  return {.kind = static_cast<clocked::WireKind>(field(word, 2 * dim + 19, 2)),
          .port = static_cast<std::uint8_t>(field(word, 2 * dim, 3)),
          .source = static_cast<std::uint8_t>(field(word, dim, dim)),
          .route = static_cast<std::uint8_t>(field(word, 0, dim)),
          .sequence = static_cast<std::uint16_t>(field(word, 2 * dim + 3, 16))};
}

}  // namespace ecube::rtl
