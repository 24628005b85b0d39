// SPDX-License-Identifier: Apache-2.0
// Verilated nodes (hw/rtl/ecube_node.sv) behind an interface that does not depend on their parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ecube {

/// Nodes are verilated for dimensions up to here.
inline constexpr unsigned max_rtl_dim = 6;
/// Inputs, and outputs, of the largest router: its dimensions, and as many ports.
inline constexpr std::size_t max_rtl_lines = 12;

/// Inputs of every node that are constant in a run.
struct RtlConfiguration {
  std::uint32_t route_delay = 1;
  std::uint32_t accept_delay = 1;
  std::uint32_t phit_cycles = 1;  ///< whole cycles a phit takes, and num / den of a cycle more
  std::uint32_t phit_extra_num = 0;
  std::uint32_t phit_extra_den = 1;
  std::uint32_t setup = 0;
  std::uint32_t together = 0;
  bool together_only = false;
};

/// What a node sees at an edge. Masks have a bit for every dimension or port.
struct RtlInputs {
  std::array<std::uint32_t, max_rtl_dim> wire{};   ///< [dimension] it arrives in
  std::uint32_t acknowledge = 0;                   ///< [dimension] of the link it, or a stop, comes back along
  std::uint32_t start = 0;                         ///< [port] sends a probe at this edge
  std::array<std::uint32_t, max_rtl_dim> route{};  ///< [port]
  std::array<std::uint32_t, max_rtl_dim> phits{};  ///< [port]
};

/// What a node drives after an edge, and what happened at it. Outputs and inputs of the router are numbered alike: the
/// dimensions, then the ports.
struct RtlOutputs {
  std::array<std::uint32_t, max_rtl_dim> wire{};
  std::uint32_t acknowledge = 0;
  std::uint32_t granted = 0;                          ///< outputs
  std::uint32_t released = 0;                         ///< outputs
  std::uint32_t refused = 0;                          ///< inputs
  std::array<std::uint32_t, max_rtl_lines> owners{};  ///< [output]: the input connected to it, as a mask
  std::array<std::uint32_t, max_rtl_lines> asking{};  ///< [input]: the output it asks for, as a mask
  std::uint32_t sent_first = 0;                       ///< ports, as the next six
  std::uint32_t sent_tail = 0;
  std::uint32_t sent = 0;  ///< free for another circuit from the next edge on
  std::uint32_t probe_seen = 0;
  std::uint32_t acknowledged = 0;
  std::uint32_t received_first = 0;
  std::uint32_t received_tail = 0;
  bool moving = false;  ///< the next edge changes something even if nothing new comes in
};

/// A SystemC module and the signals at its ports. What is driven takes effect in the next delta cycle.
class RtlNode {
 public:
  virtual ~RtlNode() = default;
  virtual void configure(const RtlConfiguration& configuration) = 0;
  virtual void set_reset(bool reset) = 0;
  virtual void set_clock(bool clock) = 0;
  virtual void drive(const RtlInputs& inputs) = 0;
  virtual void sample(RtlOutputs& outputs) const = 0;

 protected:
  RtlNode() = default;
  RtlNode(const RtlNode&) = default;
  RtlNode& operator=(const RtlNode&) = default;
};

/// The fabric of one dimension and number of ports, verilated node by node or as a whole; a shared library of its own.
class RtlModel {
 public:
  virtual ~RtlModel() = default;
  [[nodiscard]] virtual unsigned dim() const = 0;
  [[nodiscard]] virtual unsigned ports() const = 0;
  /// Words of a buffer of worms; 0 if it switches circuits.
  [[nodiscard]] virtual unsigned buffer() const = 0;
  /// All nodes of the cube, by label. To be called within the constructor of the parent module.
  [[nodiscard]] virtual std::vector<std::unique_ptr<RtlNode>> make_nodes() = 0;
  /// True when the nodes are one module: one clock, and wires that lead from node to node inside.
  [[nodiscard]] virtual bool whole() const = 0;
  /// The first assertion that failed, as file:line, or nothing.
  [[nodiscard]] virtual std::string failed_assertion() const = 0;
  virtual void forget_failed_assertion() = 0;
  /// Plants a fault of ecube_pkg.sv in all nodes; of the variant `faults` only, others have none. Before the first run.
  virtual void plant_fault(unsigned fault) = 0;
  /// Writes the signals of all nodes to an FST file from now on; of the variant `trace` only, others do nothing. After
  /// elaboration.
  virtual void open_trace(const std::string& file) = 0;
  /// Records the signals as they are now.
  virtual void record(std::uint64_t picoseconds) = 0;
  virtual void close_trace() = 0;
  /// Writes what the runs so far have covered, for verilator_coverage; of the variant `coverage` only, others do
  /// nothing.
  virtual void write_coverage(const std::string& file) const = 0;

 protected:
  RtlModel() = default;
  RtlModel(const RtlModel&) = default;
  RtlModel& operator=(const RtlModel&) = default;
};

/// The name under which such a library exports a function `RtlModel* ()`.
inline constexpr const char* rtl_model_symbol = "ecube_rtl_model";

}  // namespace ecube
