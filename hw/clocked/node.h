// SPDX-License-Identifier: Apache-2.0
// A node: router, interface ports, message library and core, and the signals between them.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "hw/clocked/core.h"
#include "hw/clocked/memory/node_memory.h"
#include "hw/clocked/node_parts.h"
#include "hw/clocked/port_module.h"
#include "hw/clocked/router_pins.h"
#include "hw/clocked/wires/wire_signal.h"
#include "hw/program/node_access.h"

namespace ecube::clocked {

/// The constants of a run, as signals that all nodes see.
struct ParameterSignals {
  Signal<Cycles> route_delay{"route_delay"};
  Signal<Cycles> accept_delay{"accept_delay"};
  Signal<Cycles> phit_cycles{"phit_cycles"};
  Signal<Cycles> phit_extra_num{"phit_extra_num"};
  Signal<Cycles> phit_extra_den{"phit_extra_den"};
  Signal<Cycles> setup{"setup"};
  Signal<bool> together_only{"together_only"};
  Signal<Cycles> together{"together"};
  Signal<std::uint32_t> engines{"engines"};

  void write(const Setting& setting);
};

/// The objects that a node is built with.
struct NodeContext : LibraryContext {
  ParameterSignals& parameters;
  NodeSet& awake;   ///< nodes that have to be clocked at the next edge
  WireBank& wires;  ///< of all signals of words
  const NodeParts& parts;
};

class Node final : public InEdgeMemory, public sc_core::sc_module {
  unsigned dim_;

 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};            ///< of all but core, message library and ports
  sc_core::sc_in<bool> core_clk_i{"core_clk_i"};  ///< of core and message library
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> edge_i{"edge_i"};
  // [dimension]
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i{"wire_i", dim_};
  sc_core::sc_vector<sc_core::sc_out<bool>> acknowledge_o{"acknowledge_o", dim_};
  sc_core::sc_vector<sc_core::sc_out<Wire>> wire_o{"wire_o", dim_};
  sc_core::sc_vector<sc_core::sc_in<bool>> acknowledge_i{"acknowledge_i", dim_};

  /// A module that binds a port to this export is the node's program.
  sc_core::sc_export<NodeAccess> program{"program"};

  Node(const sc_core::sc_module_name& name, NodeAccess& access, const NodeContext& context);
  [[nodiscard]] const char* kind() const override { return "node"; }

  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const Core& core() const { return core_; }
  [[nodiscard]] MessageLibrary& library() { return library_; }
  [[nodiscard]] const MessageLibrary& library() const { return library_; }
  /// Null where nodes have rates.
  [[nodiscard]] NodeMemory* memory() { return memory_.get(); }
  [[nodiscard]] const RouterPins& router() const { return *router_; }
  [[nodiscard]] const InterfacePortPins& port(unsigned number) const { return *ports_[number]; }
  /// A probe waits at this port for a receive engine, or for the node's own sends to end.
  [[nodiscard]] bool waits_for_engine(unsigned port) const {
    return waiting_.size() > 0 && (waiting_[0].read() >> port & 1U) != 0;
  }
  [[nodiscard]] bool serialised(unsigned port) const { return serialised_.size() > 0 && serialised_[port].read(); }

  /// Drives the signals that never change.
  void drive_constants();
  void bind_leaving(unsigned dimension, Link& link);
  void bind_arriving(unsigned dimension, Link& link);

  /// The clocks of ports that have something to do, or of `all`, rise or fall with clk_i.
  void raise_port_clocks(bool all);
  void lower_port_clocks();
  /// Clocks the modules that are clocked by calls, in the delta cycle in which processes see that clocks have risen.
  void clock_edge();
  /// Adds what an edge needs of the modules that are clocked by calls; of the node itself first.
  void needed(CacheLines& lines) const;
  /// The router granted, refused or released something at the last edge at which it was clocked.
  [[nodiscard]] bool routed() const { return routed_; }
  [[nodiscard]] bool ports_move() const { return port_moves_ != 0; }
  /// After an edge, when all signals have settled: sees which modules have to be clocked at the next edge.
  void look();
  /// The reset has ended.
  void settle();
  /// Ports report something of the last edge to core and library.
  [[nodiscard]] bool reports() const { return reports_; }
  /// The next edge at which core or library have something to do though nothing moves.
  [[nodiscard]] Cycles next_edge() const { return std::min(core_.next_edge(), library_.next_edge()); }

