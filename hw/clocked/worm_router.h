// SPDX-License-Identifier: Apache-2.0
// Router of a machine that switches worms (hw/README.md sections 2 and 10): registers, their next value, and the
// module.
#pragma once

#include "hw/clocked/router_pins.h"
#include "hw/clocked/routing.h"

namespace ecube::clocked {

/// What an input holds of one worm: words one after the other, so that the first and their number tell all.
struct WormBuffer {
  Wire front{};  ///< idle when nothing is held
  std::uint64_t words = 0;
  bool tail = false;  ///< the last word is the worm's tail

  [[nodiscard]] bool empty() const { return words == 0; }
  void push(const Wire& word);
  Wire pop();
};

/// All registers of a router.
struct WormRouterState {
  struct In {
    WormBuffer buffer;
    Cycles delay = 0;  ///< of a probe in front: edges until it asks
    bool expects_probe = true;
  };
  struct Out {
    std::uint8_t owner = nobody;  ///< the input whose worm has it
    std::uint8_t pointer = 0;     ///< the input that arbitration looks at first
    bool closing = false;         ///< a tail has left by it, and is on the link or in the buffer at its end
    bool stop = false;            ///< driven back along the input of the same number
    Cycles pace = 0;              ///< edges until the link can take another word
    Wire drive{};
  };
  Lines<In> in{};
  Lines<Out> out{};
  LineMask stopped = 0;  ///< outputs that were stopped at the last edge

  // What happened at the last edge.
  LineMask granted = 0;      ///< outputs that a probe left by
  LineMask released = 0;     ///< outputs that could be granted again
  LineMask refused = 0;      ///< inputs that asked and did not get
  Lines<LineMask> asking{};  ///< [input] the output it asks for, if it was refused

  const char* broken = nullptr;  ///< the sentence of the specification that the last edge contradicted
};

/// What the neighbours and the interface drove before an edge.
struct WormRouterWires {
  Lines<Wire> wire{};  ///< [input]
  Lines<bool> stop{};  ///< [output]
};

/// The registers after an edge; `route_delay` is r, `phit_cycles` c.
[[nodiscard]] WormRouterState next(const WormRouterState& now, const WormRouterWires& wires, const Shape& shape,
                                   Cycles route_delay, Cycles phit_cycles);

/// True when the next edge changes a register even if nothing comes in and no stop goes away.
[[nodiscard]] bool moving(const WormRouterState& state, const Shape& shape);

/// ecube_worm_router.sv has the same pins.
class WormRouter : public WormRouterPins {
 public:
  WormRouter(const sc_core::sc_module_name& name, const Shape& shape);

 protected:
  /// next(), for a design that differs to override.
  [[nodiscard]] virtual WormRouterState after(const WormRouterState& now, const WormRouterWires& wires) const;

 private:
  void clock_edge();

  WormRouterState state_;
};

}  // namespace ecube::clocked
