// SPDX-License-Identifier: Apache-2.0
// Every edge of every circuit of a run, and the first edge at which two runs differ.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "hw/observed/observer.h"
#include "models/contract/operations.h"

namespace ecube {

/// One register's value at one edge, for comparison: the cycle, the node and a text.
struct RecordedEdge {
  Cycles cycle = 0;
  NodeId node = 0;
  std::string what;
  friend auto operator<=>(const RecordedEdge&, const RecordedEdge&) = default;
};

class CircuitRecorder final : public Observer {
 public:
  void injected(CircuitId id, const CircuitRecord& circuit) override {
    if (names_.size() <= id) names_.resize(id + std::size_t{1});
    // A port drives one probe at an edge, so port and edge name the circuit.
    names_[id] = std::to_string(circuit.source) + "->" + std::to_string(circuit.destination) + " port " +
                 std::to_string(circuit.inject_port) + " probe " + std::to_string(circuit.probe);
    note(circuit.probe, circuit.source, id,
         "probe, bytes " + std::to_string(circuit.bytes) + ", kind " +
             std::to_string(static_cast<unsigned>(circuit.kind)) + ", type " + std::to_string(circuit.type));
    ++circuits_;
  }
  void granted(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles asked, Cycles at) override {
    note(at, router, id, "grant of output " + std::to_string(output) + " asked at " + std::to_string(asked));
  }
  void released(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles free_from) override {
    note(free_from, router, id, "output " + std::to_string(output) + " free again");
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    note(edges.acknowledge, circuit.destination, id, "acknowledge");
    note(edges.data, circuit.source, id, "first phit");
    note(edges.tail, circuit.source, id, "tail");
    note(edges.sender_ready, circuit.source, id, "sender ready");
    note(edges.receiver_ready, circuit.destination, id, "receiver ready");
  }

  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    note(at, circuit.destination, id, "first phit arrives");
  }
  // A program that waits for a clock and for a message, and gets both at one edge, may be continued by either first.
  void issued(const Operation& operation, Cycles /*at*/) override {
    numbers_[&operation] = issued_[{operation.node, operation.kind}]++;
  }
  void completed(const Operation& operation, Cycles at) override {
    constexpr std::array kinds{"send", "receive", "receive of each", "counted receive", "exchange", "computation"};
    std::string what = std::string(kinds[static_cast<unsigned>(operation.kind)]) + ", operation " +
                       std::to_string(numbers_[&operation]) + ", is complete";
    if (operation.kind == OperationKind::receive_each) {
      what += ", received tags " + std::to_string(operation.received_tag);
    } else if (operation.kind == OperationKind::receive || operation.kind == OperationKind::exchange) {
      what += ", received " + std::to_string(operation.received_bytes) + " bytes with tag " +
              std::to_string(operation.received_tag) + " from " + std::to_string(operation.received_from);
    }
    edges_.push_back({at, operation.node, what});
  }
  void lost(const CircuitRecord& circuit, Cycles at) override {
    edges_.push_back({at, circuit.destination, "message of type " + std::to_string(circuit.type) + " is lost"});
  }

  [[nodiscard]] std::size_t circuits() const { return circuits_; }
  /// In order of cycle, node and kind.
  [[nodiscard]] const std::vector<RecordedEdge>& edges() {
    std::sort(edges_.begin(), edges_.end());
    return edges_;
  }

 private:
  void note(Cycles cycle, NodeId node, CircuitId id, const std::string& what) {
    edges_.push_back({cycle, node, names_[id] + ": " + what});
  }

  std::vector<std::string> names_;  ///< by CircuitId
  std::vector<RecordedEdge> edges_;
  /// Of the operations under way: counted at their node, each kind by itself.
  std::map<const Operation*, unsigned> numbers_;
  std::map<std::pair<NodeId, OperationKind>, unsigned> issued_;
  std::size_t circuits_ = 0;
};

/// Cycle, node and event at which `event` and `rtl` differ first; nothing when they do not.
inline std::optional<std::string> first_difference(CircuitRecorder& event, CircuitRecorder& other,
                                                   const std::string& name = "rtl") {
  const auto& a = event.edges();
  const auto& b = other.edges();
  const auto describe = [](const std::vector<RecordedEdge>& edges, std::size_t i) {
    if (i >= edges.size()) return std::string("nothing");
    return "cycle " + std::to_string(edges[i].cycle) + ", node " + std::to_string(edges[i].node) + ", " + edges[i].what;
  };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) {
      return "event: " + describe(a, i) + "\n  " + name + ": " + describe(b, i);
    }
  }
  return std::nullopt;
}

}  // namespace ecube
