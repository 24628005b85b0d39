// SPDX-License-Identifier: Apache-2.0
// Who has what at each step of a global combine, and what each node sends and receives.
#pragma once

#include <cstdint>
#include <optional>

#include "models/combine/combine.h"

namespace ecube {

/// What one part of the vector does in one step on one node.
struct CombineTransfer {
  NodeId partner = 0;
  bool sends = false;
  bool receives = false;
  Items outgoing{};
  Items incoming{};
  std::uint64_t least = 0;  ///< items of a message, or more
};

/// The moves of a combine; refers to its rule.
class CombineMoves {
 public:
  struct Plan {
    std::uint64_t items = 0;
    bool tree = false;     ///< version 1: what went to the root comes back as a broadcast
    bool one_way = false;  ///< full vectors go towards the root only
    bool level = false;    ///< messages of smaller halves are as long as those of larger ones
    NodeId origin = 0;     ///< labels are taken relative to it
  };

  CombineMoves(const HalvingRule& rule, const CombineParts& parts, const Plan& plan)
      : rule_(rule), parts_(parts), plan_(plan) {}

  /// In step `number` of combining; none when the node has passed the part on before.
  [[nodiscard]] std::optional<CombineTransfer> forward(NodeId node, unsigned part, unsigned number) const;
  /// In the step that undoes it: gathering, or version 1's broadcast.
  [[nodiscard]] std::optional<CombineTransfer> back(NodeId node, unsigned part, unsigned number) const;

 private:
  struct Move {
    NodeId partner = 0;
    bool halves = false;
    bool upper = false;        ///< keeps the upper half; towards a root: sends
    std::uint64_t length = 0;  ///< of the larger half if it halves, else of the whole
    Items before;              ///< what both partners hold before the step
    Items kept;                ///< what this node goes on with
    Items given;               ///< what it gives to the partner
  };
  [[nodiscard]] std::optional<Move> move(NodeId node, unsigned part, unsigned number) const;
  /// True when all that a node gets from the steps after `number` ends with it.
  [[nodiscard]] bool collects_after(NodeId node, unsigned part, unsigned number) const;

  const HalvingRule& rule_;
  CombineParts parts_;
  Plan plan_;
};

}  // namespace ecube
