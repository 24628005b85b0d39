// SPDX-License-Identifier: Apache-2.0
// The message library of a node: when circuits leave and by which port, and how those that arrive are served
// (hw/README.md sections 4, 5 and 8).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/clocked/library/message_table.h"
#include "hw/clocked/setting.h"
#include "hw/clocked/wires/node_set.h"
#include "hw/clocked/wires/wire.h"
#include "hw/observed/plane_half.h"

namespace ecube::clocked {

class Core;
class MessageLibrary;
class Monitor;
class Plane;
using Planes = std::vector<std::unique_ptr<Plane>>;

/// The objects that the libraries of all nodes share.
struct LibraryContext {
  const Setting& setting;
  MessageTable& messages;
  Monitor& monitor;
  const Planes& planes;
  const std::vector<MessageLibrary*>& libraries;  ///< [node]
  NodeSet& told;                                  ///< nodes whose libraries are told of a meeting are inserted
};

/// What the reset clears.
struct LibraryState {
  /// A circuit to be sent.
  struct Outgoing {
    Envelope envelope;
    Request* request = nullptr;  ///< the request that it serves; null for grants and for packets sent on
    std::uint64_t order = 0;     ///< in which it became ready
  };
  struct Port {
    bool busy = false;  ///< a circuit is set up or sent, its start-up included
    Outgoing circuit{};
    Cycles probe = never;   ///< the edge at which its probe is to be driven; `never` once it has been driven
    bool starting = false;  ///< start_o is up
    std::uint16_t sequence = 0;
    std::deque<Request*> sends{};  ///< in order of issue; with shared engines, sends wait in engine_queue_ instead
    std::deque<Outgoing> ready{};  ///< later circuits of the send under way, grants, packets sent on
    Request* current = nullptr;    ///< the send under way, if it takes more than one circuit
    Cycles first_phit = 0;         ///< of the circuit being received: the edge after the arrival of its first phit
  };
  enum class What : std::uint8_t { receipt, copy, copied, left, next_packet };
  /// An event that takes effect at an edge.
  struct Due {
    Cycles at = 0;
    What what = What::receipt;
    Envelope envelope{};         ///< receipt, copy, copied
    Request* request = nullptr;  ///< copy, copied: the receive; left, next_packet: the send
    /// Of effects at one edge: by the node at the other end, then by what it is.
    [[nodiscard]] auto order() const {
      if (what == What::receipt) return std::tuple(envelope.source, what, envelope.kind, envelope.message->tag);
      const NodeId from = envelope.message != nullptr ? envelope.message->source : request->operation->peer;
      return std::tuple(from, what, CircuitKind::data, request->number);
    }
  };
  struct Synchronisation {
    NodeId source = 0;
    std::uint32_t tag = 0;
    Request* exchange = nullptr;  ///< the exchange that waits for the message; null if the message came first
  };
  /// A message that has no receive yet.
  struct Arrived {
    Envelope envelope;
    Cycles first_phit = 0;
    Cycles arrived_at = 0;
    Cycles received_at = 0;  ///< end of its receipt
    bool buffered = false;   ///< in the system buffer
  };

