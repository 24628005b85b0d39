// SPDX-License-Identifier: Apache-2.0
// Reads the pins of routers and ports, in SystemC or SystemVerilog, and tells observers what circuits did.
#pragma once

#include <vector>

#include "hw/clocked/library/message_library.h"
#include "hw/observed/plane_half.h"

namespace ecube::clocked {

class Node;

/// Follows every circuit by the grants of the routers. Nothing in the machine depends on it.
class Monitor {
 public:
  explicit Monitor(const Setting& setting) : setting_(setting) {}

  void reset();
  /// The message library of record.source will drive a probe at edge record.probe.
  void injected(const CircuitRecord& record);
  /// Reads what happened in `node` at `edge`, the last edge at which it was clocked. Reads the router only, unless
  /// `ports_report`.
  void sample(const Node& node, Cycles edge, bool ports_report);

  /// A message that no receive has taken is lost at `edge`.
  void lost(const CircuitRecord& message, Cycles edge);
  /// The circuit that owns `link` loses a word, or its acknowledge, that was driven at `edge`. Told of a probe after
  /// its grant has been sampled, and of a tail before its release is.
  void cut(LinkId link, CutCircuit::Lost lost, Cycles edge);

  [[nodiscard]] LinkStatistics statistics(LinkId link) const {
    return outputs_[link.node * lines() + link.output].counts;
  }
  /// The counts of the run. Message libraries count circuits and messages there.
  [[nodiscard]] RunStatistics& totals() { return totals_; }
  [[nodiscard]] const RunStatistics& totals() const { return totals_; }
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const;
  [[nodiscard]] PlaneTimes& plane_times() { return plane_times_; }
  [[nodiscard]] const PlaneStatistics& plane_statistics() const { return plane_times_.totals(); }
  /// A contradiction to the specification; empty when there is none.
  [[nodiscard]] const std::string& broken() const { return broken_; }

 private:
  struct UnderWay {
    CircuitRecord record;
    CircuitEdges edges;
    unsigned holds = 0;  ///< outputs of routers that the circuit holds
    bool link_blocked = false;
    bool port_blocked = false;
    /// Both ends have been told.
    [[nodiscard]] bool over() const { return edges.sender_ready != 0 && edges.receiver_ready != 0; }
  };
  struct Output {
    LinkStatistics counts;
    Cycles granted_at = 0;
    CircuitId owner = no_circuit;
    unsigned waiting = 0;
  };
  /// An input of a router: the circuit whose probe came, or will come, in last.
  struct Input {
    CircuitId circuit = no_circuit;
    Cycles asked = never;  ///< first edge at which it was refused
    unsigned wanted = 0;
  };
  /// A port of a network interface.
  struct Port {
    CircuitId sends = no_circuit;
    CircuitId receives = no_circuit;
    Cycles seen = 0;
    bool serialised = false;
    bool without_engine = false;
  };

  void sample_grant(NodeId node, unsigned output, unsigned input, Cycles edge);
  void sample_refusal(NodeId node, unsigned input, unsigned output, Cycles edge);
  void sample_release(NodeId node, unsigned output, Cycles edge);
  void sample_receiving(const Node& node, unsigned port, Cycles edge);
  void sample_sending(const Node& node, unsigned port, Cycles edge);
  void established(CircuitId id);
  void end(CircuitId id);
  void wait_ended(const UnderWay& circuit, bool link, Cycles cycles);
  /// Notes what contradicts the specification, if anything does.
  [[nodiscard]] bool contradicts(bool found, const char* what) {
    if (found) broken_ = what;
    return found;
  }
  [[nodiscard]] bool is_link(unsigned output) const { return output < setting_.shape.dim; }
  [[nodiscard]] Output& output_at(NodeId node, unsigned number) { return outputs_[node * lines() + number]; }
  [[nodiscard]] Input& input_at(NodeId node, unsigned number) { return inputs_[node * lines() + number]; }
  [[nodiscard]] Port& port_at(NodeId node, unsigned number) { return ports_[node * setting_.shape.ports + number]; }
  [[nodiscard]] unsigned lines() const { return setting_.shape.lines(); }

  const Setting& setting_;
  std::vector<UnderWay> circuits_;  ///< by CircuitId
  std::vector<CircuitId> free_;
  std::vector<Output> outputs_;  ///< [node][output]
  std::vector<Input> inputs_;    ///< [node][input]
  std::vector<Port> ports_;      ///< [node][port]
  RunStatistics totals_;
  PlaneTimes plane_times_;
  std::string broken_;
};

}  // namespace ecube::clocked