 private:
  void end_of_elaboration() override { clk_ = &clk_i->read(); }
  void bind_router(const NodeContext& context);
  void bind_port(unsigned p, const NodeContext& context);
  void bind_software();
  [[nodiscard]] unsigned circuit_ports() const { return worms_ ? 0 : count_; }
  void tell_readers();
  [[nodiscard]] std::uint32_t* changed_bits() {
    return router_call_ != nullptr ? &router_call_->changed_bits : &unread_;
  }
  [[nodiscard]] std::uint32_t& word_bits() { return router_call_ != nullptr ? router_call_->word_bits : unread_; }

  NodeId id_;
  NodeSet::Place awake_;  ///< this node's place among those that are clocked at the next edge
  bool worms_;
  unsigned count_;  ///< of ports
  bool reports_ = false;
  bool routed_ = false;
  bool router_moves_ = false;
  std::uint32_t router_told_ = 0;   ///< the router has driven a pin that the node looks at
  std::uint32_t port_words_ = 0;    ///< ports to which a word has come
  std::uint32_t port_changed_ = 0;  ///< ports of which another input has changed
  std::uint32_t port_moves_ = 0;    ///< ports that move
  std::uint32_t port_told_ = 0;     ///< ports that have begun or ceased to move or report
  std::uint32_t port_reports_ = 0;  ///< ports that report
  std::uint32_t port_clocked_ = 0;  ///< ports clocked at this edge
  bool shares_bus_ = false;
  const bool* clk_ = nullptr;               ///< the value of clk_i
  ClockedByCall* router_call_ = nullptr;    ///< null for a router that has a process
  std::vector<ClockedByCall*> port_calls_;  ///< [port] the same
  std::uint32_t unread_ = 0;                ///< words and changes that a router with a process has to see itself
  // [port]
  sc_core::sc_vector<Clock> port_clk_;  ///< only of several ports: one port has the clock of the node
  sc_core::sc_vector<WireSignal> inject_;
  Signals<bool> inject_acknowledge_{"inject_acknowledge", count_};
  sc_core::sc_vector<WireSignal> eject_;
  Signals<bool> eject_acknowledge_{"eject_acknowledge", count_};
  Signals<bool> start_{"start", count_};
  Signals<RouteWord> route_{"route", count_};
  Signals<std::uint16_t> sequence_{"sequence", count_};
  Signals<std::uint64_t> phits_{"phits", count_};
  Signals<bool> engine_{"engine", count_};
  Signals<bool> sent_first_{"sent_first", count_};
  Signals<bool> sent_tail_{"sent_tail", count_};
  Signals<bool> sent_{"sent", count_};
  Signals<bool> probe_seen_{"probe_seen", count_};
  Signals<bool> accepted_{"accepted", count_};
  Signals<bool> received_first_{"received_first", count_};
  Signals<bool> received_tail_{"received_tail", count_};
  Signals<Wire> probe_{"probe", count_};
  Signals<bool> report_{"report", count_};
  Signals<bool> port_moving_{"port_moving", count_};
  // [port], circuits only
  Signals<bool> sending_{"sending", circuit_ports()};
  Signals<bool> late_{"late", circuit_ports()};
  Signals<bool> serialised_{"serialised", circuit_ports()};
  Signal<LineMask> granted_{"granted"};
  Signal<LineMask> released_{"released"};
  Signal<LineMask> refused_{"refused"};
  Signal<LineMatrix> owners_{"owners"};
  Signal<LineMatrix> asking_{"asking"};
  Signal<bool> router_moving_{"router_moving"};
  Signals<PortMask> waiting_;  ///< K receive engines only
  Signal<MemoryActivity> activity_{"memory_activity"};
  std::unique_ptr<RouterPins> router_;
  std::vector<std::unique_ptr<InterfacePortPins>> ports_;
  std::unique_ptr<ReceiveEngines> engines_;  ///< K receive engines only
  MessageLibrary library_;
  std::unique_ptr<NodeMemory> memory_;  ///< detailed nodes only
  Core core_;
};

}  // namespace ecube::clocked
