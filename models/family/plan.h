// SPDX-License-Identifier: Apache-2.0
// A collective on vectors as its machine sees it: the messages of every node, step by step.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "models/combine/combine_cost.h"
#include "models/family/blocks.h"

namespace ecube {

/// The vector, and the ports that its collective uses.
struct CollectiveProblem {
  unsigned dim = 1;
  std::uint64_t items = 0;
  NodeId root = 0;
  Ports ports;
  Startups startups = Startups::overlapped;
  std::uint64_t packets = 1;  ///< of an algorithm that pipelines them

  [[nodiscard]] NodeId nodes() const { return NodeId{1} << dim; }
  [[nodiscard]] unsigned ports_used() const { return ports.used(dim); }
  [[nodiscard]] VectorBlocks blocks() const { return {items, ports, dim}; }
};

/// The use of received items: stored in the vector; combined with the vector; or combined with the running total, and
/// on the node of the larger label also with the vector.
enum class Arrival : std::uint8_t { stored, combined, scanned };

/// A message to a neighbour, one from it, or both at once.
struct PlannedTransfer {
  NodeId partner = 0;
  std::uint32_t lane = 0;  ///< partners name the same transfer of a step alike
  bool sends = false;
  bool receives = false;
  ItemRanges outgoing{};
  ItemRanges incoming{};
  Arrival arrival = Arrival::stored;
  bool last = false;  ///< of Arrival::scanned: the running total is no longer needed
};

/// Appends a transfer that sends its outgoing items and receives its incoming ones, if there are any.
void add_transfer(std::vector<PlannedTransfer>& transfers, PlannedTransfer transfer);

/// The transfers of a collective. A node's step begins when its previous step is complete.
class CollectivePlan {
 public:
  explicit CollectivePlan(const CollectiveProblem& problem) : problem_(problem) {}
  virtual ~CollectivePlan() = default;
  CollectivePlan(const CollectivePlan&) = delete;
  CollectivePlan& operator=(const CollectivePlan&) = delete;

  [[nodiscard]] const CollectiveProblem& problem() const { return problem_; }
  [[nodiscard]] virtual unsigned steps() const = 0;
  /// Appends the transfers of one node in one step; all of them begin together. Those of no items are left out.
  virtual void step(NodeId node, unsigned number, std::vector<PlannedTransfer>& transfers) const = 0;

 private:
  CollectiveProblem problem_;
};

template <class Plan>
[[nodiscard]] std::unique_ptr<CollectivePlan> make_plan(const CollectiveProblem& problem) {
  return std::make_unique<Plan>(problem);
}

/// The items that a node has before a collective, or after it.
enum class Holding : std::uint8_t { all, block, all_on_root };
[[nodiscard]] ItemRanges held_by(Holding holding, NodeId node, const CollectiveProblem& problem);

/// The result: the items of the one node that had them; combined over all nodes; or combined over a node and all with
/// smaller labels.
enum class Meaning : std::uint8_t { moved, combined, prefix };

/// One way to do a collective, with its published cost.
struct CollectiveAlgorithm {
  std::string_view name;
  std::string_view help;
  std::string_view source;  ///< author and year of the cost
  std::string_view formula;
  bool all_ports = false;  ///< needs all ports at once
  bool packets = false;    ///< cuts messages into packets
  std::unique_ptr<CollectivePlan> (*plan)(const CollectiveProblem& problem) = nullptr;
  /// The published time in us, for one alpha and a vector that divides into equal messages.
  double (*published_us)(const CollectiveProblem& problem, const CombineParameters& parameters) = nullptr;
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

}  // namespace ecube
