// SPDX-License-Identifier: Apache-2.0
// Generalised shuffle permutations as node firmware (Johnsson & Ho 1991).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/shuffle_cost.h"
#include "models/shuffle_plan.h"
#include "sw/firmware.h"

namespace ecube {

/// How the constituents of a permutation are exchanged. Mixed: one_port, pipelined, concurrent. Real: a1, a1_pipelined,
/// a2, and a2x2 for two dimensions.
enum class ShuffleAlgorithm : std::uint8_t { one_port, pipelined, concurrent, a1, a1_pipelined, a2, a2x2 };

struct ShuffleWorkload {
  DimensionPermutation permutation;
  std::uint64_t elements = 2;  ///< K, on each node
  ShuffleAlgorithm algorithm = ShuffleAlgorithm::concurrent;
  std::uint32_t packet = 1;  ///< B
  /// Whether elements are moved within each node first so that both partners of every exchange use equal local
  /// addresses.
  bool align = true;
  /// Whether messages one way wait for their receivers, so that each takes a step of its own.
  bool paced = true;
  Ports ports{};
};

inline constexpr Bytes element_bytes = 4;

/// True for the algorithms that need no storage dimension: A2 and A2 squared.
[[nodiscard]] constexpr bool is_a2(ShuffleAlgorithm algorithm) {
  return algorithm == ShuffleAlgorithm::a2 || algorithm == ShuffleAlgorithm::a2x2;
}

/// The schedules of a workload: one for all mixed constituents together, then one for each real one that is exchanged
/// by A1.
[[nodiscard]] std::vector<RowSchedule> schedules_of(const ShuffleWorkload& workload, unsigned dim);
/// The plans that a workload amounts to, one after the other: all mixed constituents together, then each real one.
[[nodiscard]] std::vector<ShufflePlan> plans_of(const ShuffleWorkload& workload, unsigned dim);

/// One run of a permutation: the firmware, its elements, and what can be said of them afterwards.
class GeneralisedShuffle {
 public:
  GeneralisedShuffle(const ShuffleWorkload& workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] const std::vector<ShufflePlan>& plans() const { return plans_; }
  /// Messages of a whole run; for A2 at most these.
  [[nodiscard]] std::uint64_t messages() const;
  /// Elements and packets exchanged in sequence by the end of a run, and elements that each node moved for alignment.
  [[nodiscard]] const ShuffleCount& counted() const { return counted_; }
  /// Elements that are not where the permutation sends them.
  [[nodiscard]] std::uint64_t wrong() const;

 private:
  using Element = std::uint32_t;

  Task<> run(Node& node);
  Task<> run_plan(Node& node, const ShufflePlan& plan, bool first);
  /// A part of the elements that goes through the dimensions of a real constituent in an order of its own.
  struct Group {
    std::vector<unsigned> dims;
    std::vector<bool> complement;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// One message of A2: elements of one buffer, one way or both.
  struct Transfer {
    unsigned dim = 0;
    std::uint32_t type = 0;
    std::span<Element> outgoing{};
    std::span<Element> incoming{};
  };
  [[nodiscard]] std::vector<Group> groups_of(const RealConstituent& real, std::uint32_t count) const;
  Task<> run_a2(Node& node, const RealConstituent& real);
  Task<> run_a2x2(Node& node, const RealConstituent& real);
  Task<> transfer(Node& node, std::span<const Transfer> transfers);
  void count(const Node& node, std::uint64_t elements);
  Task<> exchange(Node& node, const ShufflePlan& plan, const ShuffleStep& step, std::uint32_t parities,
                  std::uint16_t label);
  Task<> move_locally(Node& node, std::uint64_t elements);
  [[nodiscard]] std::span<Element> memory(NodeId node) {
    return std::span(elements_).subspan(node * workload_.elements, workload_.elements);
  }
  [[nodiscard]] std::uint64_t place(const ShufflePlan& plan, std::uint64_t slot, std::uint32_t parities,
                                    bool synchronised) const {
    return workload_.align ? slot : plan.address(slot, parities, synchronised);
  }

  ShuffleWorkload workload_;
  unsigned dim_;
  Factors factors_;
  std::vector<ShufflePlan> plans_;
  std::vector<Element> elements_;  ///< [node][local address]: number of the element, node x K + local address at first
  std::vector<Element> second_;    ///< A2 only: a second buffer of the same size
  ShuffleCount counted_;
  Firmware firmware_;
};

}  // namespace ecube
