// SPDX-License-Identifier: Apache-2.0
// Lists of operations, linked by fields of the operations themselves.
#pragma once

#include <utility>
#include <vector>

#include "hw/event/notes.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// `link(operation)` is the next operation in the list.
template <Operation*& (*link)(Operation&)>
struct OperationList {
  Operation* head = nullptr;
  Operation* tail = nullptr;

  [[nodiscard]] bool empty() const { return head == nullptr; }
  void append(Operation& operation) {
    link(operation) = nullptr;
    (head == nullptr ? head : link(*tail)) = &operation;
    tail = &operation;
  }
  /// `before` is the operation in front of `operation`, or null.
  void remove(Operation* before, Operation& operation) {
    (before == nullptr ? head : link(*before)) = link(operation);
    if (tail == &operation) tail = before;
  }
  void insert(Operation& operation, const auto& is_later) {
    if (head == nullptr || !is_later(*tail)) return append(operation);
    Operation** place = &head;
    while (!is_later(**place)) place = &link(**place);
    link(operation) = *place;
    *place = &operation;
  }
};

[[nodiscard]] inline Operation*& next_noted(Operation& operation) { return notes(operation).next; }
[[nodiscard]] inline Operation*& next_send(Operation& send) { return send_notes(send).next; }

using Receives = OperationList<next_noted>;
using Computations = OperationList<next_noted>;

/// Waiting sends in order of issue: by edge, then as their program asked. Sends of one edge may be added in any order,
/// since events of other nodes may cause a send of this node.
class Sends : public OperationList<next_send> {
 public:
  void add(Operation& send, Cycles now) {
    insert(send, [&](const Operation& other) {
      return send_notes(other).posted_at == now && notes(other).issue > notes(send).issue;
    });
  }
};

/// The requests that programs made at one edge, which take effect in order of issue. Operations of one node may be
/// added in any order, since events of other nodes may add them.
class Submissions {
 public:
  void reset(std::size_t nodes) {
    nodes_.assign(nodes, List{});
    submitting_.clear();
  }
  [[nodiscard]] bool empty() const { return submitting_.empty(); }
  void add(Operation& operation) {
    List& list = nodes_[operation.node];
    if (list.empty()) submitting_.push_back(operation.node);
    list.insert(operation, [&](const Operation& other) { return notes(other).issue > notes(operation).issue; });
  }
  /// Rule 8.4: calls begin(operation) for each submitted operation.
  void take_all(const auto& begin) {
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
