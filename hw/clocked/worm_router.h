// SPDX-License-Identifier: Apache-2.0
// Router of a machine that switches worms (hw/README.md sections 2 and 10): registers, their next value, and the
// module.
#pragma once

#include "hw/clocked/router_pins.h"
#include "hw/clocked/routing.h"

namespace ecube::clocked {

/// The words of one worm that an input holds. They are consecutive, so the first word and their number are enough.
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
    Cycles delay = 0;  ///< of a probe in front: edges until the probe asks
    bool expects_probe = true;
  };
  struct Out {
    std::uint8_t owner = nobody;  ///< the input whose worm has the output
    std::uint8_t pointer = 0;     ///< the input that arbitration looks at first
    bool closing = false;         ///< a tail has left by this output, and is on the link or in the buffer at its end
    bool stop = false;            ///< driven back along the input of the same number
    Cycles pace = 0;              ///< edges until the link can take another word
    Wire drive{};
  };
  Lines<In> in{};
  Lines<Out> out{};
  LineMask stopped = 0;  ///< outputs that were stopped at the last edge

  // What happened at the last edge.
  LineMask granted = 0;      ///< outputs by which a probe left
  LineMask released = 0;     ///< outputs that could be granted again
  LineMask refused = 0;      ///< inputs that asked and were refused
  Lines<LineMask> asking{};  ///< [input] the output that its probe asks for, if it was refused

  const char* broken = nullptr;  ///< the sentence of the specification that the last edge contradicted
};

/// The values that the neighbours and the interface drove before an edge.
struct WormRouterWires {
  Lines<Wire> wire{};  ///< [input]
  Lines<bool> stop{};  ///< [output]
};

/// The registers after an edge; `route_delay` is r, `phit_cycles` c.
[[nodiscard]] WormRouterState next(const WormRouterState& now, const WormRouterWires& wires, const Shape& shape,
                                   Cycles route_delay, Cycles phit_cycles);

/// True when the next edge changes a register even if nothing comes in and no stop is lifted.
[[nodiscard]] bool moving(const WormRouterState& state, const Shape& shape);

/// ecube_worm_router.sv has the same pins.
class WormRouter : public WormRouterPins {
 public:
  WormRouter(const sc_core::sc_module_name& name, const Shape& shape);

 protected:
  /// Calls next(). A different design overrides this.
  [[nodiscard]] virtual WormRouterState after(const WormRouterState& now, const WormRouterWires& wires) const;

 private:
  void clock_edge();

  WormRouterState state_;
};

}  // namespace ecube::clocked
