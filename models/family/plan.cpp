// SPDX-License-Identifier: Apache-2.0
// Blocks by the bits of their numbers. Plans followed from message to message.
#include "models/family/plan.h"

#include <algorithm>
#include <limits>

namespace ecube {

std::uint64_t items_in(const ItemRanges& ranges) {
  std::uint64_t items = 0;
  for (const Items& range : ranges) items += range.count;
  return items;
}

void append(ItemRanges& ranges, const Items& items) {
  if (items.count == 0) return;
  if (!ranges.empty() && ranges.back().first + ranges.back().count == items.first) {
    ranges.back().count += items.count;
  } else {
    ranges.push_back(items);
  }
}

NodeId VectorBlocks::crossed(unsigned part, unsigned step) const {
  NodeId bits = 0;
  for (unsigned before = 0; before < step; ++before) bits |= NodeId{1} << direction(part, before);
  return bits;
}

ItemRanges VectorBlocks::agreeing(NodeId node, NodeId mask, unsigned part) const {
  const NodeId all = static_cast<NodeId>((std::uint64_t{1} << parts_.dim()) - 1);
  const NodeId free = all & ~mask;
  const NodeId first = node & mask;
  ItemRanges ranges;
  if (parts() == 1 && (free & (free + 1)) == 0) {  // neighbouring blocks are one range
    const Items low = block(first);
    const Items high = block(first | free);
    append(ranges, {low.first, high.first + high.count - low.first});
    return ranges;
  }
  NodeId chosen = 0;
  do {
    append(ranges, piece_of(block(first | chosen), part, parts()));
    chosen = (chosen - free) & free;
  } while (chosen != 0);
  return ranges;
}

void add_transfer(PlannedTransfers& transfers, PlannedTransfer transfer) {
  transfer.sends = !transfer.outgoing.empty();
  transfer.receives = !transfer.incoming.empty();
  if (transfer.sends || transfer.receives) transfers.push_back(std::move(transfer));
}

std::vector<PlannedCircuit> CollectivePlan::circuits(unsigned number) const {
  std::vector<PlannedCircuit> circuits;
  PlannedTransfers transfers;
  for (NodeId node = 0; node < problem_.nodes(); ++node) {
    transfers.clear();
    step(node, number, transfers);
    for (const PlannedTransfer& transfer : transfers) {
      if (transfer.sends) circuits.push_back({node, transfer.partner});
    }
  }
  return circuits;
}

ItemRanges held_by(Holding holding, NodeId node, const CollectiveProblem& problem) {
  ItemRanges ranges;
  const VectorBlocks blocks = problem.blocks();
  if (holding == Holding::block) append(ranges, blocks.block(node));
  if (holding == Holding::all || (holding == Holding::all_on_root && node == problem.root)) {
    append(ranges, blocks.whole());
  }
  return ranges;
}

FormulaTerms::FormulaTerms(const CollectiveProblem& problem, const CombineParameters& parameters)
    : d(problem.dim),
      p(problem.nodes()),
      n(static_cast<double>(problem.items)),
      k(problem.ports_used()),
      packets(static_cast<double>(problem.packets)),
      alpha(parameters.exchange.alpha_us),
      beta(parameters.exchange.beta_us_per_item),
      alpha_one_way(parameters.one_way.alpha_us),
      beta_one_way(parameters.one_way.beta_us_per_item),
      gamma(parameters.gamma_us_per_item) {}

namespace {

/// Of the message that is sent.
CombineTerms message_terms(const PlannedTransfer& transfer, const CombineParameters& parameters,
                           const Topology::StepLoad& load) {
  return parameters.message(items_in(transfer.outgoing), 0, !transfer.sends || !transfer.receives, load);
}

void add_step(PlanCost& cost, const CollectivePlan& plan, const CombineParameters& parameters) {
  const auto number = static_cast<unsigned>(cost.steps.size());
  PlanStep& step = cost.steps.emplace_back();
  if (plan.problem().network) step.load = plan.problem().network->load_of(plan.circuits(number));
  double longest = 0;
  std::uint64_t fewest_items = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_items = 0;
  double least_alpha = std::numeric_limits<double>::infinity();
  double most_alpha = 0;
  bool exchanges = false;
  bool one_way = false;
  PlannedTransfers transfers;
  for (NodeId node = 0; node < plan.problem().nodes(); ++node) {
    transfers.clear();
    plan.step(node, number, transfers);
    std::uint64_t combined = 0;
    for (const PlannedTransfer& transfer : transfers) {
      combined += transfer.combined();
      (transfer.sends && transfer.receives ? exchanges : one_way) = true;
      if (!transfer.sends) continue;
      ++step.messages;
      const CombineTerms terms = message_terms(transfer, parameters, step.load);
      const std::uint64_t items = items_in(transfer.outgoing);
      fewest_items = std::min(fewest_items, items);
      most_items = std::max(most_items, items);
      least_alpha = std::min(least_alpha, terms.startup_us);
      most_alpha = std::max(most_alpha, terms.startup_us);
      if (terms.total() < longest) continue;
      longest = terms.total();
      step.items = items;
      step.terms = terms;
    }
    step.combined = std::max(step.combined, combined);
  }
  step.terms.combine_us = parameters.gamma_us_per_item * static_cast<double>(step.combined);
  cost.terms += step.terms;
  cost.messages += step.messages;
  cost.one_way |= one_way;
  cost.lengths_differ |= fewest_items < most_items;
  cost.startups_differ |= (exchanges && one_way) || least_alpha < most_alpha;
}

}  // namespace

PlanCost plan_cost(const CollectivePlan& plan, const CombineParameters& parameters) {
  PlanCost cost;
  while (cost.steps.size() < plan.steps()) add_step(cost, plan, parameters);
  cost.us = cost.terms.total();
  // Start-ups that queue show only where nodes are followed; machines of several ports are small enough.
  const CollectiveProblem& problem = plan.problem();
  const bool queued = problem.startups == Startups::queued && problem.ports_used() > 1;
  if (problem.dim > max_followed_dim && !queued) return cost;
  // Every node as messages and times.
  const TimedProgram program = [&](std::uint32_t node, std::uint64_t number, TimedStep& step) {
    if (number == plan.steps()) return false;
    const Topology::StepLoad load = cost.steps[number].load;
    PlannedTransfers transfers;
    plan.step(node, static_cast<unsigned>(number), transfers);
    std::uint64_t combined = 0;
    for (const PlannedTransfer& transfer : transfers) {
      combined += transfer.combined();
      const CombineTerms terms = message_terms(transfer, parameters, load);
      const double us = terms.total();
      const ProcessorTimes processor = parameters.processor.value_or(ProcessorTimes{.startup_us = terms.startup_us});
      step.messages.push_back({.partner = transfer.partner,
                               .tag = static_cast<std::uint32_t>(number) * problem.dim + transfer.lane,
                               .sends = transfer.sends,
                               .receives = transfer.receives,
                               .circuit = problem.startups == Startups::queued ? processor.circuit(us, false)
                                                                               : TimedCircuit{.transit = us}});
    }
    step.work_us = parameters.gamma_us_per_item * static_cast<double>(combined);
    return true;
  };
  cost.us = timeline_us<uncontended::Picoseconds>({.nodes = problem.nodes()}, program);
  cost.followed = true;
  return cost;
}

std::uint64_t best_packets(const CollectiveAlgorithm& algorithm, CollectiveProblem problem,
                           const CombineParameters& parameters) {
  if (!algorithm.packets) return 1;
  const std::uint64_t items = problem.items;
  const std::uint64_t most = std::clamp<std::uint64_t>(items, 1, max_packets);
  const std::uint64_t ports = problem.ports_used();
  const auto us = [&](std::uint64_t packets) {
    problem.packets = packets;
    return algorithm.published_us(problem, parameters);
  };
  std::uint64_t best = 1;
  double least = us(1);
  const auto consider = [&](std::uint64_t packets) {
    if (packets < 1 || packets > most) return;
    const double time = us(packets);
    if (time > least || (time == least && packets > best)) return;
    least = time;
    best = packets;
  };
  // The published time is a saw: it rises with every packet, and falls where a packet has an item less. So only the
  // fewest packets of each length can be best: all numbers up to the root of the length, and the quotients above it.
  for (const std::uint64_t length : {items, (items + ports - 1) / ports}) {
    for (std::uint64_t divisor = 1; divisor * divisor <= length + divisor; ++divisor) {
      consider(divisor);
      consider((length + divisor - 1) / divisor);
    }
  }
  return best;
}

}  // namespace ecube
