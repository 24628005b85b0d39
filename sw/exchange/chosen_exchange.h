// SPDX-License-Identifier: Apache-2.0
// The complete exchange of blocks whose length is known only while the program runs: its partition is chosen then.
#pragma once

#include <vector>

#include "models/exchange/hull.h"
#include "sw/exchange/node_exchange.h"

namespace ecube {

/// The vertices of a hull, computed ahead of time and sorted, with the exchange that is best from each of them on
/// (Bokhari 1993, section 4). All nodes share it.
class ChosenExchange {
 public:
  /// `comparison` is the time of one comparison of a search.
  ChosenExchange(const Hull& hull, BlockOrder order, Cycles comparison);

  struct Choice {
    const NodeExchange* exchange = nullptr;
    unsigned comparisons = 0;
  };
  /// By binary search. Where two are equal, the one of fewer phases.
  [[nodiscard]] Choice at(Bytes bytes) const;

  /// Node 0 alone knows the length of the blocks in `memory`, `bytes`; it tells the others along the dimensions, each
  /// of them searches, and all exchange. The memory of other nodes is made by `memory_of` when they know the length.
  /// Messages have the tags `tag`, and beyond.
  template <class Memory>
  Task<> run(Node& node, Bytes bytes, Memory memory_of, std::uint32_t tag) const {
    co_await tell(node, bytes, tag);
    const Choice choice = at(bytes);
    co_await node.compute(comparison_ * choice.comparisons);
    co_await choice.exchange->run(node, memory_of(bytes), tag + 1);
  }

 private:
  /// `bytes` becomes that of node 0.
  static Task<> tell(Node& node, Bytes& bytes, std::uint32_t tag);

  struct Face {
    Wide from = 0;  ///< bytes
    NodeExchange exchange;
  };
  std::vector<Face> faces_;
  Cycles comparison_;
};

}  // namespace ecube
