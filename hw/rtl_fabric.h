// SPDX-License-Identifier: Apache-2.0
// The fabric in RTL: verilated nodes in the place of the event-driven routers and links.
#pragma once

#include <queue>
#include <systemc>
#include <utility>
#include <vector>

#include "hw/event_wheel.h"
#include "hw/fabric.h"
#include "hw/rtl_node.h"

namespace ecube {

/// Clocks the nodes, carries their wires to each other as hw/rtl/ecube_fabric.sv does, and turns what happened at an
/// edge into the same words that the event engine uses.
///
/// What the nodes do at edge t is told in cycle t + 1, which is when the interfaces see it. A node of which nothing
/// moves, and to which nothing comes, is not clocked: the edge would change none of its registers.
class RtlFabric final : public sc_core::sc_module, public Fabric {
 public:
  RtlFabric(const sc_core::sc_module_name& name, RtlModel& model, Circuits& circuits, FabricClient& client);

  void reset(const Machine& machine, unsigned dim) override;
  void inject(CircuitId id) override;
  /// Acceptance, and what delays it, is the nodes' own.
  void accept(CircuitId, Cycles) override {}
  [[nodiscard]] Cycles next_cycle() const override;
  void advance(Cycles now) override;
  [[nodiscard]] LinkStatistics statistics(LinkId link) const override;
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const override;
  [[nodiscard]] std::size_t memory_bytes() const override;
  [[nodiscard]] std::uint64_t events() const override { return events_; }
  void observe(Observer* observer) override { observer_ = observer; }

  /// Writes the nodes' signals to an FST file, cycle 0 of the run at time 0, until stop_trace(). Clocks every node
  /// then, so that all show the same clock. A model of the variant `trace` is needed. After elaboration, before the
  /// run.
  void start_trace(const std::string& file);
  void stop_trace();
  /// Clocks every node at every edge at which any of them is clocked; results are the same.
  void clock_all(bool all) { clock_all_ = all; }
  [[nodiscard]] unsigned dim() const { return dim_; }
  [[nodiscard]] const RtlModel& model() const { return model_; }
  [[nodiscard]] const char* kind() const override { return "rtl_fabric"; }

  /// Why this machine cannot be run in RTL, naming the option; empty when it can.
  [[nodiscard]] static std::string refusal(const Machine& machine, unsigned dim);

 private:
  /// An output of a router, as the event engine's.
  struct Output {
    Cycles granted_at = 0;
    Cycles busy = 0;
    Cycles blocked = 0;
    Bytes bytes = 0;
    CircuitId owner = no_circuit;
    std::uint32_t circuits = 0;
    std::uint32_t waiting = 0;
    std::uint32_t most = 0;
  };
  /// An input of a router: the circuit whose probe came in last.
  struct Input {
    CircuitId circuit = no_circuit;
    Cycles asked = never;  ///< first edge at which it was refused
    unsigned wanted = 0;
  };
  /// A port of a network interface.
  struct Port {
    CircuitId sends = no_circuit;
    CircuitId receives = no_circuit;
    Cycles first_phit = 0;
    Cycles first_received = 0;
    Cycles seen = 0;
  };
  enum class Phase : std::uint8_t { rise, settle, sample, fall, fallen, reset_rise, reset_settle, reset_fall };
  using Probe = std::pair<Cycles, CircuitId>;

  void tick();
  void request_tick(Cycles cycle);
  void record();
  void raise_clock();
  void sample();
  void report(NodeId node, const RtlOutputs& outputs, Cycles edge);
  void report_grant(NodeId node, unsigned output, const RtlOutputs& outputs, Cycles edge);
  void report_refusal(NodeId node, unsigned input, const RtlOutputs& outputs, Cycles edge);
  void report_ports(NodeId node, const RtlOutputs& outputs, Cycles edge);
  void established(CircuitId id);
  [[nodiscard]] Output& output_at(NodeId node, unsigned number) { return outputs_[node * lines_ + number]; }
  [[nodiscard]] Input& input_at(NodeId node, unsigned number) { return inputs_[node * lines_ + number]; }
  [[nodiscard]] Port& port_at(NodeId node, unsigned number) { return ports_of_[node * ports_ + number]; }

  RtlModel& model_;
  Circuits& circuits_;
  FabricClient& client_;
  ObserverPointer observer_{};
  std::uint64_t events_ = 0;
  Machine machine_;
  unsigned dim_;
  unsigned ports_;
  unsigned lines_;
  bool clock_all_ = false;
  bool tracing_ = false;
  bool worms_ = false;  ///< the machine of this run switches worms
  sc_core::sc_time trace_begin_;
  std::vector<std::unique_ptr<RtlNode>> nodes_;
  std::vector<RtlInputs> driven_;                                          ///< [node] at the next edge
  std::vector<RtlOutputs> sampled_;                                        ///< [node] after its last edge
  std::vector<std::uint8_t> coming_;                                       ///< [node]: driven_ is not idle
  std::vector<NodeId> clocked_;                                            ///< at the last edge, in order
  std::vector<Output> outputs_;                                            ///< [node][output]
  std::vector<Input> inputs_;                                              ///< [node][input]
  std::vector<Port> ports_of_;                                             ///< [node][port]
  std::vector<CircuitEdges> edges_;                                        ///< by CircuitId
  std::priority_queue<Probe, std::vector<Probe>, std::greater<>> probes_;  ///< to be driven
  Phase phase_ = Phase::rise;
  RtlConfiguration configuration_;
  bool reset_ = true;     ///< the nodes have to be reset before the next edge
  bool ticking_ = false;  ///< edge `cycle_` is being clocked, and has not been reported
  bool moving_ = false;   ///< some node is, or something comes to one
  Cycles cycle_ = 0;
  sc_core::sc_event tick_;
  sc_core::sc_time half_period_;
};

}  // namespace ecube
