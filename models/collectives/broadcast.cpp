// SPDX-License-Identifier: Apache-2.0
// Three ways to broadcast.
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "models/collectives/collectives.h"

namespace ecube {
namespace {

/// In step t every node that has the vector sends all of it in direction d-1-t.
void binomial_tree_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  const NodeId bit = NodeId{1} << (problem.dim - 1 - number);
  const NodeId label = node ^ problem.root;
  if ((label & (bit - 1)) != 0) return;
  PlannedTransfer transfer{.partner = node ^ bit};
  append((label & bit) == 0 ? transfer.outgoing : transfer.incoming, {0, problem.items});
  add_transfer(transfers, std::move(transfer));
}

/// Blocks down the tree, then together again on every node.
void scatter_gather_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  if (number < problem.dim) {
    scatter_step(problem, node, number, transfers);
  } else {
    all_gather_step(problem, node, number - problem.dim, transfers);
  }
}

// d spanning binomial trees without a common directed link (Johnsson & Ho 1989): tree j leaves the root in dimension
// j, crosses dimensions j+1, j+2, .. (modulo d), and reaches the nodes that have bit j clear, in labels relative to
// the root, in dimension j at the end. Packets follow one another in each tree.

bool on_all_ports(const CollectiveProblem& problem) { return problem.dim > 1 && problem.ports_used() == problem.dim; }

/// The first dimension after m, modulo d, in which the label has a 1; m itself if there is no other.
unsigned next_bit(NodeId label, unsigned m, unsigned dim) {
  for (unsigned after = 1; after < dim; ++after) {
    if ((label >> ((m + after) % dim) & 1U) != 0) return (m + after) % dim;
  }
  return m;
}

/// The packet that enters the node with this relative label in dimension m at a step.
Items packet_into(const CollectiveProblem& problem, NodeId label, unsigned m, unsigned number) {
  if (label == 0) return {};
  const auto depth = static_cast<std::uint64_t>(std::popcount(label));
  const bool leaf = (label >> m & 1U) == 0;
  const unsigned tree = leaf ? m : next_bit(label, m, problem.dim);
  const bool all = on_all_ports(problem);
  // One dimension a step: a packet enters dimension m as many steps behind its start as m lies behind its tree's.
  const std::uint64_t in_turn = leaf ? problem.dim : (m + problem.dim - tree) % problem.dim;
  const std::uint64_t behind = !all ? in_turn : leaf ? depth + 1 : depth - 1;
  if (number < behind || number - behind >= problem.packets) return {};
  const Items vector{0, problem.items};
  return piece_of(all ? piece_of(vector, tree, problem.dim) : vector, number - behind, problem.packets);
}

unsigned spanning_trees_steps(const CollectiveProblem& problem) {
  return static_cast<unsigned>(problem.packets) + (problem.dim == 1 ? 0 : problem.dim);
}

void spanning_trees_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  const NodeId label = node ^ problem.root;
  const bool all = on_all_ports(problem);
  const unsigned first = all ? 0 : number % problem.dim;
  for (unsigned m = first; m < (all ? problem.dim : first + 1); ++m) {
    PlannedTransfer transfer{.partner = neighbour(node, m), .lane = m};
    append(transfer.outgoing, packet_into(problem, neighbour(label, m), m, number));
    append(transfer.incoming, packet_into(problem, label, m, number));
    add_transfer(transfers, std::move(transfer));
  }
}

constexpr std::array<CollectiveAlgorithm, 3> broadcast_algorithms{{
    {.name = "tree",
     .help = "binomial tree: the whole vector in every direction",
     .source = "Johnsson & Ho 1989, spanning binomial tree",
     .formula = "d (alpha + n beta)",
     .step = binomial_tree_step,
     .published = [](const FormulaTerms& f) { return f.d * (f.alpha_one_way + f.n * f.beta_one_way); }},
    {.name = "scatter",
     .help = "blocks down a binomial tree, then an all-gather",
     .source = "van de Geijn 1991, building blocks",
     .formula = "2 d alpha + 2 (1 - 1/p) n beta / k",
     .steps = [](const CollectiveProblem& problem) { return 2 * problem.dim; },
     .step = scatter_gather_step,
     .published =
         [](const FormulaTerms& f) {
           return f.d * (f.alpha_one_way + f.alpha) + (1 - 1 / f.p) * f.n / f.k * (f.beta_one_way + f.beta);
         }},
    {.name = "trees",
     .help = "edge-disjoint spanning binomial trees, packets in a pipeline",
     .source = "Johnsson & Ho 1989, edge-disjoint spanning binomial trees",
     .formula = "(P + d)(alpha + n/P beta); on n ports n/(d P)",
     .packets = true,
     .steps = spanning_trees_steps,
     .step = spanning_trees_step,
     .published =
         [](const FormulaTerms& f) {
           if (f.d == 1) return f.packets * f.alpha_one_way + f.n * f.beta_one_way;
           const bool all = f.k == f.d;  // then every tree has a packet on its way, else one tree
           return (f.packets + f.d) * (f.alpha + std::ceil(f.n / (f.packets * (all ? f.d : 1))) * f.beta);
         }},
}};

constexpr Collective broadcast_described{.name = "broadcast",
                                         .help = "Broadcast: the vector of one node to all",
                                         .rooted = true,
                                         .before = Holding::all_on_root,
                                         .after = Holding::all,
                                         .meaning = Meaning::moved,
                                         .algorithms = broadcast_algorithms};

}  // namespace

const Collective& broadcast() { return broadcast_described; }

}  // namespace ecube
