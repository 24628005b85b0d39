// SPDX-License-Identifier: Apache-2.0
// A plane: the wires between the links of all nodes that it switches, and when (hw/README.md section 14).
#pragma once

#include <systemc>
#include <vector>

#include "hw/clocked/setting.h"
#include "hw/clocked/wires/clock.h"
#include "hw/clocked/wires/link.h"
#include "hw/clocked/wires/node_set.h"
#include "hw/observed/plane_times.h"

namespace ecube::clocked {

class MessageLibrary;

/// The end of a link at one node. All masks are 0 before the first tune.
struct PlaneEnd {
  NodeId mask = 0;       ///< to which it is tuned, or will be when it is dark no more
  NodeId asked = 0;      ///< the mask that the node has asked for
  bool latched = false;  ///< the ask has been seen
  bool joined = false;   ///< the other end is tuned to this one
  bool dark = false;
  Cycles asked_at = 0;
  Cycles closed_at = 0;
  Cycles ready = 0;  ///< the first edge at which it is not dark
};

/// Rule 14.4: which ends close, once the plane has latched what has been asked.
[[nodiscard]] std::vector<NodeId> closing_ends(const std::vector<PlaneEnd>& ends, PlaneScope scope);

class Plane final : public sc_core::sc_module {
 public:
  Clock clk{"clk"};  ///< rises at edges at which the plane has something to do
  sc_core::sc_in<Cycles> edge_i{"edge_i"};
  // [node] the links that leave the nodes, and those that arrive at them
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> acknowledge_o;
  sc_core::sc_vector<sc_core::sc_out<Wire>> wire_o;
  sc_core::sc_vector<sc_core::sc_in<bool>> acknowledge_i;

  /// `number` of the plane. Nodes whose libraries are told of a link are put into `told`.
  Plane(const sc_core::sc_module_name& name, unsigned number, const Setting& setting, NodeSet& told, PlaneTimes& times);
  [[nodiscard]] const char* kind() const override { return "plane"; }
  void reset(const std::vector<MessageLibrary*>& libraries);

  /// The first tune of a node.
  void begin(NodeId node, NodeId mask);
  /// A pulse that the plane latches at the next edge.
  void ask(NodeId node, NodeId mask);
  [[nodiscard]] Cycles next_edge() const { return next_edge_; }
  [[nodiscard]] const std::vector<PlaneEnd>& ends() const { return ends_; }

 private:
  void clock_edge();
  void close(NodeId node);
  void join(NodeId node);
  void carry();
  void switch_wires();
  [[nodiscard]] Cycles now() const { return edge_i.read(); }

  unsigned number_;
  const Setting& setting_;
  NodeSet& told_;
  const std::vector<MessageLibrary*>* libraries_ = nullptr;
  std::vector<PlaneEnd> ends_;  ///< [node]
  std::vector<NodeId> wired_;   ///< [node] the mask by which its wires are connected; 0: they are dark
  Cycles next_edge_ = never;
  PlaneTimes& times_;
  sc_core::sc_event switched_{"switched"};
};

}  // namespace ecube::clocked
