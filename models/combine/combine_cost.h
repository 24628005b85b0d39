// SPDX-License-Identifier: Apache-2.0
// The predicted cost of a global combine, step by step, the strategy of least cost, and the cost where the start-ups of
// a node's messages queue on its processor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/combine/combine.h"
#include "models/static_check/link_conflicts.h"
#include "models/uncontended/timeline.h"

namespace ecube {

/// A message of n items to a neighbour takes alpha + n beta (van de Geijn 1991, section 2, assumption 5), with separate
/// values of alpha for no items and for few. A longer message is assumed to cost at least as much as a shorter one.
struct NeighbourCost {
  double alpha_zero_us = 0;
  double alpha_short_us = 0;
  double alpha_us = 0;
  double beta_us_per_item = 0;
};

struct CombineTerms {
  double startup_us = 0;
  double transmission_us = 0;
  double combine_us = 0;
  /// Time by which a step of several messages is longer than its longest message, because start-ups and receipts queue
  /// on the node's processor.
  double queued_startup_us = 0;
  double distance_us = 0;  ///< on another network: hops beyond the first
  double waiting_us = 0;   ///< there: LinkWaits

  [[nodiscard]] double total() const {
    return startup_us + transmission_us + combine_us + queued_startup_us + distance_us + waiting_us;
  }
  CombineTerms& operator+=(const CombineTerms& other);
};

/// The parameters of the combine's equations, for items of one size. All are finite and not negative.
struct CombineParameters {
  NeighbourCost exchange;         ///< both directions at once
  NeighbourCost one_way;          ///< as in version 1 and towards a root
  std::uint64_t short_items = 0;  ///< messages of at most this many items take alpha_short
  double gamma_us_per_item = 0;
  double pad_us_per_item = 0;  ///< transmission of an item that only lengthens a message
  /// Time of combining that overlaps with the arrival of a message, for each item of the message: the time of the link
  /// on a machine that combines arriving messages, else 0.
  double overlap_us_per_item = 0;
  /// The processor's share of alpha, which gives the cost of several messages of a node where start-ups queue. Without
  /// a value all of alpha is a start-up.
  std::optional<ProcessorTimes> processor;
  double hop_us = 0;  ///< distance of each hop beyond the first, and of messages of at most `short_items`
  double hop_short_us = 0;
  double stored_us_per_item = 0;  ///< for each of these hops, where packets are stored and forwarded
  bool synchronised = false;      ///< an empty message, which takes the hops, too, precedes each
  std::string source = "given";   ///< "fitted", "published" or "given"

  /// A message of `items` items that `pad` more lengthen, one way or as one half of an exchange, in a step of such a
  /// load: to a neighbour, or on another network. There packets that are stored pass a link at times of their own.
  [[nodiscard]] CombineTerms message(std::uint64_t items, std::uint64_t pad, bool is_one_way,
                                     const Topology::StepLoad& load = {.hops = 1, .circuits = 1}) const;
  /// True when start-up does not depend on length or on direction: Theorem 1 holds.
  [[nodiscard]] bool one_alpha() const;
};

/// tree: full vectors one way; exchange: full vectors both ways; halve: each partner sends the half that it does not
/// keep. These three are followed by combining. gather: the halves are joined again; broadcast: the result goes down
/// the tree.
enum class CombineMove : std::uint8_t { tree, exchange, halve, gather, broadcast };

/// One step on the node that takes longest.
struct CombineStep {
  unsigned step = 0;  ///< 0 .. d-1; gather and broadcast undo step `step` of the combining
  CombineMove move = CombineMove::exchange;
  std::uint64_t items = 0;  ///< of the longest message
  CombineTerms terms{};
};

struct CombineCost {
  CombineTerms terms;
  std::vector<CombineStep> steps;
};

/// Version 1: a tree to the root, and for target all a broadcast: 2d (alpha + n beta) + d n gamma, or half of that (van
/// de Geijn 1991, sections 3.1 and 5). On one port, for any number of ports.
[[nodiscard]] CombineCost tree_cost(const CombineProblem& problem, const CombineParameters& parameters);

/// The hybrid (van de Geijn 1991, section 3.4, with T = 0 at d = 0):
///
///   T(m, d) = alpha + m beta + m gamma + T(m, d-1)                                         full vectors
///   T(m, d) = 2 alpha + 2 ceil(m/2) beta + ceil(m/2) gamma + T(ceil(m/2), d-1)              halved, target all
///   T(m, d) = 2 alpha + ceil(m/2)(beta + gamma) + floor(m/2) beta + T(ceil(m/2), d-1)       halved, target root
///
/// Where combining overlaps with communication, m gamma is replaced by max(0, m gamma - overlap) for a message of m
/// items. Exact for every n: where a vector does not halve evenly, one half is one item longer, and some node always
/// keeps the longer half. If a rule decides by length, the branch that takes longest is charged. Towards a root,
/// messages go one way except in the exchanges of halves.
///
/// On another network the load of a step is that of its circuits on one port. On several it is that of its directions
/// where every node sends, which is more where a root collects halves.
///
/// On k links at a time the vector has k parts (CombineParts): each step costs its largest message once, combining
/// costs the sum, because one processor combines. beta is divided by k, exactly for n a multiple of k 2^d. alpha counts
/// once per step; where start-ups queue, a step takes longer by CombineTerms::queued_startup_us, which queued_step_us()
/// computes from the processor's share of alpha. Towards a root, the root takes longest: it receives all parts of a
/// step, each from a neighbour that starts no other message before. A rule that decides by length is then evaluated for
/// the node that always keeps the larger halves, as for level messages.
[[nodiscard]] CombineCost combine_cost(const CombineProblem& problem, const CombineParameters& parameters,
                                       const HalvingRule& rule);

/// The strategy with the least combine_cost() of all 2^d; among equals one that halves early. Dynamic programming over
/// steps and halvings: the cost of a step depends only on the number of earlier halvings, because some node always
/// keeps the larger half.
[[nodiscard]] Strategy best_strategy(const CombineProblem& problem, const CombineParameters& parameters);

/// k of Theorem 1 (van de Geijn 1991): the smallest k < d with n (k (beta + gamma) + gamma) >= 2^(d-k) alpha, else d.
/// Optimal for one alpha and n a multiple of p.
[[nodiscard]] unsigned theorem_1(unsigned dim, double items, double alpha, double beta, double gamma);

/// `--params` of the combine: alpha (us), beta, gamma (us per item); alpha_zero and alpha_short for messages of no and
/// of at most `short` items, alpha unless given. Exchanges and messages one way cost the same. InputError as
/// parse_parameters().
[[nodiscard]] CombineParameters parse_combine_parameters(std::string_view text);

/// Largest dimension for which every node is followed.
inline constexpr unsigned max_followed_dim = 8;

/// combine_cost(), or tree_cost() for version 1, with the queue of every node followed: nodes with empty, shorter or
/// fewer messages end a step sooner, which changes the order of start-ups and receipts. Queues are followed up to
/// max_followed_dim, if start-ups queue, the parameters give the processor's share and several parts are sent at once.
/// CombineTerms::queued_startup_us of the whole is then timeline_us() of all nodes minus the other terms. The steps
/// stay those of combine_cost(), in which every node takes as long as the longest.
[[nodiscard]] CombineCost followed_cost(const CombineProblem& problem, const CombineParameters& parameters,
                                        const HalvingRule& rule, bool tree);

}  // namespace ecube
