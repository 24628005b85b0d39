// SPDX-License-Identifier: Apache-2.0
// Blocks by the bits of their numbers.
#include "models/family/blocks.h"

namespace ecube {

std::uint64_t items_in(const ItemRanges& ranges) {
  std::uint64_t items = 0;
  for (const Items& range : ranges) items += range.count;
  return items;
}

void append(ItemRanges& ranges, const Items& items) {
  if (items.count == 0) return;
  if (!ranges.empty() && ranges.back().first + ranges.back().count == items.first) {
    ranges.back().count += items.count;
  } else {
    ranges.push_back(items);
  }
}

NodeId VectorBlocks::crossed(unsigned part, unsigned step) const {
  NodeId bits = 0;
  for (unsigned before = 0; before < step; ++before) bits |= NodeId{1} << direction(part, before);
  return bits;
}

ItemRanges VectorBlocks::agreeing(NodeId node, NodeId mask, unsigned part) const {
  const NodeId all = static_cast<NodeId>((std::uint64_t{1} << dim_) - 1);
  const NodeId free = all & ~mask;
  const NodeId first = node & mask;
  ItemRanges ranges;
  if (parts() == 1 && (free & (free + 1)) == 0) {  // neighbouring blocks are one range
    const Items low = block(first);
    const Items high = block(first | free);
    append(ranges, {low.first, high.first + high.count - low.first});
    return ranges;
  }
  NodeId chosen = 0;
  do {
    append(ranges, piece_of(block(first | chosen), part, parts()));
    chosen = (chosen - free) & free;
  } while (chosen != 0);
  return ranges;
}

}  // namespace ecube
