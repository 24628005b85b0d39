// SPDX-License-Identifier: Apache-2.0
// The rules that operations share.
#include "models/operations.h"

#include <stdexcept>

namespace ecube {

void begin_operation(Operation& operation, NodeId node, std::uint32_t parts, Cycles now, unsigned dim,
                     std::uint32_t ports) {
  if (operation.kind != OperationKind::compute) {
    const bool anyone = operation.kind == OperationKind::receive && operation.peer == any_node;
    if (anyone && operation.sync == PairwiseSync::on) {
      throw std::invalid_argument("node " + std::to_string(node) + " synchronises a receive, but names no source");
    }
    if (!anyone && operation.peer >> dim != 0) {
      throw std::invalid_argument("node " + std::to_string(node) + " names node " + std::to_string(operation.peer) +
                                  " of a cube of " + std::to_string(NodeId{1} << dim));
    }
    if (operation.port != automatic_port && operation.port >= ports) {
      throw std::invalid_argument("node " + std::to_string(node) + " names port " + std::to_string(operation.port) +
                                  ", but has " + std::to_string(ports));
    }
  }
  operation.node = node;
  operation.done = false;
  operation.collected = false;
  operation.parts = parts;
  operation.open = operation.kind == OperationKind::receive_each ? parts : 1;
  operation.posted_at = now;
  operation.ready_at = now;
  operation.partner = nullptr;
}

bool are_partners(const Operation& a, const Operation& b) {
  const auto one_way = [](const Operation& send, const Operation& receive) {
    return send.kind == OperationKind::send && receive.kind == OperationKind::receive;
  };
  const bool both_ways = a.kind == OperationKind::exchange && b.kind == OperationKind::exchange;
  return a.peer == b.node && b.peer == a.node && a.type == b.type && (both_ways || one_way(a, b) || one_way(b, a));
}

std::string too_long(const Operation& receive, NodeId source, Bytes bytes, Cycles at) {
  return "message of " + std::to_string(bytes) + " bytes from node " + std::to_string(source) +
         " is longer than the receive of " + std::to_string(receive.room) + " bytes at node " +
         std::to_string(receive.node) + ", cycle " + std::to_string(at);
}

std::string escaped(NodeId node, const std::exception_ptr& error) {
  std::string text = "the program of node " + std::to_string(node) + " failed";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& reason) {
    return text + ": " + reason.what();
  } catch (...) {
    return text + " with an error that does not describe itself";
  }
}

}  // namespace ecube