  std::vector<Port> ports_;
  std::deque<Request*> engine_queue_;  ///< K engines: sends in order of issue
  unsigned engines_taken_ = 0;
  std::uint64_t readied_ = 0;  ///< counts circuits in the order in which they became ready
  std::vector<Due> due_;
  std::vector<Request*> issued_;    ///< sends of this round
  bool posted_ = false;             ///< a receive was posted in this round
  std::vector<Request*> receives_;  ///< posted, in order
  std::deque<Arrived> arrived_;     ///< messages without a receive, in order of arrival
  bool doubtful_ = false;           ///< a message without a receive arrived at this edge, and may have to be discarded
  std::vector<Request*> to_meet_;   ///< that wait for their partner, in order of issue
  std::vector<Synchronisation> synchronisations_;
  std::vector<std::shared_ptr<const Message>> reservations_;           ///< reservations that wait, in order of arrival
  std::map<std::shared_ptr<const Message>, Request*> promises_;        ///< the receives that messages on their way get
  std::map<std::shared_ptr<const Message>, std::uint64_t> collected_;  ///< packets that have come of a message
  Bytes buffered_ = 0;
  Bytes stored_ = 0;
  std::string fault_;
};

class MessageLibrary final : public sc_core::sc_module, private LibraryState {
  LibraryContext context_;

 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<Cycles> edge_i{"edge_i"};  ///< the number of the edge
  // [port] of the interface
  sc_core::sc_vector<sc_core::sc_out<bool>> start_o{"start_o", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_out<RouteWord>> route_o{"route_o", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_out<std::uint16_t>> sequence_o{"sequence_o", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_out<std::uint64_t>> phits_o{"phits_o", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<bool>> sent_i{"sent_i", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<bool>> received_first_i{"received_first_i", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<bool>> received_tail_i{"received_tail_i", context_.setting.shape.ports};
  sc_core::sc_vector<sc_core::sc_in<Wire>> probe_i{"probe_i", context_.setting.shape.ports};

  MessageLibrary(const sc_core::sc_module_name& name, NodeId node, const LibraryContext& context, Core& core);
  [[nodiscard]] const char* kind() const override { return "message_library"; }

  /// A send, or the sending half of an exchange, is issued.
  void send(Request& request);
  void receive(Request& receive);
  void exchange(Request& request);
  /// The request waits for its partner; if the partner waits already, the libraries of both begin their halves now.
  /// Such a rendezvous costs nothing, so no hardware is modelled.
  void meet(Request& request);
  /// On planes: the program asks for a send, or an exchange, which may be issued later.
  void called(Request& send);
  void tune(Request& tune);

  /// By the first tune of a partner, while programs run: sends that waited are issued again.
  void link_is_up(unsigned plane);

  /// Forgets all, and the requests of its program, which has been ended.
  void reset();

  /// The next edge at which the library has something to do though nothing happens at the ports.
  [[nodiscard]] Cycles next_edge() const;
  /// The text about a message longer than its receive, with the cycle; empty when there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  /// The event that the node waits for.
  [[nodiscard]] WaitingNode waiting() const;

 private:
  /// The next circuit of a send is due now, or, with `what` = left, its own synchronisation has left.
  void due_now(What what, Request& send) { due_.push_back({.at = now(), .what = what, .request = &send}); }

  // message_library.cpp: the order of work
  void act();
  void clock_edge();
  void serve_requests();
  void end_cycle();
  void keep_or_lose();
  void serve_due();
  void take_effect(Due& due);
  [[nodiscard]] Cycles now() const { return edge_i.read(); }
  [[nodiscard]] const Setting& setting() const { return context_.setting; }
  /// Where a packet for a node goes first.
  [[nodiscard]] NodeId next_node(NodeId destination) const {
    return destination == node_ ? node_ : setting().topology.next(node_, destination).to;
  }

  // library_sends.cpp: ports, engines, start-ups
  void serve_sent();
  void left(Outgoing& circuit);
  void enter(Request& request);
  void make_ready(Outgoing circuit);
  void serve_port(unsigned port);
  void serve_engines();
  void begin(Request& request, unsigned port);
  void launch(unsigned port, Outgoing circuit);
  void drive_starts();
  void drive(unsigned port);
  [[nodiscard]] unsigned port_of(const Request& request) const;
  [[nodiscard]] bool reserves(const Operation& send) const;
  [[nodiscard]] CircuitKind first_kind(const Request& request) const;
  [[nodiscard]] Cycles startup(const Outgoing& circuit) const;
  [[nodiscard]] Envelope envelope_of(CircuitKind kind, const std::shared_ptr<const Message>& message) const;
  [[nodiscard]] Envelope next_packet(Request& request) const;
  [[nodiscard]] Cycles library_work(Cycles length);

  // library_planes.cpp: tunes, and sends that wait for links
  void serve_planes();
  void serve_plane(unsigned plane, std::vector<Request*>& sends);
  void begin_tunes(unsigned plane);
  void finish_tune(PlaneHalf<Request>& half);
  [[nodiscard]] PlaneHalf<Request>& half(unsigned plane) const;
  [[nodiscard]] bool admits(const Request& send) const;

  // library_receives.cpp: matching, contents, the protocol
  [[nodiscard]] Cycles receiving_work(Cycles length);
  void serve_arrivals();
  void arrived(Envelope envelope, Cycles first_phit);
  [[nodiscard]] bool all_packets_here(const Envelope& envelope);
  void forward(Envelope envelope);
  void store(Bytes bytes);
  [[nodiscard]] Request* bound_receive(const std::shared_ptr<const Message>& message);
  [[nodiscard]] Request* take_posted(const Message& message);
  [[nodiscard]] std::vector<Arrived> take_arrived(Request& receive);
  void deliver(Request& receive, const Envelope& envelope, Cycles since, Cycles at);
  void complete_part(Request& request, Cycles at);
  void grant_received(const Message& message);
  /// Partners have met: the halves of one begin now.
  void met(Request& request, const std::shared_ptr<const Message>& from_partner);
  void expect_synchronisation(Request& exchange);
  void synchronisation_received(const Message& message);
  void synchronised_part(Request& exchange);
  void consider_reservations();
  [[nodiscard]] bool grant(const std::shared_ptr<const Message>& message);
  void copy_out(Due& copy);
  [[nodiscard]] Cycles receipt(const Envelope& envelope) const;

  NodeId node_;
  Core& core_;
  sc_core::sc_event requested_{"requested"};
  sc_core::sc_event doubt_{"doubt"};
};

}  // namespace ecube::clocked
