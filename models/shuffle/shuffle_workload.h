// SPDX-License-Identifier: Apache-2.0
// A permutation to be done, the algorithms chosen for it, and the resulting stages, plans, counts and costs.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "models/machine/machine.h"
#include "models/shuffle/shuffle_cost.h"
#include "models/shuffle/shuffle_plan.h"

namespace ecube {

/// Algorithms for real constituents (Johnsson & Ho 1991, section 4.2). a2x2 and a2x2_sequential are for 2-cycles
/// without complements: as many at once as the ports permit, or one after the other.
enum class RealAlgorithm : std::uint8_t { a1, a1_pipelined, a2, a2x2, a2x2_sequential };

/// True for A2 squared.
[[nodiscard]] constexpr bool is_a2x2(RealAlgorithm algorithm) {
  return algorithm == RealAlgorithm::a2x2 || algorithm == RealAlgorithm::a2x2_sequential;
}

/// True for the algorithms that need no storage dimension: A2 and A2 squared.
[[nodiscard]] constexpr bool is_a2(RealAlgorithm algorithm) {
  return algorithm == RealAlgorithm::a2 || is_a2x2(algorithm);
}

/// The factors of a permutation: its constituents, or those of a method that they are compared with. `route` sends
/// every packet straight to its destination.
enum class ShuffleMethod : std::uint8_t { constituents, transpositions, two_aapcs, route };

inline constexpr Bytes element_bytes = 4;

struct ShuffleWorkload {
  DimensionPermutation permutation;
  std::uint64_t elements = 2;  ///< K, on each node that holds any
  ShuffleMethod method = ShuffleMethod::constituents;
  MixedAlgorithm mixed = MixedAlgorithm::concurrent;
  RealAlgorithm real = RealAlgorithm::a1;
  /// The algorithm for real 2-cycles without complements, a2x2 or a2x2_sequential, if not `real`.
  std::optional<RealAlgorithm> two_cycles{};
  std::uint32_t packet = 1;  ///< B
  /// Whether elements are moved within each node first so that both partners of every exchange use equal local
  /// addresses.
  bool align = true;
  /// Whether one-way messages wait for their receivers, so that each takes a step.
  bool paced = true;
  /// x: the elements are on the nodes whose highest x bits are 0, and the permutation, of the other dimensions, is done
  /// on the whole cube (Definition 3, Corollary 2). K is a multiple of 2^x.
  unsigned extend = 0;
  Ports ports{};
  bool folded = false;  ///< runs on node 0 alone, of a machine that stands for all nodes; elements are never carried

  /// Elements of each node of the whole cube during the permutation.
  [[nodiscard]] std::uint64_t spread_elements() const { return elements >> extend; }
  /// Parts in which elements are spread over x dimensions; at any time each part is in another dimension.
  [[nodiscard]] unsigned spread_parts() const { return ports.used(extend) == extend ? extend : 1; }
  /// Whether a real constituent uses all its dimensions at once.
  [[nodiscard]] bool all_at_once(const Constituent& cycle) const {
    return ports.engines != 1 && ports.used(cycle.order()) == cycle.order();
  }
};

/// The real constituents of a stage, by algorithm.
struct RealParts {
  std::vector<Constituent> by_a1;  ///< pipelined or not
  std::vector<Constituent> by_a2;
  /// 2-cycles by A2 squared, in the rounds that follow one another.
  std::vector<std::vector<LabelBits>> rounds;
};

/// Whether A2 squared can do a constituent: it has two dimensions and no complement.
[[nodiscard]] bool is_two_cycle(const Constituent& real);

/// Each real constituent is done by `two_cycles` or else by `real`; if `real` is A2 squared, constituents that are not
/// 2-cycles are done by A2. Two ports serve one 2-cycle, so on fewer than 2 beta ports a2x2 takes rounds of nearly
/// equal size.
[[nodiscard]] RealParts real_parts(const Factors& factors, const ShuffleWorkload& workload, unsigned dim);

/// The permutations that a workload does one after the other: its permutation, or the factors by its method. Empty for
/// `route`.
[[nodiscard]] std::vector<DimensionPermutation> stages_of(const ShuffleWorkload& workload);

/// The most exchanges of packets that a schedule may list; each takes some 150 bytes.
inline constexpr std::uint64_t most_schedule_entries = std::uint64_t{1} << 23;

/// The schedules of a stage: one for all mixed constituents together, then one for each real constituent that is
/// exchanged by A1. InputError beyond most_schedule_entries.
[[nodiscard]] std::vector<RowSchedule> schedules_of(const DimensionPermutation& stage, const ShuffleWorkload& workload,
                                                    unsigned dim);

/// The plans of these schedules.
[[nodiscard]] std::vector<ShufflePlan> plans_of(const DimensionPermutation& stage, const ShuffleWorkload& workload,
                                                unsigned dim);

/// The formulas of a workload, for packets of any size.
class ShuffleFormula {
 public:
  ShuffleFormula(const ShuffleWorkload& workload, unsigned dim);

