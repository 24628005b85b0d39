// SPDX-License-Identifier: Apache-2.0
// From a loop's lists to operations with addresses; and lists of operations, as a compiler of the time or a programmer
// may have written them.
#include "models/node/loop.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

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

// --- The loops of the library and of collective algorithms ----------------------------------------------------------

namespace {

// Streams of every loop, by number.
constexpr std::uint8_t source = 0;
constexpr std::uint8_t target = 1;
constexpr std::uint8_t frame = 2;
constexpr std::uint8_t operand = 3;

// Variables in the frame of a loop.
constexpr std::uint32_t index_variable = 0;
constexpr std::uint32_t source_variable = 4;
constexpr std::uint32_t target_variable = 8;
constexpr std::uint32_t operand_variable = 12;
constexpr Bytes frame_bytes = 64;

// Cycles of integer operations before a block: its address by shifts and adds, the bounds of the loop over it.
constexpr std::uint8_t block_cycles_compiled = 10;
constexpr std::uint8_t block_cycles_tuned = 4;
/// Additional ones for a permutation in tiles.
constexpr std::uint8_t tile_cycles = 2;

constexpr std::uint32_t tuned_unroll = 4;
constexpr std::uint32_t longest_element = 8;

enum LoopNumber : std::uint8_t { permuting = 1, copying, copying_out, combining, path = 6, sending };

using Body = std::vector<BodyOp>;

BodyOp integer(std::uint8_t cycles, Register to = 0, Register a = 0, Register b = 0) {
  return {.op = {.kind = OpKind::integer, .cycles = cycles, .target = to, .first = a, .second = b}};
}
BodyOp load(Register to, std::uint8_t stream, std::uint32_t offset, Register address = 0) {
  return {.op = {.kind = OpKind::load, .target = to, .first = address}, .stream = stream, .offset = offset};
}
BodyOp store(Register from, std::uint8_t stream, std::uint32_t offset, Register address = 0) {
  return {.op = {.kind = OpKind::store, .target = from, .first = address}, .stream = stream, .offset = offset};
}
BodyOp add(Register to, Register a, Register b, bool dual = false) {
  return {.op = {.kind = OpKind::floating, .dual = dual, .target = to, .first = a, .second = b}};
}

BodyOp data_load(const Machine& machine, Register to, std::uint8_t stream, std::uint32_t offset, Register address = 0) {
  BodyOp op = load(to, stream, offset, address);
  if (machine.detailed.loops.loads == LoopLoads::pipelined) op.op.kind = OpKind::pipelined_load;
  return op;
}

/// Loads index and base, and adds them into r3.
void address_from_memory(Body& body, std::uint32_t variable) {
  body.push_back(load(1, frame, index_variable));
  body.push_back(load(2, frame, variable));
  body.push_back(integer(1, 3, 1, 2));
}

void next_index_in_memory(Body& body) {
  body.push_back(load(1, frame, index_variable));
  body.push_back(integer(1, 1, 1));
  body.push_back(store(1, frame, index_variable));
}

/// Compare, branch and its delay slot.
void branch(Body& body, std::uint8_t cycles) { body.push_back(integer(cycles)); }

struct Shape {
  std::uint32_t width;
  std::uint32_t unroll;
};

/// Elements of a loop that moves blocks of `block` bytes between addresses that are multiples of `alignment`.
Shape shape_of(const Machine& machine, Bytes block, Bytes alignment) {
  const bool tuned = machine.core.loops == Loops::tuned;
  std::uint32_t width = tuned ? longest_element : machine.detailed.loops.element_bytes;
  while (width > 1 && (block % width != 0 || alignment % width != 0)) width /= 2;
  std::uint32_t unroll = tuned ? tuned_unroll : machine.detailed.loops.unroll;
  while (unroll > 1 && block / width % unroll != 0) --unroll;
  return {width, unroll};
}

bool variables_in_memory(const Machine& machine) {
  return machine.core.loops == Loops::compiled && machine.detailed.loops.variables == Variables::memory;
}

/// Moves `unroll` elements of `width` bytes.
Body moving(const Machine& machine, Shape shape) {
  Body body;
  if (variables_in_memory(machine)) {
    for (std::uint32_t k = 0; k < shape.unroll; ++k) {
      address_from_memory(body, source_variable);
      body.push_back(data_load(machine, 4, source, k * shape.width, 3));
      address_from_memory(body, target_variable);
      body.push_back(store(4, target, k * shape.width, 3));
      next_index_in_memory(body);
    }
    branch(body, 3);
    return body;
  }
  // All loads before the stores, so that no store waits for its load.
  constexpr std::uint32_t at_once = 8;
  for (std::uint32_t k = 0; k < shape.unroll; k += at_once) {
    const std::uint32_t last = std::min(k + at_once, shape.unroll);
    for (std::uint32_t j = k; j < last; ++j) {
      body.push_back(data_load(machine, static_cast<Register>(4 + j - k), source, j * shape.width));
    }
    for (std::uint32_t j = k; j < last; ++j) {
      body.push_back(store(static_cast<Register>(4 + j - k), target, j * shape.width));
    }
  }
  branch(body, machine.core.loops == Loops::tuned ? 1 : 3);
  return body;
}

Body before_block(const Machine& machine) {
  Body body;
  if (variables_in_memory(machine)) next_index_in_memory(body);
  body.push_back(integer(machine.core.loops == Loops::tuned ? block_cycles_tuned : block_cycles_compiled));
  return body;
}

Stream variables(const Machine& machine) {
  return {.base = machine.detailed.layout.frame, .bytes = frame_bytes, .fixed = true};
}

/// The stream of a buffer that messages arrive in.
Stream arriving(const Machine& machine, Address base, Bytes bytes, Bytes pitch) {
  return {.base = base,
          .bytes = bytes,
          .pitch = pitch,
          .uncached = machine.detailed.coherence == Coherence::uncached,
          .received = true};
}

Loop moving_loop(const Machine& machine, std::string name, std::uint64_t number, const Stream& from, const Stream& to,
                 std::uint64_t blocks, Bytes block_bytes) {
  Loop loop;
  loop.name = std::move(name);
  loop.number = number;
  loop.streams = {from, to, variables(machine)};
  const Bytes alignment = std::gcd(std::gcd(from.base, to.base), blocks > 1 ? std::gcd(from.pitch, to.pitch) : 0);
  const Shape shape = shape_of(machine, block_bytes, alignment);
  loop.before_block = before_block(machine);
  loop.element = moving(machine, shape);
  loop.element_bytes = shape.width * shape.unroll;
  loop.rest = moving(machine, {1, 1});
  loop.blocks = block_bytes == 0 ? 0 : blocks;
  loop.block_bytes = block_bytes;
  return loop;
}

}  // namespace

