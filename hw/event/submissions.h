// SPDX-License-Identifier: Apache-2.0
// The requests that programs made at one edge, which take effect in order of issue (hw/README.md section 8, rule 8.4).
#pragma once

#include <utility>
#include <vector>

#include "hw/event/operation_list.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// Operations of one node may be added in any order, since events of other nodes may add them.
class Submissions {
 public:
  void reset(std::size_t nodes) {
    nodes_.assign(nodes, List{});
    submitting_.clear();
  }
  [[nodiscard]] bool empty() const { return submitting_.empty(); }
  [[nodiscard]] std::size_t memory_bytes() const { return nodes_.capacity() * sizeof(List); }
  void add(Operation& operation) {
    List& list = nodes_[operation.node];
    if (list.empty()) submitting_.push_back(operation.node);
    list.insert(operation, [&](const Operation& other) { return notes(other).issue > notes(operation).issue; });
  }
  /// Calls begin(operation) for each submitted operation.
  template <class Begin>
  void take_all(const Begin& begin) {
    for (const NodeId node : submitting_) {
      Operation* operation = std::exchange(nodes_[node], List{}).head;
      while (operation != nullptr) {
        Operation* const next = next_send(*operation);
        begin(*operation);
        operation = next;
      }
    }
    submitting_.clear();
  }

 private:
  using List = OperationList<next_send>;

  Table<List> nodes_;
  std::vector<NodeId> submitting_;
};

}  // namespace ecube::event
