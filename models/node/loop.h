// SPDX-License-Identifier: Apache-2.0
// Loops as data: operations, the buffers that they walk through, the resulting sequence of operations with addresses,
// the causes of their cycles, and the loops of the message library and of collective algorithms (hw/node/README.md, N2,
// N11 and N14).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/machine.h"

namespace ecube::node {

using Register = std::uint8_t;
inline constexpr Register registers = 32;  ///< register 0 is always ready and never written
using Address = std::uint64_t;

enum class OpKind : std::uint8_t { integer, floating, load, pipelined_load, store, flush, put, get };

/// Operations that access the cache.
[[nodiscard]] constexpr bool is_memory(OpKind kind) {
  return kind == OpKind::load || kind == OpKind::pipelined_load || kind == OpKind::store || kind == OpKind::flush;
}

/// An operation as issued by the core.
struct Op {
  OpKind kind = OpKind::integer;
  bool dual = false;        ///< a floating operation that may issue with its predecessor
  bool uncached = false;    ///< its buffer is never in the cache
  std::uint8_t cycles = 1;  ///< of an integer operation
  Register target = 0;      ///< written; of a store or put: read
  Register first = 0;       ///< read
  Register second = 0;      ///< read
  bool outside = false;     ///< the address is not in the buffer
  Address address = 0;
};

/// A buffer that a loop walks through: block b of the loop is block (b mod rows) * columns + b / rows of the buffer.
struct Stream {
  Address base = 0;
  Bytes bytes = 0;  ///< of the buffer; an access beyond is a fault
  Bytes pitch = 0;  ///< from a block to the next
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
  bool uncached = false;
  bool received = false;  ///< messages have arrived here since the previous loop
  bool fixed = false;     ///< does not move with the blocks and elements: variables, a table

  [[nodiscard]] constexpr Address block(std::uint64_t b) const {
    return fixed ? base : base + ((b % rows) * columns + b / rows) * pitch;
  }
};

/// An operation of a loop's body: that of an element, at `offset` in it, of a stream.
struct BodyOp {
  Op op;
  std::uint8_t stream = 0;
  std::uint32_t offset = 0;
};

/// A loop over `blocks` blocks of `block_bytes` bytes, in elements; bytes behind the last whole element are moved in
/// elements of one byte.
struct Loop {
  std::string name;
  std::uint64_t number = 0;  ///< for the draws of replacement
  std::vector<Stream> streams;
  std::vector<BodyOp> before_block;
  std::vector<BodyOp> element;  ///< moves `element_bytes`
  std::vector<BodyOp> rest;     ///< moves one byte
  std::uint32_t element_bytes = 1;
  std::uint64_t blocks = 0;
  Bytes block_bytes = 0;
  /// In tiles of `tile` x `tile` blocks of a matrix of `tiled_rows` blocks a column, column by column; 1: in order.
  std::uint32_t tile = 1;
  std::uint64_t tiled_rows = 1;
};

/// The block that a loop processes as number `turn`, from 0.
[[nodiscard]] std::uint64_t block_of_turn(const Loop& loop, std::uint64_t turn);

/// A loop that went outside a buffer, read a stale line or let a FIFO overrun.
struct LoopFault : std::runtime_error {
  LoopFault(const std::string& what, Cycles cycle, Address at)
      : std::runtime_error(what), at_cycle(cycle), address(at) {}
  Cycles at_cycle;
  Address address;
};

/// The fault with the name of its loop, its cycle and its address in its text.
[[nodiscard]] LoopFault fault_of(const std::string& loop, const LoopFault& fault);

/// The operations of a loop, one after the other.
class LoopCursor {
 public:
  /// With `flush_received`, the lines of `line` bytes of received buffers are flushed first (N9.2).
  LoopCursor(const Loop& loop, bool flush_received, std::uint32_t line);
  /// False after the last operation.
  bool next(Op& op);

 private:
  bool next_flush(Op& op);
  [[nodiscard]] Op with_address(const BodyOp& body) const;

