// SPDX-License-Identifier: Apache-2.0
// Overlaps of holds.
#include "hw/folded/holds.h"

#include <algorithm>

namespace ecube::folded {

namespace {

const char* prefix_of(CircuitKind kind) {
  switch (kind) {
    case CircuitKind::signal:
      return "signal ";
    case CircuitKind::synchronisation:
      return "synchronisation ";
    case CircuitKind::reservation:
      return "reservation ";
    case CircuitKind::grant:
      return "grant ";
    case CircuitKind::data:
      break;
  }
  return "";
}

}  // namespace

std::string text_of(const Hold& hold, NodeId of) {
  std::string text = prefix_of(hold.kind);
  text += std::to_string(of);
  text += "->";
  text += std::to_string(of ^ hold.way);
  text += " type " + std::to_string(hold.type);
  text += " (cycles " + std::to_string(hold.from);
  text += " to " + std::to_string(hold.until);
  return text + ")";
}

std::optional<Hold> Holds::add(const Hold& hold, Cycles now) {
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
