// SPDX-License-Identifier: Apache-2.0
// Accesses to TLB, cache and write buffers, one by one, and the tenures of the bus that they lead to.
#include <algorithm>

#include "models/machine/random.h"
#include "models/node/memory_system.h"

namespace ecube::node {

namespace {

constexpr std::size_t outstanding_loads = 3;
constexpr Address page_tables = 4096;  ///< behind the page directory, which begins at 0
constexpr std::uint64_t entries_of_table = 1024;
constexpr std::uint64_t tlb_salt = 0x544C42;  ///< the TLB's draws are not the cache's

std::uint32_t sets_of(const std::vector<MemoryState::Line>& table, std::uint32_t ways) {
  return static_cast<std::uint32_t>(table.size() / ways);
}

}  // namespace

// --- The bus -------------------------------------------------------------------------------------------------------

Cycles MemorySystem::tenure(Cycles start, Address address, std::uint32_t transfers, bool dram) {
  Cycles page = 0;
  if (dram) {
    const std::uint64_t number = address / node_.dram_page_bytes;
    if (number != state_->open_page) page = page_miss_;
    state_->open_page = number;
  }
  const Cycles length = page + transfers * transfer_;
  bus_free_ = start + length;
  figures_.bus += length;
  figures_.page_miss += page;
  return page;
}

void MemorySystem::take_dma(Cycles start) {
  const Traffic::Word& word = traffic_->words[words_done_++];
  (void)tenure(start, word.address, 1, true);
  if (word.writes) effects_.push_back({bus_free_, word.address / line_});
}

/// Grants the bus to DMA or the oldest write if one of them gets it before `limit`.
bool MemorySystem::step_before(Cycles limit) {
  const Cycles asked = next_dma();
  const Cycles dma = asked == never ? never : std::max(bus_free_, asked);
  const Cycles write = writes_.empty() ? never : std::max(bus_free_, writes_.front().asks);
  if (std::min(dma, write) >= limit) return false;
  if (dma <= write) {
    take_dma(dma);
    return true;
  }
  (void)tenure(write, writes_.front().address, writes_.front().transfers, true);
  writes_.pop_front();
  write_ends_.push_back(bus_free_);
  return true;
}

MemorySystem::Read MemorySystem::read(Cycles asks, Address address, std::uint32_t transfers, bool dram) {
  while (step_before(asks)) {
  }
  Cycles start = std::max(bus_free_, asks);
  for (Cycles dma = next_dma(); dma <= start; dma = next_dma()) {
    take_dma(std::max(bus_free_, dma));
    start = std::max(bus_free_, asks);
  }
  const Cycles page = tenure(start, address, transfers, dram);
  forget_spans(last_done_);
  spans_.push_back({asks, start, start + page, bus_free_});
  return {start, page};
}

/// N7.2: until the last write to this line is over.
void MemorySystem::wait_for_writes_of(std::uint64_t line) {
  const auto of_line = [this, line](const Write& write) { return write.address / line_ == line; };
  while (std::any_of(writes_.begin(), writes_.end(), of_line)) step_before(never);
}

// --- Cache and TLB -------------------------------------------------------------------------------------------------

MemoryState::Line* MemorySystem::find(std::vector<MemoryState::Line>& table, std::uint32_t ways, std::uint64_t number) {
  MemoryState::Line* const set = &table[number % sets_of(table, ways) * ways];
  for (std::uint32_t way = 0; way < ways; ++way) {
    if (set[way].valid && set[way].number == number) {
      if (node_.cache.replacement == Replacement::lru) set[way].age = age_++;
      return &set[way];
    }
  }
  return nullptr;
}

std::size_t MemorySystem::victim(std::vector<MemoryState::Line>& table, std::uint32_t ways, std::uint64_t number,
                                 std::uint64_t salt) {
  const std::size_t first = number % sets_of(table, ways) * ways;
  std::size_t oldest = first;
  for (std::size_t way = first; way < first + ways; ++way) {
    if (!table[way].valid) return way;
    if (table[way].age < table[oldest].age) oldest = way;
  }
  if (node_.cache.replacement == Replacement::lru) return oldest;
  return first + draw(seed_ ^ salt, loop_, accesses_) % ways;
}

/// The cycle at which the access can take place: at once, or after a walk through the tables (N5.2).
Cycles MemorySystem::translate(Address address, Cycles at) {
  if (state_->tlb.empty()) return at;
  const std::uint64_t page = address / node_.tlb.page_bytes;
  if (find(state_->tlb, node_.tlb.ways, page) != nullptr) return at;
  ++figures_.tlb_misses;
  (void)read(at + 1, 4 * (page / entries_of_table), 1);
  const Cycles second = bus_free_;
  (void)read(second, page_tables + 4 * page, 1);
  state_->tlb[victim(state_->tlb, node_.tlb.ways, page, tlb_salt)] = {
      .number = page, .age = node_.cache.replacement == Replacement::lru ? age_++ : 0, .valid = true};
  return bus_free_;
}

/// What DMA wrote to memory changes the cache at the end of each tenure.
void MemorySystem::apply_effects(Cycles until) {
  std::size_t done = 0;
  for (; done < effects_.size() && effects_[done].at <= until; ++done) {
    for (MemoryState::Line& line : state_->cache) {
      if (!line.valid || line.number != effects_[done].line) continue;
      if (node_.coherence == Coherence::snoop) {
        line = {};
      } else {
        line.stale = true;
      }
    }
  }
  effects_.erase(effects_.begin(), effects_.begin() + static_cast<std::ptrdiff_t>(done));
}

bool MemorySystem::needs_write_buffer(const Op& op) {
  const bool store = op.kind == OpKind::store;
  if (op.uncached && op.kind != OpKind::flush) return store;
  const std::uint64_t number = op.address / line_;
  const MemoryState::Line* const line = find(state_->cache, node_.cache.ways, number);
  if (op.kind == OpKind::flush) return line != nullptr && line->dirty;
  if (line != nullptr) return store && node_.cache.write == WritePolicy::through;
  if (op.kind == OpKind::pipelined_load) return false;
  if (store && node_.cache.allocate == Allocate::read) return true;
  const MemoryState::Line& replaced = state_->cache[victim(state_->cache, node_.cache.ways, number, 0)];
  return replaced.valid && replaced.dirty;
}

/// The first cycle, from `at` on, at which the access needs no write buffer or finds one free.
Cycles MemorySystem::wait_for_write_buffer(const Op& op, Cycles at) {
  const Cycles from = at;
  for (;;) {
    while (step_before(at)) {
    }
    if (!effects_.empty()) apply_effects(at);
    std::erase_if(write_ends_, [at](Cycles end) { return end <= at; });
    if (writes_.size() + write_ends_.size() < node_.write_buffers || !needs_write_buffer(op)) {
      if (at > from) spans_.push_back({from, at, at, at});
      return at;
    }
    Cycles next = write_ends_.empty() ? never : write_ends_.front();
    if (next == never) {
      // The bus is idle, or DMA has it: the next tenure says how long to wait.
      (void)step_before(never);
      if (!write_ends_.empty()) next = write_ends_.front();
    }
    for (const Effect& effect : effects_) next = std::min(next, effect.at);
    if (next != never) at = next;
  }
}

void MemorySystem::access(const Op& op, Cycles issued) {
  Cycles at = translate(op.address, issued);
  at = wait_for_write_buffer(op, at);
  if (op.kind == OpKind::pipelined_load) {
    std::erase_if(pipelined_, [at](Cycles ready) { return ready <= at; });
    if (pipelined_.size() >= outstanding_loads) at = pipelined_[pipelined_.size() - outstanding_loads];
    while (step_before(at)) {
    }
    if (!effects_.empty()) apply_effects(at);
  }
  const std::uint64_t number = op.address / line_;
  access_at_ = at;
  cache_free_ = at + 1;
  const auto done = [this, &op](Cycles ready) {
    if (op.target != 0) ready_[op.target] = ready;
    return ready;
  };
  if (op.uncached && op.kind == OpKind::store) {
    writes_.push_back({op.address, 1, at + 1});
    return;
  }
  if (op.uncached && op.kind == OpKind::load) {
    wait_for_writes_of(number);
    (void)read(at + 1, op.address, 1);
    cache_free_ = done(bus_free_);
    return;
  }
  MemoryState::Line* line =
      op.uncached && op.kind == OpKind::pipelined_load ? nullptr : find(state_->cache, node_.cache.ways, number);
  if (op.kind == OpKind::flush) {
    if (line != nullptr) {
      if (line->dirty) writes_.push_back({number * line_, line_transfers_, at + 1});
      *line = {};
    }
    return;
  }
  if (line != nullptr) {
    if (line->stale) throw LoopFault("reads a stale line", at, op.address);
    ++figures_.hits;
    if (op.kind != OpKind::store) {
      (void)done(at + 2);
    } else if (node_.cache.write == WritePolicy::back) {
      line->dirty = true;
    } else {
      writes_.push_back({op.address, 1, at + 1});
    }
    return;
  }
  ++figures_.misses;
  if (op.kind == OpKind::pipelined_load) {
    wait_for_writes_of(number);
    (void)read(at + 1, op.address, 1);
    pipelined_.push_back(done(bus_free_));
    return;
  }
  if (op.kind == OpKind::store && node_.cache.allocate == Allocate::read) {
    writes_.push_back({op.address, 1, at + 1});
    return;
  }
  MemoryState::Line& filled = state_->cache[victim(state_->cache, node_.cache.ways, number, 0)];
  const bool dirty = filled.valid && filled.dirty;
  const Address old = filled.number * line_;
  filled = {.number = number, .valid = true};
  if (node_.cache.replacement == Replacement::lru) filled.age = age_++;
  wait_for_writes_of(number);
  const Read fill = read(at + 1, op.address, line_transfers_);
  cache_free_ = bus_free_;
  // The fill reads what DMA wrote before it.
  std::erase_if(effects_, [&](const Effect& effect) { return effect.line == number && effect.at <= fill.start; });
  // After the fill on the bus, because reads precede writes.
  if (dirty) {
    ++figures_.dirty_victims;
    writes_.push_back({old, line_transfers_, at + 1});
  }
  if (op.kind == OpKind::load) {
    (void)done(fill.start + fill.page + transfer_);
  } else {
    filled.dirty = true;
  }
}

}  // namespace ecube::node
