// SPDX-License-Identifier: Apache-2.0
// What the operations of the node contract mean, on whichever machine they run.
#pragma once

#include <bit>
#include <exception>
#include <string>

#include "models/node_port.h"

namespace ecube {

/// Prepares an operation that `node` asks for at cycle `now`, to complete in `parts` parts. std::invalid_argument for a
/// peer or an inject port that does not exist on a machine of dimension `dim` with `ports` inject ports.
void begin_operation(Operation& operation, NodeId node, std::uint32_t parts, Cycles now, unsigned dim,
                     std::uint32_t ports);

/// The inject port a send leaves by: the one it names, else the lowest dimension in which source and destination
/// differ; 0 for a message to oneself and on a one-port machine.
[[nodiscard]] inline unsigned inject_port(const Operation& send, std::uint32_t ports) {
  if (send.port != automatic_port) return send.port;
  return ports == 1 || send.peer == send.node ? 0 : static_cast<unsigned>(std::countr_zero(send.peer ^ send.node));
}

/// True when the posted `receive` takes a message of `type` from `source`.
[[nodiscard]] inline bool takes(const Operation& receive, NodeId source, std::uint32_t type) {
  if (receive.type != type) return false;
  if (receive.kind == OperationKind::receive_each) {
    return source != receive.node && ((source ^ receive.node) & ~receive.sources.mask()) == 0;
  }
  return receive.peer == source || receive.peer == any_node;
}

/// Two exchanges form a pair, or a send and a receive: each names the other's node, and the types are equal.
[[nodiscard]] bool are_partners(const Operation& a, const Operation& b);

/// The fault of a message that is longer than its receive.
[[nodiscard]] std::string too_long(const Operation& receive, NodeId source, Bytes bytes, Cycles at);

/// The fault of a program that ended with an error.
[[nodiscard]] std::string escaped(NodeId node, const std::exception_ptr& error);

}  // namespace ecube
