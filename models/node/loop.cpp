// SPDX-License-Identifier: Apache-2.0
// From a loop's lists to operations with addresses.
#include "models/node/loop.h"

#include <algorithm>
#include <stdexcept>

namespace ecube::node {

namespace {

/// A program may state any loop.
void check(const Loop& loop) {
  const auto refuse = [&loop](const char* words) {
    throw std::invalid_argument("loop " + std::string(loop.name) + " has " + words);
  };
  for (const Stream& stream : loop.streams)
    if (stream.rows == 0) refuse("a stream without rows");
  if (loop.element_bytes == 0 && loop.block_bytes != 0 && loop.blocks != 0) refuse("elements of no bytes");
  for (const auto* const part : {&loop.before_block, &loop.element, &loop.rest}) {
    for (const BodyOp& body : *part) {
      if (std::max({body.op.target, body.op.first, body.op.second}) >= registers)
        refuse("a register that is not there");
      if (is_memory(body.op.kind) && body.stream >= loop.streams.size()) refuse("a stream that is not there");
    }
  }
}

}  // namespace

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
      for (std::size_t i = 0; i < bases_.size(); ++i) bases_[i] = loop_.streams[i].block(block_);
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
      if (part_->empty()) throw std::invalid_argument("loop " + loop_.name + " has no operations for its elements");
    }
  }
}

}  // namespace ecube::node
