// SPDX-License-Identifier: Apache-2.0
// From a loop's lists to operations with addresses.
#include "models/node/loop.h"

#include <algorithm>
#include <cstdio>

namespace ecube::node {

namespace {

/// A program may state any loop.
void check(const Loop& loop) {
  const auto refuse = [&loop](const char* words) {
    throw std::invalid_argument("loop " + std::string(loop.name) + " has " + words);
  };
  for (const Stream& stream : loop.streams)
    if (stream.rows == 0) refuse("a stream without rows");
  if (loop.tile == 0 || loop.tiled_rows == 0) refuse("tiles of no blocks");
  if (loop.tile > 1 && loop.blocks % loop.tiled_rows != 0) refuse("tiles of a matrix that is not whole");
  if (loop.element_bytes == 0 && loop.block_bytes != 0 && loop.blocks != 0) refuse("elements of no bytes");
  for (const auto* const part : {&loop.before_block, &loop.element, &loop.rest}) {
    for (const BodyOp& body : *part) {
      if (std::max({body.op.target, body.op.first, body.op.second}) >= registers)
        refuse("a register that is not there");
      if (is_memory(body.op.kind) && body.stream >= loop.streams.size()) refuse("a stream that is not there");
    }
  }
  // Elements of a block, and the bytes behind its last whole element.
  if (loop.blocks == 0 || loop.block_bytes == 0) return;
  const bool whole = loop.block_bytes >= loop.element_bytes;
  const bool rest = loop.block_bytes % loop.element_bytes != 0;
  if ((whole && loop.element.empty()) || (rest && loop.rest.empty())) refuse("no operations for its elements");
}

}  // namespace

std::uint64_t block_of_turn(const Loop& loop, std::uint64_t turn) {
  if (loop.tile == 1) return turn;
  // Whole columns of tiles come one after the other; of each, its tiles from the top.
  const std::uint64_t rows = loop.tiled_rows;
  const std::uint64_t columns = loop.blocks / rows;
  const std::uint64_t first_column = turn / (loop.tile * rows) * loop.tile;
  const std::uint64_t width = std::min<std::uint64_t>(loop.tile, columns - first_column);
  std::uint64_t left = turn - first_column * rows;
  const std::uint64_t first_row = left / (loop.tile * width) * loop.tile;
  const std::uint64_t height = std::min<std::uint64_t>(loop.tile, rows - first_row);
  left -= first_row * width;
  return (first_column + left / height) * rows + first_row + left % height;
}

LoopFault fault_of(const std::string& loop, const LoopFault& fault) {
  constexpr std::size_t room = 160;
  char text[room];
  std::snprintf(text, sizeof text, " at cycle %llu of the loop, address 0x%llx",
                static_cast<unsigned long long>(fault.at_cycle), static_cast<unsigned long long>(fault.address));
  return {"loop '" + loop + "' " + fault.what() + text, fault.at_cycle, fault.address};
}

LoopCursor::LoopCursor(const Loop& loop, bool flush_received, std::uint32_t line)
    : loop_(loop), line_(line), flushing_(flush_received ? 0 : loop.streams.size()), bases_(loop.streams.size()) {
  check(loop);
}

bool LoopCursor::next_flush(Op& op) {
  while (flushing_ < loop_.streams.size()) {
    const Stream& stream = loop_.streams[flushing_];
    const Address first = stream.base / line_ * line_;
    if (flush_at_ < first) flush_at_ = first;
    if (stream.received && flush_at_ < stream.base + stream.bytes) {
      op = {.kind = OpKind::flush, .address = flush_at_};
      flush_at_ += line_;
      return true;
    }
    ++flushing_;
    flush_at_ = 0;
  }
  return false;
}

Op LoopCursor::with_address(const BodyOp& body) const {
  Op op = body.op;
  if (!is_memory(op.kind)) return op;
  const Stream& stream = loop_.streams[body.stream];
  op.address = bases_[body.stream] + body.offset + (stream.fixed ? 0 : offset_);
  op.outside = op.address < stream.base || op.address >= stream.base + stream.bytes;
  op.uncached = stream.uncached;
  return op;
}

bool LoopCursor::next(Op& op) {
  if (next_flush(op)) return true;
  for (;;) {
    if (part_ != nullptr && place_ < part_->size()) {
      op = with_address((*part_)[place_++]);
      return true;
    }
    if (part_ == nullptr) {
      if (block_ == loop_.blocks) return false;
      const std::uint64_t block = block_of_turn(loop_, block_);
      for (std::size_t i = 0; i < bases_.size(); ++i) bases_[i] = loop_.streams[i].block(block);
      offset_ = 0;
      part_ = &loop_.before_block;
      place_ = 0;
      continue;
    }
    if (part_ != &loop_.before_block) offset_ += part_ == &loop_.element ? loop_.element_bytes : 1;
    place_ = 0;
    if (offset_ >= loop_.block_bytes) {
      ++block_;
      part_ = nullptr;
    } else {
      part_ = loop_.block_bytes - offset_ >= loop_.element_bytes ? &loop_.element : &loop_.rest;
    }
  }
}

}  // namespace ecube::node
