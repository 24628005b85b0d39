// SPDX-License-Identifier: Apache-2.0
// Steps of generalised shuffles.
#include "sw/shuffle/shuffle.h"

#include <algorithm>
#include <numeric>

#include "sw/api/routine.h"

namespace ecube {

/// Exchanges by plans are with the same neighbours and equally long on all nodes; only addresses within a node differ.
std::string why_not_translated(const ShuffleWorkload& workload, unsigned dim, const Machine& machine) {
  if (workload.method == ShuffleMethod::route) return "every packet goes a way of its own (--algorithm route)";
  if (workload.extend > 0) return "some nodes hold no elements (--extend)";
  if (machine.permute_cycles(element_bytes) > 0) {
    return "nodes move different numbers of elements within their memories, which costs time on this machine "
           "(core.permute)";
  }
  for (const DimensionPermutation& stage : stages_of(workload)) {
    const RealParts parts = real_parts(factor(stage), workload, dim);
    if (!parts.by_a2.empty() || !parts.rounds.empty()) {
      return "in some steps half of the nodes send and the others receive (algorithm A2)";
    }
  }
  return {};
}

GeneralisedShuffle::GeneralisedShuffle(const ShuffleWorkload& workload, unsigned dim)
    : workload_(workload),
      dim_(dim),
      stages_(stages(workload, dim)),
      elements_(local_elements() << (workload.folded ? 0 : dim)),
      counter_(dim),
      firmware_([this](Node& node) { return run(node); }) {
  std::iota(elements_.begin(), elements_.end(), Element{0});
  const bool buffered = std::any_of(stages_.begin(), stages_.end(),
                                    [](const Stage& stage) { return !stage.by_a2.empty() || !stage.rounds.empty(); });
  if (buffered || workload_.method == ShuffleMethod::route) second_.resize(elements_.size());
  if (workload_.extend > 0) home_ = elements_;
}

std::vector<GeneralisedShuffle::Stage> GeneralisedShuffle::stages(const ShuffleWorkload& workload, unsigned dim) {
  std::vector<Stage> result;
  for (const DimensionPermutation& stage : stages_of(workload)) {
    const Factors factors = factor(stage);
    const RealParts parts = real_parts(factors, workload, dim);
    result.push_back({.factors = factors, .plans = plans_of(stage, workload, dim), .by_a2 = parts.by_a2, .rounds = {}});
    for (const std::vector<LabelBits>& round : parts.rounds) {
      result.back().rounds.emplace_back(round, workload.spread_elements(), workload.packet);
    }
  }
  return result;
}

std::uint64_t GeneralisedShuffle::messages(const ShuffleWorkload& workload, unsigned dim) {
  std::uint64_t of_a_node = 0;
  const std::uint64_t packets = (workload.elements + workload.packet - 1) / workload.packet;
  for (const Stage& stage : stages(workload, dim)) {
    for (const ShufflePlan& plan : stage.plans) {
      for (const ShuffleStep& step : plan.steps()) of_a_node += step.exchanges.size();
    }
    for (const Constituent& real : stage.by_a2) of_a_node += real.order() * (packets + real.order());
    for (const TwoCyclePlan& plan : stage.rounds) of_a_node += 2 * plan.cycles().size() * plan.steps();
  }
  if (workload.method == ShuffleMethod::route) of_a_node = packets;
  return of_a_node << dim;
}

std::uint64_t GeneralisedShuffle::wrong() const {
  std::uint64_t wrong = 0;
  const std::vector<Element>& elements = held();
  for (std::uint64_t now = 0; now < elements.size(); ++now) {
    const Address origin{static_cast<NodeId>(elements[now] / workload_.elements), elements[now] % workload_.elements};
    const Address to = workload_.permutation.destination(origin);
    wrong += to.node * workload_.elements + to.local != now ? 1 : 0;
  }
  return wrong;
}

Task<> GeneralisedShuffle::run(Node& node) {
  if (workload_.method == ShuffleMethod::route) {
    co_await route(node);
    co_return;
  }
  if (workload_.extend > 0) co_await carry(node, true);
  for (const Stage& stage : stages_) {
    if (stage.plans.empty() && !stage.factors.virtual_bits.empty()) {  // purely local, or by A2
      const std::vector<Element> before(memory(node.id()).begin(), memory(node.id()).end());
      for (std::uint64_t y = 0; y < before.size(); ++y) memory(node.id())[stage.factors.local(y)] = before[y];
      co_await move_locally(node, local_elements());
    }
    for (std::size_t number = 0; number < stage.plans.size(); ++number) {
      co_await run_plan(node, stage, stage.plans[number], number == 0);
    }
    for (const TwoCyclePlan& plan : stage.rounds) co_await run_two_cycles(node, plan);
    for (const Constituent& real : stage.by_a2) co_await run_a2(node, real);
  }
  if (workload_.extend > 0) co_await carry(node, false);
}

ShuffleCount GeneralisedShuffle::counted() const {
  ShuffleCount count = apart_;
  count.steps += counter_.elements_in_sequence();
  count.startups += counter_.messages_in_sequence();
  return count;
}

Task<> GeneralisedShuffle::run_plan(Node& node, const Stage& stage, const ShufflePlan& plan, bool first) {
  const std::uint32_t parities = plan.parities(node.id());
  const std::span<Element> own = memory(node.id());
  if (workload_.align) {
    const std::vector<Element> before(own.begin(), own.end());
    for (std::uint64_t slot = 0; slot < own.size(); ++slot) own[slot] = before[plan.address(slot, parities, false)];
    if (node.id() == 0) apart_.moved += 2 * own.size();
    co_await move_locally(node, own.size());
  }
  std::uint16_t label = 0;
  for (const ShuffleStep& step : plan.steps()) {
    co_await exchange(node, plan, step, parities, ++label);
    std::uint64_t moved = 0;
    for (const Synchronisation& sync : step.synchronisations) {
      if (!workload_.align || (parities >> sync.constituent & 1U) == 0) continue;
      std::swap(own[sync.slot[0]], own[sync.slot[1]]);
      moved += 2;
    }
    if (moved > 0) co_await move_locally(node, moved);
  }
  // The virtual part of the permutation commutes with the real constituents: it comes with the first plan's
  // realignment.
  const std::vector<Element> after(own.begin(), own.end());
  std::uint64_t moved = 0;
  for (std::uint64_t slot = 0; slot < own.size(); ++slot) {
    const std::uint64_t from = place(plan, slot, parities, true);
    const std::uint64_t address = plan.final_address(slot, parities);
    const std::uint64_t to = first ? stage.factors.local(address) : address;
    own[to] = after[from];
    moved += to != from ? 1 : 0;
  }
  if (workload_.align || moved > 0) co_await move_locally(node, own.size());
}

Task<> GeneralisedShuffle::exchange(Node& node, const ShufflePlan& plan, const ShuffleStep& step,
                                    std::uint32_t parities, std::uint16_t label) {
  counter_.begin(node.id());
  const std::span<Element> own = memory(node.id());
  const auto location = [&](const SlotPair& pair, const ShuffleExchange& exchange) {
    return place(plan, ShufflePlan::moved(pair, exchange, node.id(), parities), parities, exchange.synchronised);
  };
  std::vector<Element> packets;  // of exchanges of more than one element, one after the other
  for (const ShuffleExchange& exchange : step.exchanges) {
    if (exchange.count == 1) continue;
    for (const SlotPair& pair : plan.pairs(exchange)) packets.push_back(own[location(pair, exchange)]);
  }
  std::size_t packed = 0;
  std::vector<Transfer> transfers;
  transfers.reserve(step.exchanges.size());
  for (const ShuffleExchange& exchange : step.exchanges) {
    Element* elements = &own[location(plan.pairs(exchange).front(), exchange)];
    if (exchange.count > 1) {
      elements = packets.data() + packed;
      packed += exchange.count;
    }
    const std::span<Element> both(elements, exchange.count);
    transfers.push_back({.dim = exchange.dim, .tag = exchange.dim, .outgoing = both, .incoming = both});
  }
  co_await transfer(node, transfers, handshake_of(node.machine()).sync, label);
  packed = 0;
  for (const ShuffleExchange& exchange : step.exchanges) {
    if (exchange.count == 1) continue;
    for (const SlotPair& pair : plan.pairs(exchange)) own[location(pair, exchange)] = packets[packed++];
  }
}

/// Charges the moving of elements within the node, on machines where it costs anything.
Task<> GeneralisedShuffle::move_locally(Node& node, std::uint64_t elements) {
  const Bytes bytes = elements * element_bytes;
  if (node.machine().permute_cycles(bytes) > 0) co_await node.permute(bytes);
}

}  // namespace ecube
