// SPDX-License-Identifier: Apache-2.0
// Plans followed from message to message.
#include "models/family/plan_cost.h"

#include <algorithm>

#include "models/processor/processor_timeline.h"

namespace ecube {
namespace {

double alpha_of(const NeighbourCost& cost, std::uint64_t items, std::uint64_t short_items) {
  return items == 0 ? cost.alpha_zero_us : items <= short_items ? cost.alpha_short_us : cost.alpha_us;
}

std::uint64_t combined_by(NodeId node, const PlannedTransfer& transfer) {
  const std::uint64_t items = items_in(transfer.incoming);
  if (transfer.arrival == Arrival::combined) return items;
  if (transfer.arrival == Arrival::stored) return 0;
  return (transfer.last ? 0 : items) + (transfer.partner < node ? items : 0);
}

/// Every node of a plan, as messages and times.
class PlanProgram {
 public:
  PlanProgram(const CollectivePlan& plan, const CombineParameters& parameters)
      : plan_(plan), parameters_(parameters), queued_(plan.problem().startups == Startups::queued) {}

  bool operator()(std::uint32_t node, std::uint64_t number, TimelineStep& step) const {
    if (number == plan_.steps()) return false;
    std::vector<PlannedTransfer> transfers;
    plan_.step(node, static_cast<unsigned>(number), transfers);
    std::uint64_t combined = 0;
    for (const PlannedTransfer& transfer : transfers) {
      combined += combined_by(node, transfer);
      step.messages.push_back(message_of(transfer, static_cast<std::uint32_t>(number)));
    }
    step.work_us = parameters_.gamma_us_per_item * static_cast<double>(combined);
    return true;
  }

 private:
  [[nodiscard]] TimelineMessage message_of(const PlannedTransfer& transfer, std::uint32_t number) const {
    const bool both = transfer.sends && transfer.receives;
    const NeighbourCost& cost = both ? parameters_.exchange : parameters_.one_way;
    const std::uint64_t out = items_in(transfer.outgoing);
    const double alpha = alpha_of(cost, out, parameters_.short_items);
    TimelineMessage message{.partner = transfer.partner,
                            .type = number * plan_.problem().dim + transfer.lane,
                            .sends = transfer.sends,
                            .receives = transfer.receives,
                            .wire_us = alpha + cost.beta_us_per_item * static_cast<double>(out)};
    if (!queued_) return message;
    message.startup_us = parameters_.processor ? parameters_.processor->startup_us : alpha;
    message.receipt_us = parameters_.processor ? parameters_.processor->receipt_us : 0;
    message.wire_us = std::max(0.0, message.wire_us - message.startup_us - message.receipt_us);
    return message;
  }

  const CollectivePlan& plan_;
  const CombineParameters& parameters_;
  bool queued_;
};

PlanStep step_cost(const CollectivePlan& plan, unsigned number, const CombineParameters& parameters) {
  PlanStep step;
  double longest = 0;
  std::vector<PlannedTransfer> transfers;
  for (NodeId node = 0; node < plan.problem().nodes(); ++node) {
    transfers.clear();
    plan.step(node, number, transfers);
    std::uint64_t combined = 0;
    for (const PlannedTransfer& transfer : transfers) {
      combined += combined_by(node, transfer);
      if (!transfer.sends) continue;
      ++step.messages;
      const std::uint64_t items = items_in(transfer.outgoing);
      const NeighbourCost& cost = transfer.receives ? parameters.exchange : parameters.one_way;
      const CombineTerms terms{.startup_us = alpha_of(cost, items, parameters.short_items),
                               .transmission_us = cost.beta_us_per_item * static_cast<double>(items)};
      if (terms.total() < longest) continue;
      longest = terms.total();
      step.items = items;
      step.terms.startup_us = terms.startup_us;
      step.terms.transmission_us = terms.transmission_us;
    }
    step.combined = std::max(step.combined, combined);
  }
  step.terms.combine_us = parameters.gamma_us_per_item * static_cast<double>(step.combined);
  return step;
}

}  // namespace

std::uint64_t PlanCost::messages() const {
  std::uint64_t sum = 0;
  for (const PlanStep& step : steps) sum += step.messages;
  return sum;
}

PlanCost plan_cost(const CollectivePlan& plan, const CombineParameters& parameters) {
  PlanCost cost;
  for (unsigned number = 0; number < plan.steps(); ++number) {
    cost.steps.push_back(step_cost(plan, number, parameters));
    cost.terms += cost.steps.back().terms;
  }
  cost.us = cost.terms.total();
  if (plan.problem().dim > max_plan_followed_dim) return cost;
  cost.us = timeline_us(plan.problem().nodes(), PlanProgram(plan, parameters));
  cost.followed = true;
  return cost;
}

std::uint64_t best_packets(const CollectiveAlgorithm& algorithm, CollectiveProblem problem,
                           const CombineParameters& parameters) {
  if (!algorithm.packets) return 1;
  // The published time falls, then rises with the number of packets.
  const std::uint64_t most = std::max<std::uint64_t>(1, problem.items);
  const auto us = [&](std::uint64_t packets) {
    problem.packets = packets;
    return algorithm.published_us(problem, parameters);
  };
  std::uint64_t low = 1;
  std::uint64_t high = most;
  while (high - low > 2) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (us(middle) <= us(middle + 1)) {
      high = middle + 1;
    } else {
      low = middle;
    }
  }
  std::uint64_t best = low;
  for (std::uint64_t packets = low; packets <= high; ++packets) {
    if (us(packets) < us(best)) best = packets;
  }
  return best;
}

}  // namespace ecube
