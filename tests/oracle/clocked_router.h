// SPDX-License-Identifier: Apache-2.0
// One router of the clocked reference: its registers and their next value (hw/README.md section 2).
#pragma once

#include <deque>
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
    // With wormhole switching only:
    std::deque<Forward> buffer{};  ///< of one worm, from its probe to its tail
    bool expects_probe = true;
  };
  struct Output {
    static constexpr std::size_t nobody = max_router_ports;
    std::size_t owner = nobody;  ///< the input whose circuit holds this output
    std::size_t pointer = 0;     ///< the input that the next arbitration looks at first
    // With wormhole switching only:
    Cycles pace_left = 0;  ///< cycles until the link can take the next phit
    bool closing = false;  ///< a tail has left by it, whose time on the link or in the buffer behind is not over
    std::size_t closing_message = 0;
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

/// The same with wormhole switching.
[[nodiscard]] RouterState next_worm_router(const RouterState& now, const RouterWires& wires, const Shape& shape,
                                           const Machine& machine, Cycles edge, std::span<CircuitTimes> record);

/// The output that the probe at `input` asks for.
[[nodiscard]] std::size_t wanted_output(const Shape& shape, std::size_t input, NodeId remaining);
/// The first requesting input at or after the pointer; Output::nobody if there is none.
[[nodiscard]] std::size_t arbitrate(const std::array<bool, max_router_ports>& requests, std::size_t pointer,
                                    std::size_t ports);

}  // namespace ecube::oracle
