// SPDX-License-Identifier: Apache-2.0
// Pins of a verilated module as SystemC signals, whatever types Verilator chose for them, and fields of what they
// carry.
#pragma once

#include <cstdint>
#include <systemc>

#include "hw/clocked/wire.h"

namespace ecube::rtl {

template <typename T>
struct ValueOf;
template <typename T>
struct ValueOf<sc_core::sc_in<T>> {
  using type = T;
};
template <typename T>
struct ValueOf<sc_core::sc_out<T>> {
  using type = T;
};

// Verilator gives a pin the smallest of bool, uint32_t, uint64_t and sc_bv that holds it. A field has at most 33 bits,
// those of a wire in the largest cube.
template <typename T>
std::uint64_t field(const T& value, unsigned from, unsigned bits) {
  return std::uint64_t{value} >> from & ((std::uint64_t{1} << bits) - 1);
}
template <int N>
std::uint64_t field(const sc_dt::sc_bv<N>& value, unsigned from, unsigned bits) {
  const auto word = static_cast<int>(from / 32);
  std::uint64_t both = value.get_word(word);
  if (word + 1 < value.size()) both |= std::uint64_t{value.get_word(word + 1)} << 32;
  return field(both, from % 32, bits);
}
template <typename T>
void set_field(T& value, unsigned from, unsigned bits, std::uint64_t to) {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << from;
  value = static_cast<T>((std::uint64_t{value} & ~mask) | to << from);
}
template <int N>
void set_field(sc_dt::sc_bv<N>& value, unsigned from, unsigned bits, std::uint64_t to) {
  const auto word = static_cast<int>(from / 32);
  const bool two = from % 32 + bits > 32;
  std::uint64_t both = value.get_word(word);
  if (two) both |= std::uint64_t{value.get_word(word + 1)} << 32;
  set_field(both, from % 32, bits, to);
  value.set_word(word, static_cast<sc_dt::sc_digit>(both));
  if (two) value.set_word(word + 1, static_cast<sc_dt::sc_digit>(both >> 32));
}

/// Bits of a wire in a cube of `dim` dimensions: those of ecube_pkg.sv.
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

// A signal for every name in LIST, called name_, and bind_all(module), which binds them to the pins of these names.
#define ECUBE_RTL_SIGNAL(name) \
  sc_core::sc_signal<ecube::rtl::ValueOf<std::remove_reference_t<decltype(Part::name)>>::type> name##_;
#define ECUBE_RTL_BIND(name) part.name(name##_);
#define ECUBE_RTL_PINS(LIST) \
  LIST(ECUBE_RTL_SIGNAL)     \
  void bind_all(Part& part) { LIST(ECUBE_RTL_BIND) }
