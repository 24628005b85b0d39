// SPDX-License-Identifier: Apache-2.0
// Operations one after the other, linked through themselves.
#pragma once

#include "hw/event/notes.h"

namespace ecube::event {

/// `link(operation)` is the one behind it.
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
  /// `before` is the one before it, or null.
  void remove(Operation* before, Operation& operation) {
    (before == nullptr ? head : link(*before)) = link(operation);
    if (tail == &operation) tail = before;
  }
  /// Before the first that `is_later`.
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

/// Sends that wait, in order of issue: by edge, and then as their program asked. Those of one edge come in any order,
/// as other nodes' events may bring about a send of this one.
class Sends : public OperationList<next_send> {
 public:
  void add(Operation& send, Cycles now) {
    insert(send, [&](const Operation& other) {
      return send_notes(other).posted_at == now && notes(other).issue > notes(send).issue;
    });
  }
};

}  // namespace ecube::event
