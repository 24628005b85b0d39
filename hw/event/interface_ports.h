// SPDX-License-Identifier: Apache-2.0
// The interface ports of all nodes (hw/README.md section 4): when a circuit enters its inject port, and when a probe
// that has come to its eject port is accepted.
#pragma once

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "hw/event/circuits.h"
#include "hw/event/operation_list.h"
#include "models/contract/operations.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// The ports say when something happens, and call their client, which does it. The functions are templates of the
/// client's tag, so that its work is inlined:
///
///   begin_send(has, send, port)  a send begins in its port, with its first circuit
///   launch(has, circuit, id)     a circuit that has been ready begins its start-up in its port
///   port_free_at(at, port)       has_become_free(port) is to be called at edge `at`
///   now()                        the edge
class InterfacePorts {
 public:
  /// Number of a port among the ports of all nodes: [node][port].
  using Number = std::size_t;

  InterfacePorts(Circuits& circuits, Statistics& statistics) : circuits_(circuits), statistics_(statistics) {}

  /// `topology` has to stay until the next reset.
  void reset(const Machine& machine, const Topology& topology) {
    const std::size_t nodes = topology.nodes();
    const Ports& ports = machine.node.ports;
    topology_ = &topology;
    count_ = ports.physical(topology.outputs());
    bits_ = static_cast<unsigned>(std::bit_width(count_ - 1));
    ports_.assign(nodes << bits_, Port{});
    queues_.assign(nodes << bits_, Queue{});
    readied_ = 0;
    together_cycles_ = machine.network.together_cycles;
    first_phits_.assign(machine.network.duplex == Duplex::together ? ports_.size() : 0, 0);
    engines_ = ports.shared(topology.outputs()) ? ports.engines : 0;
    senders_.assign(share_engines() ? nodes : 0, Sender{});
    receive_engines_.assign(nodes * engines_, 0);
    added_.clear();
    freed_.clear();
    probes_.clear();
  }
  /// Ports of a node.
  [[nodiscard]] unsigned count() const { return count_; }
  /// Whether nodes have fewer send and receive engines than ports.
  [[nodiscard]] bool share_engines() const { return engines_ != 0; }
  [[nodiscard]] Number number(unsigned port, NodeId node) const {
    return (static_cast<std::size_t>(node) << bits_) + port;
  }
  [[nodiscard]] Number number(auto has, unsigned port, NodeId node) const {
    return has->several_ports ? number(port, node) : node;
  }
  [[nodiscard]] unsigned port_of(const Operation& send) const { return inject_port(*topology_, send, count_); }
  /// A send of `node` that takes several circuits and has begun; the first that waits for a send engine; or null.
  [[nodiscard]] const Operation* under_way(NodeId node) const {
    const Operation* send = nullptr;
    for (unsigned port = 0; port < count_ && send == nullptr; ++port) send = queues_[number(port, node)].under_way;
    return send;
  }
  [[nodiscard]] const Operation* first_waiting(NodeId node) const {
    return share_engines() ? senders_[node].waiting.head : nullptr;
  }
  // To fetch what a port needs.
  [[nodiscard]] const void* place(Number port) const { return &ports_[port]; }
  [[nodiscard]] const void* queue_place(Number port) const { return &queues_[port]; }

  // --- Inject side ---

