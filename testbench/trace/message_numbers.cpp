// SPDX-License-Identifier: Apache-2.0
// Numbering circuits when all earlier circuits are known.
#include "testbench/trace/message_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace ecube {

std::string CircuitName::text() const {
  std::array<char, 48> space{};
  return std::string(text(space));
}

std::string_view CircuitName::text(std::span<char, 48> space) const {
  // Three numbers of at most ten digits each. Waveforms write this by the million.
  char* const end = space.data() + space.size();
  char* at = std::to_chars(space.data(), end, source).ptr;
  *at++ = '-';
  *at++ = '>';
  at = std::to_chars(at, end, destination).ptr;
  *at++ = ' ';
  *at++ = '#';
  at = std::to_chars(at, end, number).ptr;
  return {space.data(), static_cast<std::size_t>(at - space.data())};
}

void MessageNumbers::injected(CircuitId id, const CircuitRecord& circuit) {
  if (numbers_.size() <= id) numbers_.resize(id + std::size_t{1});
  numbers_[id] = 0;
  nodes_[circuit.source].pending.push_back({circuit.probe, circuit.inject_port, id});
}

void MessageNumbers::number_pending(NodeId source, Cycles probe) {
  // The first request of a circuit comes later than its probe, so all circuits that this node sends before or with it
  // have been injected.
  NodeCount& node = nodes_[source];
  if (node.pending.size() > 1) {
    std::sort(node.pending.begin(), node.pending.end(), [](const Injected& a, const Injected& b) {
      return std::tie(a.probe, a.port) < std::tie(b.probe, b.port);
    });
  }
  auto pending = node.pending.begin();
  for (; pending != node.pending.end() && pending->probe <= probe; ++pending) {
    numbers_[pending->id] = ++node.counted;
  }
  node.pending.erase(node.pending.begin(), pending);
}

}  // namespace ecube
