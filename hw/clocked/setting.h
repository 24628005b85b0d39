// SPDX-License-Identifier: Apache-2.0
// What all nodes of a run have in common. Nobody changes it during the run.
#pragma once

#include "hw/clocked/shape.h"
#include "hw/observed/observer.h"
#include "models/random.h"
#include "models/run.h"

namespace ecube::clocked {

struct Setting {
  Machine machine;
  Shape shape;
  RunConditions conditions;
  Machine::PathLengths paths;  ///< of `machine`
  Observer* observer = nullptr;

  [[nodiscard]] bool queued() const { return machine.node.startups == Startups::queued; }
  [[nodiscard]] bool protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool stores() const { return machine.network.switching == Switching::store_and_forward; }
  /// K engines, fewer than there are ports.
  [[nodiscard]] bool shares_engines() const { return shape.shared_engines; }
};

/// The random numbers of one node: the first is for the start of its program, the others for its start-ups.
class Jitter {
 public:
  void reset(const RunConditions& conditions, NodeId node) {
    conditions_ = conditions;
    node_ = node;
    count_ = 0;
  }
  [[nodiscard]] Cycles next() {
    if (conditions_.jitter == 0) return 0;
    return up_to(draw(conditions_.seed, node_, count_++), conditions_.jitter);
  }

 private:
  RunConditions conditions_;
  NodeId node_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace ecube::clocked
