// SPDX-License-Identifier: Apache-2.0
// Posted receives and arrived messages of every node (hw/README.md section 4, Matching).
#pragma once

#include "hw/event/circuits.h"
#include "hw/event/operation_list.h"
#include "models/contract/operations.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

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
    for (CircuitId* link = &node.arrived; *link != no_circuit && notes(receive).open > 0;) {
      const CircuitId id = *link;
      Circuit& circuit = circuits_[id];
      if (!takes(receive, circuit.source, circuit.tag)) {
        link = &circuit.next;
        continue;
      }
      *link = circuit.next;
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
    CircuitId* link = &nodes_[circuits_[id].destination].arrived;
    while (*link != id) link = &circuits_[*link].next;
    *link = circuits_[id].next;
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
