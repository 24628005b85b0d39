// SPDX-License-Identifier: Apache-2.0
// From messages to operations.
#include "sw/node.h"

namespace ecube {

Operation Node::operation(const Outgoing& message) const {
  Operation operation;
  operation.kind = OperationKind::send;
  operation.peer = message.to;
  operation.type = message.type;
  operation.bytes = message.bytes;
  operation.outgoing = message.data;
  operation.tag = message.tag;
  operation.port = message.port;
  operation.label = message.phase;
  return operation;
}

Operation Node::operation(const Incoming& message) const {
  Operation operation;
  operation.kind = OperationKind::receive;
  operation.peer = message.from;
  operation.type = message.type;
  operation.bytes = message.bytes;
  operation.incoming = message.data;
  return operation;
}

Operation Node::operation(const IncomingFromEach& messages) const {
  Operation operation;
  operation.kind = OperationKind::receive_each;
  operation.type = messages.type;
  operation.bytes = messages.bytes;
  operation.sources = messages.sources;
  operation.incoming_from = messages.place;
  operation.context = messages.context;
  return operation;
}

Operation Node::operation(const Exchange& message) const {
  Operation operation;
  operation.kind = OperationKind::exchange;
  operation.sync = message.sync;
  operation.peer = message.with;
  operation.type = message.type;
  operation.bytes = message.bytes;
  operation.outgoing = message.outgoing;
  operation.incoming = message.incoming;
  operation.tag = message.tag;
  operation.port = message.port;
  operation.label = message.phase;
  return operation;
}

Operation Node::work(Work work, std::uint64_t amount) {
  Operation operation;
  operation.kind = OperationKind::compute;
  operation.work = work;
  operation.amount = amount;
  return operation;
}

Awaited Node::signal(NodeId with, std::uint32_t type, std::uint16_t phase) {
  Operation signal = operation(Exchange{.with = with, .type = type, .phase = phase, .sync = PairwiseSync::off});
  signal.signal = true;
  return {*port_, signal};
}

Pending Node::start(const Operation& operation) {
  if (free_.empty()) {
    if (started_ == nullptr) started_ = new std::deque<Operation>;
    free_.push_back(&started_->emplace_back());
  }
  Operation* const kept = free_.back();
  free_.pop_back();
  *kept = operation;
  Pending pending(*this, *kept);
  switch (kept->kind) {
    case OperationKind::send:
      port_->start_send(*kept);
      break;
    case OperationKind::receive:
    case OperationKind::receive_each:
      port_->start_receive(*kept);
      break;
    case OperationKind::exchange:
      port_->start_exchange(*kept);
      break;
    case OperationKind::compute:
      port_->start_compute(*kept);
      break;
  }
  return pending;
}

void Node::release(Operation* operation) noexcept { free_.push_back(operation); }

Pending::~Pending() {
  if (operation_ == nullptr) return;
  if (operation_->done) {
    node_->release(operation_);
  } else {
    // The machine still refers to the operation, which stays in the node's store; nobody refers to its buffers.
    operation_->outgoing = {};
    operation_->incoming = {};
    operation_->incoming_from = nullptr;
    operation_->waiter = nullptr;
  }
}

}  // namespace ecube
