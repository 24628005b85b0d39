// SPDX-License-Identifier: Apache-2.0
// Stages, parts and steps of the complete exchange on several ports.
#include <algorithm>

#include "sw/exchange/exchange.h"

namespace ecube {

StagedExchange::StagedExchange(const ExchangeWorkload& workload, unsigned dim)
    : workload_(workload),
      dim_(dim),
      stages_(workload.partition, workload.order),
      blocks_(dim, workload.bytes, stages_.count(), workload.payload == Payload::bytes, workload.folded),
      pace_(workload.barrier),
      progress_(stages_.count()),
      checks_(workload.payload == Payload::checks, workload.folded),
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

/// In a stage every part runs its phase at its own pace; where barriers come before the steps, all nodes and all parts
/// begin a step together.
Task<> StagedExchange::run(Node& node) {
  const auto count = static_cast<std::uint16_t>(stages_.count());
  for (std::uint16_t stage = 0; stage < count; ++stage) {
    co_await pace_.begin_phase(node, stage);
    const NodeId at_once = pace_.steps() ? 1 : steps_of(stage);
    for (NodeId step = 0; step < steps_of(stage); step += at_once) {
      if (pace_.steps()) co_await barrier(node, stage);
      std::vector<Task<>> parts;
      for (unsigned part = 0; part < blocks_.parts().travelling(); ++part) {
        parts.push_back(phase(node, stage, stages_.at(stage, part), step, step + at_once));
      }
      co_await node.all(parts);
    }
    co_await end_stage(node, stage);
  }
}

/// In each step with the partner across a mask and, where masks are paired, with the one across its complement at the
/// same time.
Task<> StagedExchange::phase(Node& node, std::uint16_t stage, StagePart what, NodeId first, NodeId last) {
  for (NodeId step = first; step < std::min(last, steps_of(what)); ++step) {
    const StepMasks masks = masks_of_step(step, stages_.phase_dims(what.phase), workload_.pairing);
    const Exchange message = exchange(node, stage, what, masks.mask);
    if (masks.complement == 0) {
      const Received received = co_await node.exchange(message);
      checks_.check(received.check, message.tag, received.from, node.id());
    } else {
      Pending one = node.start_exchange(message);
      Pending other = node.start_exchange(exchange(node, stage, what, masks.complement));
      co_await node.all(one, other);
      checks_.check(one.received().check, message.tag, one.received().from, node.id());
      checks_.check(other.received().check, message.tag, other.received().from, node.id());
    }
  }
}

/// Every stage ends with a permutation of the parts that are to stand otherwise in the next.
Task<> StagedExchange::end_stage(Node& node, std::uint16_t stage) {
  Bytes permuted = 0;
  for (unsigned part = 0; part < blocks_.parts().travelling(); ++part) {
    const StagePart what = stages_.at(stage, part);
    blocks_.permute(node.id(), what);
    if (stages_.pays_permutation(what, workload_.identity_shuffle)) permuted += blocks_.parts().length(part) << dim_;
  }
  if (permuted > 0) co_await node.permute(permuted);
  progress_.ended(stage, node);
}

NodeId StagedExchange::steps_of(std::uint16_t stage) const {
  NodeId most = 0;
  for (unsigned part = 0; part < blocks_.parts().travelling(); ++part) {
    most = std::max(most, steps_of(stages_.at(stage, part)));
  }
  return most;
}

/// With the node whose label differs from the own one in the bits of `mask`, counted from the lowest of the phase.
Exchange StagedExchange::exchange(const Node& node, std::uint16_t stage, const StagePart& what, NodeId mask) const {
  const unsigned dims = stages_.phase_dims(what.phase);
  const Subcube subcube{stages_.phase_low(what.phase), dims};
  const NodeId partner = node.id() ^ (mask << subcube.low);
  const Region block = blocks_.effective(node.id(), what, dims, subcube.index_of(partner));
  const std::uint32_t tag = stage * stages_.count() + what.part;
  return {.with = partner,
          .tag = tag,
          .bytes = blocks_.parts().length(what.part) << (dim_ - dims),
          .outgoing = block,
          .incoming = block,
          .check = checks_.of(tag, node.id(), partner),
          .phase = stage,
          .sync = workload_.sync};
}

}  // namespace ecube
