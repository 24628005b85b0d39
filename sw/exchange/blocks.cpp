// SPDX-License-Identifier: Apache-2.0
// Filling, moving and checking blocks.
#include "sw/exchange/blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ecube {
namespace {

// The contents of a block: words that begin with the block's name and differ from one another.
constexpr std::uint64_t between_words = 0x9E3779B97F4A7C15;

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

void read_by_columns(std::span<std::byte> blocks, Bytes block_bytes, NodeId columns, std::vector<std::byte>& scratch) {
  if (block_bytes == 0) return;
  scratch.resize(blocks.size());
  const auto count = static_cast<NodeId>(blocks.size() / block_bytes);
  for (NodeId block = 0; block < count; ++block) {
    const NodeId after = slot_by_columns(block, columns, count);
    std::memcpy(scratch.data() + after * block_bytes, blocks.data() + block * block_bytes, block_bytes);
  }
  std::memcpy(blocks.data(), scratch.data(), scratch.size());
}

Bytes BlockStore::required(const Topology& topology, Bytes block_bytes, unsigned buffers) {
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  const Bytes slots = Bytes{topology.nodes()} * topology.nodes() * buffers;
  return block_bytes > most / slots ? most : slots * block_bytes;
}

BlockStore::BlockStore(const Topology& topology, Bytes block_bytes, unsigned buffers, bool folded, unsigned part)
    : count_(topology.nodes()),
      name_{folded, part},
      block_bytes_(folded && block_bytes > 0 ? name_bytes : block_bytes),
      buffers_(buffers) {
  const Bytes total = folded ? block_bytes_ * count_ * buffers : required(topology, block_bytes, buffers);
  if (total == 0) return;
  memory_ = make_pages(total);
  swapped_.assign(nodes(), 0);
  with_length(block_bytes_, [this, name = name_](auto bytes) {
    for (NodeId node = 0; node < nodes(); ++node) {
      std::byte* at = slots(node, 0);
      for (NodeId slot = 0; slot < count_; ++slot, at += bytes) fill(at, bytes, name(node, slot));
    }
  });
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

bool BlockStore::is_right(NodeId node, NodeId slot) const {
  return memory_ == nullptr || holds(slots(node, 0) + slot * block_bytes_, block_bytes_, name_(slot, node));
}

std::uint64_t BlockStore::wrong_blocks() const {
  if (memory_ == nullptr) return 0;
  return with_length(block_bytes_, [this, name = name_](auto bytes) {
    std::uint64_t wrong = 0;
    for (NodeId node = 0; node < nodes(); ++node) {
      const std::byte* at = slots(node, 0);
      for (NodeId slot = 0; slot < count_; ++slot, at += bytes) {
        if (!holds(at, bytes, name(slot, node))) ++wrong;
      }
    }
    return wrong;
  });
}

PartedBlocks::PartedBlocks(unsigned dim, Bytes block_bytes, unsigned parts, bool carried, bool folded)
    : dim_(dim), parts_(block_bytes, parts) {
  for (unsigned part = 0; part < parts_.travelling(); ++part) {
    stores_.emplace_back(Topology::cube(dim), carried ? parts_.length(part) : 0, 1, folded, part);
  }
}

Region PartedBlocks::effective(NodeId node, const StagePart& what, unsigned dims, NodeId index) const {
  const NodeId run = NodeId{1} << what.slot_low;
  return stores_[what.part].place(node, {.first = index << what.slot_low,
                                         .run = run,
                                         .runs = NodeId{1} << (dim_ - dims - what.slot_low),
                                         .stride = run << dims});
}

std::vector<std::byte> PartedBlocks::of(NodeId node) const {
  std::vector<std::byte> blocks;
  for (NodeId slot = 0; slot >> dim_ == 0; ++slot) {
    for (const BlockStore& part : stores_) {
      const std::size_t length = part.of(node).size() >> dim_;
      const std::span<const std::byte> block = part.of(node).subspan(slot * length, length);
      blocks.insert(blocks.end(), block.begin(), block.end());
    }
  }
  return blocks;
}

std::uint64_t PartedBlocks::wrong_blocks() const {
  if (stores_.front().of(0).empty()) return 0;
  std::uint64_t wrong = 0;
  for (NodeId node = 0; node < stores_.front().nodes(); ++node) {
    for (NodeId slot = 0; slot >> dim_ == 0; ++slot) {
      const auto is_wrong = [&](const BlockStore& part) { return !part.is_right(node, slot); };
      if (std::any_of(stores_.begin(), stores_.end(), is_wrong)) ++wrong;
    }
  }
  return wrong;
}

}  // namespace ecube