Loop permute_loop(const Machine& machine, const BlockGrid& grid) {
  const DetailedNode::Layout& layout = machine.detailed.layout;
  const std::uint64_t blocks = grid.rows * grid.columns;
  const Bytes pitch = grid.block_bytes + layout.padding;
  Stream from = arriving(machine, layout.source, blocks * pitch, pitch);
  from.rows = grid.rows;
  from.columns = grid.columns;
  const Stream to = {.base = layout.target, .bytes = blocks * pitch, .pitch = pitch};
  Loop loop = moving_loop(machine, "permute", permuting, from, to, blocks, grid.block_bytes);
  if (machine.detailed.loops.tile == 1) return loop;
  loop.tile = machine.detailed.loops.tile;
  loop.tiled_rows = grid.rows;
  // Four loops instead of two: the bounds of the tile are also tested.
  loop.before_block.push_back(integer(tile_cycles));
  return loop;
}

Loop copy_loop(const Machine& machine, Bytes bytes) {
  const DetailedNode::Layout& layout = machine.detailed.layout;
  return moving_loop(machine, "copy", copying, {.base = layout.source, .bytes = bytes, .pitch = bytes},
                     {.base = layout.target, .bytes = bytes, .pitch = bytes}, 1, bytes);
}

Loop copy_out_loop(const Machine& machine, Bytes bytes) {
  const DetailedNode::Layout& layout = machine.detailed.layout;
  return moving_loop(machine, "copy out", copying_out, arriving(machine, layout.system, bytes, bytes),
                     {.base = layout.target, .bytes = bytes, .pitch = bytes}, 1, bytes);
}