  const Loop& loop_;
  std::uint32_t line_;
  std::size_t flushing_;  ///< stream whose lines are flushed
  Address flush_at_ = 0;
  std::uint64_t block_ = 0;
  Bytes offset_ = 0;                           ///< in the block
  const std::vector<BodyOp>* part_ = nullptr;  ///< body that is under way
  std::size_t place_ = 0;                      ///< in it
  std::vector<Address> bases_;                 ///< [stream] of the block
};

/// The cause of a cycle of a loop, each of which counts once.
enum class LoopTime : std::uint8_t {
  issue,      ///< an operation issues, or takes the core
  load_miss,  ///< the core waits while a read has its transfers: a fill, a walk, an uncached or pipelined load, a word
  page_miss,  ///< the same while its page of the DRAM is opened
  bus,        ///< a read waits for the bus, or an access for a write buffer
  fifo,       ///< the FIFO has no room, or no word
  operand,    ///< a result of the core or of a hit is not ready yet
  drain       ///< all operations have taken their cycles; writes and loads end
};
inline constexpr std::array<std::string_view, 7> loop_time_names{"issue",     "load_miss", "page_miss", "bus",
                                                                 "fifo_full", "operand",   "drain"};

/// Cycles by cause.
struct LoopTimes {
  std::array<Cycles, loop_time_names.size()> cycles{};

  [[nodiscard]] Cycles& operator[](LoopTime what) { return cycles[static_cast<std::size_t>(what)]; }
  [[nodiscard]] Cycles operator[](LoopTime what) const { return cycles[static_cast<std::size_t>(what)]; }
  [[nodiscard]] Cycles total() const { return std::accumulate(cycles.begin(), cycles.end(), Cycles{0}); }
  /// `wanted` cycles in the same proportions, whole numbers whose sum is `wanted`. If there are no proportions, all are
  /// issue.
  [[nodiscard]] LoopTimes scaled_to(Cycles wanted) const {
    const Cycles all = total();
    if (all == wanted) return *this;
    LoopTimes scaled;
    if (all == 0) {
      scaled[LoopTime::issue] = wanted;
      return scaled;
    }
    // Differences of rounded sums up to each share: their sum is exact, and none is more than a cycle off.
    Cycles up_to = 0;
    Cycles given = 0;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      up_to += cycles[i];
      const auto share = static_cast<Cycles>(UInt128{up_to} * wanted / all);
      scaled.cycles[i] = share - given;
      given = share;
    }
    return scaled;
  }
  LoopTimes& operator+=(const LoopTimes& other) {
    for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] += other.cycles[i];
    return *this;
  }
  friend bool operator==(const LoopTimes&, const LoopTimes&) = default;
};

/// A matrix of blocks that a permutation transposes: block b of the result is block (b mod rows) * columns + b / rows.
struct BlockGrid {
  Bytes block_bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

/// Gathers the blocks of the source buffer into the target buffer.
[[nodiscard]] Loop permute_loop(const Machine& machine, const BlockGrid& grid);
/// Copies `bytes` bytes from the source buffer to the target buffer.
[[nodiscard]] Loop copy_loop(const Machine& machine, Bytes bytes);
/// Copies a message out of the system buffer into the target buffer.
[[nodiscard]] Loop copy_out_loop(const Machine& machine, Bytes bytes);
/// Adds `items` items of `item_bytes` bytes that have arrived to those of the source buffer.
[[nodiscard]] Loop combine_loop(const Machine& machine, std::uint64_t items, std::uint32_t item_bytes);
/// A path of the message library: `cycles` of call, checks and queue, and `lines` lines of its own data, each read and
/// needed at once. Assumed: no listing of the library is in print.
[[nodiscard]] Loop path_loop(Cycles cycles, std::uint32_t lines, std::uint32_t line_bytes);
/// Copies from memory to the outgoing FIFO, word by word: programmed transfer.
[[nodiscard]] Loop send_loop(const Machine& machine, Bytes bytes);

}  // namespace ecube::node
