// SPDX-License-Identifier: Apache-2.0
// For what part of their time nodes stand still because planes are tuned (hw/README.md section 14).
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "models/contract/run.h"

namespace ecube {

/// Told of intervals that begin with an edge and end before another, in any order.
class PlaneTimes {
 public:
  /// A half closes or is dark; a send waits for a plane; a circuit of the node moves phits.
  enum What : std::uint8_t { changes, waits, moves };

  void reset(std::size_t nodes) {
    nodes_.assign(nodes, {});
    totals_ = {};
  }
  void add(NodeId node, What what, Cycles from, Cycles until) {
    nodes_[node].push_back({from, what, 1});
    nodes_[node].push_back({until, what, -1});
  }
  /// A half that asked at edge `asked`, was dark from edge `closed` on and is up at edge `up`.
  void changed(NodeId node, Cycles asked, Cycles closed, Cycles up) {
    ++totals_.changes;
    totals_.closing += closed - asked;
    totals_.dark += up - closed;
    add(node, changes, asked, up);
  }
  [[nodiscard]] PlaneStatistics totals() const {
    PlaneStatistics totals = totals_;
    for (std::vector<Mark> marks : nodes_) {
      std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.at < b.at; });
      std::array<int, 3> open{};
      Cycles since = 0;
      for (const Mark& mark : marks) {
        const bool waits_only = open[waits] > 0 && open[moves] == 0;
        if (open[changes] > 0) (waits_only ? totals.exposed : totals.hidden) += mark.at - since;
        since = mark.at;
        open[mark.what] += mark.step;
      }
    }
    return totals;
  }

 private:
  struct Mark {
    Cycles at;
    What what;
    int step;
  };
  std::vector<std::vector<Mark>> nodes_;
  PlaneStatistics totals_;
};

}  // namespace ecube