Loop combine_loop(const Machine& machine, std::uint64_t items, std::uint32_t item_bytes) {
  const DetailedNode::Layout& layout = machine.detailed.layout;
  const Bytes bytes = items * item_bytes;
  Loop loop;
  loop.name = "combine";
  loop.number = combining;
  loop.streams = {{.base = layout.source, .bytes = bytes, .pitch = bytes},
                  {.base = layout.source, .bytes = bytes, .pitch = bytes},
                  variables(machine),
                  arriving(machine, layout.operand, bytes, bytes)};
  loop.before_block = before_block(machine);
  loop.element_bytes = item_bytes;
  loop.blocks = items == 0 ? 0 : 1;
  loop.block_bytes = bytes;
  Body& body = loop.element;
  if (variables_in_memory(machine)) {
    address_from_memory(body, source_variable);
    body.push_back(data_load(machine, 4, source, 0, 3));
    address_from_memory(body, operand_variable);
    body.push_back(data_load(machine, 5, operand, 0, 3));
    body.push_back(add(6, 4, 5));
    address_from_memory(body, target_variable);
    body.push_back(store(6, target, 0, 3));
    next_index_in_memory(body);
    branch(body, 3);
    return loop;
  }
  const bool tuned = machine.core.loops == Loops::tuned;
  const std::uint32_t wanted = tuned ? tuned_unroll : machine.detailed.loops.unroll;
  std::uint32_t unroll = std::min<std::uint32_t>(wanted, 8);
  while (unroll > 1 && items % unroll != 0) --unroll;
  loop.element_bytes = item_bytes * unroll;
  // In dual-instruction mode the sum of two items issues with the load of the next.
  const auto a = [](std::uint32_t k) { return static_cast<Register>(4 + k); };
  const auto b = [](std::uint32_t k) { return static_cast<Register>(12 + k); };
  const auto sum = [](std::uint32_t k) { return static_cast<Register>(20 + k); };
  for (std::uint32_t k = 0; k < unroll; ++k) {
    body.push_back(data_load(machine, a(k), source, k * item_bytes));
    body.push_back(data_load(machine, b(k), operand, k * item_bytes));
    if (k > 0) body.push_back(add(sum(k - 1), a(k - 1), b(k - 1), tuned));
  }
  body.push_back(add(sum(unroll - 1), a(unroll - 1), b(unroll - 1)));
  for (std::uint32_t k = 0; k < unroll; ++k) body.push_back(store(sum(k), target, k * item_bytes));
  branch(body, tuned ? 1 : 3);
  return loop;
}

Loop path_loop(Cycles cycles, std::uint32_t lines, std::uint32_t line_bytes) {
  constexpr std::uint8_t most = 255;
  Loop loop;
  loop.name = "path of the library";
  loop.number = path;
  loop.streams = {{.base = 0x10000, .bytes = Bytes{lines} * line_bytes, .pitch = 0}};
  for (Cycles left = cycles; left > 0;) {
    const auto part = static_cast<std::uint8_t>(std::min<Cycles>(left, most));
    loop.before_block.push_back(integer(part));
    left -= part;
  }
  loop.element = {load(1, source, 0), integer(1, 2, 1)};
  loop.element_bytes = line_bytes;
  loop.blocks = 1;
  loop.block_bytes = Bytes{lines} * line_bytes;
  return loop;
}

Loop send_loop(const Machine& machine, Bytes bytes) {
  Loop loop;
  loop.name = "send";
  loop.number = sending;
  loop.streams = {{.base = machine.detailed.layout.source, .bytes = bytes, .pitch = bytes}};
  loop.element_bytes = machine.memory.bus_bytes;
  loop.element = {data_load(machine, 4, source, 0), {.op = {.kind = OpKind::put, .target = 4}}};
  branch(loop.element, 2);
  loop.rest = loop.element;
  loop.blocks = bytes == 0 ? 0 : 1;
  loop.block_bytes = bytes;
  return loop;
}

}  // namespace ecube::node
