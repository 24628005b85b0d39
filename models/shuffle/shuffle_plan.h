// SPDX-License-Identifier: Apache-2.0
// A schedule of local pairs applied to the elements of a node: the locations exchanged with each neighbour at each
// step, and the places of elements in local memory before, between and after the steps. And several real 2-cycles at
// once: the elements that cross each dimension at each step (A2 squared, Johnsson & Ho 1991).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/machine/cube.h"
#include "models/shuffle/shuffle_schedule.h"

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
  /// The sum over the steps of the pairs in the longest message: elements exchanged in sequence.
  [[nodiscard]] std::uint64_t elements_in_sequence() const;

 private:
  /// Properties of a location in a set that starts elsewhere. Masks have bit j for constituent j.
  struct InSet {
    std::uint32_t constituents = 0;  ///< constituents that have an extra dimension v
    std::uint32_t v = 0;             ///< its value for each of them
    std::uint32_t counts_a = 0;      ///< odd number of complements while a_0 was the control
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
  /// Bit `constituent`: an odd number of its first `count` dimensions are complemented.
  [[nodiscard]] std::uint32_t odd_complements(std::uint32_t constituent, std::uint32_t count) const;

  std::vector<Constituent> constituents_;
  std::uint64_t elements_;
  std::vector<NodeId> masks_;          ///< [constituent]: its bits of a node's label
  std::vector<std::uint32_t> in_set_;  ///< [slot]: 0, or 1 + place in sets_
  std::vector<InSet> sets_;
  std::uint32_t all_odd_ = 0;  ///< bit j: constituent j has an odd number of complements in all
  std::vector<ShuffleStep> steps_;
  std::vector<SlotPair> pairs_;
};

/// Two bits of the node's label that change places.
struct LabelBits {
  unsigned dim[2] = {0, 0};

  [[nodiscard]] bool differ(NodeId node) const { return ((node >> dim[0] ^ node >> dim[1]) & 1U) != 0; }
};

/// The elements that nodes send in one dimension at one step for one 2-cycle.
struct TwoCycleHop {
  std::uint32_t cycle = 0;
  unsigned dim = 0;                       ///< bit of the label: the elements go to the neighbour in this dimension
  bool second = false;                    ///< the second of the two hops of an element
  std::vector<std::uint64_t> elements{};  ///< local addresses, the same at the sender and at the receiver

  /// First hops start where the two bits of the cycle differ, second hops where they are equal.
  [[nodiscard]] bool leaves(NodeId node, const LabelBits& bits) const { return bits.differ(node) != second; }
};

/// `beta` disjoint real 2-cycles on all their 2 beta dimensions at once: K/2 + 1 exchanges of one element where K is a
/// multiple of 2 beta and at least 4 beta (Johnsson & Ho 1991, section 4.2 and conclusion; the paper gives only the
/// count for several 2-cycles; the schedule is new here).
///
/// Element e of every node is in group e mod beta, on path e / beta mod 2, in slot e / 2 beta; M = ceil(K / 2 beta)
/// slots. There are beta stages. In stage s cycle c serves group (c - s) mod beta, slot after slot: an element of a
/// node whose two bits differ crosses the cycle's first dimension, then the second (path 0), or the other way round
/// (path 1). Packet t of a cycle has the slots t B .. t B + B - 1, counted through all stages. Its elements make their
/// first hop in step t + 1 and their second in step t + 2.
///
/// No link is used twice in a step: within a packet step a cycle sends first hops of path h and second hops of the
/// other path in the same dimension. The first hops leave nodes whose bits differ, the second hops nodes whose bits are
/// equal. An element is served by one cycle after the other if a stage has two packets or more: where 2 B > M, empty
/// slots fill the stage up to 2 B.
class TwoCyclePlan {
 public:
  /// `packet` = B >= 1; more than M elements are never sent together. K = `elements` may be odd. std::logic_error for
  /// no cycles, elements or packet.
  TwoCyclePlan(std::vector<LabelBits> cycles, std::uint64_t elements, std::uint64_t packet);

  [[nodiscard]] const std::vector<LabelBits>& cycles() const { return cycles_; }
  /// Packet steps.
  [[nodiscard]] std::uint64_t steps() const { return packets_ + 1; }
  /// Packets of each cycle, including empty ones; the last one is not empty.
  [[nodiscard]] std::uint64_t packets() const { return packets_; }
  /// Local addresses of packet `number` (from 0) of a cycle on path 0 or 1, in the order of their slots.
  void packet(std::uint32_t cycle, std::uint32_t path, std::uint64_t number,
              std::vector<std::uint64_t>& elements) const;
  /// All hops of a step, 1 .. steps(), that have elements: each dimension at most once for first and for second
  /// hops.
  [[nodiscard]] std::vector<TwoCycleHop> hops(std::uint64_t step) const;

 private:
  std::vector<LabelBits> cycles_;
  std::uint64_t elements_;
  std::uint64_t slots_;    ///< M
  std::uint64_t packet_;   ///< B, at most M
  std::uint64_t stage_;    ///< slots of a stage, including empty ones
  std::uint64_t packets_;  ///< of each cycle
};

}  // namespace ecube
