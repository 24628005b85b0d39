// SPDX-License-Identifier: Apache-2.0
// The time of a plan, for vectors of any length.
#pragma once

#include "models/family/plan.h"

namespace ecube {

/// The longest of a step's messages and the most that a node combines after them, from which the cost of the step on a
/// node with both follows.
struct PlanStep {
  std::uint64_t messages = 0;  ///< of all nodes
  std::uint64_t items = 0;     ///< of the longest message
  std::uint64_t combined = 0;  ///< items that the busiest node combines
  CombineTerms terms{};
  bool one_way = false;          ///< some messages are not half of an exchange
  bool startups_differ = false;  ///< between messages, or some are half of an exchange and some are not
};

struct PlanCost {
  std::vector<PlanStep> steps;
  CombineTerms terms;  ///< of all steps, each as long as its longest message
  /// The time: from nodes followed from message to message where this is done, else the sum of the terms. Shorter than
  /// the sum where blocks differ, because nodes with shorter messages are ahead; longer where start-ups queue.
  double us = 0;
  bool followed = false;
  std::uint64_t messages = 0;    ///< of all steps, like what follows
  bool one_way = false;          ///< of some step
  bool startups_differ = false;  ///< of some step
};

/// Largest dimension for which every node is followed.
inline constexpr unsigned max_plan_followed_dim = 8;

/// A step begins on a node when its previous step is complete; a message when both its nodes have begun their step. A
/// message of m items takes alpha + m beta (CombineParameters), those of one step overlap, or queue on the processor.
/// Exact for every length, equal or not.
[[nodiscard]] PlanCost plan_cost(const CollectivePlan& plan, const CombineParameters& parameters);

/// The largest number of packets in a plan.
inline constexpr std::uint64_t max_packets = 1'000'000;

/// The number of packets, up to max_packets, with the least published_us() of an algorithm that pipelines them; 1 of
/// any other.
[[nodiscard]] std::uint64_t best_packets(const CollectiveAlgorithm& algorithm, CollectiveProblem problem,
                                         const CombineParameters& parameters);

}  // namespace ecube
