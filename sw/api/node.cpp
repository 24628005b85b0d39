// SPDX-License-Identifier: Apache-2.0
// From messages to operations.
#include "sw/api/node.h"

namespace ecube {

void Node::fill(Operation& operation, const Outgoing& message) {
  operation.kind = OperationKind::send;
  operation.peer = message.to;
  operation.tag = message.tag;
  operation.bytes = message.bytes;
  operation.outgoing = message.data;
  operation.check = message.check;
  operation.port = message.port;
  operation.label = message.phase;
  operation.sync = message.sync;
}

void Node::fill(Operation& operation, const Incoming& message) {
  operation.kind = OperationKind::receive;
  operation.sync = message.sync;
  operation.peer = message.from;
  operation.tag = message.tag;
  operation.room = message.bytes;
  operation.incoming = message.data;
}

void Node::fill(Operation& operation, const IncomingFromEach& messages) {
  operation.kind = OperationKind::receive_each;
  operation.tag = messages.tag;
  operation.room = messages.bytes;
  operation.sources = messages.sources;
  operation.incoming_from = messages.place;
  operation.context = messages.context;
}

void Node::fill(Operation& operation, const IncomingCounted& messages) {
  operation.kind = OperationKind::receive_counted;
  operation.peer = any_node;
  operation.tag = messages.tag;
  operation.room = messages.bytes;
  operation.count = messages.messages;
  operation.sink = messages.sink;
}

void Node::fill(Operation& operation, const Exchange& message) {
  operation.kind = OperationKind::exchange;
  operation.sync = message.sync;
  operation.peer = message.with;
  operation.tag = message.tag;
  operation.bytes = message.bytes;
  operation.room = message.room == as_sent ? message.bytes : message.room;
  operation.outgoing = message.outgoing;
  operation.incoming = message.incoming;
  operation.check = message.check;
  operation.port = message.port;
  operation.label = message.phase;
}

void Node::fill(Operation& operation, const CoreWork& work) {
  operation.kind = OperationKind::compute;
  operation.work = work.kind;
  operation.amount = work.amount;
  operation.port = work.plane;
  if (work.kind == Work::combine_items) operation.arrived = work.arrived;
  if (work.kind == Work::permute_bytes) operation.matrix = work.matrix;
  if (work.kind == Work::calls) operation.call_bytes = work.call_bytes;
  if (work.kind == Work::loop) operation.loop = work.loop;
}

void Node::fill(Operation& operation, const Signal& signal) {
  fill(operation, Exchange{.with = signal.with, .tag = signal.tag, .phase = signal.phase, .sync = PairwiseSync::off});
  operation.signal = true;
}

Operation& Node::fresh() {
  if (started_ == nullptr) started_ = std::make_unique<Started>();
  if (started_->free.empty()) started_->free.push_back(&started_->all.emplace_back());
  Operation* const kept = started_->free.back();
  started_->free.pop_back();
  *kept = Operation{};
  return *kept;
}

Pending::~Pending() {
  if (operation_ == nullptr) return;
  if (operation_->done) {
    node_->release(operation_);
  } else {
    // The machine still refers to the operation, which stays in the node's store, but not to its buffers.
    operation_->outgoing = {};
    operation_->incoming = {};
    operation_->incoming_from = nullptr;
    if (operation_->kind == OperationKind::receive_counted) operation_->sink = nullptr;
    operation_->waiter = nullptr;
  }
}

}  // namespace ecube
