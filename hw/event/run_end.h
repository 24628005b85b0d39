// SPDX-License-Identifier: Apache-2.0
// How a run ends: the programs that have ended, and the fault that ends the run before they have.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "models/contract/operations.h"

namespace ecube::event {

class RunEnd {
 public:
  void reset(NodeId nodes) {
    *this = {};
    ended_.assign(nodes, false);
    unfinished_ = nodes;
  }
  void program_ended(NodeId node, Cycles now) {
    ended_[node] = true;
    --unfinished_;
    if (now > last_finish_) last_finish_ = now;
  }
  [[nodiscard]] bool has_ended(NodeId node) const { return ended_[node]; }
  [[nodiscard]] NodeId unfinished() const { return unfinished_; }
  [[nodiscard]] Cycles last_finish() const { return last_finish_; }

  /// A loop faults, or an error escapes a program.
  void fails(NodeId node, const std::exception_ptr& error) {
    if (failed()) return;
    error_ = error;
    fault_ = escaped(node, error_);
  }
  [[nodiscard]] bool failed() const { return error_ != nullptr; }
  /// A program is at fault at edge `at`, which may be to come. Of several faults of an edge, that of the lowest node
  /// counts.
  void fault_comes(Cycles at, NodeId node, std::string what) {
    if (std::pair(at, node) < std::pair(coming_.at, coming_.node)) coming_ = {at, node, std::move(what)};
  }
  /// The edge of a fault that is known, or never.
  [[nodiscard]] Cycles next_fault() const { return coming_.at; }
  /// All work of edge `now` has been done.
  void reach(Cycles now) {
    if (coming_.at <= now && fault_.empty()) [[unlikely]]
      fault_ = coming_.what;
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] std::exception_ptr error() const { return error_; }

 private:
  struct Fault {
    Cycles at = never;
    NodeId node = 0;
    std::string what{};
  };

  std::vector<bool> ended_;  ///< [node]
  NodeId unfinished_ = 0;
  Cycles last_finish_ = 0;
  std::string fault_;
  std::exception_ptr error_;
  Fault coming_;
};

}  // namespace ecube::event
