// SPDX-License-Identifier: Apache-2.0
// The meaning of the operations of the node contract, the same on every machine.
#pragma once

#include <string>

#include "models/contract/node_ports.h"
#include "models/contract/run.h"
#include "models/machine/error.h"
#include "models/machine/topology.h"

namespace ecube {

/// Throws for a message that no plane carries, or a tune that no plane can do.
void check_on_planes(const Operation& operation, const Topology& topology, const Machine& machine);

/// Throws the error of begin_operation() for an operation that is not possible.
[[noreturn]] void refuse_operation(const Operation& operation, NodeId node, NodeId nodes, std::uint32_t ports);

/// Number of messages that a receive, or an exchange, is matched with.
[[nodiscard]] inline std::uint32_t messages_of(const Operation& receive, OperationKind kind) {
  if (kind == OperationKind::receive_counted) return static_cast<std::uint32_t>(receive.count);
  return kind == OperationKind::receive_each ? receive.sources.size() - 1 : 1;
}
[[nodiscard]] inline std::uint32_t messages_of(const Operation& receive) { return messages_of(receive, receive.kind); }
/// Number of parts of an operation that complete one by one: halves of an exchange, messages of receive_each or
/// receive_counted.
[[nodiscard]] inline std::uint32_t parts_of(const Operation& operation, OperationKind kind) {
  return kind == OperationKind::exchange ? 2 : messages_of(operation, kind);
}
[[nodiscard]] inline std::uint32_t parts_of(const Operation& operation) { return parts_of(operation, operation.kind); }

/// Prepares an operation that `node` asks for at cycle `now`. std::invalid_argument for a peer or an inject port that
/// does not exist on a machine of this topology with `ports` inject ports, and for an exchange of a node with itself.
/// `kind` is that of the operation: where the caller knows it, most of this is decided by the compiler.
inline void begin_operation(Operation& operation, OperationKind kind, NodeId node, Cycles now, const Topology& topology,
                            std::uint32_t ports) {
  if (kind == OperationKind::receive_each) {
    operation.peer = node;
    operation.received_check = 0;
  }
  if (kind != OperationKind::compute) {
    const bool anyone =
        (kind == OperationKind::receive || kind == OperationKind::receive_counted) && operation.peer == any_node;
    const bool known_peer = anyone ? operation.sync == PairwiseSync::off : operation.peer < topology.nodes();
    const bool known_port = operation.port == automatic_port || operation.port < ports;
    const bool with_itself = kind == OperationKind::exchange && operation.peer == node;
    if (!known_peer || !known_port || with_itself) [[unlikely]]
      refuse_operation(operation, node, topology.nodes(), ports);
  }
  operation.node = node;
  operation.completed_at = now;
  operation.done = false;
}
inline void begin_operation(Operation& operation, NodeId node, Cycles now, const Topology& topology,
                            std::uint32_t ports) {
  begin_operation(operation, operation.kind, node, now, topology, ports);
}

/// `kind` is that of the receive.
inline void receive_check(Operation& receive, OperationKind kind, std::uint64_t check) {
  receive.received_check = kind == OperationKind::receive_each ? receive.received_check + check : check;
}

/// A receive has taken a message.
inline void note_received(Operation& receive, NodeId source, Bytes bytes, std::uint64_t check) {
  receive.received_from = source;
  receive.received_bytes = bytes;
  receive_check(receive, receive.kind, check);
}
/// Where the contents of a message from `source` are to be.
[[nodiscard]] inline Region region_for(const Operation& receive, NodeId source) {
  if (receive.incoming_from == nullptr) return receive.incoming;
  return receive.incoming_from(receive.context, receive.node, source);
}

/// The inject port of a send: the port that the send names, else the number of the first link of its route in channel
/// 0; 0 for a message to itself and on a one-port machine.
[[nodiscard]] inline unsigned inject_port(const Topology& topology, NodeId source, NodeId destination,
                                          std::uint8_t named, std::uint32_t ports) {
  if (named != automatic_port) return named;
  return ports == 1 ? 0 : topology.first_output(source, destination);
}
[[nodiscard]] inline unsigned inject_port(const Topology& topology, const Operation& send, std::uint32_t ports) {
  return inject_port(topology, send.node, send.peer, send.port, ports);
}

/// True of a receive that several messages complete.
[[nodiscard]] constexpr bool takes_several(OperationKind kind) {
  return kind == OperationKind::receive_each || kind == OperationKind::receive_counted;
}
[[nodiscard]] inline bool takes_several(const Operation& receive) { return takes_several(receive.kind); }

/// True when the posted `receive` takes a message of `tag` from `source`.
[[nodiscard]] inline bool takes(const Operation& receive, NodeId source, std::uint32_t tag) {
  if (receive.tag != tag) return false;
  if (receive.kind == OperationKind::receive_each) {
    return source != receive.node && ((source ^ receive.node) & ~receive.sources.mask()) == 0;
  }
  return receive.peer == source || receive.peer == any_node;
}

/// Two exchanges form a pair, or a send and a receive: each names the other's node, and the tags are equal.
[[nodiscard]] inline bool are_partners(const Operation& a, const Operation& b) {
  if (a.peer != b.node || b.peer != a.node || a.tag != b.tag) return false;
  if (a.kind == OperationKind::exchange || b.kind == OperationKind::exchange) return a.kind == b.kind;
  return (a.kind == OperationKind::send && b.kind == OperationKind::receive) ||
         (a.kind == OperationKind::receive && b.kind == OperationKind::send);
}

[[nodiscard]] inline WaitingNode waits_for(WaitingNode::For what, const Operation& operation, Cycles since) {
  const NodeId peer = operation.kind == OperationKind::receive_each ? any_node : operation.peer;
  return {operation.node, what, peer, operation.tag, since};
}

/// The fault of a message that is longer than its receive.
[[nodiscard]] std::string too_long(const Operation& receive, NodeId source, Bytes bytes, Cycles at);

/// For a run that would exceed its last cycle.
[[nodiscard]] InputError too_long_a_run(Cycles last_cycle);

}  // namespace ecube
