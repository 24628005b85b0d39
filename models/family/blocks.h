// SPDX-License-Identifier: Apache-2.0
// The blocks of a vector, one for each node, and their parts over several ports.
#pragma once

#include <vector>

#include "models/combine/combine.h"

namespace ecube {

/// Ascending ranges of items; ranges that touch are one.
using ItemRanges = std::vector<Items>;

[[nodiscard]] std::uint64_t items_in(const ItemRanges& ranges);
/// Appends `items`, which begin at or behind the end of the last range.
void append(ItemRanges& ranges, const Items& items);

/// A vector as one block for each of 2^dim nodes: block b belongs to node b. On several ports every block has as many
/// parts as ports are used, and part r of all blocks crosses the dimensions in the order of CombineParts.
class VectorBlocks {
 public:
  VectorBlocks(std::uint64_t items, Ports ports, unsigned dim) : items_(items), dim_(dim), parts_(ports, dim) {}

  [[nodiscard]] unsigned dim() const { return dim_; }
  [[nodiscard]] unsigned parts() const { return parts_.count(); }
  /// Dimension that a part crosses at a step of scattering or halving, 0 .. dim-1; gathering undoes them backwards.
  [[nodiscard]] unsigned direction(unsigned part, unsigned step) const { return parts_.direction(part, step); }
  /// Dimensions that the part has crossed before a step, as bits of a label.
  [[nodiscard]] NodeId crossed(unsigned part, unsigned step) const;
  [[nodiscard]] Items whole() const { return {0, items_}; }
  [[nodiscard]] Items block(NodeId node) const { return piece_of(whole(), node, std::uint64_t{1} << dim_); }
  /// The part of all blocks whose numbers agree with `node` in the bits of `mask`.
  [[nodiscard]] ItemRanges agreeing(NodeId node, NodeId mask, unsigned part) const;

 private:
  std::uint64_t items_;
  unsigned dim_;
  CombineParts parts_;
};

}  // namespace ecube
