// SPDX-License-Identifier: Apache-2.0
// A collective on vectors as its machine sees it: blocks, one for each node, the messages of every node, step by step,
// and the time of a plan.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/combine/combine.h"
#include "models/combine/combine_cost.h"

namespace ecube {

/// Ascending ranges of items; ranges that touch are one.
using ItemRanges = std::vector<Items>;

[[nodiscard]] std::uint64_t items_in(const ItemRanges& ranges);
/// Appends `items`, which begin at or behind the end of the last range.
void append(ItemRanges& ranges, const Items& items);

/// A vector as one block for each of 2^dim nodes: block b belongs to node b. On several ports every block has as many
/// parts as ports are used, and part r of all blocks crosses the dimensions in the order of CombineParts.
class VectorBlocks {
 public:
  VectorBlocks(std::uint64_t items, Ports ports, unsigned dim) : items_(items), parts_(ports, dim) {}

  [[nodiscard]] unsigned parts() const { return parts_.count(); }
  /// Dimension that a part crosses at a step of scattering or halving, 0 .. dim-1; gathering undoes them backwards.
  [[nodiscard]] unsigned direction(unsigned part, unsigned step) const { return parts_.direction(part, step); }
  /// Dimensions that the part has crossed before a step, as bits of a label.
  [[nodiscard]] NodeId crossed(unsigned part, unsigned step) const;
  [[nodiscard]] Items whole() const { return {0, items_}; }
  [[nodiscard]] Items block(NodeId node) const { return piece_of(whole(), node, std::uint64_t{1} << parts_.dim()); }
  /// The part of all blocks whose numbers agree with `node` in the bits of `mask`.
  [[nodiscard]] ItemRanges agreeing(NodeId node, NodeId mask, unsigned part) const;

 private:
  std::uint64_t items_;
  CombineParts parts_;
};

/// The vector, and the ports that its collective uses.
struct CollectiveProblem {
  unsigned dim = 1;
  std::uint64_t items = 0;
  NodeId root = 0;
  Ports ports;
  Startups startups = Startups::overlapped;
  std::uint64_t packets = 1;                     ///< of an algorithm that pipelines them
  std::shared_ptr<const LogicalCube> network{};  ///< none where partners are neighbours

  [[nodiscard]] NodeId nodes() const { return NodeId{1} << dim; }
  [[nodiscard]] unsigned ports_used() const { return ports.used(dim); }
  [[nodiscard]] VectorBlocks blocks() const { return {items, ports, dim}; }
};

/// The use of received items in the vector.
enum class Arrival : std::uint8_t { stored, combined, unused };

/// A message to a neighbour, one from it, or both at once.
struct PlannedTransfer {
  NodeId partner = 0;
  std::uint32_t lane = 0;  ///< partners name the same transfer of a step alike
  bool sends = false;
  bool receives = false;
  ItemRanges outgoing{};
  ItemRanges incoming{};
  Arrival arrival = Arrival::stored;
  bool totalled = false;  ///< received items are combined with the running total of a scan, too

  /// Items that the node combines when the transfer is complete.
  [[nodiscard]] std::uint64_t combined() const {
    return items_in(incoming) * ((arrival == Arrival::combined ? 1U : 0U) + (totalled ? 1U : 0U));
  }
};

using PlannedTransfers = std::vector<PlannedTransfer>;

/// Appends a transfer that sends its outgoing items and receives its incoming ones, if there are any.
void add_transfer(PlannedTransfers& transfers, PlannedTransfer transfer);

/// The transfers of a collective. A node's step begins when its previous step is complete.
class CollectivePlan {
 public:
  /// Appends the transfers of one node in one step; all of them begin together. Those of no items are left out.
  using Step = std::function<void(const CollectiveProblem&, NodeId node, unsigned number, PlannedTransfers&)>;
  CollectivePlan(const CollectiveProblem& problem, unsigned steps, Step step)
      : problem_(problem), steps_(steps), step_(std::move(step)) {}

  [[nodiscard]] const CollectiveProblem& problem() const { return problem_; }
  [[nodiscard]] unsigned steps() const { return steps_; }
  void step(NodeId node, unsigned number, PlannedTransfers& transfers) const {
    step_(problem_, node, number, transfers);
  }
  /// The messages of all nodes in one step.
  [[nodiscard]] std::vector<PlannedCircuit> circuits(unsigned number) const;

