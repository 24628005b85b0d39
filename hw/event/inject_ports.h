// SPDX-License-Identifier: Apache-2.0
// The inject ports of all nodes: the circuit that uses each, and the sends that wait for it; the engines of nodes that
// have fewer of them than ports (hw/README.md section 4).
#pragma once

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

#include "hw/event/circuits.h"
#include "hw/event/operation_list.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

class InjectPorts {
 public:
  /// Number of a port among the ports of all nodes: [node][port].
  using Number = std::size_t;

  void reset(std::size_t nodes, unsigned ports) {
    bits_ = static_cast<unsigned>(std::bit_width(ports - 1));
    ports_.assign(nodes << bits_, Port{});
    queues_.assign(nodes << bits_, Queue{});
    readied_ = 0;
  }
  [[nodiscard]] Number number(unsigned port, NodeId node) const {
    return (static_cast<std::size_t>(node) << bits_) + port;
  }
  [[nodiscard]] Number number(auto has, unsigned port, NodeId node) const {
    return has->several_ports ? number(port, node) : node;
  }
  [[nodiscard]] NodeId node_of(Number port) const { return static_cast<NodeId>(port >> bits_); }
  [[nodiscard]] unsigned port_of(Number port) const {
    return static_cast<unsigned>(port & ((std::size_t{1} << bits_) - 1));
  }
  [[nodiscard]] std::size_t count() const { return ports_.size(); }

  // The circuit that uses a port.
  [[nodiscard]] bool is_free(Number port, Cycles now) const { return ports_[port].free_at <= now; }
  /// Nothing uses it and nothing waits for it: a send can begin.
  [[nodiscard]] bool is_idle(Number port, Cycles now) const {
    return !ports_[port].queued && ports_[port].free_at <= now;
  }
  /// never while the tail of the circuit that uses it is not known.
  [[nodiscard]] Cycles free_at(Number port) const { return ports_[port].free_at; }
  void occupy(Number port) { ports_[port].free_at = never; }
  void vacate(Number port, Cycles at) { ports_[port].free_at = at; }

  // The sends and circuits that wait for a port.
  /// The port's queue is not empty, or a send of several circuits is under way.
  [[nodiscard]] bool is_queued(Number port) const { return ports_[port].queued; }
  [[nodiscard]] bool is_waited_for(Number port) const { return queues_[port].waits(); }
  void add_send(Number port, Operation& send, Cycles now) {
    queues_[port].sends.add(send, now);
    ports_[port].queued = true;
  }
  /// A circuit that is not the first of its send, or a grant: goes before sends that have not begun.
  void add_ready(Number port, Circuits& circuits, CircuitId id) {
    circuits[id].probe = readied_++;
    queues_[port].ready.append(circuits, id);
    ports_[port].queued = true;
  }
  [[nodiscard]] bool has_ready(Number port) const { return !queues_[port].ready.empty(); }
  /// The place of the port's first ready circuit in the order in which circuits of all ports became ready.
  [[nodiscard]] Cycles readied(Number port, const Circuits& circuits) const {
    return circuits[queues_[port].ready.head].probe;
  }
  /// Rule 4.2.
  [[nodiscard]] CircuitId take_ready(Number port, const Circuits& circuits) {
    const CircuitId id = queues_[port].ready.take_first(circuits);
    update(port);
    return id;
  }
  /// Rule 4.2: the first send that waits, unless one is under way; null when there is none.
  [[nodiscard]] Operation* take_send(Number port) {
    Queue& queue = queues_[port];
    Operation* const send = queue.sends.head;
    if (queue.under_way != nullptr || send == nullptr) return nullptr;
    queue.sends.remove(nullptr, *send);
    update(port);
    return send;
  }
  /// A send of several circuits begins, or, with null, has ended. In between, no other send of the port begins.
  void set_under_way(Number port, Operation* send) {
    queues_[port].under_way = send;
    update(port);
  }
  [[nodiscard]] const Operation* under_way(Number port) const { return queues_[port].under_way; }
  /// True if an event for the edge at which the port becomes free is to be filed: the edge is known and not past, and
  /// has no event yet.
  [[nodiscard]] bool wants_event(Number port, Cycles now) {
    const Cycles free_at = ports_[port].free_at;
    if (free_at == never || free_at < now || queues_[port].announced == free_at) return false;
    queues_[port].announced = free_at;
    return true;
  }
  /// Ports that become free at one edge are served in the order in which their waiting sends were issued; ready
  /// circuits go first.
  [[nodiscard]] std::tuple<NodeId, unsigned, Cycles, std::uint32_t> turn(Number port, const Circuits& circuits) const {
    const Queue& queue = queues_[port];
    if (!queue.ready.empty()) return {node_of(port), 0, readied(port, circuits), 0};
    if (queue.sends.empty()) return {node_of(port), 1, 0, 0};
    return {node_of(port), 1, send_notes(*queue.sends.head).posted_at, notes(*queue.sends.head).issue};
  }

