// SPDX-License-Identifier: Apache-2.0
// Lists of operations, linked by fields of the operations themselves.
#pragma once

#include "hw/event/notes.h"

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
  /// Inserts before the first operation that `is_later`.
  template <class Later>
  void insert(Operation& operation, const Later& is_later) {
    if (head == nullptr || !is_later(*tail)) return append(operation);
    Operation** place = &head;
    while (!is_later(**place)) place = &link(**place);
    link(operation) = *place;
    *place = &operation;
  }
};

[[nodiscard]] inline Operation*& next_receive(Operation& receive) { return notes(receive).next; }
[[nodiscard]] inline Operation*& next_send(Operation& send) { return send_notes(send).next; }

using Receives = OperationList<next_receive>;

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

}  // namespace ecube::event
