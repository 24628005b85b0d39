// SPDX-License-Identifier: Apache-2.0
// The memory system of a detailed node (hw/node/README.md), worked out access by access: when an operation issues, its
// use of the bus is known, except for waiting writes, which get the bus when it is known to be free.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "models/machine/machine.h"
#include "models/node/loop.h"

namespace ecube::node {

/// Contents of cache and TLB and the open page: the state between two loops.
struct MemoryState {
  struct Line {
    std::uint64_t number = 0;  ///< address / line
    std::uint32_t age = 0;     ///< order of the last access, with lru
    bool valid = false;
    bool dirty = false;
    bool stale = false;
    friend bool operator==(const Line&, const Line&) = default;
  };
  static constexpr std::uint64_t no_page = ~std::uint64_t{0};
  std::vector<Line> cache;  ///< [set * ways + way]
  std::vector<Line> tlb;    ///< the same of pages
  std::uint64_t open_page = no_page;

  [[nodiscard]] static MemoryState empty(const Machine& machine);
  friend bool operator==(const MemoryState&, const MemoryState&) = default;
};

/// The other users of bus and FIFOs during a loop.
struct Traffic {
  /// A word of DMA (N8.4), as of a message (N13.3).
  struct Word {
    Cycles asks = 0;
    Address address = 0;
    bool writes = false;  ///< to memory
    friend bool operator==(const Word&, const Word&) = default;
  };
  std::vector<Word> words;  ///< in the order in which they ask
  Cycles out_pace = 1;      ///< the link takes a word of the outgoing FIFO
  Cycles in_first = 0;      ///< words arrive in the incoming FIFO
  Cycles in_pace = 1;
  std::uint64_t in_words = 0;
};

/// The causes of a loop's cycles, and counts of its accesses.
struct LoopFigures {
  Cycles cycles = 0;
  Cycles issue = 0;      ///< cycles in which the core issues or is taken by an operation
  Cycles operand = 0;    ///< waits for a register
  Cycles cache = 0;      ///< waits for the cache: a fill, a walk, a write buffer
  Cycles fifo = 0;       ///< waits for room or a word
  Cycles drain = 0;      ///< from the last operation to the end
  Cycles bus = 0;        ///< the bus is taken
  Cycles page_miss = 0;  ///< of these, DRAM pages are opened
  std::uint64_t operations = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t dirty_victims = 0;
  std::uint64_t tlb_misses = 0;
  LoopTimes times;  ///< their sum is `cycles`
  friend bool operator==(const LoopFigures&, const LoopFigures&) = default;
};

/// A loop under way.
struct LoopUnderWay {
  struct Write {
    Address address;
    std::uint32_t transfers;
    Cycles asks;
  };
  struct Effect {
    Cycles at;
    std::uint64_t line;
  };

  /// The wait of a read, its page and its transfers on the bus; or, without a tenure, that of an access for a write
  /// buffer.
  struct Span {
    Cycles asks;
    Cycles start;
    Cycles page_end;
    Cycles end;
  };

  MemoryState* state_ = nullptr;
  const Traffic* traffic_ = nullptr;
  std::uint64_t loop_ = 0;
  std::uint64_t accesses_ = 0;
  std::uint32_t age_ = 0;
  std::array<Cycles, registers> ready_{};
  Cycles access_at_ = 0;  ///< of the last access of the cache
  Cycles cache_free_ = 0;
  Cycles bus_free_ = 0;
  Cycles last_issue_ = 0;
  Cycles last_done_ = 0;
  bool last_takes_dual_ = false;
  std::deque<Write> writes_;
  std::vector<Cycles> write_ends_;  ///< of writes that have begun; a buffer each until then
  std::vector<Cycles> pipelined_;   ///< ready cycles, ascending as the bus serves them
  std::size_t words_done_ = 0;
  std::vector<Effect> effects_;
  std::vector<Cycles> left_;  ///< when word j of the outgoing FIFO leaves
  std::uint64_t gets_ = 0;
  std::deque<Span> spans_;  ///< in order of request, those that the core may still wait for
  Cycles spans_ended_ = 0;  ///< the last end of those before
  LoopFigures figures_;
};

/// Runs loops by the rules of hw/node/README.md; the machine and the seed stay.
class MemorySystem final : private LoopUnderWay {
 public:
  MemorySystem(const Machine& machine, std::uint64_t seed);

  /// Runs `loop` from `state`, which becomes the state after it, beside other users of bus and FIFOs. `issued`, if not
  /// null, gets the issue cycle of each operation. Throws LoopFault.
  LoopFigures run(const Loop& loop, MemoryState& state, const Traffic& traffic = {},
                  std::vector<Cycles>* issued = nullptr);

 private:
  // The loop and its core: memory_system.cpp.
  void begin(const Loop& loop, MemoryState& state, const Traffic& traffic);
  Cycles issue(const Op& op);
  void check_overrun(Cycles before);
  void core_waits(Cycles from, Cycles until);
  void forget_spans(Cycles before);
  void finish();
  // The bus: memory_accesses.cpp.
  [[nodiscard]] Cycles tenure(Cycles start, Address address, std::uint32_t transfers, bool dram);
  [[nodiscard]] Cycles next_dma() const {
    return words_done_ < traffic_->words.size() ? traffic_->words[words_done_].asks : never;
  }
  void take_dma(Cycles start);
  bool step_before(Cycles limit);
  struct Read {
    Cycles start;
    Cycles page;  ///< cycles to open a page
  };
  Read read(Cycles asks, Address address, std::uint32_t transfers, bool dram = true);
  void wait_for_writes_of(std::uint64_t line);
  // Cache and TLB: memory_accesses.cpp.
  MemoryState::Line* find(std::vector<MemoryState::Line>& table, std::uint32_t ways, std::uint64_t number);
  std::size_t victim(std::vector<MemoryState::Line>& table, std::uint32_t ways, std::uint64_t number,
                     std::uint64_t salt);
  [[nodiscard]] Cycles translate(Address address, Cycles at);
  void apply_effects(Cycles until);
  [[nodiscard]] bool needs_write_buffer(const Op& op);
  [[nodiscard]] Cycles wait_for_write_buffer(const Op& op, Cycles at);
  void access(const Op& op, Cycles issued);

  // Of the machine:
  Cycles transfer_;
  Cycles page_miss_;
  std::uint32_t bus_;
  std::uint32_t line_;
  std::uint32_t line_transfers_;
  DetailedNode node_;
  std::uint64_t seed_;
};

}  // namespace ecube::node