  [[nodiscard]] const void* place(Number port) const { return &ports_[port]; }
  [[nodiscard]] const void* queue_place(Number port) const { return &queues_[port]; }

 private:
  /// All that a send reads if it finds its port free. Small, because the ports of partners are scattered over the
  /// machine.
  struct Port {
    Cycles free_at = 0;
    bool queued = false;
  };
  struct Queue {
    Sends sends;
    CircuitList ready;               ///< later circuits of the send under way, and grants
    Operation* under_way = nullptr;  ///< the send under way, if it takes more than one circuit
    Cycles announced = 0;            ///< free_at for which there is an event

    [[nodiscard]] bool waits() const { return !sends.empty() || !ready.empty(); }
  };
  void update(Number port) { ports_[port].queued = queues_[port].waits() || queues_[port].under_way != nullptr; }

  unsigned bits_ = 0;  ///< of a port's number
  Table<Port> ports_;
  Table<Queue> queues_;
  std::uint64_t readied_ = 0;  ///< counts circuits in the order in which they became ready
};

/// A node that is sending accepts only circuits that begin together with its own.
class Together {
 public:
  void reset(const Machine& machine, std::size_t ports) {
    within_ = machine.network.together_cycles;
    first_phits_.assign(machine.network.duplex == Duplex::together ? ports : 0, 0);
  }
  void begins(InjectPorts::Number port, Cycles first_phit) { first_phits_[port] = first_phit; }
  /// Rule 4.7: the edge from which `node`, with `count` ports, accepts a probe that it sees at edge `seen`.
  [[nodiscard]] Cycles accepted_from(const InjectPorts& ports, unsigned count, NodeId node, Cycles seen) const {
    Cycles from = seen;
    for (unsigned port = 0; port < count; ++port) {
      const InjectPorts::Number number = ports.number(port, node);
      const Cycles free_at = ports.free_at(number);
      if (free_at == never || free_at <= seen || first_phits_[number] + within_ >= seen) continue;
      from = std::max(from, free_at);
    }
    return from;
  }

 private:
  Cycles within_ = 0;
  std::vector<Cycles> first_phits_;  ///< [port]: edge of the first phit of the circuit that ends at its free_at
};

class SendEngines {
 public:
  /// `engines` of every node; 0 where every port has its own engine, so that none has to be asked for.
  void reset(std::size_t nodes, std::uint32_t engines) {
    engines_ = engines;
    nodes_.assign(engines == 0 ? 0 : nodes, Node{});
  }
  [[nodiscard]] bool shared() const { return engines_ != 0; }
  [[nodiscard]] bool any_free(NodeId node) const { return nodes_[node].sending < engines_; }
  void take(NodeId node) { ++nodes_[node].sending; }
  void give_back(NodeId node) { --nodes_[node].sending; }
  void add_send(Operation& send, Cycles now) { nodes_[send.node].sends.add(send, now); }
  /// The first issued of the node's waiting sends whose port `is_idle`; null when there is none.
  [[nodiscard]] Operation* take_send(NodeId node, const auto& is_idle) {
    Sends& sends = nodes_[node].sends;
    Operation* before = nullptr;
    for (Operation* send = sends.head; send != nullptr; before = send, send = next_send(*send)) {
      if (!is_idle(*send)) continue;
      sends.remove(before, *send);
      return send;
    }
    return nullptr;
  }
  [[nodiscard]] const Operation* first_waiting(NodeId node) const {
    return shared() ? nodes_[node].sends.head : nullptr;
  }

 private:
  struct Node {
    Sends sends;
    std::uint32_t sending = 0;
  };
  std::uint32_t engines_ = 0;
  std::vector<Node> nodes_;
};

/// Receive engines: the edge from which each is free.
class ReceiveEngines {
 public:
  void reset(std::size_t nodes, std::uint32_t engines) {
    engines_ = engines;
    free_from_.assign(nodes * engines, 0);
  }
  /// The edge from which the first free engine of `node` is free. The caller that takes the engine sets this to its
  /// next free edge.
  [[nodiscard]] Cycles& first_free(NodeId node) {
    const auto first = free_from_.begin() + static_cast<std::ptrdiff_t>(std::size_t{node} * engines_);
    return *std::min_element(first, first + engines_);
  }

 private:
  std::uint32_t engines_ = 0;
  std::vector<Cycles> free_from_;  ///< [node][engine]
};

}  // namespace ecube::event
