// SPDX-License-Identifier: Apache-2.0
// A node: router, interface ports, message library and core, and the signals between them.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "hw/clocked/core.h"
#include "hw/clocked/interface_port_pins.h"
#include "hw/clocked/link.h"
#include "hw/clocked/message_library.h"
#include "hw/clocked/receive_engines.h"
#include "hw/clocked/router_pins.h"

namespace ecube::clocked {

/// What is constant in a run, as signals that all nodes see.
struct ParameterSignals {
  sc_core::sc_signal<Cycles> route_delay{"route_delay"};
  sc_core::sc_signal<Cycles> accept_delay{"accept_delay"};
  sc_core::sc_signal<Cycles> phit_cycles{"phit_cycles"};
  sc_core::sc_signal<Cycles> phit_extra_num{"phit_extra_num"};
  sc_core::sc_signal<Cycles> phit_extra_den{"phit_extra_den"};
  sc_core::sc_signal<Cycles> setup{"setup"};
  sc_core::sc_signal<bool> together_only{"together_only"};
  sc_core::sc_signal<Cycles> together{"together"};
  sc_core::sc_signal<std::uint32_t> engines{"engines"};

  void write(const Machine& machine);
};

/// What a node is made with.
struct NodeContext {
  const Setting& setting;
  MessageTable& messages;
  Rendezvous& rendezvous;
  Monitor& monitor;
  ParameterSignals& parameters;
};

class Node final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> edge_i{"edge_i"};
  // [dimension]
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> acknowledge_o;
  sc_core::sc_vector<sc_core::sc_out<Wire>> wire_o;
  sc_core::sc_vector<sc_core::sc_in<bool>> acknowledge_i;

  Node(const sc_core::sc_module_name& name, NodeId id, const NodeContext& context);
  [[nodiscard]] const char* kind() const override { return "node"; }

  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const Core& core() const { return core_; }
  [[nodiscard]] MessageLibrary& library() { return library_; }
  [[nodiscard]] const MessageLibrary& library() const { return library_; }
  [[nodiscard]] const RouterPins& router() const { return *router_; }
  [[nodiscard]] const InterfacePortPins& port(unsigned number) const { return *ports_[number]; }
  /// A probe waits at this port for a receive engine, or for the node's own sends to end.
  [[nodiscard]] bool waits_for_engine(unsigned port) const { return (waiting_.read() >> port & 1U) != 0; }
  [[nodiscard]] bool serialised(unsigned port) const { return serialised_[port].read(); }

  /// The next edge changes something though nothing comes in.
  [[nodiscard]] bool moving() const;
  /// The next edge at which core or library have something to do though nothing moves.
  [[nodiscard]] Cycles next_edge() const { return std::min(core_.next_edge(), library_.next_edge()); }

 private:
  void bind_router(const NodeContext& context);
  void bind_port(unsigned p, const NodeContext& context);
  void bind_software();

  template <typename T>
  using Signals = sc_core::sc_vector<sc_core::sc_signal<T>>;

  NodeId id_;
  unsigned dim_;
  // [port]
  Signals<Wire> inject_;
  Signals<bool> inject_acknowledge_;
  Signals<Wire> eject_;
  Signals<bool> eject_acknowledge_;
  Signals<bool> start_;
  Signals<std::uint8_t> route_;
  Signals<std::uint16_t> sequence_;
  Signals<std::uint64_t> phits_;
  Signals<bool> engine_;
  Signals<bool> sent_first_;
  Signals<bool> sent_tail_;
  Signals<bool> sent_;
  Signals<bool> probe_seen_;
  Signals<bool> accepted_;
  Signals<bool> received_first_;
  Signals<bool> received_tail_;
  Signals<Wire> probe_;
  Signals<bool> port_moving_;
  Signals<bool> sending_;
  Signals<bool> late_;
  Signals<bool> serialised_;
  sc_core::sc_signal<LineMask> granted_{"granted"};
  sc_core::sc_signal<LineMask> released_{"released"};
  sc_core::sc_signal<LineMask> refused_{"refused"};
  sc_core::sc_signal<LineMatrix> owners_{"owners"};
  sc_core::sc_signal<LineMatrix> asking_{"asking"};
  sc_core::sc_signal<bool> router_moving_{"router_moving"};
  sc_core::sc_signal<std::uint8_t> waiting_{"waiting"};
  std::unique_ptr<RouterPins> router_;
  std::vector<std::unique_ptr<InterfacePortPins>> ports_;
  std::unique_ptr<ReceiveEngines> engines_;  ///< K engines only
  MessageLibrary library_;
  Core core_;
};

}  // namespace ecube::clocked
