// SPDX-License-Identifier: Apache-2.0
// The message library of the clocked reference.
#include "tests/oracle/clocked_library.h"

#include <algorithm>
#include <utility>

#include "tests/oracle/clocked_signals.h"

namespace ecube::oracle {

using Kind = LibraryOperation::Kind;

ClockedLibrary::ClockedLibrary(const Machine& machine, std::span<const LibraryOperation> operations,
                               const std::vector<LibraryStep>& script, NodeId node, std::vector<Cycles>& completed)
    : machine_(machine),
      operations_(operations),
      script_(script),
      node_(node),
      completed_(completed),
      states_(operations.size()) {}

bool ClockedLibrary::reserves(const LibraryOperation& operation) const {
  return machine_.library.protocol == Protocol::unforced && operation.bytes > machine_.library.threshold_bytes;
}

std::size_t ClockedLibrary::first_circuit(std::size_t operation) const {
  const LibraryOperation& op = operations_[operation];
  if (op.kind == Kind::exchange && op.synchronised) return circuit_of(operation, CircuitRole::synchronisation);
  return circuit_of(operation, reserves(op) ? CircuitRole::reservation : CircuitRole::data);
}

NodeId ClockedLibrary::peer_of(std::size_t circuit) const {
  const LibraryOperation& op = about(circuit);
  return op.node == node_ ? op.peer : op.node;
}

ClockedLibrary::Task ClockedLibrary::copy_of(std::size_t circuit) const {
  return {.copy = true, .circuit = circuit, .cycles = machine_.copy_cycles(about(circuit).bytes)};
}

std::size_t ClockedLibrary::take_posted(std::uint32_t type) {
  const auto found = std::ranges::find_if(posted_, [&](std::size_t op) { return operations_[op].type == type; });
  if (found == posted_.end()) return nobody;
  const std::size_t operation = *found;
  posted_.erase(found);
  return operation;
}

// --- What arrives --------------------------------------------------------------------------------------------------

ClockedLibrary::Task ClockedLibrary::arrived(std::size_t circuit) {
  const Machine::Library& library = machine_.library;
  const LibraryOperation& op = about(circuit);
  switch (role_of(circuit)) {
    case CircuitRole::synchronisation:
      return {.circuit = circuit, .cycles = library.receive_zero_cycles};
    case CircuitRole::reservation:
    case CircuitRole::grant:
      return {.circuit = circuit, .cycles = library.control_receive_cycles};
    case CircuitRole::data:
      break;
  }
  Message message{.circuit = circuit};
  const auto promise =
      std::ranges::find_if(promised_, [&](const auto& entry) { return entry.first == circuit / roles; });
  if (promise != promised_.end()) {
    message.taker = promise->second;
    promised_.erase(promise);
  } else {
    message.buffered = reserves(op);
    message.taker = take_posted(op.type);
  }
  messages_.push_back(message);
  return {.circuit = circuit, .cycles = op.bytes == 0 ? library.receive_zero_cycles : library.receive_cycles};
}

void ClockedLibrary::receive(const Message& message, Cycles edge) { complete_half(message.taker, edge); }

void ClockedLibrary::ended(const Task& task, Cycles edge) {
  const std::size_t operation = task.circuit / roles;
  const LibraryOperation& op = operations_[operation];
  const auto message =
      std::ranges::find_if(messages_, [&](const Message& entry) { return entry.circuit == task.circuit; });
  if (task.copy) {
    buffered_ -= op.bytes;
    receive(*message, edge);
    messages_.erase(message);
    std::erase_if(reservations_, [this](std::size_t send) { return grant(send); });
    return;
  }
  switch (role_of(task.circuit)) {
    case CircuitRole::synchronisation: {
      const auto own =
          std::ranges::find_if(expecting_, [&](std::size_t exchange) { return operations_[exchange].type == op.type; });
      if (own == expecting_.end()) {
        early_.push_back(op.type);
      } else {
        const std::size_t exchange = *own;
        expecting_.erase(own);
        if (--states_[exchange].synchronisations == 0) begin_data(exchange);
      }
      return;
    }
    case CircuitRole::reservation:
      reservations_.push_back(operation);
      std::erase_if(reservations_, [this](std::size_t send) { return grant(send); });
      return;
    case CircuitRole::grant:
      ready.push_back(circuit_of(operation, CircuitRole::data));
      return;
    case CircuitRole::data:
      break;
  }
  if (message == messages_.end()) return;  // lost: its receipt was paid all the same
  message->receipt_ended = true;
  if (message->taker == nobody) return;
  if (message->buffered) {
    copies.push_back(copy_of(task.circuit));
    return;
  }
  receive(*message, edge);
  messages_.erase(message);
}

bool ClockedLibrary::grant(std::size_t send) {
  const LibraryOperation& op = operations_[send];
  const std::size_t receiver = take_posted(op.type);
  if (receiver != nobody) {
    promised_.emplace_back(send, receiver);
  } else if (buffered_ + op.bytes <= machine_.library.buffer_bytes) {
    buffered_ += op.bytes;
  } else {
    return false;
  }
  ready.push_back(circuit_of(send, CircuitRole::grant));
  return true;
}

void ClockedLibrary::settle() {
  for (auto message = messages_.begin(); message != messages_.end();) {
    const Bytes bytes = about(message->circuit).bytes;
    const bool waits = message->taker == nobody && !message->buffered;
    const bool room =
        machine_.library.protocol == Protocol::unforced && buffered_ + bytes <= machine_.library.buffer_bytes;
    require(!waits || message->fresh || bytes == 0, "a message without a receive is buffered or lost in its own cycle");
    message->fresh = false;
    if (waits && !room) {
      message = messages_.erase(message);
      continue;
    }
    if (waits && bytes > 0) {
      message->buffered = true;
      buffered_ += bytes;
    }
    ++message;
  }
}

// --- What leaves ---------------------------------------------------------------------------------------------------

void ClockedLibrary::left(std::size_t circuit, Cycles edge) {
  if (role_of(circuit) == CircuitRole::data) complete_half(circuit / roles, edge);
}

void ClockedLibrary::synchronisation_left(std::size_t circuit) {
  const std::size_t operation = circuit / roles;
  if (--states_[operation].synchronisations == 0) begin_data(operation);
}

void ClockedLibrary::begin_data(std::size_t operation) {
  ready.push_back(
      circuit_of(operation, reserves(operations_[operation]) ? CircuitRole::reservation : CircuitRole::data));
}

void ClockedLibrary::complete_half(std::size_t operation, Cycles edge) {
  if (--states_[operation].halves == 0) completed_[operation] = edge;
}

// --- The program ---------------------------------------------------------------------------------------------------

bool ClockedLibrary::run_program(Cycles edge) {
  bool stepped = false;
  fresh_.clear();
  while (step_ < script_.size()) {
    const LibraryStep& step = script_[step_];
    const bool fresh = std::ranges::find(fresh_, step.operation) != fresh_.end();
    if (step.waits && (fresh || completed_[step.operation] > edge)) break;
    if (!step.waits) begin(step.operation, edge);
    ++step_;
    stepped = true;
  }
  return stepped;
}

void ClockedLibrary::begin(std::size_t operation, Cycles edge) {
  const LibraryOperation& op = operations_[operation];
  states_[operation].halves = op.kind == Kind::exchange ? 2 : 1;
  if (op.kind != Kind::send) post(operation, edge);
  if (op.kind == Kind::exchange && op.synchronised) {
    const auto early = std::ranges::find(early_, op.type);
    states_[operation].synchronisations = early == early_.end() ? 2 : 1;
    if (early == early_.end()) {
      expecting_.push_back(operation);
    } else {
      early_.erase(early);
    }
  }
  if (op.kind != Kind::receive) sends.push_back(operation);
}

void ClockedLibrary::post(std::size_t operation, Cycles edge) {
  const std::uint32_t type = operations_[operation].type;
  const auto message = std::ranges::find_if(
      messages_, [&](const Message& entry) { return entry.taker == nobody && about(entry.circuit).type == type; });
  if (message == messages_.end()) {
    posted_.push_back(operation);
    posted_now_ = true;
    return;
  }
  message->taker = operation;
  if (!message->receipt_ended) return;
  if (message->buffered) {
    posted_copies.push_back(copy_of(message->circuit));
  } else {
    receive(*message, edge);
    messages_.erase(message);
    fresh_.push_back(operation);
  }
}

void ClockedLibrary::look_again() {
  if (std::exchange(posted_now_, false)) {
    std::erase_if(reservations_, [this](std::size_t send) { return grant(send); });
  }
}

}  // namespace ecube::oracle
