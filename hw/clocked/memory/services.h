// SPDX-License-Identifier: Apache-2.0
// What the parts of a detailed node ask of each other (hw/node/README.md). In a cycle the bus goes first, at the rising
// edge; then the core, at the falling edge, with what it asks of the cache.
#pragma once

#include <systemc>

#include "models/machine/cube.h"
#include "models/node/memory_system.h"

namespace ecube::clocked {

inline constexpr Cycles not_yet = ~Cycles{0};

/// Who has asked for a read, and is told of it.
enum class Reader : std::uint8_t { fill, walk, pipelined, uncached, put, get };

/// A read that waits for the bus (N6).
struct BusRead {
  Reader reader = Reader::fill;
  Cycles asks = 0;
  node::Address address = 0;
  std::uint32_t transfers = 1;
  node::Register target = 0;
  std::uint64_t order = 0;   ///< of the access: older writes have lower numbers
  node::Address second = 0;  ///< of a walk: the word of the page table
  bool guarded = false;      ///< waits for older writes of its line (N7.2)
};

class BusService : public sc_core::sc_interface {
 public:
  virtual void ask(const BusRead& read) = 0;
  [[nodiscard]] virtual bool idle(Cycles now) const = 0;
};

/// What the bus tells its readers. `first`: the wanted transfer has been made; `end`: the tenure has ended.
class ReaderService : public sc_core::sc_interface {
 public:
  virtual void first(const BusRead& read, Cycles now) = 0;
  virtual void end(const BusRead& read, Cycles now) = 0;
};

class WriteBufferService : public sc_core::sc_interface {
 public:
  struct Entry {
    node::Address address = 0;
    std::uint32_t transfers = 1;
    Cycles asks = 0;
    std::uint64_t order = 0;
  };
  virtual void put(const Entry& entry) = 0;
  [[nodiscard]] virtual bool full() const = 0;
  [[nodiscard]] virtual bool empty() const = 0;
  [[nodiscard]] virtual const Entry& front() const = 0;
  virtual void front_written() = 0;
  [[nodiscard]] virtual bool older_write_of(std::uint64_t line, std::uint64_t order) const = 0;
};

class TlbService : public sc_core::sc_interface {
 public:
  /// True if the page is known. The access of number `access` of the loop asks.
  virtual bool knows(node::Address address, std::uint64_t access) = 0;
  [[nodiscard]] virtual BusRead walk(node::Address address) const = 0;
};

class DmaService : public sc_core::sc_interface {
 public:
  using Word = node::Traffic::Word;
  [[nodiscard]] virtual bool asks(Cycles now) const = 0;
  virtual Word take() = 0;
};

class CacheService : public sc_core::sc_interface {
 public:
  /// Goes on with the access under way.
  virtual void progress(Cycles now) = 0;
  [[nodiscard]] virtual bool free(Cycles now) const = 0;
  virtual void start(const node::Op& op, Cycles now) = 0;
  /// DMA has written a word of this line to memory.
  virtual void written_by_dma(std::uint64_t line) = 0;
};

class FifoService : public sc_core::sc_interface {
 public:
  [[nodiscard]] virtual bool room() const = 0;
  virtual void put_issued() = 0;
  virtual void put_ended(Cycles now) = 0;
  virtual void link_takes(Cycles now) = 0;
  [[nodiscard]] virtual bool word() const = 0;
  virtual void get_issued() = 0;
  virtual void get_ended() = 0;
  /// False if a word arrives and finds no room.
  virtual bool arrive(Cycles now) = 0;
};

/// The memory of a node, for the core that computes in it. Cycles are those of the machine.
class LoopService : public sc_core::sc_interface {
 public:
  /// `loop` begins at this edge, from `state`. True if it ends at once. Throws std::invalid_argument for a loop that
  /// makes no sense.
  virtual bool begin(const node::Loop& loop, const node::MemoryState& state) = 0;
  /// The computation has had `cycles` cycles before this edge, the last of them just before it if it had not been told
  /// of. True if the loop ends at this edge. Throws node::LoopFault.
  virtual bool go_on(Cycles cycles) = 0;
  /// Of the loop that has ended; `state` becomes the state after it.
  virtual node::LoopFigures end(node::MemoryState& state) = 0;
};

/// When registers of the core are ready.
class ScoreboardService : public sc_core::sc_interface {
 public:
  virtual void ready(node::Register target, Cycles at) = 0;
};

}  // namespace ecube::clocked
