// SPDX-License-Identifier: Apache-2.0
// The items that each node holds, sends and receives at each step of a global combine.
#pragma once

#include <cstdint>
#include <optional>

#include "models/combine/combine.h"

namespace ecube {

/// The transfer of one part of the vector in one step on one node.
struct CombineTransfer {
  NodeId partner = 0;
  bool sends = false;
  bool receives = false;
  Items outgoing{};
  Items incoming{};
  std::uint64_t least = 0;  ///< least number of items of a message
};

/// The moves of a combine. Keeps a reference to `rule`.
class CombineMoves {
 public:
  struct Plan {
    std::uint64_t items = 0;
    bool tree = false;     ///< version 1: the result comes back from the root as a broadcast
    bool one_way = false;  ///< full vectors go towards the root only
    bool level = false;    ///< messages of smaller halves are padded to the length of larger ones
    NodeId origin = 0;     ///< labels are taken relative to it
  };

  CombineMoves(const HalvingRule& rule, const CombineParts& parts, const Plan& plan)
      : rule_(rule), parts_(parts), plan_(plan) {}

  /// The transfer in step `number` of combining; none when the node has already passed on the part.
  [[nodiscard]] std::optional<CombineTransfer> forward(NodeId node, unsigned part, unsigned number) const;
  /// The transfer in the step that undoes step `number`: gathering, or version 1's broadcast.
  [[nodiscard]] std::optional<CombineTransfer> back(NodeId node, unsigned part, unsigned number) const;

 private:
  struct Move {
    NodeId partner = 0;
    bool halves = false;
    bool upper = false;        ///< keeps the upper half; towards a root: sends
    std::uint64_t length = 0;  ///< of the larger half if the step halves, else of the whole
    Items before;              ///< items that both partners hold before the step
    Items kept;                ///< items that this node keeps
    Items given;               ///< items that this node gives to its partner
  };
  [[nodiscard]] std::optional<Move> move(NodeId node, unsigned part, unsigned number) const;
  /// True when the node has collected the result of all steps after `number`.
  [[nodiscard]] bool collects_after(NodeId node, unsigned part, unsigned number) const;

  const HalvingRule& rule_;
  CombineParts parts_;
  Plan plan_;
};

}  // namespace ecube
