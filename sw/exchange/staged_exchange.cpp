// SPDX-License-Identifier: Apache-2.0
// Stages, parts and steps of the complete exchange on several ports.
#include "sw/exchange/staged_exchange.h"

#include <algorithm>

#include "models/machine/random.h"
#include "sw/api/barrier.h"
#include "sw/api/branches.h"

namespace ecube {

StagedExchange::StagedExchange(const ExchangeWorkload& workload, unsigned dim)
    : workload_(workload),
      dim_(dim),
      stages_(workload.partition, workload.order),
      blocks_(dim, workload.bytes, stages_.count(), workload.payload == Payload::bytes),
      stage_ends_us_(stages_.count(), 0),
      firmware_([this](Node& node) { return run(node); }) {}

std::uint64_t StagedExchange::messages(const ExchangeWorkload& workload, unsigned dim, bool synchronising) {
  const ExchangeStages stages(workload.partition, workload.order);
  const unsigned travelling = BlockParts(workload.bytes, stages.count()).travelling();
  std::uint64_t of_a_node = 0;
  for (unsigned stage = 0; stage < stages.count(); ++stage) {
    std::uint64_t most_steps = 0;
    for (unsigned part = 0; part < travelling; ++part) {
      const unsigned dims = stages.phase_dims(stages.at(stage, part).phase);
      const std::uint64_t messages = (std::uint64_t{1} << dims) - 1;
      of_a_node += synchronising ? 2 * messages : messages;
      most_steps = std::max(most_steps, steps_of_phase(dims, workload.pairing));
    }
    if (workload.barrier == Barrier::phase) of_a_node += dim;
    if (workload.barrier == Barrier::step) of_a_node += dim * most_steps;
  }
  return of_a_node << dim;
}

Task<> StagedExchange::run(Node& node) {
  for (unsigned number = 0; number < stages_.count(); ++number) {
    if (workload_.barrier == Barrier::phase) co_await barrier(node, static_cast<std::uint16_t>(number));
    if (workload_.barrier == Barrier::clock) co_await clock_.phase(node, number);
    if (workload_.barrier == Barrier::step) {
      co_await stage_in_step(node, number);
    } else {
      co_await stage(node, number);
    }
    Bytes permuted = 0;
    for (unsigned part = 0; part < blocks_.parts().travelling(); ++part) {
      const StagePart what = stages_.at(number, part);
      blocks_.permute(node.id(), what);
      if (stages_.pays_permutation(what, workload_.identity_shuffle)) permuted += blocks_.parts().length(part) << dim_;
    }
    if (permuted > 0) co_await node.permute(permuted);
    stage_ends_us_[number] = std::max(stage_ends_us_[number], node.now_us());
  }
}

/// Every part runs its phase at its own pace.
Task<> StagedExchange::stage(Node& node, unsigned number) {
  Branches parts;
  for (unsigned part = 0; part < blocks_.parts().travelling(); ++part)
    parts.start(phase(node, number, stages_.at(number, part)));
  co_await parts;
}

/// All nodes and all parts begin a step together.
Task<> StagedExchange::stage_in_step(Node& node, unsigned number) {
  NodeId most = 0;
  for (unsigned part = 0; part < blocks_.parts().travelling(); ++part)
    most = std::max(most, steps(stages_.at(number, part)));
  for (NodeId step_number = 0; step_number < most; ++step_number) {
    co_await barrier(node, static_cast<std::uint16_t>(number));
    Branches parts;
    for (unsigned part = 0; part < blocks_.parts().travelling(); ++part) {
      const StagePart what = stages_.at(number, part);
      if (step_number < steps(what)) parts.start(step(node, number, what, step_number));
    }
    co_await parts;
  }
}

Task<> StagedExchange::phase(Node& node, unsigned stage, StagePart what) {
  const NodeId last = steps(what);
  for (NodeId number = 0; number < last; ++number) co_await step(node, stage, what, number);
}

/// A mask and its complement at once; the step ends with the later one.
Task<> StagedExchange::step(Node& node, unsigned stage, StagePart what, NodeId number) {
  const StepMasks masks = masks_of_step(number, stages_.phase_dims(what.phase), workload_.pairing);
  const Exchange first = exchange(node, stage, what, masks.mask);
  Pending under_way = node.start_exchange(first);
  if (masks.complement != 0) {
    const Exchange second = exchange(node, stage, what, masks.complement);
    check(co_await node.exchange(second), node.id(), second.type);
  }
  check(co_await under_way, node.id(), first.type);
}

Exchange StagedExchange::exchange(const Node& node, unsigned stage, const StagePart& what, NodeId mask) const {
  const unsigned dims = stages_.phase_dims(what.phase);
  const Subcube subcube{stages_.phase_low(what.phase), dims};
  const NodeId partner = node.id() ^ (mask << subcube.low);
  const Region block = blocks_.effective(node.id(), what, dims, subcube.index_of(partner));
  const std::uint32_t type = stage * stages_.count() + what.part;
  return {.with = partner,
          .type = type,
          .bytes = blocks_.parts().length(what.part) << (dim_ - dims),
          .outgoing = block,
          .incoming = block,
          .tag = tag(node.id(), partner, type),
          .phase = static_cast<std::uint16_t>(stage),
          .sync = workload_.sync};
}

void StagedExchange::check(const Received& received, NodeId node, std::uint32_t type) {
  if (received.tag != tag(received.from, node, type)) ++wrong_tags_;
}

std::uint64_t StagedExchange::tag(NodeId from, NodeId to, std::uint32_t type) const {
  return workload_.payload == Payload::tags ? draw(type, from, to) : 0;
}

}  // namespace ecube
