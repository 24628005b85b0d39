// SPDX-License-Identifier: Apache-2.0
// Starts operations when they are ready.
#include "sw/goal/goal.h"

#include <cmath>

namespace ecube {

GoalProgram::GoalProgram(const GoalSchedule& schedule, std::vector<NodeId> node_of)
    : schedule_(schedule), node_of_(std::move(node_of)) {
  for (std::uint32_t rank = 0; rank < node_of_.size(); ++rank) rank_of_.emplace(node_of_[rank], rank);
}

void GoalProgram::start(NodePorts& ports, NodeId node) {
  Rank& rank = ranks_.emplace_back(ports, node);
  const auto number = rank_of_.find(node);
  if (number == rank_of_.end()) return ports.finished(node, nullptr);
  const std::uint32_t first = schedule_.first[number->second];
  const std::uint32_t last = schedule_.first[number->second + 1];
  rank.left = last - first;
  left_ += rank.left;
  if (rank.left == 0) return ports.finished(node, nullptr);
  for (std::uint32_t i = first; i < last; ++i) {
    if (schedule_.operations[i].waits_for == 0) rank.ready.push_back(i);
  }
  start_ready(rank);
}

void GoalProgram::stop() {
  while (running_ != nullptr) std::coroutine_handle<Running::promise_type>::from_promise(*running_).destroy();
  ranks_.clear();
}

/// A chain of operations that wait for each other's start is processed here, not on the stack.
void GoalProgram::start_ready(Rank& rank) {
  if (rank.starting) return;
  rank.starting = true;
  while (!rank.ready.empty()) {
    const std::uint32_t next = rank.ready.front();
    rank.ready.pop_front();
    perform(rank, next);
  }
  rank.starting = false;
}

void GoalProgram::release(Rank& rank, const GoalOperation& operation, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t i = from; i < to; ++i) {
    const std::uint32_t dependent = schedule_.dependents[operation.first_dependent + i];
    if (--schedule_.operations[dependent].waits_for == 0) rank.ready.push_back(dependent);
  }
}

GoalProgram::Running GoalProgram::perform(Rank& rank, std::uint32_t number) {
  const GoalOperation& operation = schedule_.operations[number];
  release(rank, operation, 0, operation.on_start);
  switch (operation.kind) {
    case GoalKind::send:
      co_await rank.node.send({.to = node_of_[operation.peer], .tag = operation.tag, .bytes = operation.amount});
      break;
    case GoalKind::receive:
      co_await rank.node.receive({.from = node_of_[operation.peer], .tag = operation.tag, .bytes = operation.amount});
      break;
    case GoalKind::calculation: {
      if (operation.amount == 0) break;  // no work for the processor: it only joins dependencies
      constexpr double ns = 1e-9;
      const double cycles = static_cast<double>(operation.amount) * ns * rank.node.machine().clock_hz;
      co_await rank.node.compute(static_cast<Cycles>(std::llround(cycles)));
      break;
    }
  }
  release(rank, operation, operation.on_start, operation.dependents);
  --left_;
  const bool last = --rank.left == 0;
  start_ready(rank);
  if (last) rank.node.ports().finished(rank.node.id(), error_);
}

}  // namespace ecube
