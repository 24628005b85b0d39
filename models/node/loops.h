// SPDX-License-Identifier: Apache-2.0
// The loops of the message library and of collective algorithms, as lists of operations (hw/node/README.md, N11).
#pragma once

#include "models/machine/machine.h"
#include "models/node/loop.h"

namespace ecube::node {

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
/// Packs blocks of the source buffer that are `stride_bytes` apart into the target buffer.
[[nodiscard]] Loop pack_loop(const Machine& machine, Bytes block_bytes, Bytes stride_bytes, std::uint64_t blocks);
/// A path of the message library: `cycles` of call, checks and queue, and `lines` lines of its own data, each read and
/// needed at once. Assumed: no listing of the library is in print.
[[nodiscard]] Loop path_loop(Cycles cycles, std::uint32_t lines, std::uint32_t line_bytes);
/// Copies from memory to the outgoing FIFO, word by word: programmed transfer.
[[nodiscard]] Loop send_loop(const Machine& machine, Bytes bytes);

}  // namespace ecube::node
