// SPDX-License-Identifier: Apache-2.0
// Puts what happens at one edge in order of node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/machine/cube.h"

namespace ecube::event {

/// Where many nodes do the same at one edge, a sort that compares costs more than what they do: their events are
/// counted by node, and only those of one node are compared.
template <class Item>
class ByNode {
 public:
  /// `first(a, b)`: a comes before b at the same of `nodes` nodes.
  void sort(std::vector<Item>& items, std::size_t nodes, const auto& node_of, const auto& first) {
    const auto before = [&](const Item& a, const Item& b) {
      const NodeId node_a = node_of(a);
      const NodeId node_b = node_of(b);
      return node_a != node_b ? node_a < node_b : first(a, b);
    };
    constexpr std::size_t nodes_of_an_item = 8;
    if (items.size() * nodes_of_an_item < nodes) return std::sort(items.begin(), items.end(), before);
    ends_.assign(nodes, 0);
    for (const Item& item : items) ++ends_[node_of(item)];
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends_) {
      const std::uint32_t begin = sum;
      sum += end;
      end = begin;
    }
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
