// SPDX-License-Identifier: Apache-2.0
// What one direction of a link carries in a cycle.
#pragma once

#include <cstdint>
#include <ostream>
#include <systemc>

namespace ecube::clocked {

enum class WireKind : std::uint8_t { idle, probe, phit, tail };

/// Narrow fields: a wire has room for the labels of 2^8 nodes and no more. Who sends, by which port, and the sequence
/// number together are the key of a message: its contents and its kind are not on the wire.
struct Wire {
  WireKind kind = WireKind::idle;
  std::uint8_t port = 0;       ///< probe: the inject port
  std::uint8_t source = 0;     ///< who sends
  std::uint8_t route = 0;      ///< probe: source XOR destination, as far as it still has to be travelled
  std::uint16_t sequence = 0;  ///< probe: which of the source's circuits by this port; phit, tail: its number
  bool operator==(const Wire&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const Wire& wire) {
  constexpr const char* names[] = {"idle", "probe", "phit", "tail"};
  stream << names[static_cast<std::size_t>(wire.kind)];
  if (wire.kind == WireKind::idle) return stream;
  return stream << " of " << unsigned{wire.source} << " number " << wire.sequence;
}

inline void sc_trace(sc_core::sc_trace_file* file, const Wire& wire, const std::string& name) {
  sc_core::sc_trace(file, reinterpret_cast<const std::uint8_t&>(wire.kind), name + ".kind");
  sc_core::sc_trace(file, wire.port, name + ".port");
  sc_core::sc_trace(file, wire.source, name + ".source");
  sc_core::sc_trace(file, wire.route, name + ".route");
  sc_core::sc_trace(file, wire.sequence, name + ".sequence");
}

}  // namespace ecube::clocked
