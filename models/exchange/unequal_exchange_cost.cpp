// SPDX-License-Identifier: Apache-2.0
// Draws of sizes, sums over the blocks of a message, and nodes followed from step to step.
#include "models/exchange/unequal_exchange_cost.h"

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

Bytes message_bytes(const BlockSizes& sizes, const BlockPlaces& places, const Phase& phase, NodeId node,
                    NodeId partner) {
  Bytes bytes = 0;
  for_slots(phase, partner,
            [&](NodeId slot) { bytes += sizes.of(places.origin(node, slot), places.destination(node, slot)); });
  return bytes;
}

Bytes held_bytes(const BlockSizes& sizes, const BlockPlaces& places, NodeId node) {
  Bytes bytes = 0;
  for (NodeId slot = 0; slot < sizes.nodes(); ++slot) {
    bytes += sizes.of(places.origin(node, slot), places.destination(node, slot));
  }
  return bytes;
}

UnequalExchangeCost unequal_exchange_cost(const Partition& partition, const BlockSizes& sizes,
                                          const ExchangeParameters& parameters, const ExchangeOptions& options) {
  const NodeId nodes = sizes.nodes();
  UnequalExchangeCost cost{.equal_us = exchange_cost(partition, sizes.mean(), parameters, options).total()};
  std::vector<double> ready(nodes, 0.0);
  const auto meet = [&](double more_us) {
    std::fill(ready.begin(), ready.end(), *std::max_element(ready.begin(), ready.end()) + more_us);
  };
  BlockPlaces places;
  for (const Phase& phase : phases(partition, options.order)) {
    if (options.barrier == Barrier::phase) meet(parameters.barrier_us);
    if (options.barrier == Barrier::clock) meet(options.slack_us);
    for (NodeId step = 1; step < phase.size(); ++step) {
      if (options.barrier == Barrier::step) meet(parameters.barrier_us);
      for (NodeId node = 0; node < nodes; ++node) {
        const NodeId partner = phase.partner(node, step);
        if (partner < node) continue;
        const Bytes there = message_bytes(sizes, places, phase, node, partner);
        const Bytes back = message_bytes(sizes, places, phase, partner, node);
        const unsigned hop_count = hops(node, partner);
        const auto message_us = [&](Bytes bytes) {
          return parameters.message_us(static_cast<double>(bytes), hop_count);
        };
        const double us =
            (parameters.pairwise_sync_messages ? message_us(0) : 0) + std::max(message_us(there), message_us(back));
        ready[node] = ready[partner] = std::max(ready[node], ready[partner]) + us;
        cost.longest_message = std::max({cost.longest_message, there, back});
        cost.moved_bytes += there + back;
      }
    }
    places.done |= bits_of(phase);
    if (pays_shuffle(phase, options.order, options.identity_shuffle)) {
      for (NodeId node = 0; node < nodes; ++node) {
        ready[node] += parameters.rho_us_per_byte * static_cast<double>(held_bytes(sizes, places, node));
      }
    }
    cost.phase_ends.push_back(*std::max_element(ready.begin(), ready.end()));
  }
  cost.us = cost.phase_ends.back();
  return cost;
}

Partition best_unequal_partition(const BlockSizes& sizes, const ExchangeParameters& parameters,
                                 const ExchangeOptions& options) {
  return cheapest(partitions_of(sizes.dim()), [&](const Partition& partition) {
    return unequal_exchange_cost(partition, sizes, parameters, options).us;
  });
}

}  // namespace ecube