  /// Rules 4.2 and 4.8: a send begins if its port is idle and a send engine is free, else it waits.
  void enter(auto& client, auto has, Operation& send) {
    if (has->engines) {
      senders_[send.node].waiting.add(send, client.now());
      return serve_engines(client, has, send.node);
    }
    const unsigned port = has->several_ports ? port_of(send) : 0;
    const Number at = number(has, port, send.node);
    if (is_idle(at, client.now())) return client.begin_send(has, send, port);
    add_send(at, send, client.now());
    announce(client, at);
  }
  /// Rule 4.1: as enter(), where ports are independent: the port is served when all sends of this edge have been added.
  void add(Operation& send, Cycles now) {
    const Number port = number(port_of(send), send.node);
    added_.push_back({port, &send});
    add_send(port, send, now);
  }
  [[nodiscard]] bool any_added() const { return !added_.empty(); }
  void serve_added(auto& client, auto has, const auto& fetch_ahead) {
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (i + ahead < added_.size()) fetch_ahead.serves_soon(added_[i + ahead].port, *added_[i + ahead].send);
      serve_or_announce(client, has, added_[i].port);
    }
    added_.clear();
  }
  /// A circuit that is not the first of its send, a grant, or a packet that is sent on: it goes before sends that have
  /// not begun.
  void make_ready(auto& client, auto has, CircuitId id) {
    Circuit& circuit = circuits_[id];
    const std::uint8_t named = circuit.operation != nullptr ? circuit.operation->port : automatic_port;
    const unsigned port = inject_port(*topology_, circuit.source, circuit.destination, named, count_);
    circuit.inject_port = static_cast<std::uint8_t>(port);
    circuit.turn() = readied_++;
    const Number at = number(has, port, circuit.source);
    queues_[at].ready.append(circuits_, id);
    ports_[at].queued = true;
    has->engines ? serve_engines(client, has, circuit.source) : serve_or_announce(client, has, at);
  }
  void for_each_ready(const auto& visit) const {
    for (const Queue& queue : queues_) {
      for (CircuitId id = queue.ready.head; id != no_circuit; id = circuits_[id].next) visit(id);
    }
  }
  /// No other send of its port begins before end_send().
  void begin_several(auto has, Operation& send, unsigned port) { set_under_way(number(has, port, send.node), &send); }
  void end_send(auto has, const Circuit& last) {
    const Number port = number_of(has, last);
    if (ports_[port].queued) set_under_way(port, nullptr);
  }

  /// The start-up of a circuit begins; its tail is not known yet.
  void occupy(auto has, const Circuit& circuit) { ports_[number_of(has, circuit)].free_at = never; }
  /// The circuit leaves its port at edge `at`, after its first phit at edge `first_phit`. When its send has been told,
  /// announce_free() sees to those that wait for the port.
  void vacate(auto has, const Circuit& circuit, Cycles first_phit, Cycles at) {
    const Number port = number_of(has, circuit);
    ports_[port].free_at = at;
    if (has->together) first_phits_[port] = first_phit;
  }
  void announce_free(auto& client, auto has, const Circuit& circuit, Cycles at) {
    const Number port = number_of(has, circuit);
    if (has->engines) {
      client.port_free_at(at, port);
    } else if (ports_[port].queued && queues_[port].waits()) {
      announce(client, port);
    }
  }
  void has_become_free(Number port) { freed_.push_back(port); }
  [[nodiscard]] bool any_freed() const { return !freed_.empty(); }
  void serve_freed(auto& client, auto has) {
    by_node_.sort(
        freed_, topology_->nodes(), [this](Number port) { return node_of(port); },
        [this](Number a, Number b) { return turn(a) < turn(b); });
    for (const Number port : freed_) {
      if (has->engines) {
        // A send engine has become free with each port; the node's one queue gives it to the next send, in order of
        // issue.
        --senders_[node_of(port)].sending;
        serve_engines(client, has, node_of(port));
      } else {
        serve_port(client, has, port);
      }
    }
    freed_.clear();
  }

  // --- Eject side ---

  /// Rule 4.7: the edge from which a probe is accepted that is seen at edge `seen`: a node that is sending accepts only
  /// circuits that begin together with its own.
  [[nodiscard]] Cycles accepted_from(auto has, const Circuit& circuit, Cycles seen) {
    if (!has->together) return seen;
    Cycles from = seen;
    for (unsigned port = 0; port < (has->several_ports ? count_ : 1U); ++port) {
      const Number at = number(has, port, circuit.destination);
      const Cycles free_at = ports_[at].free_at;
      if (free_at == never || free_at <= seen || first_phits_[at] + together_cycles_ >= seen) continue;
      from = std::max(from, free_at);
    }
    if (from > seen) statistics_.serialised(from - seen);
    return from;
  }
  void has_come(CircuitId probe) { probes_.push_back(probe); }
  /// Rule 4.8: the probes that are seen at an edge get receive engines in order of eject port: each the one of its node
  /// that is free first. accept(id, at) returns the edge from which the receive engine is free again.
  void accept_by_engine(auto has, Cycles seen, const auto& accept) {
    const auto place = [this](CircuitId id) { return std::tuple(circuits_[id].destination, circuits_[id].eject_port); };
    std::sort(probes_.begin(), probes_.end(), [&](CircuitId a, CircuitId b) { return place(a) < place(b); });
    for (const CircuitId id : probes_) {
      Circuit& circuit = circuits_[id];
      const auto first =
          receive_engines_.begin() + static_cast<std::ptrdiff_t>(std::size_t{circuit.destination} * engines_);
      Cycles& free_from = *std::min_element(first, first + engines_);
      if (free_from == never) continue;  // circuits that were cut keep all receive engines: the probe waits for ever
      if (free_from > seen) {
        circuit.port_blocked = true;
        statistics_.waited(circuit, false, free_from - seen);
      }
      free_from = accept(id, std::max(free_from, accepted_from(has, circuit, seen)));
    }
    probes_.clear();
  }

 private:
  /// All that a send reads if it finds its port free. Small, because the ports of partners are scattered over the
  /// machine.
  struct Port {
    Cycles free_at = 0;   ///< never while the tail of the circuit that uses the port is not known
    bool queued = false;  ///< its queue is not empty, or a send of several circuits is under way
  };
  struct Queue {
    Sends sends;
    CircuitList ready;               ///< later circuits of the send under way, and grants
    Operation* under_way = nullptr;  ///< the send under way, if it takes more than one circuit
    Cycles announced = 0;            ///< free_at for which there is an event

    [[nodiscard]] bool waits() const { return !sends.empty() || !ready.empty(); }
  };
  /// A node with fewer send engines than ports.
  struct Sender {
    Sends waiting;
    std::uint32_t sending = 0;
  };

  [[nodiscard]] NodeId node_of(Number port) const { return static_cast<NodeId>(port >> bits_); }
  [[nodiscard]] unsigned port_of(Number port) const {
    return static_cast<unsigned>(port & ((std::size_t{1} << bits_) - 1));
  }
  [[nodiscard]] Number number_of(auto has, const Circuit& circuit) const {
    return number(has, circuit.inject_port, circuit.source);
  }
  [[nodiscard]] bool is_free(Number port, Cycles now) const { return ports_[port].free_at <= now; }
  /// Nothing uses it and nothing waits for it: a send can begin.
  [[nodiscard]] bool is_idle(Number port, Cycles now) const { return !ports_[port].queued && is_free(port, now); }
  /// The place of the port's first ready circuit in the order in which circuits of all ports became ready.
  [[nodiscard]] Cycles readied(Number port) const { return circuits_[queues_[port].ready.head].turn(); }
  void add_send(Number port, Operation& send, Cycles now) {
    queues_[port].sends.add(send, now);
    ports_[port].queued = true;
  }
  /// A send of several circuits begins, or, with null, has ended. In between, no other send of the port begins.
  void set_under_way(Number port, Operation* send) {
    queues_[port].under_way = send;
    update(port);
  }
  void update(Number port) { ports_[port].queued = queues_[port].waits() || queues_[port].under_way != nullptr; }
  /// Ports that become free at one edge are served in the order in which their waiting sends were issued; ready
  /// circuits go first.
  [[nodiscard]] std::tuple<NodeId, unsigned, Cycles, std::uint32_t> turn(Number port) const {
    const Queue& queue = queues_[port];
    if (!queue.ready.empty()) return {node_of(port), 0, readied(port), 0};
    if (queue.sends.empty()) return {node_of(port), 1, 0, 0};
    return {node_of(port), 1, send_notes(*queue.sends.head).posted_at, notes(*queue.sends.head).issue};
  }
  /// An event for the edge at which the port becomes free, if that is known, not past, and has no event yet.
  void announce(auto& client, Number port) {
    const Cycles free_at = ports_[port].free_at;
    if (free_at == never || free_at < client.now() || queues_[port].announced == free_at) return;
    queues_[port].announced = free_at;
    client.port_free_at(free_at, port);
  }
  void serve_or_announce(auto& client, auto has, Number port) {
    is_free(port, client.now()) ? serve_port(client, has, port) : announce(client, port);
  }
  /// Rule 4.2: of those that wait, circuits that are ready go first, then the first send, unless one is under way.
  void serve_port(auto& client, auto has, Number port) {
    if (!is_free(port, client.now())) return;
    Queue& queue = queues_[port];
    if (!queue.ready.empty()) {
      const CircuitId id = queue.ready.take_first(circuits_);
      update(port);
      client.launch(has, circuits_[id], id);
    } else if (Operation* const send = queue.sends.head; queue.under_way == nullptr && send != nullptr) {
      queue.sends.remove(nullptr, *send);
      update(port);
      client.begin_send(has, *send, has->several_ports ? port_of(port) : 0);
    }
  }
  /// Rule 4.8: as long as a send engine is free, the circuit that became ready first takes it, else the first issued of
  /// the sends whose port is idle.
  void serve_engines(auto& client, auto has, NodeId node) {
    Sender& sender = senders_[node];
    while (sender.sending < engines_) {
      constexpr Number none = ~Number{0};
      Number first = none;
      for (unsigned p = 0; p < count_; ++p) {
        const Number port = number(p, node);
        if (queues_[port].ready.empty() || !is_free(port, client.now())) continue;
        if (first == none || readied(port) < readied(first)) first = port;
      }
      if (first != none) {
        ++sender.sending;
        serve_port(client, has, first);
        continue;
      }
      Operation* before = nullptr;
      Operation* send = sender.waiting.head;
      for (; send != nullptr && !is_idle(number(port_of(*send), node), client.now()); send = next_send(*send)) {
        before = send;
      }
      if (send == nullptr) return;
      sender.waiting.remove(before, *send);
      ++sender.sending;
      client.begin_send(has, *send, port_of(*send));
    }
  }

  Circuits& circuits_;
  Statistics& statistics_;
  const Topology* topology_ = nullptr;
  unsigned count_ = 1;
  unsigned bits_ = 0;  ///< of a port's number
  Table<Port> ports_;
  Table<Queue> queues_;
  std::uint64_t readied_ = 0;  ///< counts circuits in the order in which they became ready
  Cycles together_cycles_ = 0;
  std::vector<Cycles> first_phits_;      ///< [port] where nodes send together: of the circuit that ends at its free_at
  std::uint32_t engines_ = 0;            ///< of either kind of every node; 0 where every port has its own
  std::vector<Sender> senders_;          ///< [node] where send engines are shared
  std::vector<Cycles> receive_engines_;  ///< [node][number] the edge from which it is free
  ByNode<Number> by_node_;

  // Scratch data of an edge:
  struct Added {
    Number port;
    const Operation* send;
  };
  std::vector<Added> added_;
  std::vector<Number> freed_;
  std::vector<CircuitId> probes_;  ///< seen, and not accepted
};

}  // namespace ecube::event
