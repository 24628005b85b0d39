// SPDX-License-Identifier: Apache-2.0
// Texts of faults and refusals of operations.
#include "models/contract/operations.h"

#include <stdexcept>

namespace ecube {

namespace {

[[noreturn]] void refuse(const Operation& operation, const std::string& what, const std::string& valid) {
  throw InputError("node " + std::to_string(operation.node) + " " + what).valid(valid);
}

}  // namespace

void check_on_planes(const Operation& operation, const Topology& topology, const Machine& machine) {
  const OperationKind kind = operation.kind;
  const unsigned planes = topology.planes();
  const auto up_to = [](std::uint64_t end) { return " to " + std::to_string(end - 1); };
  if (kind == OperationKind::compute && operation.work == Work::tune) {
    if (operation.port < planes && operation.mask - 1 < topology.nodes() - 1) return;
    const std::string tunes = "tunes plane " + std::to_string(operation.port);
    if (planes == 0) refuse(operation, tunes, "network.planes = 1 or more");
    if (operation.port >= planes) refuse(operation, tunes, "planes 0" + up_to(planes) + " (network.planes)");
    refuse(operation, tunes + " to mask " + std::to_string(operation.mask), "masks 1" + up_to(topology.nodes()));
  }
  if (planes == 0 || (kind != OperationKind::send && kind != OperationKind::exchange)) return;
  if (operation.signal) refuse(operation, "sends a signal, which needs links that are not tuned", "messages");
  if (operation.port == automatic_port) refuse(operation, "sends by no plane", "port = 0" + up_to(planes));
  if (operation.peer == operation.node) refuse(operation, "sends to itself on a plane", "another node");
  if (operation.sync == PairwiseSync::off || machine.library.protocol == Protocol::none) return;
  refuse(operation, "synchronises an exchange by messages, on planes",
         "library.protocol = none, or no synchronisation");
}

void refuse_operation(const Operation& operation, NodeId node, NodeId nodes, std::uint32_t ports) {
  const std::string who = "node " + std::to_string(node);
  if (operation.kind == OperationKind::receive && operation.peer == any_node) {
    throw std::invalid_argument(who + " synchronises a receive, but names no source");
  }
  if (operation.kind == OperationKind::exchange && operation.peer == node) {
    throw std::invalid_argument(who + " exchanges with itself: an exchange needs two nodes");
  }
  if (operation.peer >= nodes) {
    throw std::invalid_argument(who + " names node " + std::to_string(operation.peer) + " of a machine of " +
                                std::to_string(nodes));
  }
  throw std::invalid_argument(who + " names port " + std::to_string(operation.port) + ", but has " +
                              std::to_string(ports));
}

std::string too_long(const Operation& receive, NodeId source, Bytes bytes, Cycles at) {
  return "message of " + std::to_string(bytes) + " bytes from node " + std::to_string(source) +
         " is longer than the receive of " + std::to_string(receive.room) + " bytes at node " +
         std::to_string(receive.node) + ", at cycle " + std::to_string(at);
}

InputError too_long_a_run(Cycles last_cycle) {
  return InputError("the run takes longer than simulated time can be counted: 9000000 s (104 days), here " +
                    std::to_string(last_cycle) + " cycles")
      .hint("give shorter times, fewer bytes, a higher --rate, or a faster clock");
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
