// SPDX-License-Identifier: Apache-2.0
// The collectives on vectors: their steps, algorithms and published costs, and the list.
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "models/family/plan.h"

namespace ecube {
namespace {

// Van de Geijn's building blocks: one move of blocks each, over binomial trees or by exchanges with the neighbours in
// all directions.

/// Step `number`, 0 .. dim-1, of every part of the blocks, on one node: the blocks that agree with a label in the
/// dimensions crossed are sent and received. `halving`, partners give each other those that they do not keep, half as
/// many in every step; else all that they have, twice as many in every step, the dimensions backwards. In a `tree` of
/// labels relative to the root only the blocks of the partner that is further from the root move.
template <bool halving, bool tree, Arrival arrival = Arrival::stored>
void blocks_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  const VectorBlocks blocks = problem.blocks();
  const unsigned crossing = halving ? number : problem.dim - 1 - number;
  const NodeId label = node ^ problem.root;
  for (unsigned part = 0; part < blocks.parts(); ++part) {
    const NodeId bit = NodeId{1} << blocks.direction(part, crossing);
    const NodeId after = blocks.crossed(part, crossing + 1);
    const NodeId uncrossed = (problem.nodes() - 1) & ~after;
    if (tree && (label & uncrossed) != 0) continue;  // in no subcube that has its blocks yet
    const bool near = (label & bit) == 0;
    PlannedTransfer transfer{.partner = node ^ bit, .lane = part, .arrival = arrival};
    ItemRanges& own = halving ? transfer.incoming : transfer.outgoing;
    ItemRanges& others = halving ? transfer.outgoing : transfer.incoming;
    if (!tree || !near) own = blocks.agreeing(node, after, part);
    if (!tree || near) others = blocks.agreeing(transfer.partner, after, part);
    add_transfer(transfers, std::move(transfer));
  }
}
/// Who has the blocks of a subcube gives half of them to the other half of that subcube; and backwards.
constexpr auto scatter_step = blocks_step<true, true>;
constexpr auto gather_step = blocks_step<false, true>;
constexpr auto all_gather_step = blocks_step<false, false>;
constexpr auto reduce_scatter_step = blocks_step<true, false, Arrival::combined>;

// Broadcast, the root's vector to every node: by a binomial tree, by scattering and gathering again, or by
// edge-disjoint spanning binomial trees.

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

// The collectives of one move of blocks.

constexpr std::string_view moved = "d alpha + (1 - 1/p) n beta / k";

/// Every node's messages go one way.
double tree_of_blocks_us(const FormulaTerms& f) {
  return f.d * f.alpha_one_way + (1 - 1 / f.p) * f.n / f.k * f.beta_one_way;
}

double exchanged_blocks_us(const FormulaTerms& f) { return f.d * f.alpha + (1 - 1 / f.p) * f.n / f.k * f.beta; }

double combined_blocks_us(const FormulaTerms& f) {
  return f.d * f.alpha + (1 - 1 / f.p) * f.n * (f.beta / f.k + f.gamma);
}

constexpr CollectiveAlgorithm block_algorithm(std::string_view name, std::string_view help, std::string_view formula,
                                              decltype(CollectiveAlgorithm::step) step,
                                              decltype(CollectiveAlgorithm::published) published) {
  return {.name = name,
          .help = help,
          .source = "van de Geijn 1991, building blocks",
          .formula = formula,
          .step = step,
          .published = published};
}

constexpr CollectiveAlgorithm halved_tree = block_algorithm(
    "halving", "binomial tree: half of the blocks at hand in every direction", moved, scatter_step, tree_of_blocks_us);
constexpr CollectiveAlgorithm doubled_tree = block_algorithm(
    "doubling", "binomial tree: all blocks at hand towards the root", moved, gather_step, tree_of_blocks_us);
constexpr CollectiveAlgorithm doubled_blocks =
    block_algorithm("doubling", "neighbours exchange all blocks at hand", moved, all_gather_step, exchanged_blocks_us);
constexpr CollectiveAlgorithm halved_blocks =
    block_algorithm("halving", "neighbours exchange the halves that they do not keep, and combine",
                    "d alpha + (1 - 1/p) n (beta / k + gamma)", reduce_scatter_step, combined_blocks_us);

// Prefix (scan), node i gets the vectors of nodes 0 .. i combined, or those of nodes 0 .. i-1 (exscan): by exchanges of
// running totals with the neighbours in directions 0, 1, .., whole or in packets.

/// Directions in the order of labels: before it crosses dimension m a node has the total of the nodes that differ from
/// it below bit m. Packet q crosses in step q + m: on all ports d packets are on their way at a time. The totals of the
/// last dimension are used for prefixes only. An `exclusive` prefix begins with the first total that comes from below.
template <bool exclusive>
void scan_step(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) {
  for (unsigned m = 0; m < problem.dim && m <= number; ++m) {
    if (number - m >= problem.packets) continue;
    const Items items = piece_of({0, problem.items}, number - m, problem.packets);
    const bool upper = (node >> m & 1U) != 0;
    PlannedTransfer transfer{.partner = neighbour(node, m), .lane = m};
    const bool first = exclusive && (node & ((NodeId{1} << m) - 1)) == 0;
    transfer.arrival = !upper ? Arrival::unused : first ? Arrival::stored : Arrival::combined;
    transfer.totalled = m + 1 < problem.dim;
    if (transfer.totalled || !upper) append(transfer.outgoing, items);
    if (transfer.totalled || upper) append(transfer.incoming, items);
    add_transfer(transfers, std::move(transfer));
  }
}

template <bool exclusive>
constexpr std::array<CollectiveAlgorithm, 2> scan_algorithms{{
    {.name = "doubling",
     .help = "neighbours exchange the totals of their subcubes",
     .source = "Hillis & Steele 1986, on a cube",
     .formula = exclusive ? "d (alpha + n beta) + (2 d - 2) n gamma" : "d (alpha + n beta) + (2 d - 1) n gamma",
     .step = scan_step<exclusive>,
     // The last node combines twice in every step but the last, and where it is exclusive once in the first, too.
     .published =
         [](const FormulaTerms& f) {
           return (f.d - 1) * f.alpha + f.alpha_one_way + f.n * ((f.d - 1) * f.beta + f.beta_one_way) +
                  (2 * f.d - (exclusive ? 2 : 1)) * f.n * f.gamma;
         }},
    {.name = "pipelined",
     .help = "the same in packets, one in every dimension at a time",
     .source = "the same in a pipeline",
     .formula = exclusive ? "(P + d - 1)(alpha + n/P beta) + (2 d - 2) n gamma"
                          : "(P + d - 1)(alpha + n/P beta) + (2 d - 1) n gamma",
     .all_ports = true,
     .packets = true,
     .steps = [](const CollectiveProblem& problem) { return static_cast<unsigned>(problem.packets) + problem.dim - 1; },
     .step = scan_step<exclusive>,
     // A step takes as many packets as are on their way, at most d; the last node combines each of them twice, and in
     // the last dimension once, as in the first where it is exclusive.
     .published =
         [](const FormulaTerms& f) {
           const double packet = std::ceil(f.n / f.packets);
           const double times = 2 * f.d - (exclusive ? 2 : 1);
           return (f.packets + f.d - 1) * (f.alpha + packet * f.beta) + f.packets * packet * times * f.gamma;
         }},
}};

constexpr Collective described[] = {
    {"broadcast", "Broadcast: the vector of one node to all", true, Holding::all_on_root, Holding::all, Meaning::moved,
     broadcast_algorithms},
    {"scatter", "Scatter: block i of one node's vector to node i", true, Holding::all_on_root, Holding::block,
     Meaning::moved, std::span(&halved_tree, 1)},
    {"gather", "Gather: block i of every node i together on one node", true, Holding::block, Holding::all_on_root,
     Meaning::moved, std::span(&doubled_tree, 1)},
    {"all-gather", "All-gather: block i of every node i to all nodes", false, Holding::block, Holding::all,
     Meaning::moved, std::span(&doubled_blocks, 1)},
    {"reduce-scatter", "Reduce-scatter: vectors combined item by item, block i of the result on node i", false,
     Holding::all, Holding::block, Meaning::combined, std::span(&halved_blocks, 1)},
    {"scan", "Prefix (scan): node i gets the vectors of nodes 0 .. i combined, item by item", false, Holding::all,
     Holding::all, Meaning::prefix, scan_algorithms<false>},
    {"exscan", "Exclusive prefix (exscan): node i gets the vectors of nodes 0 .. i-1 combined, item by item", false,
     Holding::all, Holding::all, Meaning::exclusive_prefix, scan_algorithms<true>}};

constexpr auto all_described = [] {
  std::array<const Collective*, std::size(described)> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = &described[i];
  return list;
}();

}  // namespace

std::span<const Collective* const> collectives() { return all_described; }

}  // namespace ecube
