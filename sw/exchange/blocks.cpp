// SPDX-License-Identifier: Apache-2.0
// Filling, moving and checking blocks.
#include "sw/exchange/blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "models/contract/node_ports.h"
#include "models/machine/huge_pages.h"
#include "models/machine/random.h"

namespace ecube {
namespace {

// The contents of a block: words that begin with the block's name and differ from one another.
constexpr std::uint64_t between_words = 0x9E3779B97F4A7C15;

std::uint64_t name_of(NodeId origin, NodeId destination) { return mix(std::uint64_t{origin} << 32 | destination); }

/// Calls action(bytes). The length of the shortest blocks that are usual is then a constant: without a loop over two
/// words, a block is filled and checked in two thirds of the instructions.
template <class Action>
auto with_length(Bytes bytes, const Action& action) {
  constexpr Bytes usual = 16;
  return bytes == usual ? action(std::integral_constant<Bytes, usual>()) : action(bytes);
}

inline void fill(std::byte* block, Bytes bytes, std::uint64_t word) {
  const std::byte* const whole = block + bytes / sizeof word * sizeof word;
  for (; block != whole; block += sizeof word, word += between_words) std::memcpy(block, &word, sizeof word);
  if (bytes % sizeof word != 0) std::memcpy(block, &word, bytes % sizeof word);
}

inline bool holds(const std::byte* block, Bytes bytes, std::uint64_t word) {
  const std::byte* const whole = block + bytes / sizeof word * sizeof word;
  for (; block != whole; block += sizeof word, word += between_words) {
    std::uint64_t held = 0;
    std::memcpy(&held, block, sizeof held);
    if (held != word) return false;
  }
  return bytes % sizeof word == 0 || std::memcmp(block, &word, bytes % sizeof word) == 0;
}

}  // namespace

Bytes BlockStore::required(const Topology& topology, Bytes block_bytes, unsigned buffers) {
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  const Bytes slots = Bytes{topology.nodes()} * topology.nodes() * buffers;
  return block_bytes > most / slots ? most : slots * block_bytes;
}

BlockStore::BlockStore(const Topology& topology, Bytes block_bytes, unsigned buffers, bool folded)
    : count_(topology.nodes()),
      folded_(folded),
      block_bytes_(folded && block_bytes > 0 ? name_bytes : block_bytes),
      buffers_(buffers),
      total_(folded ? block_bytes_ * count_ * buffers : required(topology, block_bytes, buffers)) {
  swapped_.assign(nodes(), 0);
  if (total_ == 0) return;
  memory_ = static_cast<std::byte*>(allocate_pages(total_));
  with_length(block_bytes_, [this](auto bytes) {
    for (NodeId node = 0; node < nodes(); ++node) {
      std::byte* at = slots(node, 0);
      for (NodeId slot = 0; slot < count_; ++slot, at += bytes) {
        fill(at, bytes, folded_ ? name_of_pair(node, slot) : name_of(node, slot));
      }
    }
  });
}

BlockStore::~BlockStore() {
  if (memory_ != nullptr) release_pages(memory_, total_);
}

void BlockStore::take_arrived(NodeId node, const Phase& phase) {
  if (memory_ == nullptr) return;
  const SlotRuns own = phase.slots(phase.index_of(node));
  const std::byte* const from = slots(node, 0);
  std::byte* const to = slots(node, 1);
  for (NodeId i = 0; i < own.count(); ++i) {
    std::memcpy(to + own[i] * block_bytes_, from + own[i] * block_bytes_, block_bytes_);
  }
  swapped_[node] ^= 1;
}

void BlockStore::permute(NodeId node, const Phase& phase) {
  if (memory_ == nullptr || phase.is_identity()) return;
  scratch_.resize(block_bytes_ * count_);
  std::byte* const blocks = slots(node, 0);
  for (NodeId slot = 0; slot < count_; ++slot) {
    std::memcpy(scratch_.data() + phase.slot_after(slot) * block_bytes_, blocks + slot * block_bytes_, block_bytes_);
  }
  std::memcpy(blocks, scratch_.data(), scratch_.size());
}

std::uint64_t BlockStore::wrong_blocks() const {
  if (memory_ == nullptr) return 0;
  return with_length(block_bytes_, [this](auto bytes) {
    std::uint64_t wrong = 0;
    for (NodeId node = 0; node < nodes(); ++node) {
      const std::byte* at = slots(node, 0);
      for (NodeId slot = 0; slot < count_; ++slot, at += bytes) {
        if (!holds(at, bytes, folded_ ? name_of_pair(slot, node) : name_of(slot, node))) ++wrong;
      }
    }
    return wrong;
  });
}

namespace {

/// The contents of a block as a whole: words drawn by its origin, its destination and their place.
void write_block(std::vector<std::byte>& block, NodeId origin, NodeId destination) {
  for (std::size_t at = 0; at < block.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = draw(origin, destination, at);
    std::memcpy(block.data() + at, &word, std::min(sizeof word, block.size() - at));
  }
}

}  // namespace

PartedBlocks::PartedBlocks(unsigned dim, Bytes block_bytes, unsigned parts, bool carried, bool folded)
    : dim_(dim),
      folded_(folded),
      parts_(block_bytes, parts),
      bytes_(folded && block_bytes > 0 ? parts_.travelling() * BlockStore::name_bytes : block_bytes),
      total_(!carried ? 0
             : folded ? bytes_ << dim
                      : BlockStore::required(Topology::cube(dim), block_bytes, 1)) {
  if (total_ == 0) return;
  memory_ = static_cast<std::byte*>(allocate_pages(total_));
  std::vector<std::byte> block(bytes_);
  for (NodeId node = 0; node < nodes(); ++node) {
    for (NodeId slot = 0; slot >> dim_ == 0; ++slot) {
      write(block, node, slot);
      for (unsigned part = 0; part < parts_.travelling(); ++part) {
        const Bytes one = length(part);
        std::memcpy(slots(node, part) + slot * one, block.data() + first(part), one);
      }
    }
  }
}

void PartedBlocks::write(std::vector<std::byte>& block, NodeId origin, NodeId destination) const {
  if (!folded_) return write_block(block, origin, destination);
  const std::uint64_t name = name_of_pair(origin, destination);
  for (std::size_t at = 0; at < block.size(); at += sizeof name) std::memcpy(block.data() + at, &name, sizeof name);
}

PartedBlocks::~PartedBlocks() {
  if (memory_ != nullptr) release_pages(memory_, total_);
}

Region PartedBlocks::effective(NodeId node, const StagePart& what, unsigned dims, NodeId index) const {
  if (memory_ == nullptr) return {};
  const Bytes run = length(what.part) << what.slot_low;
  return {slots(node, what.part) + index * run, run, run << dims, NodeId{1} << (dim_ - dims - what.slot_low)};
}

void PartedBlocks::permute(NodeId node, const StagePart& what) {
  if (memory_ == nullptr || what.rotate_left == 0) return;
  const Bytes one = length(what.part);
  const NodeId last = (NodeId{1} << dim_) - 1;
  std::byte* const from = slots(node, what.part);
  scratch_.resize(one << dim_);
  for (NodeId slot = 0; slot <= last; ++slot) {
    const NodeId to = ((slot << what.rotate_left) | (slot >> (dim_ - what.rotate_left))) & last;
    std::memcpy(scratch_.data() + to * one, from + slot * one, one);
  }
  std::memcpy(from, scratch_.data(), scratch_.size());
}

std::vector<std::byte> PartedBlocks::of(NodeId node) const {
  if (memory_ == nullptr) return {};
  std::vector<std::byte> blocks(bytes_ << dim_);
  for (unsigned part = 0; part < parts_.travelling(); ++part) {
    const Bytes one = length(part);
    for (NodeId slot = 0; slot >> dim_ == 0; ++slot) {
      std::memcpy(blocks.data() + slot * bytes_ + first(part), slots(node, part) + slot * one, one);
    }
  }
  return blocks;
}

std::uint64_t PartedBlocks::wrong_blocks() const {
  if (memory_ == nullptr) return 0;
  std::uint64_t wrong = 0;
  std::vector<std::byte> right(bytes_);
  for (NodeId node = 0; node < nodes(); ++node) {
    for (NodeId slot = 0; slot >> dim_ == 0; ++slot) {
      write(right, slot, node);
      bool good = true;
      for (unsigned part = 0; part < parts_.travelling(); ++part) {
        const Bytes one = length(part);
        good = good && std::memcmp(slots(node, part) + slot * one, right.data() + first(part), one) == 0;
      }
      if (!good) ++wrong;
    }
  }
  return wrong;
}

}  // namespace ecube