 private:
  CollectiveProblem problem_;
  unsigned steps_;
  Step step_;
};

/// The items that a node has before a collective, or after it.
enum class Holding : std::uint8_t { all, block, all_on_root };
[[nodiscard]] ItemRanges held_by(Holding holding, NodeId node, const CollectiveProblem& problem);

/// The result: the items of the one node that had them; combined over all nodes; combined over a node and all with
/// smaller labels; or over those with smaller labels alone, where node 0 keeps its own.
enum class Meaning : std::uint8_t { moved, combined, prefix, exclusive_prefix };
/// Whether nodes have a running total beside the vector, which is what they send.
[[nodiscard]] constexpr bool is_prefix(Meaning meaning) {
  return meaning == Meaning::prefix || meaning == Meaning::exclusive_prefix;
}

/// The symbols of published formulas, as doubles.
struct FormulaTerms {
  FormulaTerms(const CollectiveProblem& problem, const CombineParameters& parameters);
  double d;
  double p;
  double n;
  double k;        ///< ports used
  double packets;  ///< of a pipelined vector, or of each of its parts
  double alpha;    ///< of an exchange
  double beta;
  double alpha_one_way;
  double beta_one_way;
  double gamma;
};

/// One way to do a collective, with its published cost.
struct CollectiveAlgorithm {
  std::string_view name;
  std::string_view help;
  std::string_view source;  ///< author and year of the cost
  std::string_view formula;
  bool all_ports = false;  ///< needs all ports at once
  bool packets = false;    ///< cuts messages into packets
  unsigned (*steps)(const CollectiveProblem& problem) = [](const CollectiveProblem& problem) { return problem.dim; };
  void (*step)(const CollectiveProblem& problem, NodeId node, unsigned number, PlannedTransfers& transfers) = nullptr;
  /// The published time in us, for one alpha and a vector that divides into equal messages.
  double (*published)(const FormulaTerms& f) = nullptr;

  [[nodiscard]] CollectivePlan plan(const CollectiveProblem& problem) const { return {problem, steps(problem), step}; }
  [[nodiscard]] double published_us(const CollectiveProblem& problem, const CombineParameters& parameters) const {
    return published({problem, parameters});
  }
};

/// A collective: what goes in, what comes out, and how.
struct Collective {
  std::string_view name;
  std::string_view help;
  bool rooted = false;
  Holding before = Holding::all;
  Holding after = Holding::all;
  Meaning meaning = Meaning::moved;
  std::span<const CollectiveAlgorithm> algorithms{};
};

/// Broadcast, scatter, gather, all-gather, reduce-scatter, scan and exscan: the one list.
[[nodiscard]] std::span<const Collective* const> collectives();

/// The longest of a step's messages and the most that a node combines after them, from which the cost of the step on a
/// node with both follows.
struct PlanStep {
  std::uint64_t messages = 0;  ///< of all nodes
  std::uint64_t items = 0;     ///< of the longest message
  std::uint64_t combined = 0;  ///< items that the busiest node combines
  Topology::StepLoad load{.hops = 1, .circuits = 1};
  CombineTerms terms{};
};

struct PlanCost {
  std::vector<PlanStep> steps;
  CombineTerms terms;  ///< of all steps, each as long as its longest message
  /// The time: from nodes followed from message to message where this is done, else the sum of the terms. Shorter than
  /// the sum where blocks differ, because nodes with shorter messages are ahead; longer where start-ups queue.
  double us = 0;
  bool followed = false;
  std::uint64_t messages = 0;  ///< of all steps
  // Of some step:
  bool one_way = false;          ///< messages are not half of an exchange
  bool lengths_differ = false;   ///< between messages
  bool startups_differ = false;  ///< between messages, or some are half of an exchange and some are not
};

/// A step begins on a node when its previous step is complete; a message when both its nodes have begun their step. A
/// message of m items takes alpha + m beta (CombineParameters), those of one step overlap, or queue on the processor.
/// Exact for every length where messages are halves of exchanges; a sender of others does not wait for their arrival.
[[nodiscard]] PlanCost plan_cost(const CollectivePlan& plan, const CombineParameters& parameters);

/// The largest number of packets in a plan.
inline constexpr std::uint64_t max_packets = 1'000'000;

/// The number of packets, up to max_packets, with the least published_us() of an algorithm that pipelines them; 1 of
/// any other.
[[nodiscard]] std::uint64_t best_packets(const CollectiveAlgorithm& algorithm, CollectiveProblem problem,
                                         const CombineParameters& parameters);

}  // namespace ecube
