// SPDX-License-Identifier: Apache-2.0
// Draws of sizes, and sums over the blocks of a message.
#include "models/exchange/block_sizes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/machine/random.h"

namespace ecube {

BlockSizes BlockSizes::zipf(unsigned dim, double mean, double exponent, std::uint64_t seed) {
  BlockSizes sizes(dim);
  std::vector<std::size_t> ranked(sizes.bytes_.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  for (std::size_t left = ranked.size(); left > 1; --left) {
    std::swap(ranked[left - 1], ranked[below(draw(seed, 0, left), left)]);
  }
  double weights = 0;
  for (std::size_t rank = 1; rank <= ranked.size(); ++rank) weights += std::pow(static_cast<double>(rank), -exponent);
  const double whole = mean * static_cast<double>(ranked.size());
  for (std::size_t rank = 1; rank <= ranked.size(); ++rank) {
    sizes.bytes_[ranked[rank - 1]] =
        static_cast<Bytes>(std::llround(whole * std::pow(static_cast<double>(rank), -exponent) / weights));
  }
  return sizes;
}

BlockSizes BlockSizes::uniform(unsigned dim, Bytes mean, std::uint64_t seed) {
  BlockSizes sizes(dim);
  for (std::size_t block = 0; block < sizes.bytes_.size(); ++block) {
    sizes.bytes_[block] = below(draw(seed, 1, block), 2 * mean + 1);
  }
  return sizes;
}

Bytes BlockSizes::total() const { return std::accumulate(bytes_.begin(), bytes_.end(), Bytes{0}); }

Bytes BlockSizes::largest() const { return *std::max_element(bytes_.begin(), bytes_.end()); }

double BlockSizes::mean() const { return static_cast<double>(total()) / static_cast<double>(bytes_.size()); }

Bytes message_bytes(const BlockSizes& sizes, const BlockPlaces& places, const Phase& phase, NodeId node,
                    NodeId partner) {
  const NodeId fixed = bits_of(phase);
  const NodeId others = (sizes.nodes() - 1) & ~fixed;
  Bytes bytes = 0;
  // All subsets of the other bits, in ascending order.
  for (NodeId rest = 0;; rest = (rest - others) & others) {
    const NodeId slot = rest | (partner & fixed);
    bytes += sizes.of(places.origin(node, slot), places.destination(node, slot));
    if (rest == others) return bytes;
  }
}

Bytes held_bytes(const BlockSizes& sizes, const BlockPlaces& places, NodeId node) {
  Bytes bytes = 0;
  for (NodeId slot = 0; slot < sizes.nodes(); ++slot) {
    bytes += sizes.of(places.origin(node, slot), places.destination(node, slot));
  }
  return bytes;
}

}  // namespace ecube
