// SPDX-License-Identifier: Apache-2.0
// Port of a network interface of a machine that switches worms (hw/README.md sections 4 and 10).
#pragma once

#include "hw/clocked/port_module.h"

namespace ecube::clocked {

struct WormPortState : PortState {
  Cycles pace = 0;         ///< edges until the wire can take another flit
  bool stopped = false;    ///< a stop was seen at the last edge
  bool begun = false;      ///< the first phit has been sent
  std::uint64_t held = 0;  ///< flits that wait until the probe is taken, including the probe
  bool tail_held = false;
};

/// The constants of a run; names as in hw/README.md section 1.
struct WormPortParameters {
  Cycles phit_cycles = 2;    ///< c >= 2
  Cycles accept_delay = 1;   ///< A
  std::uint64_t buffer = 1;  ///< B
};

/// The registers after an edge.
[[nodiscard]] WormPortState next(const WormPortState& now, const PortWires& wires,
                                 const WormPortParameters& parameters);

/// True when, for a reason that only a port for worms has, the next edge changes a register even if nothing comes in
/// and no stop is lifted.
[[nodiscard]] bool moving(const WormPortState& state);

/// ecube_worm_port.sv has the same pins; `acknowledge_i` and `acknowledge_o` carry the stops.
class WormPort : public PortModule<InterfacePortPins, WormPortState, WormPortParameters> {
 public:
  WormPort(const sc_core::sc_module_name& name, NodeId node, unsigned number, std::uint64_t buffer);

 protected:
  [[nodiscard]] WormPortParameters read_parameters() const override;
  void drive_own_pins(bool reports) override;

 private:
  /// Reports when the inject wire is free, also where a stop is lifted between two edges.
  void tell_sent();

  std::uint64_t buffer_;
};

}  // namespace ecube::clocked