  /// Whether there is a formula: there is none for fewer ports than dimensions that pipeline, and for `route`.
  [[nodiscard]] bool exists() const { return exists_; }
  /// Whether packets of B elements have a formula: 2^beta B divides K where beta constituents go together, or start in
  /// dimensions other than the first.
  [[nodiscard]] bool fits(std::uint64_t packet) const { return elements() % unit(packet) == 0; }
  /// The number of elements that must divide K for packets of B: 2^beta B, or 1 where the last packet may be short.
  [[nodiscard]] std::uint64_t unit(std::uint64_t packet) const;
  /// The largest packet that changes the result.
  [[nodiscard]] std::uint64_t largest_packet() const;
  /// Steps, start-ups and elements moved for alignment with packets of B that fit.
  [[nodiscard]] ShuffleCount count(std::uint64_t packet) const;

 private:
  struct Stage {
    std::vector<std::uint32_t> mixed;  ///< orders
    MixedAlgorithm algorithm{};        ///< of the mixed ones; one-port where there is one port
    RealParts real;
    std::uint64_t moved = 0;
  };

  [[nodiscard]] std::uint64_t elements() const { return workload_.spread_elements(); }

  ShuffleWorkload workload_;
  std::vector<Stage> stages_;
  bool exists_ = true;
};

/// Steps, start-ups and elements moved for alignment by formula, if there is one.
[[nodiscard]] std::optional<ShuffleCount> formula_of(const ShuffleWorkload& workload, unsigned dim);

/// The same, counted in the plans of mixed constituents and of A1; all zero for `route`.
[[nodiscard]] ShuffleCount count_of(const ShuffleWorkload& workload, unsigned dim);

/// Lemma 2: max(sigma K t_c / 2, s tau) on one port, max(K t_c / 2, s tau) on n; s = sigma, or sigma - 1 for a real
/// constituent with sigma less its complemented dimensions odd. Of several constituents the sums count. Corollary 2,
/// for data on a cube with `extend` = x dimensions less: the same for K / 2^x, and twice the bound of spread_count().
[[nodiscard]] double lower_bound_us(const ShuffleWorkload& workload, const ShuffleParameters& parameters);

/// Time of a workload, term by term: shuffle_cost() of `count`, or, where `parameters` say how start-ups queue, the sum
/// over the steps of its schedules. A step in which q dimensions are used at once takes queued_step_us() of q
/// exchanges; the excess over one exchange of the longest packet is ShuffleTerms::queued_startup_us. Algorithm A2, A2
/// squared and spreading have steps in which nodes send and receive different numbers of messages: there timeline_us()
/// gives the time. Local moves are those of the nodes that move most: alignment, synchronisation points, elements that
/// change places within a node.
[[nodiscard]] ShuffleTerms workload_cost(const ShuffleWorkload& workload, unsigned dim, const ShuffleCount& count,
                                         const ShuffleParameters& parameters);

/// The time of a workload by formula or, where there is no formula, counted in its schedules.
[[nodiscard]] ShuffleTerms workload_cost(const ShuffleWorkload& workload, unsigned dim,
                                         const ShuffleParameters& parameters);

/// The packet of least time among those that fit, and the time, with the parameters for a packet. Where start-ups
/// overlap, all sizes are tried and the smallest of equals counts, or, where there is no formula, 1, 2, 4, .. Where
/// start-ups queue, the sizes that make up equal shares are tried: the least B for each number of packets, above 64
/// packets every power of two. Of equals the largest counts.
struct PacketChoice {
  std::uint32_t packet = 1;
  double us = 0;
};
[[nodiscard]] PacketChoice best_packet_choice(const ShuffleWorkload& workload, unsigned dim,
                                              const std::function<ShuffleParameters(std::uint64_t packet)>& parameters);

}  // namespace ecube
