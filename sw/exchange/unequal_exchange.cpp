// SPDX-License-Identifier: Apache-2.0
// Messages put together from blocks and taken apart.
#include "models/machine/random.h"
#include "sw/api/barrier.h"
#include "sw/exchange/exchange.h"

namespace ecube {

namespace {

/// Byte `place` of the block from `origin` for `destination`. Mixed twice, so that no block is the shifted end of
/// another.
std::byte content(NodeId origin, NodeId destination, std::size_t place) {
  const std::uint64_t word = mix(mix(std::uint64_t{origin} << 32 | destination) + place / 8);
  return static_cast<std::byte>(word >> (8 * (place % 8)));
}

}  // namespace

UnequalExchange::UnequalExchange(const ExchangeWorkload& workload, BlockSizes sizes)
    : workload_(workload),
      sizes_(std::move(sizes)),
      phases_(ecube::phases(workload.partition, workload.order)),
      carried_(workload.payload == Payload::bytes),
      pace_(workload.barrier),
      progress_(phases_.size()),
      firmware_([this](Node& node) { return run(node); }) {
  if (!carried_) return;
  blocks_.resize(std::size_t{1} << (2 * sizes_.dim()));
  for (NodeId origin = 0; origin < sizes_.nodes(); ++origin) {
    for (NodeId destination = 0; destination < sizes_.nodes(); ++destination) {
      Block& bytes = block(origin, destination);
      bytes.resize(sizes_.of(origin, destination));
      for (std::size_t place = 0; place < bytes.size(); ++place) bytes[place] = content(origin, destination, place);
    }
  }
}

/// As CompleteExchange::multiphase, with messages of as many bytes as their blocks have.
Task<> UnequalExchange::run(Node& node) {
  const NodeId own = node.id();
  BlockPlaces places;
  for (const Phase& phase : phases_) {
    co_await pace_.begin_phase(node, phase.index);
    for (NodeId step = 1; step < phase.size(); ++step) {
      if (pace_.steps()) co_await barrier(node, phase.index);
      const NodeId partner = phase.partner(own, step);
      const Bytes there = message_bytes(sizes_, places, phase, own, partner);
      const Bytes back = message_bytes(sizes_, places, phase, partner, own);
      Block outgoing;
      Block incoming;
      if (carried_) {
        outgoing.reserve(there);
        for_slots(phase, partner, [&](NodeId slot) {
          outgoing.insert(outgoing.end(), block(own, slot).begin(), block(own, slot).end());
        });
        incoming.resize(back);
      }
      const auto region = [](Block& bytes) {
        return bytes.empty() ? Region{} : Region::contiguous(bytes.data(), bytes.size());
      };
      co_await node.exchange({.with = partner,
                              .tag = phase.index,
                              .bytes = there,
                              .room = back,
                              .outgoing = region(outgoing),
                              .incoming = region(incoming),
                              .phase = phase.index,
                              .sync = workload_.sync});
      if (!carried_) continue;
      // What arrives are the blocks in the partner's slots for this node, slot for slot.
      auto from = incoming.begin();
      for_slots(phase, partner, [&](NodeId slot) {
        const NodeId theirs = (slot & ~bits_of(phase)) | (own & bits_of(phase));
        const auto bytes =
            static_cast<std::ptrdiff_t>(sizes_.of(places.origin(partner, theirs), places.destination(partner, theirs)));
        block(own, slot).assign(from, from + bytes);
        from += bytes;
      });
    }
    places.done |= bits_of(phase);
    if (pays_shuffle(phase, workload_.order, workload_.identity_shuffle)) {
      co_await node.permute(held_bytes(sizes_, places, own));
    }
    progress_.ended(phase.index, node);
  }
}

std::uint64_t UnequalExchange::wrong() const {
  std::uint64_t wrong = 0;
  if (!carried_) return wrong;
  for (NodeId node = 0; node < sizes_.nodes(); ++node) {
    for (NodeId slot = 0; slot < sizes_.nodes(); ++slot) {
      const Block& bytes = blocks_[std::size_t{node} << sizes_.dim() | slot];
      bool right = bytes.size() == sizes_.of(slot, node);
      for (std::size_t place = 0; right && place < bytes.size(); ++place) {
        right = bytes[place] == content(slot, node, place);
      }
      if (!right) ++wrong;
    }
  }
  return wrong;
}

}  // namespace ecube
