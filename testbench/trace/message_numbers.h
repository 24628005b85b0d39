// SPDX-License-Identifier: Apache-2.0
// A number for every circuit of a node, for names like 5->9 #3.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/observed/observer.h"

namespace ecube {

/// The name of a circuit, which stays after its record has been used for another circuit.
struct CircuitName {
  NodeId source = 0;
  NodeId destination = 0;
  std::uint32_t number = 0;

  /// "5->9 #3".
  [[nodiscard]] std::string text() const;
  /// Writes the name into `space`, without allocating, and returns the written part.
  [[nodiscard]] std::string_view text(std::span<char, 48> space) const;
  friend bool operator==(const CircuitName&, const CircuitName&) = default;
};

/// Counts the circuits of each node from 1, in order of the edge at which their probe is driven, then of inject port,
/// whichever engine reported them, in whatever order. Other observers ask for names once a circuit's probe has asked
/// for an output.
class MessageNumbers final : public Observer {
 public:
  explicit MessageNumbers(NodeId nodes) : nodes_(nodes) {}

  void injected(CircuitId id, const CircuitRecord& circuit) override;
  [[nodiscard]] CircuitName name(CircuitId id, NodeId source, NodeId destination, Cycles probe) {
    if (numbers_[id] == 0) number_pending(source, probe);
    return {source, destination, numbers_[id]};
  }
  [[nodiscard]] CircuitName name(CircuitId id, const CircuitRecord& circuit) {
    return name(id, circuit.source, circuit.destination, circuit.probe);
  }

 private:
  struct Injected {
    Cycles probe;
    std::uint8_t port;
    CircuitId id;
  };
  struct NodeCount {
    std::uint32_t counted = 0;
    std::vector<Injected> pending;  ///< not numbered yet
  };

  /// The circuits of a node with probes up to this edge get their numbers.
  void number_pending(NodeId source, Cycles probe);

  std::vector<NodeCount> nodes_;
  std::vector<std::uint32_t> numbers_;  ///< by CircuitId; 0 while pending
};

}  // namespace ecube
