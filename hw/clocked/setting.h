// SPDX-License-Identifier: Apache-2.0
// The settings that all nodes of a run share, constant during the run.
#pragma once

#include "hw/clocked/shape.h"
#include "hw/observed/observer.h"
#include "models/contract/run.h"
#include "models/node/node_work.h"

namespace ecube::clocked {

struct Setting {
  Machine machine;
  Topology topology = Topology::cube(1);
  Shape shape;
  RunConditions conditions;
  Machine::PathLengths paths;  ///< of `machine`
  NodeWork* work = nullptr;    ///< what the loops of all cores cost
  Observer* observer = nullptr;

  [[nodiscard]] bool queued() const { return machine.node.startups == Startups::queued; }
  [[nodiscard]] bool protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool stores() const { return machine.network.switching == Switching::store_and_forward; }
};

}  // namespace ecube::clocked
