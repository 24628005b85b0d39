// SPDX-License-Identifier: Apache-2.0
// The progress of a collective routine on all nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sw/api/node.h"

namespace ecube {

/// When the last node ended each part of a routine: a phase, a stage, a step.
class Progress {
 public:
  explicit Progress(std::size_t parts) : ends_us_(parts, 0) {}

  /// The node has ended the part.
  void ended(std::size_t part, const Node& node) { ends_us_[part] = std::max(ends_us_[part], node.now_us()); }
  /// In us; 0 for a part that no node has ended.
  [[nodiscard]] const std::vector<double>& ends_us() const { return ends_us_; }

 private:
  std::vector<double> ends_us_;
};

}  // namespace ecube
