// SPDX-License-Identifier: Apache-2.0
// The sorted list and its search.
#include "sw/exchange/chosen_exchange.h"

namespace ecube {

ChosenExchange::ChosenExchange(const Hull& hull, BlockOrder order, Cycles comparison) : comparison_(comparison) {
  for (const HullFace& face : hull.faces()) {
    faces_.push_back({hull.block(face), NodeExchange(hull.partition(face), order)});
  }
}

ChosenExchange::Choice ChosenExchange::at(Bytes bytes) const {
  unsigned comparisons = 0;
  std::size_t first = 0;  // begins at or below `bytes`
  for (std::size_t count = faces_.size(); count > 1; ++comparisons) {
    const std::size_t half = count / 2;
    const bool beyond = faces_[first + half].from <= static_cast<Wide>(bytes);
    first += beyond ? half : 0;
    count = beyond ? count - half : half;
  }
  return {&faces_[first].exchange, comparisons};
}

Task<> ChosenExchange::tell(Node& node, Bytes& bytes, std::uint32_t tag) {
  const Region told = Region::contiguous(reinterpret_cast<std::byte*>(&bytes), sizeof bytes);
  for (unsigned i = node.dim(); i-- > 0;) {
    const NodeId bit = NodeId{1} << i;
    if ((node.id() & (bit - 1)) != 0) continue;  // is told later
    if ((node.id() & bit) != 0) {
      co_await node.receive({.from = node.id() ^ bit, .tag = tag, .bytes = sizeof bytes, .data = told});
    } else {
      co_await node.send({.to = node.id() ^ bit, .tag = tag, .bytes = sizeof bytes, .data = told});
    }
  }
}

}  // namespace ecube
