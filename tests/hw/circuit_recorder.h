// SPDX-License-Identifier: Apache-2.0
// Every edge of every circuit of a run, and the first edge at which two runs differ.
#pragma once

#include "hw/observed/observer.h"
#include "models/contract/operations.h"
#include "tests/test.h"

namespace ecube {

/// One register's value at one edge, for comparison: the cycle, the node and a text.
struct RecordedEdge {
  Cycles cycle = 0;
  NodeId node = 0;
  std::string what;
  friend auto operator<=>(const RecordedEdge&, const RecordedEdge&) = default;
};

/// Keeps numbers; texts are made of them when they are asked for, because a long comparison reads none.
class CircuitRecorder final : public Observer {
 public:
  void injected(CircuitId id, const CircuitRecord& circuit) override {
    if (names_.size() <= id) names_.resize(id + std::size_t{1});
    // A port drives one probe at an edge, so port and edge name the circuit.
    names_[id] = {circuit.source, circuit.destination, circuit.inject_port, circuit.probe};
    note(circuit.probe, circuit.source, id, What::probe,
         {circuit.bytes, static_cast<std::uint64_t>(circuit.kind), circuit.type});
    ++circuits_;
  }
  void granted(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles asked, Cycles at) override {
    note(at, router, id, What::grant, {output, asked});
  }
  void released(CircuitId id, const CircuitRecord&, NodeId router, unsigned output, Cycles free_from) override {
    note(free_from, router, id, What::release, {output});
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    note(edges.acknowledge, circuit.destination, id, What::acknowledge);
    note(edges.data, circuit.source, id, What::first_phit);
    note(edges.tail, circuit.source, id, What::tail);
    note(edges.sender_ready, circuit.source, id, What::sender_ready);
    note(edges.receiver_ready, circuit.destination, id, What::receiver_ready);
  }

  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    note(at, circuit.destination, id, What::first_phit_arrives);
  }
  // A program that waits for a clock and for a message, and gets both at one edge, may be continued by either first.
  void issued(const Operation& operation, Cycles /*at*/) override {
    numbers_[&operation] = issued_[{operation.node, operation.kind}]++;
  }
  void completed(const Operation& operation, Cycles at) override {
    Edge edge{.cycle = at, .node = operation.node, .what = What::completion, .circuit = {}, .values = {}};
    edge.values = {static_cast<std::uint64_t>(operation.kind), numbers_[&operation], 0, 0, 0};
    if (operation.kind == OperationKind::receive_each) {
      edge.values[2] = operation.received_tag;
    } else if (operation.kind == OperationKind::receive || operation.kind == OperationKind::exchange) {
      edge.values[2] = operation.received_tag;
      edge.values[3] = operation.received_bytes;
      edge.values[4] = operation.received_from;
    }
    edges_.push_back(edge);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override {
    edges_.push_back({at, circuit.destination, What::loss, {}, {circuit.type}});
  }

  [[nodiscard]] std::size_t circuits() const { return circuits_; }
  /// In order of cycle and node.
  [[nodiscard]] std::vector<RecordedEdge> edges() {
    sort();
    std::vector<RecordedEdge> all;
    for (const Edge& edge : edges_) all.push_back({edge.cycle, edge.node, text_of(edge)});
    return all;
  }

  friend std::optional<std::string> first_difference(CircuitRecorder& event, CircuitRecorder& other,
                                                     const std::string& name);

 private:
  enum class What : std::uint8_t {
    probe,
    grant,
    release,
    acknowledge,
    first_phit,
    tail,
    sender_ready,
    receiver_ready,
    first_phit_arrives,
    completion,
    loss
  };
  struct Name {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t inject_port = 0;
    Cycles probe = 0;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  using Values = std::array<std::uint64_t, 5>;
  struct Edge {
    Cycles cycle = 0;
    NodeId node = 0;
    What what = What::probe;
    Name circuit;
    Values values{};
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  void note(Cycles cycle, NodeId node, CircuitId id, What what, const Values& values = {}) {
    edges_.push_back({cycle, node, what, names_[id], values});
  }
  void sort() { std::sort(edges_.begin(), edges_.end()); }

  static std::string text_of(const Edge& edge) {
    const auto value = [&edge](std::size_t i) { return std::to_string(edge.values[i]); };
    if (edge.what == What::loss) return "message of type " + value(0) + " is lost";
    if (edge.what == What::completion) {
      constexpr std::array kinds{"send", "receive", "receive of each", "counted receive", "exchange", "computation"};
      const auto kind = static_cast<OperationKind>(edge.values[0]);
      std::string text = std::string(kinds[edge.values[0]]) + ", operation " + value(1) + ", is complete";
      if (kind == OperationKind::receive_each) {
        text += ", received tags " + value(2);
      } else if (kind == OperationKind::receive || kind == OperationKind::exchange) {
        text += ", received " + value(3) + " bytes with tag " + value(2) + " from " + value(4);
      }
      return text;
    }
    const std::string circuit = std::to_string(edge.circuit.source) + "->" + std::to_string(edge.circuit.destination) +
                                " port " + std::to_string(edge.circuit.inject_port) + " probe " +
                                std::to_string(edge.circuit.probe) + ": ";
    switch (edge.what) {
      case What::probe:
        return circuit + "probe, bytes " + value(0) + ", kind " + value(1) + ", type " + value(2);
      case What::grant:
        return circuit + "grant of output " + value(0) + " asked at " + value(1);
      case What::release:
        return circuit + "output " + value(0) + " free again";
      case What::acknowledge:
        return circuit + "acknowledge";
      case What::first_phit:
        return circuit + "first phit";
      case What::tail:
        return circuit + "tail";
      case What::sender_ready:
        return circuit + "sender ready";
      case What::receiver_ready:
        return circuit + "receiver ready";
      default:
        return circuit + "first phit arrives";
    }
  }

  std::vector<Name> names_;  ///< by CircuitId
  std::vector<Edge> edges_;
  /// Of the operations under way: counted at their node, each kind by itself.
  std::map<const Operation*, unsigned> numbers_;
  std::map<std::pair<NodeId, OperationKind>, unsigned> issued_;
  std::size_t circuits_ = 0;
};

/// Cycle, node and event at which `event` and `rtl` differ first; nothing when they do not.
inline std::optional<std::string> first_difference(CircuitRecorder& event, CircuitRecorder& other,
                                                   const std::string& name = "rtl") {
  event.sort();
  other.sort();
  const auto& a = event.edges_;
  const auto& b = other.edges_;
  const auto describe = [](const std::vector<CircuitRecorder::Edge>& edges, std::size_t i) {
    if (i >= edges.size()) return std::string("nothing");
    return "cycle " + std::to_string(edges[i].cycle) + ", node " + std::to_string(edges[i].node) + ", " +
           CircuitRecorder::text_of(edges[i]);
  };
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || a[i] != b[i]) {
      return "event: " + describe(a, i) + "\n  " + name + ": " + describe(b, i);
    }
  }
  return std::nullopt;
}

}  // namespace ecube
