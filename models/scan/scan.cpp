// SPDX-License-Identifier: Apache-2.0
// Prefixes by running totals.
#include "models/scan/scan.h"

#include <array>
#include <cmath>
#include <utility>

namespace ecube {
namespace {

/// The running totals of `items` cross dimension m; those of the last dimension are used for prefixes only.
void total_crosses(const CollectiveProblem& problem, NodeId node, unsigned m, const Items& items,
                   std::vector<PlannedTransfer>& transfers) {
  PlannedTransfer transfer{.partner = neighbour(node, m), .lane = m, .arrival = Arrival::scanned};
  transfer.last = m + 1 == problem.dim;
  const bool upper = (node >> m & 1U) != 0;
  if (!transfer.last || !upper) append(transfer.outgoing, items);
  if (!transfer.last || upper) append(transfer.incoming, items);
  add_transfer(transfers, std::move(transfer));
}

/// Directions in the order of labels: before step m a node has the total of the nodes that differ from it below bit m.
class DoublingPlan final : public CollectivePlan {
 public:
  using CollectivePlan::CollectivePlan;
  [[nodiscard]] unsigned steps() const override { return problem().dim; }
  void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
    total_crosses(problem(), node, number, {0, problem().items}, transfers);
  }
};

/// Packet q crosses dimension m in step q + m: on all ports d packets are on their way at a time.
class PipelinedPlan final : public CollectivePlan {
 public:
  using CollectivePlan::CollectivePlan;
  [[nodiscard]] unsigned steps() const override { return static_cast<unsigned>(problem().packets) + problem().dim - 1; }
  void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
    for (unsigned m = 0; m < problem().dim && m <= number; ++m) {
      if (number - m >= problem().packets) continue;
      total_crosses(problem(), node, m, piece_of({0, problem().items}, number - m, problem().packets), transfers);
    }
  }
};

/// The last node combines twice in every step but the last.
double doubling_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return (f.d - 1) * f.alpha + f.alpha_one_way + f.n * ((f.d - 1) * f.beta + f.beta_one_way) +
         (2 * f.d - 1) * f.n * f.gamma;
}

/// A step takes as many packets as are on their way, at most d; the last node combines each of them twice, and in the
/// last dimension once.
double pipelined_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  const double packet = std::ceil(f.n / f.packets);
  return (f.packets + f.d - 1) * (f.alpha + packet * f.beta) + f.packets * packet * (2 * f.d - 1) * f.gamma;
}

constexpr std::array<CollectiveAlgorithm, 2> scan_algorithms{{
    {.name = "doubling",
     .help = "neighbours exchange the totals of their subcubes",
     .source = "Hillis & Steele 1986, on a cube",
     .formula = "d (alpha + n beta) + (2 d - 1) n gamma",
     .plan = make_plan<DoublingPlan>,
     .published_us = doubling_us},
    {.name = "pipelined",
     .help = "the same in packets, one in every dimension at a time",
     .source = "the same in a pipeline",
     .formula = "(P + d - 1)(alpha + n/P beta) + (2 d - 1) n gamma",
     .all_ports = true,
     .packets = true,
     .plan = make_plan<PipelinedPlan>,
     .published_us = pipelined_us},
}};

constexpr Collective scan_described{
    .name = "scan",
    .help = "Prefix (scan): node i gets the vectors of nodes 0 .. i combined, item by item",
    .before = Holding::all,
    .after = Holding::all,
    .meaning = Meaning::prefix,
    .algorithms = scan_algorithms};

}  // namespace

const Collective& scan() { return scan_described; }

}  // namespace ecube
