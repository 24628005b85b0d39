// SPDX-License-Identifier: Apache-2.0
// Where partners that synchronise at no cost meet (hw/README.md section 4, Exchange and Synchronised message).
#pragma once

#include <algorithm>
#include <bit>

#include "hw/event/notes.h"
#include "models/contract/operations.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

class Rendezvous {
 public:
  void reset(std::size_t nodes, unsigned ports) {
    bits_ = static_cast<unsigned>(std::bit_width(ports - 1));
    ports_ = ports;
    waiting_.assign(nodes << bits_, nullptr);
  }
  /// Rules 4.9 and 4.10: takes out and returns the partner of `asking`, if it has asked before. Otherwise returns null,
  /// and `asking` waits.
  [[nodiscard]] Operation* meet(auto has, Operation& asking) {
    Operation*& first = waiting_[index(has, asking.peer, asking.node)];
    Operation* before = nullptr;
    for (Operation* other = first; other != nullptr; before = other, other = notes(*other).next) {
      if (!are_partners(*other, asking)) continue;
      (before == nullptr ? first : notes(*before).next) = notes(*other).next;
      return other;
    }
    notes(asking).next = nullptr;
    Operation** end = &waiting_[index(has, asking.node, asking.peer)];
    while (*end != nullptr) end = &notes(**end).next;
    *end = &asking;
    return nullptr;
  }
  /// An operation that waits at `node`, or null.
  [[nodiscard]] const Operation* waiting_at(NodeId node) const {
    for (unsigned way = 0; way < ports_; ++way) {
      if (const Operation* const first = waiting_[(std::size_t{node} << bits_) + way]; first != nullptr) return first;
    }
    return nullptr;
  }
  /// Where the partner of `asking` may wait.
  [[nodiscard]] Operation* const& place_of_partner(auto has, const Operation& asking) const {
    return waiting_[index(has, asking.peer, asking.node)];
  }

 private:
  [[nodiscard]] std::size_t index(auto has, NodeId node, NodeId partner) const {
    if (!has->several_ports) return node;
    return (std::size_t{node} << bits_) + std::min(first_dimension(node, partner), ports_ - 1);
  }

  unsigned bits_ = 0;
  unsigned ports_ = 1;
  /// [node][lowest bit in which the labels differ]: operations whose partner has not asked yet. By bit, because on
  /// several ports many may wait at once; on one port all are at 0.
  Table<Operation*> waiting_;
};

}  // namespace ecube::event
