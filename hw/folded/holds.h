// SPDX-License-Identifier: Apache-2.0
// The cycles in which circuits hold a resource, and whether two of them overlap.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/observed/circuit.h"

namespace ecube::folded {

/// A circuit from node 0 to the node `way`, in the cycles from .. until - 1 in which it holds a resource.
struct Hold {
  NodeId way = 0;
  std::uint32_t type = 0;
  CircuitKind kind = CircuitKind::data;
  Cycles from = 0;
  Cycles until = 0;

  [[nodiscard]] bool overlaps(const Hold& other) const { return from < other.until && other.from < until; }
};

/// A circuit between two nodes of the whole machine: "2->9 type 0, cycles 100 to 150". With `of` the image whose source
/// is that node.
[[nodiscard]] std::string text_of(const Hold& hold, NodeId of);

/// A resource that up to `room` circuits hold at a time.
class Holds {
 public:
  Holds() = default;
  explicit Holds(unsigned room) : room_(room) {}

  /// Adds a hold. Returns an earlier hold that it overlaps, if there is one. Holds are added in any order; those that
  /// have ended at edge `now` are removed.
  [[nodiscard]] std::optional<Hold> add(const Hold& hold, Cycles now);

 private:
  unsigned room_ = 1;
  std::vector<Hold> holds_;
};

}  // namespace ecube::folded
