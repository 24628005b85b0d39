// SPDX-License-Identifier: Apache-2.0
// Operations one after the other, linked through themselves.
#pragma once

#include "models/node_ports.h"

namespace ecube::event {

template <Operation* Operation::*link>
struct OperationList {
  Operation* head = nullptr;
  Operation* tail = nullptr;

  [[nodiscard]] bool empty() const { return head == nullptr; }
  void append(Operation& operation) {
    operation.*link = nullptr;
    (head == nullptr ? head : tail->*link) = &operation;
    tail = &operation;
  }
  /// `before` is the one before it, or null.
  void remove(Operation* before, Operation& operation) {
    (before == nullptr ? head : before->*link) = operation.*link;
    if (tail == &operation) tail = before;
  }
  /// Before the first that `is_later`.
  template <class Later>
  void insert(Operation& operation, const Later& is_later) {
    if (head == nullptr || !is_later(*tail)) return append(operation);
    Operation** place = &head;
    while (!is_later(**place)) place = &((*place)->*link);
    operation.*link = *place;
    *place = &operation;
  }
};

using Receives = OperationList<&Operation::next>;

/// Sends that wait, in order of issue: by edge, and then as their program asked. Those of one edge come in any order,
/// as other nodes' events may bring about a send of this one.
class Sends : public OperationList<&Operation::next_send> {
 public:
  void add(Operation& send, Cycles now) {
    insert(send, [&](const Operation& other) { return other.posted_at == now && other.issue > send.issue; });
  }
};

}  // namespace ecube::event
