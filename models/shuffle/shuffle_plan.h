// SPDX-License-Identifier: Apache-2.0
// A schedule of local pairs applied to the elements of a node: the locations exchanged with each neighbour at each
// step, and the places of elements in local memory before, between and after the steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/shuffle/shuffle_schedule.h"
#include "models/static_check/link_conflicts.h"

namespace ecube {

/// The locations of one row, by the value of the control bit in the location's own coordinates.
struct SlotPair {
  std::uint64_t slot[2] = {0, 0};
};

/// The exchange of every node with its neighbour in one dimension at one step: one location of each pair.
struct ShuffleExchange {
  std::uint32_t constituent = 0;
  unsigned dim = 0;   ///< bit of the label
  bool flip = false;  ///< the other location of each pair: the number of complements so far, and this one, is odd
  bool synchronised = false;  ///< after the synchronisation point of its set
  std::uint32_t first = 0;    ///< its pairs: first .. first + count - 1 of ShufflePlan::pairs()
  std::uint32_t count = 0;
};

/// Nodes of odd parity (of the constituent's bits) exchange two of their locations, whose values of v and of a_0 are
/// complements.
struct Synchronisation {
  std::uint32_t constituent = 0;
  std::uint64_t slot[2] = {0, 0};
};

struct ShuffleStep {
  std::vector<ShuffleExchange> exchanges;         ///< all in different dimensions
  std::vector<Synchronisation> synchronisations;  ///< after them
};

/// The mixed constituents of a permutation on K elements a node, by a schedule whose rows are packets of `packet`
/// pairs.
///
/// Elements are kept aligned (Johnsson & Ho 1991, Lemma 3): the location of an element is its local address with each
/// control bit a_0 replaced by a_0 xor the parity of the constituent's bits of the node's label. In rows that start
/// elsewhere, v is replaced in place of a_0. An exchange changes both the control bit and one bit of the label: the
/// element keeps its location and changes the node, so both partners use equal local addresses.
class ShufflePlan {
 public:
  /// `schedule` has ceil(K / 2 packet) rows; the last one is short if the packet does not divide K/2. K = `elements` is
  /// a multiple of 2 to every control bit + 1. std::logic_error if sets find no pairs of locations.
  ShufflePlan(std::vector<Constituent> constituents, std::uint64_t elements, std::uint32_t packet,
              const RowSchedule& schedule);

  [[nodiscard]] const std::vector<Constituent>& constituents() const { return constituents_; }
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] const std::vector<ShuffleStep>& steps() const { return steps_; }
  [[nodiscard]] std::span<const SlotPair> pairs(const ShuffleExchange& exchange) const {
    return std::span(pairs_).subspan(exchange.first, exchange.count);
  }
  /// Bit j: the parity of constituent j's bits of a node's label.
  [[nodiscard]] std::uint32_t parities(NodeId node) const;
  /// The location of `pair` whose element a node exchanges.
  [[nodiscard]] static std::uint64_t moved(const SlotPair& pair, const ShuffleExchange& exchange, NodeId node,
                                           std::uint32_t parities) {
    const std::uint32_t control =
        (parities >> exchange.constituent ^ node >> exchange.dim ^ 1U ^ (exchange.flip ? 1U : 0U)) & 1U;
    return pair.slot[control];
  }
  /// The local address that the element in an aligned location has before the first step, or, `synchronised`, has kept
  /// since, if nothing is aligned.
  [[nodiscard]] std::uint64_t address(std::uint64_t slot, std::uint32_t parities, bool synchronised) const;
  /// The local address to which the element has to be brought after the last step, except for the virtual part.
  [[nodiscard]] std::uint64_t final_address(std::uint64_t slot, std::uint32_t parities) const;
  /// The circuits of a step on a cube of `dim` dimensions: one from every node in each dimension of its exchanges.
  [[nodiscard]] static std::vector<PlannedCircuit> circuits(const ShuffleStep& step, unsigned dim);
  /// The sum over the steps of the pairs in the longest message: elements exchanged in sequence.
  [[nodiscard]] std::uint64_t elements_in_sequence() const;

 private:
  /// Properties of a location in a set that starts elsewhere. Masks have bit j for constituent j.
  struct InSet {
    std::uint32_t constituents = 0;  ///< constituents that have an extra dimension v
    std::uint32_t v = 0;             ///< its value for each of them
    std::uint32_t counts_v = 0;      ///< odd number of complements while v was the control
    std::uint32_t counts_a = 0;      ///< the same while a_0 was the control
    std::uint64_t other = 0;         ///< local address bits, without control bits, with the highest bit of v changed
  };

  /// [4 lane + 2 v + a], where v and a stand for the lane's bits or their complements. A lane has 4 locations, a set of
  /// one constituent one lane, one of AAPC 2^(beta - 1).
  using SetLocations = std::vector<std::uint64_t>;

  static void synchronise(ShuffleStep& step, const SpecialSet& set, const SetLocations& slots, std::uint32_t j);
  [[nodiscard]] std::uint64_t control_mask() const;
  [[nodiscard]] std::uint64_t deposit(std::uint64_t rest, std::uint32_t controls) const;
  [[nodiscard]] std::uint32_t controls_of(std::uint64_t slot) const;
  /// Local address bits, without control bits, of the location of the set whose v is `v`.
  [[nodiscard]] std::uint64_t rest_for(const InSet& set, std::uint64_t rest, std::uint32_t v) const;
  [[nodiscard]] bool odd_complements(std::uint32_t constituent, std::uint32_t from, std::uint32_t to) const;

  std::vector<Constituent> constituents_;
  std::uint64_t elements_;
  std::vector<NodeId> masks_;          ///< [constituent]: its bits of a node's label
  std::vector<std::uint32_t> in_set_;  ///< [slot]: 0, or 1 + place in sets_
  std::vector<InSet> sets_;
  std::uint32_t all_odd_ = 0;  ///< bit j: constituent j has an odd number of complements in all
  std::vector<ShuffleStep> steps_;
  std::vector<SlotPair> pairs_;
};

}  // namespace ecube
