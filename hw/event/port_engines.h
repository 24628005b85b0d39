// SPDX-License-Identifier: Apache-2.0
// The engines of nodes that have fewer of them than ports (hw/README.md section 4, K engines).
#pragma once

#include <algorithm>
#include <vector>

#include "hw/event/operation_list.h"

namespace ecube::event {

class SendEngines {
 public:
  /// `engines` of every node; 0 where every port has its own engine, so that none has to be asked for.
  void reset(std::size_t nodes, std::uint32_t engines) {
    engines_ = engines;
    nodes_.assign(engines == 0 ? 0 : nodes, Node{});
  }
  [[nodiscard]] bool shared() const { return engines_ != 0; }
  [[nodiscard]] bool any_free(NodeId node) const { return nodes_[node].sending < engines_; }
  void take(NodeId node) { ++nodes_[node].sending; }
  void give_back(NodeId node) { --nodes_[node].sending; }
  void add_send(Operation& send, Cycles now) { nodes_[send.node].sends.add(send, now); }
  /// The first issued of the node's waiting sends whose port `is_idle`; null when there is none.
  [[nodiscard]] Operation* take_send(NodeId node, const auto& is_idle) {
    Sends& sends = nodes_[node].sends;
    Operation* before = nullptr;
    for (Operation* send = sends.head; send != nullptr; before = send, send = next_send(*send)) {
      if (!is_idle(*send)) continue;
      sends.remove(before, *send);
      return send;
    }
    return nullptr;
  }
  [[nodiscard]] const Operation* first_waiting(NodeId node) const {
    return shared() ? nodes_[node].sends.head : nullptr;
  }

 private:
  struct Node {
    Sends sends;
    std::uint32_t sending = 0;
  };
  std::uint32_t engines_ = 0;
  std::vector<Node> nodes_;
};

/// Receive engines: the edge from which each is free.
class ReceiveEngines {
 public:
  void reset(std::size_t nodes, std::uint32_t engines) {
    engines_ = engines;
    free_from_.assign(nodes * engines, 0);
  }
  /// The edge from which the first free engine of `node` is free. The caller that takes the engine sets this to its
  /// next free edge.
  [[nodiscard]] Cycles& first_free(NodeId node) {
    const auto first = free_from_.begin() + static_cast<std::ptrdiff_t>(std::size_t{node} * engines_);
    return *std::min_element(first, first + engines_);
  }

 private:
  std::uint32_t engines_ = 0;
  std::vector<Cycles> free_from_;  ///< [node][engine]
};

}  // namespace ecube::event
