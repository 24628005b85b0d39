// SPDX-License-Identifier: Apache-2.0
// The event engine's notes about operations, in the room that they have for the engine; lists of operations, linked by
// these notes; what happens at one edge in order of node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "models/contract/node_ports.h"
#include "models/machine/huge_pages.h"

namespace ecube::event {

/// Where the contents that an operation sends are: in its buffer; set aside, because arriving bytes needed the buffer;
/// or taken.
enum class Contents : std::uint8_t { in_place, set_aside, taken };

/// Notes of every operation.
struct Notes {
  Operation* next;     ///< of posted receives, of computations, or of those that wait for their partner
  Operation* partner;  ///< of a rendezvous; of a send without one, the receive that its message is promised to, or null
  std::uint32_t open;  ///< messages that it can still be matched with or promised to
  std::uint32_t parts;  ///< halves, or messages of receive_each, still to complete
  std::uint32_t issue;  ///< counts the operations of a node
  Contents contents;
  bool swaps;  ///< the contents only change places with the partner's
};
struct SendNotes {
  Operation* next;   ///< of sends that wait, of requests of an edge, or of tunes
  Cycles posted_at;  ///< when the program asked, the partners met or the link came up: since then it waits
};
/// Notes of an operation with contents, or of a synchronised exchange on a machine with a protocol.
struct DataNotes {
  std::byte* saved;                ///< contents set aside
  std::uint32_t synchronisations;  ///< messages still to leave or to come, of a synchronised exchange
};
struct ComputationNotes {
  Cycles cycles;
};
struct TuneNotes {
  std::uint64_t after;  ///< so many sends by the plane that were called before
};

// Of an operation that may be const; so are its notes then.
[[nodiscard]] inline auto& notes(auto& operation) { return operation.notes.template as<Notes>(); }
[[nodiscard]] inline auto& send_notes(auto& send) { return send.send_notes.template as<SendNotes>(); }
[[nodiscard]] inline auto& data_notes(auto& operation) { return operation.data_notes.template as<DataNotes>(); }
[[nodiscard]] inline Cycles& cycles_of(Operation& computation) {
  return computation.data_notes.as<ComputationNotes>().cycles;
}
[[nodiscard]] inline std::uint64_t& sends_before(Operation& tune) { return tune.data_notes.as<TuneNotes>().after; }

/// A node's counts of its own operations. Kept apart from the data that messages read: issuing an operation touches
/// only these.
struct OperationCount {
  std::uint32_t issued : 31 = 0;
  std::uint32_t busy : 1 = 0;    ///< its operation is open; not kept up once several are (Engine::overlaps_)
  std::uint32_t unfinished = 0;  ///< operations that take turns (all but receives) and are not yet done
};

/// `next_of(operation)` is the next operation in the list.
template <Operation*& (*next_of)(Operation&)>
struct OperationList {
  Operation* head = nullptr;
  Operation* tail = nullptr;

  [[nodiscard]] bool empty() const { return head == nullptr; }
  void append(Operation& operation) {
    next_of(operation) = nullptr;
    (head == nullptr ? head : next_of(*tail)) = &operation;
    tail = &operation;
  }
  /// `before` is the operation in front of `operation`, or null.
  void remove(Operation* before, Operation& operation) {
    (before == nullptr ? head : next_of(*before)) = next_of(operation);
    if (tail == &operation) tail = before;
  }
  void insert(Operation& operation, const auto& is_later) {
    if (head == nullptr || !is_later(*tail)) return append(operation);
    Operation** place = &head;
    while (!is_later(**place)) place = &next_of(**place);
    next_of(operation) = *place;
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

/// Where many nodes do the same at one edge, a sort that compares costs more than what they do: their events are
/// counted by node, and only those of one node are compared.
template <class Item>
class ByNode {
 public:
  /// Puts the items of each of `nodes` nodes in order, one node after the other unless each has one at most.
  /// `first(a, b)`: a comes before b at the same node.
  void sort(std::vector<Item>& items, std::size_t nodes, const auto& node_of, const auto& first) {
    if (items.size() < 2) return;
    const auto before = [&](const Item& a, const Item& b) {
      const NodeId node_a = node_of(a);
      const NodeId node_b = node_of(b);
      return node_a != node_b ? node_a < node_b : first(a, b);
    };
    constexpr std::size_t nodes_of_an_item = 8;
    if (items.size() * nodes_of_an_item < nodes) return std::sort(items.begin(), items.end(), before);
    ends_.assign(nodes, 0);
    bool several = false;
    for (const Item& item : items) several |= ends_[node_of(item)]++ != 0;
    if (!several) return;
    std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), 0U);
    sorted_.resize(items.size());
    for (const Item& item : items) sorted_[ends_[node_of(item)]++] = item;
    items.swap(sorted_);
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends_) {
      if (end - begin > 1) std::sort(items.begin() + begin, items.begin() + end, first);
      begin = end;
    }
  }

 private:
  std::vector<std::uint32_t> ends_;  ///< [node], once there were many events
  std::vector<Item> sorted_;
};

}  // namespace ecube::event
