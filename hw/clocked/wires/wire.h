// SPDX-License-Identifier: Apache-2.0
// The word that one direction of a link carries in a cycle.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <systemc>

namespace ecube::clocked {

/// Calls `visit(number)` for every bit that is set.
void for_each_bit(std::uint32_t mask, const auto& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

/// A trace file that can show names in place of numbers; SystemC's trace files can do so only for an unsigned int.
class StateTrace {
 public:
  /// `value` is an index into `names`; `kind` names the enumeration.
  virtual void trace_state(const std::uint8_t& value, const std::string& name, const std::string& kind,
                           std::span<const std::string_view> names) = 0;

 protected:
  ~StateTrace() = default;
};

/// Adds a value to a trace, where the file can show it, by its name.
inline void trace_state(sc_core::sc_trace_file* file, const std::uint8_t& value, const std::string& name,
                        const char* kind, std::span<const std::string_view> names) {
  if (auto* const states = dynamic_cast<StateTrace*>(file); states != nullptr) {
    return states->trace_state(value, name, kind, names);
  }
  sc_core::sc_trace(file, value, name);
}

enum class WireKind : std::uint8_t { idle, probe, phit, tail };
inline constexpr std::array<std::string_view, 4> wire_kind_names{"idle", "probe", "phit", "tail"};

using Label = std::uint16_t;
/// What is left of a route (routing.h): in a cube, the XOR of two labels.
using RouteWord = std::uint16_t;

/// A wire has room for the labels of 2^16 nodes. Source, inject port and sequence number together are the key of a
/// message in the message table; its contents and kind are not on the wire.
struct Wire {
  WireKind kind = WireKind::idle;
  std::uint8_t port = 0;       ///< probe: the inject port
  Label source = 0;            ///< the node that sends
  RouteWord route = 0;         ///< probe: the way that it still has to travel
  std::uint16_t sequence = 0;  ///< probe: number of the circuit at its inject port; phit, tail: of the phit
  /// As one number: every line is compared at every edge.
  bool operator==(const Wire& other) const {
    return std::bit_cast<std::uint64_t>(*this) == std::bit_cast<std::uint64_t>(other);
  }
};

inline std::ostream& operator<<(std::ostream& stream, const Wire& wire) {
  stream << wire_kind_names[static_cast<std::size_t>(wire.kind)];
  if (wire.kind == WireKind::idle) return stream;
  return stream << " of " << unsigned{wire.source} << " number " << wire.sequence;
}

inline void sc_trace(sc_core::sc_trace_file* file, const Wire& wire, const std::string& name) {
  const auto& kind = reinterpret_cast<const std::uint8_t&>(wire.kind);
  trace_state(file, kind, name + ".kind", "wire_kind", wire_kind_names);
  sc_core::sc_trace(file, wire.port, name + ".port");
  sc_core::sc_trace(file, wire.source, name + ".source");
  sc_core::sc_trace(file, wire.route, name + ".route");
  sc_core::sc_trace(file, wire.sequence, name + ".sequence");
}

}  // namespace ecube::clocked
