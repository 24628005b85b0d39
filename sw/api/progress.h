// SPDX-License-Identifier: Apache-2.0
// The progress of a collective routine on all nodes, and its steps counted from the messages that arrive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/machine/cube.h"
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

/// Every node goes through the same steps, each at its own time. A step is as long as the longest message that any node
/// receives in it; a step without messages does not count.
class StepCounter {
 public:
  explicit StepCounter(unsigned dim) : step_(std::size_t{1} << dim, 0) {}

  /// The node begins its next step.
  void begin(NodeId node) { ++step_[node]; }
  /// The step that the node is in, from 1; 0 before the first.
  [[nodiscard]] std::uint32_t step_of(NodeId node) const { return step_[node]; }
  /// A message of so many elements has arrived at the node in its present step.
  void arrived(NodeId node, std::uint64_t elements) {
    const std::size_t step = step_[node];
    if (step > longest_.size()) longest_.resize(step, 0);
    longest_[step - 1] = std::max(longest_[step - 1], static_cast<std::uint32_t>(elements));
  }

  /// Steps with messages.
  [[nodiscard]] std::uint64_t messages_in_sequence() const {
    return longest_.size() - static_cast<std::size_t>(std::count(longest_.begin(), longest_.end(), 0U));
  }
  /// Elements of the longest message of each step, added up.
  [[nodiscard]] std::uint64_t elements_in_sequence() const {
    return std::accumulate(longest_.begin(), longest_.end(), std::uint64_t{0});
  }

 private:
  std::vector<std::uint32_t> step_;     ///< [node]
  std::vector<std::uint32_t> longest_;  ///< [step - 1]: elements
};

}  // namespace ecube
