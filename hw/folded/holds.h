// SPDX-License-Identifier: Apache-2.0
// The cycles in which circuits hold a resource, and whether two of them overlap.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "hw/observed/circuit.h"

namespace ecube::folded {

/// A circuit from node 0 to the node `way`, in the cycles from .. until - 1 in which it holds a resource.
struct Hold {
  NodeId way = 0;
  std::uint32_t tag = 0;
  CircuitKind kind = CircuitKind::data;
  Cycles from = 0;
  Cycles until = 0;

  [[nodiscard]] bool overlaps(const Hold& other) const { return from < other.until && other.from < until; }
};

/// A circuit between two nodes of the whole machine: "2->9 tag 0, cycles 100 to 150". With `of` the image whose source
/// is that node.
inline std::string text_of(const Hold& hold, NodeId of) {
  std::string text;
  if (hold.kind != CircuitKind::data) text = std::string(circuit_kind_names[static_cast<std::size_t>(hold.kind)]) + " ";
  text += std::to_string(of);
  text += "->";
  text += std::to_string(of ^ hold.way);
  text += " tag " + std::to_string(hold.tag);
  text += " (cycles " + std::to_string(hold.from);
  text += " to " + std::to_string(hold.until);
  return text + ")";
}

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

inline std::optional<Hold> Holds::add(const Hold& hold, Cycles now) {
  std::erase_if(holds_, [now](const Hold& known) { return known.until <= now; });
  // If more holds than `room` overlap at some edge, they also do at an edge at which one of them begins.
  std::optional<Hold> other;
  const auto crowded = [&](Cycles edge) {
    return std::count_if(holds_.begin(), holds_.end(),
                         [edge](const Hold& known) { return known.from <= edge && edge < known.until; }) >= room_;
  };
  for (const Hold& known : holds_) {
    if (!known.overlaps(hold)) continue;
    if (crowded(std::max(known.from, hold.from))) other = known;
    if (other) break;
  }
  holds_.push_back(hold);
  return other;
}

}  // namespace ecube::folded
