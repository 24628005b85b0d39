// SPDX-License-Identifier: Apache-2.0
// Numbering circuits when all that come before them are known.
#include "testbench/trace/message_numbers.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

namespace ecube {

std::string CircuitName::text() const { return fmt::format("{}->{} #{}", source, destination, number); }

void MessageNumbers::injected(CircuitId id, const Circuit& circuit) {
  if (numbers_.size() <= id) numbers_.resize(id + std::size_t{1});
  numbers_[id] = 0;
  nodes_[circuit.source].pending.push_back({circuit.probe, circuit.inject_port, id});
}

CircuitName MessageNumbers::name(CircuitId id, NodeId source, NodeId destination, Cycles probe) {
  if (numbers_[id] == 0) {
    // Its first request comes later than its probe: whatever this node sends before or with it has been injected.
    NodeCount& node = nodes_[source];
    std::sort(node.pending.begin(), node.pending.end(), [](const Injected& a, const Injected& b) {
      return std::tie(a.probe, a.port) < std::tie(b.probe, b.port);
    });
    auto pending = node.pending.begin();
    for (; pending != node.pending.end() && pending->probe <= probe; ++pending) {
      numbers_[pending->id] = ++node.counted;
    }
    node.pending.erase(node.pending.begin(), pending);
  }
  return {source, destination, numbers_[id]};
}

}  // namespace ecube
