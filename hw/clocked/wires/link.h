// SPDX-License-Identifier: Apache-2.0
// One direction of a cable between two routers.
#pragma once

#include <systemc>

#include "hw/clocked/wires/wire_signal.h"

namespace ecube::clocked {

/// The signals of a link; its register is the output of the router that it leaves.
class Link final : public sc_core::sc_module {
 public:
  WireSignal wire;
  Signal<bool> acknowledge{"acknowledge"};  ///< against the direction of the link; of worms, the stop

  Link(const sc_core::sc_module_name& name, WireBank& bank) : sc_core::sc_module(name), wire("wire", &bank) {}
  [[nodiscard]] const char* kind() const override { return "link"; }
};

}  // namespace ecube::clocked
