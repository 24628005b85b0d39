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
      firmware_([this](Node& node) { return run(node); }) {}

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

Task<> CompleteExchange::paired_phase(Node& node, const Phase& phase, Bytes effective_bytes) {
  const auto label = static_cast<std::uint16_t>(phase.index);
  for (NodeId step = 1; step < phase.size(); ++step) {
    if (workload_.barrier == Barrier::step) co_await barrier(node, label);
    const NodeId partner = phase.partner(node.id(), step);
    const Region block = blocks_.effective(node.id(), phase, phase.subcube.index_of(partner), 0);
    const Received received = co_await node.exchange({.with = partner,
                                                      .type = label,
                                                      .bytes = effective_bytes,
                                                      .outgoing = block,
                                                      .incoming = block,
                                                      .tag = tag(node.id(), partner, phase),
                                                      .phase = label,
                                                      .sync = workload_.sync});
    if (received.tag != tag(partner, node.id(), phase)) ++wrong_tags_;
  }
}

namespace {
struct Place {
  const BlockStore* blocks;
  const Phase* phase;
  NodeId node;
};
Region place_of(void* context, NodeId source) {
  const auto& place = *static_cast<const Place*>(context);
  return place.blocks->effective(place.node, *place.phase, place.phase->subcube.index_of(source), 1);
}
}  // namespace

Task<> CompleteExchange::one_sided_phase(Node& node, const Phase& phase, Bytes effective_bytes) {
  const auto label = static_cast<std::uint16_t>(phase.index);
  Place place{&blocks_, &phase, node.id()};
  Pending arriving = node.start_receive(IncomingFromEach{
      .sources = phase.subcube, .type = label, .bytes = effective_bytes, .place = place_of, .context = &place});
  if (workload_.barrier == Barrier::phase) co_await barrier(node, label);

  const std::vector<NodeId> order = targets(workload_, phase, node.id());
  std::uint64_t tags = 0;
  for (NodeId step = 1; step < phase.size(); ++step) {
    if (workload_.barrier == Barrier::step) co_await barrier(node, label);
    const NodeId to = order[step - 1];
    const NodeId q = phase.subcube.index_of(to);
    tags += tag(to, node.id(), phase);
    co_await node.send({.to = to,
                        .type = label,
                        .bytes = effective_bytes,
                        .data = blocks_.effective(node.id(), phase, q, 0),
                        .tag = tag(node.id(), to, phase),
                        .phase = label});
  }
  co_await arriving;
  if (arriving.tags_sum() != tags) ++wrong_tags_;
  blocks_.take_arrived(node.id(), phase);
}

}  // namespace ecube
