// SPDX-License-Identifier: Apache-2.0
// A plane: the wires between the links of all nodes that it switches, and when (hw/README.md section 14).
#pragma once

#include <systemc>
#include <vector>

#include "hw/clocked/library/message_library.h"
#include "hw/clocked/wires/wire_signal.h"

namespace ecube::clocked {

/// Rule 14.4: whose halves close at edge `now`.
[[nodiscard]] std::vector<NodeId> closing_halves(const std::vector<Half>& halves, PlaneScope scope, Cycles now);

class Plane final : public sc_core::sc_module {
  LibraryContext context_;

 public:
  Clock clk{"clk"};  ///< rises at edges at which the plane has something to do
  sc_core::sc_in<Cycles> edge_i{"edge_i"};
  // [node] the links that leave the nodes, and those that arrive at them
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i{"wire_i", context_.setting.topology.nodes()};
  sc_core::sc_vector<sc_core::sc_out<bool>> acknowledge_o{"acknowledge_o", context_.setting.topology.nodes()};
  sc_core::sc_vector<Link> arriving;

  /// `number` of the plane. Nodes whose libraries come to another next edge are put into the context's `told`.
  Plane(const sc_core::sc_module_name& name, unsigned number, const LibraryContext& context, WireBank& wires);
  [[nodiscard]] const char* kind() const override { return "plane"; }
  void reset();

  /// The first tune of a node.
  void begin(NodeId node, NodeId mask);
  /// A pulse that the plane latches at the next edge.
  void ask(NodeId node, NodeId mask);
  [[nodiscard]] Cycles next_edge() const { return next_edge_; }
  [[nodiscard]] Half& half(NodeId node) { return halves_[node]; }

 private:
  void clock_edge();
  void join(NodeId node);
  void carry();
  void switch_wires();
  [[nodiscard]] Cycles now() const { return edge_i.read(); }

  unsigned number_;
  std::vector<Half> halves_;   ///< [node]
  std::vector<NodeId> wired_;  ///< [node] the mask by which its wires are connected; 0: they are dark
  Cycles next_edge_ = never;
  sc_core::sc_event switched_{"switched"};
};

}  // namespace ecube::clocked
