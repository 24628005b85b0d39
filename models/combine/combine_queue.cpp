// SPDX-License-Identifier: Apache-2.0
// Every node of a combine, step by step.
#include "models/combine/combine_queue.h"

#include <algorithm>

#include "models/combine/combine_moves.h"

namespace ecube {
namespace {

/// The steps of every node as messages and times.
class CombineProgram {
 public:
  CombineProgram(const CombineProblem& problem, const CombineParameters& parameters, const HalvingRule& rule)
      : problem_(problem),
        parameters_(parameters),
        parts_(problem.parts()),
        moves_(rule, parts_,
               {.items = problem.items, .one_way = problem.target == CombineTarget::root, .level = problem.level}) {}

  bool operator()(std::uint32_t node, std::uint64_t number, TimedStep& step) const {
    if (number == std::uint64_t{2} * problem_.dim) return false;
    const bool back = number >= problem_.dim;
    const auto at = static_cast<unsigned>(back ? 2 * problem_.dim - 1 - number : number);
    std::uint64_t combined = 0;
    std::uint64_t longest = 0;
    for (unsigned part = 0; part < parts_.count(); ++part) {
      const auto transfer = back ? moves_.back(node, part, at) : moves_.forward(node, part, at);
      if (!transfer) continue;
      step.messages.push_back(message_of(*transfer, part));
      if (back || !transfer->receives) continue;
      combined += transfer->incoming.count;
      longest = std::max(longest, sent(*transfer, transfer->incoming));
    }
    step.work_us = std::max(0.0, parameters_.gamma_us_per_item * static_cast<double>(combined) -
                                     parameters_.overlap_us_per_item * static_cast<double>(longest));
    return true;
  }

 private:
  [[nodiscard]] std::uint64_t sent(const CombineTransfer& transfer, const Items& items) const {
    return std::max(items.count, transfer.least) + problem_.pad;
  }

  [[nodiscard]] TimedMessage message_of(const CombineTransfer& transfer, unsigned part) const {
    const std::uint64_t out = sent(transfer, transfer.outgoing);
    const bool one_way = !transfer.sends || !transfer.receives;
    const double us = parameters_.message(out - problem_.pad, problem_.pad, one_way).total();
    return {.partner = transfer.partner,
            .tag = part,
            .sends = transfer.sends,
            .receives = transfer.receives,
            .circuit = parameters_.processor->circuit(us, out == 0)};
  }

  CombineProblem problem_;
  const CombineParameters& parameters_;
  CombineParts parts_;
  CombineMoves moves_;
};

}  // namespace

CombineCost followed_cost(const CombineProblem& problem, const CombineParameters& parameters, const HalvingRule& rule,
                          bool tree) {
  if (tree) return tree_cost(problem, parameters);
  CombineCost cost = combine_cost(problem, parameters, rule);
  if (problem.startups != Startups::queued || !parameters.processor || problem.parts().count() == 1 ||
      problem.dim > max_followed_dim) {
    return cost;
  }
  const double us = timeline_us<uncontended::Picoseconds>({.nodes = std::uint32_t{1} << problem.dim},
                                                          CombineProgram(problem, parameters, rule));
  cost.terms.queued_startup_us = without_rounding(us - (cost.terms.total() - cost.terms.queued_startup_us));
  return cost;
}

}  // namespace ecube
