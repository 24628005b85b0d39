// SPDX-License-Identifier: Apache-2.0
// Generalised shuffle permutations as node firmware (Johnsson & Ho 1991).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/shuffle/shuffle_workload.h"
#include "sw/api/firmware.h"
#include "sw/api/routine.h"

namespace ecube {

/// Why nodes of a shuffle are not translations of node 0; empty where they are.
[[nodiscard]] std::string why_not_translated(const ShuffleWorkload& workload, unsigned dim, const Machine& machine);

/// One run of a permutation: the firmware, its elements, and the results of the run.
class GeneralisedShuffle {
 public:
  GeneralisedShuffle(const ShuffleWorkload& workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  /// Messages of a whole run; where some go one way only, at most these.
  [[nodiscard]] static std::uint64_t messages(const ShuffleWorkload& workload, unsigned dim);
  /// After a run: elements and packets in sequence, counted from the messages that arrived (StepCounter), and elements
  /// that each node moved for alignment. Of `route` the most that a node has received.
  [[nodiscard]] ShuffleCount counted() const;
  /// The local memory of a node: element number node x K + local address is there at first.
  [[nodiscard]] std::span<const std::uint32_t> elements(NodeId node) const {
    return std::span(elements_).subspan(node * local_elements(), local_elements());
  }
  /// The K elements of a node that holds any before and after: the same, unless they are spread over an extended cube.
  [[nodiscard]] std::span<const std::uint32_t> held(NodeId node) const {
    return std::span(held()).subspan(node * workload_.elements, workload_.elements);
  }
  /// Elements that are not where the permutation sends them.
  [[nodiscard]] std::uint64_t wrong() const;

 private:
  using Element = std::uint32_t;

  struct Stage {
    Factors factors;
    std::vector<ShufflePlan> plans;  ///< of the mixed constituents, and of those by A1
    std::vector<Constituent> by_a2;
    std::vector<TwoCyclePlan> rounds;
  };

  [[nodiscard]] static std::vector<Stage> stages(const ShuffleWorkload& workload, unsigned dim);
  Task<> run(Node& node);
  Task<> run_plan(Node& node, const Stage& stage, const ShufflePlan& plan, bool first);
  Task<> exchange(Node& node, const ShufflePlan& plan, const ShuffleStep& step, std::uint32_t parities,
                  std::uint16_t label);
  Task<> move_locally(Node& node, std::uint64_t elements);
  /// A part of the elements, which crosses the dimensions of a real constituent in another order than the other parts.
  struct Group {
    std::vector<unsigned> dims;
    std::vector<bool> complement;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool active = true;             ///< receives in the first dimension, sends in the last
    std::span<Element> kept{};      ///< of active nodes: elements whose bit gone through last was the node's own
    std::span<Element> received{};  ///< those of which it was the other
  };
  /// One message: elements of one buffer, one way or both.
  struct Transfer {
    unsigned dim = 0;
    std::uint32_t tag = 0;
    std::span<Element> outgoing{};
    std::span<Element> incoming{};
  };
  [[nodiscard]] std::vector<Group> groups_of(NodeId node, const Constituent& real);
  [[nodiscard]] Transfer a2_transfer(NodeId node, Group& group, unsigned step);
  Task<> run_a2(Node& node, const Constituent& real);
  Task<> run_two_cycles(Node& node, const TwoCyclePlan& plan);
  /// All transfers of a step at once; one after the other as many steps as the longest of them has packets.
  Task<> transfer_in_packets(Node& node, const std::vector<Transfer>& whole, std::uint64_t longest);
  /// All transfers of a step at once, each in as many parts as its dimension has channels.
  Task<> transfer(Node& node, std::span<const Transfer> transfers, PairwiseSync sync, std::uint16_t label);
  /// Those of the packet step that the node has begun.
  Task<> transfer_packets(Node& node, std::span<const Transfer> transfers);
  Task<> route(Node& node);
  /// A part of the elements on their way to or from the nodes of the extended cube, which crosses its dimensions in
  /// another order than the other parts.
  struct Spread {
    std::vector<unsigned> dims;
    std::uint64_t begin = 0;  ///< of the elements of each node in the end
    std::uint64_t end = 0;
    std::vector<Element> held;  ///< [place of a node][begin .. end): those of all nodes that this one passes on to
  };
  [[nodiscard]] std::vector<Spread> spreads_of(NodeId node) const;
  [[nodiscard]] NodeId place_in(const Spread& spread, NodeId node) const;
  void copy_home(NodeId node, Spread& spread, bool outwards);
  /// Elements to the nodes of the extended cube, or back.
  Task<> carry(Node& node, bool outwards);
  Task<> pass(Node& node, std::span<Spread> spreads, unsigned round, bool outwards);
  [[nodiscard]] std::span<Element> memory(NodeId node) {
    return std::span(elements_).subspan(node * local_elements(), local_elements());
  }
  [[nodiscard]] std::uint64_t place(const ShufflePlan& plan, std::uint64_t slot, std::uint32_t parities,
                                    bool synchronised) const {
    return workload_.align ? slot : plan.address(slot, parities, synchronised);
  }

  [[nodiscard]] const std::vector<Element>& held() const { return workload_.extend > 0 ? home_ : elements_; }
  /// Of a node in `elements_`.
  [[nodiscard]] std::uint64_t local_elements() const { return workload_.spread_elements(); }

  ShuffleWorkload workload_;
  unsigned dim_;
  std::vector<Stage> stages_;
  std::vector<Element> elements_;  ///< [node][local address]: number of the element, node x K + local address at first
  std::vector<Element> second_;    ///< of the same size: A2's second buffer, what `route` has received
  std::vector<Element> home_;      ///< extended cube only: the elements of the nodes that hold them before and after
  StepCounter counter_;
  ShuffleCount apart_;  ///< counted besides: elements moved, and what `route` receives
  Firmware firmware_;
};

}  // namespace ecube
