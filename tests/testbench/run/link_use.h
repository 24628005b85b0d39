// SPDX-License-Identifier: Apache-2.0
// The number of messages on each link in each step of a program.
#pragma once

#include "hw/observed/observer.h"
#include "tests/test.h"

namespace ecube {

/// Counts messages by step (their label), router and output.
class LinkUse final : public Observer {
 public:
  void granted(CircuitId, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles, Cycles) override {
    ++uses[{circuit.label, router, output}];
  }
  std::map<std::tuple<unsigned, NodeId, unsigned>, unsigned> uses;
};

}  // namespace ecube
