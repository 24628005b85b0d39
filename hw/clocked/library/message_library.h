// SPDX-License-Identifier: Apache-2.0
// The message library of a node: what circuits carry, when they leave and by which port, and how those that arrive are
// served (hw/README.md sections 4, 5 and 8); the settings of a run.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hw/clocked/shape.h"
#include "hw/clocked/wires/signal.h"
#include "hw/clocked/wires/wire.h"
#include "hw/observed/plane_half.h"
#include "models/contract/run.h"
#include "models/node/node_work.h"

namespace ecube::clocked {

struct Request;

/// A message as its sender gave it to its message library. It does not change once it is on its way.
struct Message : CircuitRecord {
  Request* request = nullptr;         ///< the sender's, as long as it is not complete
  bool reserves = false;              ///< a reservation goes before it
  std::vector<std::byte> contents{};  ///< empty where it has only a length
};

/// A node's notes about an operation that its program has asked for.
struct Request {
  Operation* operation = nullptr;
  std::uint32_t number = 0;  ///< counts this node's requests in order of issue
  unsigned parts = 1;        ///< halves, or messages of receive_each or receive_counted, still to complete
  unsigned completions = 1;  ///< edges at which it is, or will be, told complete: of a counted receive one a message
  unsigned open = 0;         ///< messages that the receive can still be matched with or promised to
  unsigned synchronisations = 0;     ///< messages still to leave or to come, of a synchronised exchange
  Cycles complete_at = 0;            ///< the latest of the parts completed so far
  Cycles issued_at = 0;              ///< for a send after a rendezvous, the edge at which the partners met
  std::shared_ptr<Message> message;  ///< the message that the request sends
  Bytes unsent = 0;                  ///< bytes of the message in packets still to be made
  std::uint64_t sends_before = 0;    ///< of a tune: sends by its plane, called before
};

/// What a program asks of a half of a plane, and what comes of it.
struct Half : PlaneHalf {
  std::vector<Request*> tunes{};    ///< in order of call; the first may be under way
  std::vector<Request*> waiting{};  ///< sends, for the link

  [[nodiscard]] const Operation& first_waiting() const { return *waiting.front()->operation; }
  [[nodiscard]] Cycles waits_since() const { return waiting.front()->issued_at; }
};

/// One circuit, for a message, a packet of one, or control about one: of a packet it joins two nodes on the way.
struct Envelope : CircuitRecord {
  std::shared_ptr<const Message> message;
  std::uint64_t packets = 1;  ///< packets that the message is cut into
};

/// The envelopes of the circuits under way, by the keys that their probes carry. Written by the message library of the
/// source and read by that of the destination only.
using MessageTable = std::unordered_map<std::uint64_t, Envelope>;
[[nodiscard]] inline std::uint64_t key_of(NodeId source, unsigned port, std::uint16_t sequence) {
  return std::uint64_t{source} << 32 | std::uint64_t{port} << 16 | sequence;
}

class Core;
class MessageLibrary;
class Monitor;
class Plane;
using Planes = std::vector<std::unique_ptr<Plane>>;

/// The settings that all nodes of a run share, constant during the run.
struct Setting {
  Machine machine;
  Topology topology = Topology::cube(1);
  Shape shape;
  RunConditions conditions;
  Machine::PathLengths paths;  ///< of `machine`
  NodeWork* work = nullptr;    ///< what the loops of all cores cost
  Observer* observer = nullptr;

  [[nodiscard]] bool queued() const { return machine.node.startups == Startups::queued; }
  [[nodiscard]] bool protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool stores() const { return machine.network.switching == Switching::store_and_forward; }
};

/// The objects that the libraries of all nodes share.
struct LibraryContext {
  const Setting& setting;
  MessageTable& messages;
  Monitor& monitor;
  const Planes& planes;
  const std::vector<MessageLibrary*>& libraries;  ///< [node]
  NodeSet& told;                                  ///< nodes whose libraries are told of a meeting are inserted
};

/// The posted receives of a node, and the messages that have arrived, find each other here.
class Matching {
 public:
  /// A message that has no receive yet.
  struct Arrived {
    Envelope envelope;
    Cycles first_phit = 0;
    Cycles arrived_at = 0;
    Cycles received_at = 0;  ///< end of its receipt
    bool buffered = false;   ///< in the system buffer
  };

  [[nodiscard]] std::vector<Arrived> post(Request& receive);
  [[nodiscard]] Request* take_posted(const Message& message);
  /// A rendezvous or a grant has promised the receive to the message.
  void promise(const std::shared_ptr<const Message>& message, Request& receive) {
    promises_.emplace(message, &receive);
  }
  [[nodiscard]] Request* take_promised(const std::shared_ptr<const Message>& message);
  void keep(Arrived message) { arrived_.push_back(std::move(message)); }
  /// Of the messages that arrived at edge `now` and have no receive, only those stay that `keeps` says.
  void keep_or_lose(Cycles now, const auto& keeps) {
    for (auto at = arrived_.begin(); at != arrived_.end();)
      at = at->arrived_at != now || keeps(*at) ? std::next(at) : arrived_.erase(at);
  }
  [[nodiscard]] const std::vector<Request*>& receives() const { return receives_; }
  /// False if the receive was not posted.
  bool withdraw(const Request& receive) { return std::erase(receives_, &receive) > 0; }

 private:
  std::vector<Request*> receives_;                               ///< posted, in order
  std::deque<Arrived> arrived_;                                  ///< in order of arrival
  std::map<std::shared_ptr<const Message>, Request*> promises_;  ///< the receives that messages on their way get
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
    std::deque<Request*> sends{};  ///< in order of issue; where send engines are shared, they wait in engine_queue_
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

  std::vector<Port> ports_;
  std::deque<Request*> engine_queue_;  ///< K send engines: sends in order of issue
  unsigned engines_taken_ = 0;
  std::uint64_t readied_ = 0;  ///< counts circuits in the order in which they became ready
  std::vector<Due> due_;
  std::vector<Request*> issued_;  ///< sends of this round
  bool posted_ = false;           ///< a receive was posted in this round
  Matching matching_;
  bool doubtful_ = false;          ///< a message without a receive arrived at this edge, and may have to be discarded
  std::vector<Request*> to_meet_;  ///< that wait for their partner, in order of issue
  std::vector<Synchronisation> synchronisations_;
  std::vector<std::shared_ptr<const Message>> reservations_;           ///< reservations that wait, in order of arrival
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

  // library_sends.cpp: ports, send engines, start-ups
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

  // Tunes, and sends that wait for links
  void serve_planes();
  void serve_plane(unsigned plane, std::vector<Request*>& sends);
  void begin_tunes(unsigned plane);
  void finish_tune(Half& half);
  [[nodiscard]] Half& half(unsigned plane) const;
  [[nodiscard]] bool admits(const Request& send) const;

  // library_receives.cpp: matching, contents, the protocol
  [[nodiscard]] Cycles receiving_work(Cycles length);
  void serve_arrivals();
  void arrived(Envelope envelope, Cycles first_phit);
  [[nodiscard]] bool all_packets_here(const Envelope& envelope);
  void forward(Envelope envelope);
  void store(Bytes bytes);
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
