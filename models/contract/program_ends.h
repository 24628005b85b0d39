// SPDX-License-Identifier: Apache-2.0
// How a run ends: the programs that have ended, and the fault that ends the run before they have.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "models/contract/operations.h"

namespace ecube {

/// `Time` is that at which programs end.
template <class Time>
class ProgramEnds {
 public:
  void reset(std::size_t nodes) {
    *this = {};
    ended_.assign(nodes, false);
    unfinished_ = static_cast<NodeId>(nodes);
  }
  void program_ended(NodeId node, Time now) {
    ended_[node] = true;
    --unfinished_;
    if (now > last_finish_) last_finish_ = now;
  }
  [[nodiscard]] bool has_ended(NodeId node) const { return ended_[node]; }
  [[nodiscard]] NodeId unfinished() const { return unfinished_; }
  [[nodiscard]] Time last_finish() const { return last_finish_; }

  /// A loop faults, or an error escapes a program.
  void fails(NodeId node, const std::exception_ptr& error) {
    if (failed()) return;
    error_ = error;
    fault_ = escaped(node, error_);
  }
  [[nodiscard]] bool failed() const { return error_ != nullptr; }
  /// A program is at fault now.
  void faults(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }
  /// The same at edge `at`, which may be to come. Of several faults of an edge, that of the lowest node counts.
  void faults_at(Cycles at, NodeId node, std::string what) {
    if (std::pair(at, node) >= coming_) return;
    coming_ = {at, node};
    what_comes_ = std::move(what);
  }
  /// The edge of a fault that may be to come, or never.
  [[nodiscard]] Cycles next_fault() const { return coming_.first; }
  /// All work of edge `now` has been done.
  void reach(Cycles now) {
    if (coming_.first <= now) [[unlikely]]
      faults(what_comes_);
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }

 private:
  std::vector<bool> ended_;  ///< [node]
  NodeId unfinished_ = 0;
  Time last_finish_{};
  std::string fault_;
  std::exception_ptr error_;
  std::pair<Cycles, NodeId> coming_{never, 0};
  std::string what_comes_;
};

}  // namespace ecube
