// SPDX-License-Identifier: Apache-2.0
// Several real 2-cycles at once: the elements that cross each dimension at each step (A2 squared, Johnsson & Ho 1991).
#pragma once

#include <cstdint>
#include <vector>

#include "models/machine/cube.h"

namespace ecube {

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
  /// The sum over the steps of the elements in the longest message.
  [[nodiscard]] std::uint64_t elements_in_sequence() const;

 private:
  std::vector<LabelBits> cycles_;
  std::uint64_t elements_;
  std::uint64_t slots_;    ///< M
  std::uint64_t packet_;   ///< B, at most M
  std::uint64_t stage_;    ///< slots of a stage, including empty ones
  std::uint64_t packets_;  ///< of each cycle
};

}  // namespace ecube
