// SPDX-License-Identifier: Apache-2.0
// The record and the edges of a circuit, the same for every engine.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/machine/cube.h"

namespace ecube {

using CircuitId = std::uint32_t;
inline constexpr CircuitId no_circuit = ~CircuitId{0};

/// The purpose of a circuit (hw/README.md section 5).
enum class CircuitKind : std::uint8_t { data, signal, synchronisation, reservation, grant };
inline constexpr std::array<std::string_view, 5> circuit_kind_names{"data", "signal", "synchronisation", "reservation",
                                                                    "grant"};

/// True for circuits that the message library makes for its own protocol.
[[nodiscard]] constexpr bool is_control(CircuitKind kind) { return kind >= CircuitKind::synchronisation; }

/// One circuit, from its probe to its tail.
struct CircuitRecord {
  Bytes bytes = 0;
  Cycles probe = 0;         ///< edge at which the interface of the source drives the probe
  std::uint64_t check = 0;  ///< sent beside the contents
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t tag = 0;
  std::uint16_t label = 0;  ///< phase or step, as the firmware numbers them
  std::uint8_t inject_port = 0;
  std::uint8_t eject_port = 0;  ///< once it has been granted
  CircuitKind kind = CircuitKind::data;
};

/// The edges of one established circuit (hw/README.md section 3).
struct CircuitEdges {
  Cycles acknowledge = 0;     ///< the destination's interface drives the acknowledge
  Cycles data = 0;            ///< T0: first phit driven
  Cycles tail = 0;            ///< Tt: tail driven
  Cycles sender_ready = 0;    ///< Tt + 1
  Cycles receiver_ready = 0;  ///< Tt + h + 3
};

}  // namespace ecube
