// SPDX-License-Identifier: Apache-2.0
// Filling, permuting and checking blocks in parts.
#include "sw/exchange/parted_blocks.h"

#include <algorithm>
#include <cstring>

#include "models/contract/translation.h"
#include "models/machine/huge_pages.h"
#include "models/machine/random.h"

namespace ecube {

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
