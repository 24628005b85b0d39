// SPDX-License-Identifier: Apache-2.0
// Phases and steps of the multiphase complete exchange.
#include "sw/exchange.h"

#include <algorithm>
#include <numeric>

#include "models/random.h"
#include "sw/barrier.h"

namespace ecube {

std::vector<NodeId> targets(const ExchangeWorkload& workload, const Phase& phase, NodeId node) {
  const NodeId own = phase.subcube.index_of(node);
  std::vector<NodeId> result;
  result.reserve(phase.size() - 1);
  for (NodeId j = 1; j < phase.size(); ++j) {
    switch (workload.schedule) {
      case Schedule::xor_pairs:
        result.push_back(own ^ j);
        break;
      case Schedule::shift:
        result.push_back((own + j) & (phase.size() - 1));
        break;
      case Schedule::ordered:
      case Schedule::random:
        result.push_back(j - 1 < own ? j - 1 : j);
        break;
    }
  }
  if (workload.schedule == Schedule::random) {
    for (std::size_t left = result.size(); left > 1; --left) {
      std::swap(result[left - 1],
                result[below(draw(workload.seed, node, std::uint64_t{phase.index} * phase.size() + left), left)]);
    }
  }
  for (NodeId& target : result) target = phase.subcube.member(node, target);
  return result;
}

CompleteExchange::CompleteExchange(const ExchangeWorkload& workload, unsigned dim)
    : workload_(workload),
      dim_(dim),
      phases_(ecube::phases(workload.partition, workload.order)),
      phase_ends_us_(phases_.size(), 0),
      blocks_(dim, workload.payload == Payload::bytes ? workload.bytes : 0, buffers(workload.schedule)),
      firmware_([this](Node& node) { return run(node); }) {
  for (const Phase& phase : phases_) arrivals_.push_back({&blocks_, &phase});
}

std::uint64_t CompleteExchange::wrong() const { return wrong_tags_ + blocks_.wrong_blocks(); }

std::uint64_t CompleteExchange::messages(const ExchangeWorkload& workload, unsigned dim, bool synchronising) {
  std::uint64_t of_a_node = 0;
  for (const Phase& phase : ecube::phases(workload.partition, workload.order)) {
    const std::uint64_t steps = phase.size() - 1;
    of_a_node += synchronising ? 2 * steps : steps;
    if (workload.barrier == Barrier::phase) of_a_node += dim;
    if (workload.barrier == Barrier::step) of_a_node += dim * steps;
  }
  return of_a_node << dim;
}

std::uint64_t CompleteExchange::tag(NodeId from, NodeId to, const Phase& phase) const {
  return workload_.payload == Payload::tags ? draw(phase.index, from, to) : 0;
}

Task<> CompleteExchange::run(Node& node) {
  const Bytes held = workload_.bytes << dim_;
  for (const Phase& phase : phases_) {
    const Bytes effective_bytes = workload_.bytes << (dim_ - phase.subcube.dim);
    const auto label = static_cast<std::uint16_t>(phase.index);
    if (workload_.schedule == Schedule::xor_pairs) {
      if (workload_.barrier == Barrier::phase) co_await barrier(node, label);
      co_await paired_phase(node, phase, effective_bytes);
    } else {
      co_await one_sided_phase(node, phase, effective_bytes);
    }
    blocks_.permute(node.id(), phase);
    if (pays_shuffle(phase.subcube.dim, dim_, workload_.order, workload_.identity_shuffle)) co_await node.permute(held);
    phase_ends_us_[phase.index] = std::max(phase_ends_us_[phase.index], node.now_us());
  }
}

/// A phase's exchange, to be turned to one partner after the other. Apart from the coroutine, in whose frame the
/// message would stay.
Awaited CompleteExchange::phase_exchange(Node& node, const Phase& phase, Bytes effective_bytes) const {
  const auto label = static_cast<std::uint16_t>(phase.index);
  const Region block = blocks_.effective(node.id(), phase, 0, 0);
  return node.exchange({.type = label,
                        .bytes = effective_bytes,
                        .outgoing = block,
                        .incoming = block,
                        .phase = label,
                        .sync = workload_.sync});
}

Awaited CompleteExchange::phase_send(Node& node, const Phase& phase, Bytes effective_bytes) const {
  const auto label = static_cast<std::uint16_t>(phase.index);
  return node.send(
      {.type = label, .bytes = effective_bytes, .data = blocks_.effective(node.id(), phase, 0, 0), .phase = label});
}

Task<> CompleteExchange::paired_phase(Node& node, const Phase& phase, Bytes effective_bytes) {
  Awaited exchange = phase_exchange(node, phase, effective_bytes);
  std::byte* const blocks = blocks_.effective(node.id(), phase, 0, 0).base;
  const Bytes apart = blocks == nullptr ? 0 : blocks_.between_effective(phase);
  for (NodeId step = 1; step < phase.size(); ++step) {
    if (workload_.barrier == Barrier::step) co_await barrier(node, static_cast<std::uint16_t>(phase.index));
    const NodeId partner = phase.partner(node.id(), step);
    std::byte* const block = blocks + phase.subcube.index_of(partner) * apart;
    exchange.turn_to(partner, block, block, tag(node.id(), partner, phase));
    const Received received = co_await exchange;
    if (received.tag != tag(partner, node.id(), phase)) ++wrong_tags_;
  }
}

Region CompleteExchange::place_of(const void* context, NodeId receiver, NodeId source) {
  const auto& [blocks, phase] = *static_cast<const Arrivals*>(context);
  return blocks->effective(receiver, *phase, phase->subcube.index_of(source), 1);
}

Task<> CompleteExchange::one_sided_phase(Node& node, const Phase& phase, Bytes effective_bytes) {
  const auto label = static_cast<std::uint16_t>(phase.index);
  Pending arriving = node.start_receive(IncomingFromEach{.sources = phase.subcube,
                                                         .type = label,
                                                         .bytes = effective_bytes,
                                                         .place = place_of,
                                                         .context = &arrivals_[phase.index]});
  if (workload_.barrier == Barrier::phase) co_await barrier(node, label);

  const std::vector<NodeId> order = targets(workload_, phase, node.id());
  Awaited send = phase_send(node, phase, effective_bytes);
  std::uint64_t tags = 0;
  std::byte* const blocks = blocks_.effective(node.id(), phase, 0, 0).base;
  const Bytes apart = blocks == nullptr ? 0 : blocks_.between_effective(phase);
  NodeId next = order.front();
  for (NodeId step = 1; step < phase.size(); ++step) {
    if (workload_.barrier == Barrier::step) co_await barrier(node, label);
    const NodeId to = next;
    if (step < order.size()) next = order[step];  // one step ahead: the lists of all nodes are not in the cache
    tags += tag(to, node.id(), phase);
    send.turn_to(to, blocks + phase.subcube.index_of(to) * apart, nullptr, tag(node.id(), to, phase));
    co_await send;
  }
  co_await arriving;
  if (arriving.tags_sum() != tags) ++wrong_tags_;
  blocks_.take_arrived(node.id(), phase);
}

}  // namespace ecube
