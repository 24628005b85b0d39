// SPDX-License-Identifier: Apache-2.0
// Parameters of a detailed node (hw/node/README.md): its cache, TLB, buffers, FIFOs, buffers in memory and loops.
#pragma once

#include <cstdint>

#include "models/machine/cube.h"
#include "models/machine/ratio.h"

namespace ecube {

enum class NodeModel : std::uint8_t { rates, detailed };
enum class Allocate : std::uint8_t { read, write };
enum class WritePolicy : std::uint8_t { back, through };
enum class Replacement : std::uint8_t { random, lru };
enum class Coherence : std::uint8_t { uncached, flush, snoop };
/// Where a compiled loop keeps its index and base addresses.
enum class Variables : std::uint8_t { memory, registers };
enum class LoopLoads : std::uint8_t { cached, pipelined };

/// Parts and loops of a detailed node. Names, units, ranges and help: models/machine/machine_parameters.h.
struct DetailedNode {
  struct Cache {
    std::uint32_t bytes = 8192;
    std::uint32_t ways = 2;
    Allocate allocate = Allocate::read;
    WritePolicy write = WritePolicy::back;
    Replacement replacement = Replacement::random;
  } cache;

  struct Tlb {
    std::uint32_t entries = 64;  ///< 0: translation takes no time
    std::uint32_t ways = 4;
    std::uint32_t page_bytes = 4096;
  } tlb;

  std::uint32_t write_buffers = 2;
  std::uint32_t dram_page_bytes = 4096;
  std::uint32_t fifo_bytes = 64;
  Coherence coherence = Coherence::flush;

  /// Where buffers lie in the address space of every node.
  struct Layout {
    Bytes source = 0x100000;   ///< what loops read: blocks, the first operand of a combine
    Bytes target = 0x200000;   ///< what they write
    Bytes operand = 0x300000;  ///< the second operand: what has arrived
    Bytes system = 0x400000;   ///< system buffer, for messages without a receive
    Bytes frame = 0x8000;      ///< variables of a loop in memory
    Bytes padding = 0;         ///< behind every block
  } layout;

  struct Loops {
    std::uint32_t element_bytes = 1;  ///< moved at a time by the compiled loops that copy and permute
    Variables variables = Variables::memory;
    std::uint32_t unroll = 1;
    std::uint32_t tile = 1;  ///< a permutation goes through its matrix in tiles of so many blocks a side; 1: in order
    LoopLoads loads = LoopLoads::cached;
  } loops;

  /// Cycles of the machine in which the processor moves a word of the bus to the link, measured by running its loop;
  /// of programmed transfer.
  Ratio programmed_word{0, 1};

  std::uint32_t library_lines = 0;  ///< of the library's own data that the path of a message touches, cold
};

}  // namespace ecube
