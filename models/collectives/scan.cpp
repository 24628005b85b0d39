// SPDX-License-Identifier: Apache-2.0
// Prefixes by running totals.
#include <array>
#include <cmath>
#include <utility>

#include "models/collectives/collectives.h"

namespace ecube {
namespace {

/// The running totals of `items` cross dimension m; those of the last dimension are used for prefixes only.
void total_crosses(const CollectiveProblem& problem, NodeId node, unsigned m, const Items& items,
                   PlannedTransfers& transfers) {
  PlannedTransfer transfer{.partner = neighbour(node, m), .lane = m, .arrival = Arrival::scanned};
  transfer.last = m + 1 == problem.dim;
  const bool upper = (node >> m & 1U) != 0;
  if (!transfer.last || !upper) append(transfer.outgoing, items);
  if (!transfer.last || upper) append(transfer.incoming, items);
  add_transfer(transfers, std::move(transfer));
}

/// Directions in the order of labels: before step m a node has the total of the nodes that differ from it below bit m.
void doubling_scan_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  total_crosses(problem, node, number, {0, problem.items}, transfers);
}

/// Packet q crosses dimension m in step q + m: on all ports d packets are on their way at a time.
void pipelined_scan_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  for (unsigned m = 0; m < problem.dim && m <= number; ++m) {
    if (number - m >= problem.packets) continue;
    total_crosses(problem, node, m, piece_of({0, problem.items}, number - m, problem.packets), transfers);
  }
}
unsigned pipelined_scan_steps(const CollectiveProblem& problem) {
  return static_cast<unsigned>(problem.packets) + problem.dim - 1;
}

constexpr std::array<CollectiveAlgorithm, 2> scan_algorithms{{
    {.name = "doubling",
     .help = "neighbours exchange the totals of their subcubes",
     .source = "Hillis & Steele 1986, on a cube",
     .formula = "d (alpha + n beta) + (2 d - 1) n gamma",
     .step = doubling_scan_step,
     // The last node combines twice in every step but the last.
     .published =
         [](const FormulaTerms& f) {
           return (f.d - 1) * f.alpha + f.alpha_one_way + f.n * ((f.d - 1) * f.beta + f.beta_one_way) +
                  (2 * f.d - 1) * f.n * f.gamma;
         }},
    {.name = "pipelined",
     .help = "the same in packets, one in every dimension at a time",
     .source = "the same in a pipeline",
     .formula = "(P + d - 1)(alpha + n/P beta) + (2 d - 1) n gamma",
     .all_ports = true,
     .packets = true,
     .steps = pipelined_scan_steps,
     .step = pipelined_scan_step,
     // A step takes as many packets as are on their way, at most d; the last node combines each of them twice, and in
     // the last dimension once.
     .published =
         [](const FormulaTerms& f) {
           const double packet = std::ceil(f.n / f.packets);
           return (f.packets + f.d - 1) * (f.alpha + packet * f.beta) + f.packets * packet * (2 * f.d - 1) * f.gamma;
         }},
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
