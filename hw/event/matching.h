// SPDX-License-Identifier: Apache-2.0
// Where partners that synchronise at no cost meet, and the posted receives and arrived messages of every node
// (hw/README.md section 4, Exchange, Synchronised message and Matching).
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "hw/event/circuits.h"
#include "hw/event/operation_list.h"
#include "models/contract/operations.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// Partners that synchronise at no cost meet here.
class Rendezvous {
 public:
  void reset(std::size_t nodes, unsigned ports) {
    bits_ = static_cast<unsigned>(std::bit_width(ports - 1));
    ports_ = ports;
    waiting_.assign(nodes << bits_, nullptr);
    asked_.clear();
  }
  /// `asking` is to meet its partner when some more have asked.
  void ask(Operation& asking) { asked_.push_back(&asking); }
  [[nodiscard]] std::vector<Operation*>& asked() { return asked_; }
  /// Rules 4.9 and 4.10: takes out and returns the partner of `asking`, if it has asked before. Otherwise returns null,
  /// and `asking` waits.
  [[nodiscard]] Operation* meet(auto has, Operation& asking) {
    Operation*& first = waiting_[index(has, asking.peer, asking.node)];
    Operation* before = nullptr;
    for (Operation* other = first; other != nullptr; before = other, other = notes(*other).next) {
      if (!are_partners(*other, asking)) continue;
      (before == nullptr ? first : notes(*before).next) = notes(*other).next;
      return other;
    }
    notes(asking).next = nullptr;
    Operation** end = &waiting_[index(has, asking.node, asking.peer)];
    while (*end != nullptr) end = &notes(**end).next;
    *end = &asking;
    return nullptr;
  }
  /// An operation that waits at `node`, or null.
  [[nodiscard]] const Operation* waiting_at(NodeId node) const {
    for (unsigned way = 0; way < ports_; ++way) {
      if (const Operation* const first = waiting_[(std::size_t{node} << bits_) + way]; first != nullptr) return first;
    }
    return nullptr;
  }
  /// Where the partner of `asking` may wait.
  [[nodiscard]] Operation* const& place_of_partner(auto has, const Operation& asking) const {
    return waiting_[index(has, asking.peer, asking.node)];
  }

 private:
  [[nodiscard]] std::size_t index(auto has, NodeId node, NodeId partner) const {
    if (!has->several_ports) return node;
    return (std::size_t{node} << bits_) + std::min(first_dimension(node, partner), ports_ - 1);
  }

  unsigned bits_ = 0;
  unsigned ports_ = 1;
  /// [node][lowest bit in which the labels differ]: operations whose partner has not asked yet. By bit, because on
  /// several ports many may wait at once; on one port all are at 0.
  Table<Operation*> waiting_;
  std::vector<Operation*> asked_;  ///< and are to meet at this edge
};

/// Messages and receives find each other here.
class Matching {
 public:
  explicit Matching(Circuits& circuits) : circuits_(circuits) {}
  /// Which messages arrive at a node in the order in which their circuits are accepted.
  enum class InOrder : std::uint8_t {
    none,         ///< several channels or planes may lead there from one node
    of_a_source,  ///< on several ports: they come over one path
    all           ///< on one port
  };
  void reset(std::size_t nodes, InOrder in_order = InOrder::of_a_source) {
    nodes_.assign(nodes, Node{});
    in_order_ = in_order;
  }

  /// Rule 4.11: a receive is posted: calls take(id) for every message that has arrived before and matches, in order of
  /// arrival. The receive stays posted as long as it is open.
  void post(Operation& receive, const auto& take) {
    Node& node = nodes_[receive.node];
    for (CircuitId* at = &node.arrived; *at != no_circuit && notes(receive).open > 0;) {
      const CircuitId id = *at;
      Circuit& circuit = circuits_[id];
      if (!takes(receive, circuit.source, circuit.tag)) {
        at = &circuit.next;
        continue;
      }
      *at = circuit.next;
      --notes(receive).open;
      take(id);
    }
    if (notes(receive).open > 0) node.receives.append(receive);
  }

  /// Rule 4.11: the first posted receive that fits a message from `source` to `node`, promised to it; null when there
  /// is none.
  [[nodiscard]] Operation* take_receive(NodeId node, NodeId source, std::uint32_t tag) {
    return take(node, source, tag, [](const Operation&) { return true; });
  }
  /// The same for a message that has not arrived yet. Also null where another message may arrive first. A receive that
  /// names its source, whose messages come in order over one path, can be promised early, and a receive of several
  /// messages, which may have several sources, where all messages come in order.
  [[nodiscard]] Operation* take_receive_early(const Circuit& message) {
    if (nodes_[message.destination].in_flight != 0) return nullptr;
    const bool over_a_path = message.source != message.destination && in_order_ != InOrder::none;
    return take(message.destination, message.source, message.tag, [&](const Operation& receive) {
      if (takes_several(receive.kind)) return in_order_ == InOrder::all;
      return over_a_path && receive.peer != any_node;
    });
  }

  /// A message whose receive has not been found is on its way; expected_arrived(): it has arrived.
  void expect(NodeId node) { ++nodes_[node].in_flight; }
  void expected_arrived(NodeId node) { --nodes_[node].in_flight; }

  /// An arrived message waits for a receive, behind those that arrived before.
  void keep(CircuitId id) {
    CircuitId* end = &nodes_[circuits_[id].destination].arrived;
    while (*end != no_circuit) end = &circuits_[*end].next;
    *end = id;
    circuits_[id].next = no_circuit;
  }
  /// Whether an arrived message still waits for a receive; forget() takes such a message out.
  [[nodiscard]] bool still_waits(CircuitId id) const {
    CircuitId at = nodes_[circuits_[id].destination].arrived;
    while (at != no_circuit && at != id) at = circuits_[at].next;
    return at == id;
  }
  void forget(CircuitId id) {
    CircuitId* at = &nodes_[circuits_[id].destination].arrived;
    while (*at != id) at = &circuits_[*at].next;
    *at = circuits_[id].next;
  }

  [[nodiscard]] const Operation* first_receive(NodeId node) const { return nodes_[node].receives.head; }
  [[nodiscard]] const void* place(NodeId node) const { return &nodes_[node]; }

 private:
  struct alignas(32) Node {
    Receives receives;               ///< posted, in order
    CircuitId arrived = no_circuit;  ///< messages without a receive, in order of arrival
    std::uint32_t in_flight = 0;     ///< messages on their way whose receive was not found yet
  };

  [[nodiscard]] Operation* take(NodeId node, NodeId source, std::uint32_t tag, const auto& fits) {
    Receives& receives = nodes_[node].receives;
    Operation* before = nullptr;
    for (Operation* receive = receives.head; receive != nullptr; before = receive, receive = next_noted(*receive)) {
      if (!takes(*receive, source, tag)) continue;
      if (!fits(*receive)) return nullptr;
      if (--notes(*receive).open == 0) receives.remove(before, *receive);
      return receive;
    }
    return nullptr;
  }

  Circuits& circuits_;
  Table<Node> nodes_;
  InOrder in_order_ = InOrder::none;
};

}  // namespace ecube::event
