// SPDX-License-Identifier: Apache-2.0
// The number of messages on each link in each step of a program, and the statistics of all links.
#pragma once

#include "hw/observed/circuit.h"
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

/// The statistics of every output of every router.
inline std::vector<LinkStatistics> all_links(const Links& links) {
  std::vector<LinkStatistics> all;
  for (NodeId node = 0; node < links.topology().nodes(); ++node)
    for (unsigned output = 0; output < links.topology().outputs(); ++output) {
      all.push_back(links.statistics({node, output}));
    }
  return all;
}

}  // namespace ecube
