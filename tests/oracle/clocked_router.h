// SPDX-License-Identifier: Apache-2.0
// One router of the clocked reference: its registers and their next value (hw/README.md section 2).
#pragma once

#include <span>

#include "tests/oracle/clocked_signals.h"

namespace ecube::oracle {

struct RouterState {
  /// The probe that sits at an input until its output is granted.
  struct Input {
    bool occupied = false;
    Cycles wait = 0;  ///< cycles of route delay left; at 0 the request line is up
    NodeId remaining = 0;
    std::size_t message = 0;
  };
  struct Output {
    static constexpr std::size_t nobody = max_router_ports;
    std::size_t owner = nobody;  ///< the input whose circuit holds this output
    std::size_t pointer = 0;     ///< the input that the next arbitration looks at first
  };
  std::array<Input, max_router_ports> inputs{};
  std::array<Output, max_router_ports> outputs{};
  ForwardWires forward{};    ///< driven, by output
  BackwardWires backward{};  ///< driven, by input
};

/// What the neighbours and the interface drove before this edge.
struct RouterWires {
  ForwardWires forward{};    ///< by input
  BackwardWires backward{};  ///< by output
};

/// The registers after edge `edge`; first requests, grants and releases go to `record`, indexed by message.
[[nodiscard]] RouterState next_router(const RouterState& now, const RouterWires& wires, const Shape& shape,
                                      Cycles route_cycles, Cycles edge, std::span<CircuitTimes> record);

}  // namespace ecube::oracle
