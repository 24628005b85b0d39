// SPDX-License-Identifier: Apache-2.0
// A set of nodes, gone through in the order of their labels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/machine/cube.h"

namespace ecube::clocked {

/// A bit for each node.
class NodeSet {
 public:
  /// Where one node is in a set, which keeps its size.
  struct Place {
    std::uint64_t* word = nullptr;
    std::uint64_t bit = 0;
    void insert() const { *word |= bit; }
  };

  explicit NodeSet(std::size_t nodes) : words_((nodes + 63) / 64) {}
  [[nodiscard]] Place place(NodeId node) { return {&words_[node / 64], std::uint64_t{1} << node % 64}; }
  void insert(NodeId node) { place(node).insert(); }
  void clear() { words_.assign(words_.size(), 0); }
  [[nodiscard]] bool empty() const {
    return std::ranges::all_of(words_, [](std::uint64_t word) { return word == 0; });
  }
  /// Takes every node out and calls `visit` with it. Nodes that are inserted meanwhile are taken out now or later.
  void take_all(const auto& visit) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = std::exchange(words_[i], 0); word != 0; word &= word - 1) {
        visit(static_cast<NodeId>(64 * i + static_cast<std::size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace ecube::clocked
