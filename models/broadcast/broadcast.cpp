// SPDX-License-Identifier: Apache-2.0
// Three ways to broadcast.
#include "models/broadcast/broadcast.h"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "models/family/block_moves.h"

namespace ecube {
namespace {

/// In step t every node that has the vector sends all of it in direction d-1-t.
class TreePlan final : public CollectivePlan {
 public:
  using CollectivePlan::CollectivePlan;
  [[nodiscard]] unsigned steps() const override { return problem().dim; }
  void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
    const NodeId bit = NodeId{1} << (problem().dim - 1 - number);
    const NodeId label = node ^ problem().root;
    if ((label & (bit - 1)) != 0) return;
    PlannedTransfer transfer{.partner = node ^ bit};
    append((label & bit) == 0 ? transfer.outgoing : transfer.incoming, {0, problem().items});
    add_transfer(transfers, std::move(transfer));
  }
};

/// Blocks down the tree, then together again on every node.
class ScatterGatherPlan final : public CollectivePlan {
 public:
  using CollectivePlan::CollectivePlan;
  [[nodiscard]] unsigned steps() const override { return 2 * problem().dim; }
  void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
    if (number < problem().dim) {
      scatter_step(problem(), node, number, transfers);
    } else {
      all_gather_step(problem(), node, number - problem().dim, transfers);
    }
  }
};

/// d spanning binomial trees without a common directed link (Johnsson & Ho 1989): tree j leaves the root in dimension
/// j, crosses dimensions j+1, j+2, .. (modulo d), and reaches the nodes that have bit j clear, in labels relative to
/// the root, in dimension j at the end. Packets follow one another in each tree.
class SpanningTreesPlan final : public CollectivePlan {
 public:
  explicit SpanningTreesPlan(const CollectiveProblem& problem)
      : CollectivePlan(problem), all_ports_(problem.dim > 1 && problem.ports_used() == problem.dim) {}

  [[nodiscard]] unsigned steps() const override {
    const auto packets = static_cast<unsigned>(problem().packets);
    const unsigned dim = problem().dim;
    return dim == 1 ? packets : packets + dim;
  }

  void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const override {
    const NodeId label = node ^ problem().root;
    const unsigned dim = problem().dim;
    const unsigned first = all_ports_ ? 0 : number % dim;
    for (unsigned m = first; m < (all_ports_ ? dim : first + 1); ++m) {
      PlannedTransfer transfer{.partner = neighbour(node, m), .lane = m};
      append(transfer.outgoing, packet_into(neighbour(label, m), m, number));
      append(transfer.incoming, packet_into(label, m, number));
      add_transfer(transfers, std::move(transfer));
    }
  }

 private:
  /// The packet that enters the node with this relative label in dimension m at a step.
  [[nodiscard]] Items packet_into(NodeId label, unsigned m, unsigned number) const {
    if (label == 0) return {};
    const auto depth = static_cast<std::uint64_t>(std::popcount(label));
    const bool leaf = (label >> m & 1U) == 0;
    const unsigned tree = leaf ? m : next_bit(label, m);
    if (all_ports_) return part_packet(tree, number, leaf ? depth + 1 : depth - 1);
    // One dimension a step: a packet enters dimension m as many steps behind its start as m lies behind its tree's.
    const unsigned dim = problem().dim;
    const std::uint64_t behind = leaf ? dim : (m + dim - tree) % dim;
    if (number < behind || number - behind >= problem().packets) return {};
    return piece_of({0, problem().items}, number - behind, problem().packets);
  }

  [[nodiscard]] Items part_packet(unsigned tree, unsigned number, std::uint64_t behind) const {
    if (number < behind || number - behind >= problem().packets) return {};
    return piece_of(piece_of({0, problem().items}, tree, problem().dim), number - behind, problem().packets);
  }

  /// The first dimension after m, modulo d, in which the label has a 1; m itself if there is no other.
  [[nodiscard]] unsigned next_bit(NodeId label, unsigned m) const {
    const unsigned dim = problem().dim;
    for (unsigned after = 1; after < dim; ++after) {
      if ((label >> ((m + after) % dim) & 1U) != 0) return (m + after) % dim;
    }
    return m;
  }

  bool all_ports_;
};

double tree_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * (f.alpha_one_way + f.n * f.beta_one_way);
}

double scatter_gather_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  return f.d * (f.alpha_one_way + f.alpha) + (1 - 1 / f.p) * f.n / f.k * (f.beta_one_way + f.beta);
}

double spanning_trees_us(const CollectiveProblem& problem, const CombineParameters& parameters) {
  const FormulaTerms f(problem, parameters);
  if (problem.dim == 1) return f.packets * f.alpha_one_way + f.n * f.beta_one_way;
  const bool all = f.k == f.d;  // then every tree has a packet on its way, else one tree
  return (f.packets + f.d) * (f.alpha + std::ceil(f.n / (f.packets * (all ? f.d : 1))) * f.beta);
}

constexpr std::array<CollectiveAlgorithm, 3> broadcast_algorithms{{
    {.name = "tree",
     .help = "binomial tree: the whole vector in every direction",
     .source = "Johnsson & Ho 1989, spanning binomial tree",
     .formula = "d (alpha + n beta)",
     .plan = make_plan<TreePlan>,
     .published_us = tree_us},
    {.name = "scatter",
     .help = "blocks down a binomial tree, then an all-gather",
     .source = "van de Geijn 1991, building blocks",
     .formula = "2 d alpha + 2 (1 - 1/p) n beta / k",
     .plan = make_plan<ScatterGatherPlan>,
     .published_us = scatter_gather_us},
    {.name = "trees",
     .help = "edge-disjoint spanning binomial trees, packets in a pipeline",
     .source = "Johnsson & Ho 1989, edge-disjoint spanning binomial trees",
     .formula = "(P + d)(alpha + n/P beta); on n ports n/(d P)",
     .packets = true,
     .plan = make_plan<SpanningTreesPlan>,
     .published_us = spanning_trees_us},
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
