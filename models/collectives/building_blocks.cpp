// SPDX-License-Identifier: Apache-2.0
// Blocks halved or doubled in every direction.
#include "models/collectives/collectives.h"

namespace ecube {
namespace {

constexpr std::string_view source = "van de Geijn 1991, building blocks";
constexpr std::string_view moved = "d alpha + (1 - 1/p) n beta / k";

/// Every node's messages go one way.
double tree_of_blocks_us(const FormulaTerms& f) {
  return f.d * f.alpha_one_way + (1 - 1 / f.p) * f.n / f.k * f.beta_one_way;
}

double exchanged_blocks_us(const FormulaTerms& f) { return f.d * f.alpha + (1 - 1 / f.p) * f.n / f.k * f.beta; }

double combined_blocks_us(const FormulaTerms& f) {
  return f.d * f.alpha + (1 - 1 / f.p) * f.n * (f.beta / f.k + f.gamma);
}

constexpr CollectiveAlgorithm halved_tree{.name = "halving",
                                          .help = "binomial tree: half of the blocks at hand in every direction",
                                          .source = source,
                                          .formula = moved,
                                          .step = scatter_step,
                                          .published = tree_of_blocks_us};
constexpr CollectiveAlgorithm doubled_tree{.name = "doubling",
                                           .help = "binomial tree: all blocks at hand towards the root",
                                           .source = source,
                                           .formula = moved,
                                           .step = gather_step,
                                           .published = tree_of_blocks_us};
constexpr CollectiveAlgorithm doubled_blocks{.name = "doubling",
                                             .help = "neighbours exchange all blocks at hand",
                                             .source = source,
                                             .formula = moved,
                                             .step = all_gather_step,
                                             .published = exchanged_blocks_us};
constexpr CollectiveAlgorithm halved_blocks{.name = "halving",
                                            .help = "neighbours exchange the halves that they do not keep, and combine",
                                            .source = source,
                                            .formula = "d alpha + (1 - 1/p) n (beta / k + gamma)",
                                            .step = reduce_scatter_step,
                                            .published = combined_blocks_us};

constexpr Collective described[] = {
    {"scatter", "Scatter: block i of one node's vector to node i", true, Holding::all_on_root, Holding::block,
     Meaning::moved, std::span(&halved_tree, 1)},
    {"gather", "Gather: block i of every node i together on one node", true, Holding::block, Holding::all_on_root,
     Meaning::moved, std::span(&doubled_tree, 1)},
    {"all-gather", "All-gather: block i of every node i to all nodes", false, Holding::block, Holding::all,
     Meaning::moved, std::span(&doubled_blocks, 1)},
    {"reduce-scatter", "Reduce-scatter: vectors combined item by item, block i of the result on node i", false,
     Holding::all, Holding::block, Meaning::combined, std::span(&halved_blocks, 1)}};

}  // namespace

std::span<const Collective> building_blocks() { return described; }

}  // namespace ecube
