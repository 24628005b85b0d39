// SPDX-License-Identifier: Apache-2.0
// Accesses, one by one, and the tenures of the bus that they lead to.
#include "models/node/memory_system.h"

#include <algorithm>

#include "models/machine/random.h"

namespace ecube::node {

namespace {

constexpr Cycles never = ~Cycles{0};
constexpr std::size_t outstanding_loads = 3;
constexpr Address page_tables = 4096;  ///< behind the page directory, which begins at 0
constexpr std::uint64_t entries_of_table = 1024;
constexpr std::uint64_t tlb_salt = 0x544C42;  ///< the TLB's draws are not the cache's

std::uint32_t sets_of(const std::vector<MemoryState::Line>& table, std::uint32_t ways) {
  return static_cast<std::uint32_t>(table.size() / ways);
}

/// Ages by rank within each set: states that differ only in how long ago a set was used are equal.
void rank_ages(std::vector<MemoryState::Line>& table, std::uint32_t ways) {
  std::vector<MemoryState::Line*> set(ways);
  for (std::size_t first = 0; first < table.size(); first += ways) {
    for (std::uint32_t way = 0; way < ways; ++way) set[way] = &table[first + way];
    std::stable_sort(set.begin(), set.end(), [](const auto* a, const auto* b) { return a->age < b->age; });
    for (std::uint32_t rank = 0; rank < ways; ++rank) set[rank]->age = rank;
  }
}

}  // namespace

MemoryState MemoryState::empty(const Machine& machine) {
  MemoryState state;
  state.cache.resize(machine.detailed.cache.bytes / machine.memory.line_bytes);
  state.tlb.resize(machine.detailed.tlb.entries);
  return state;
}

MemorySystem::MemorySystem(const Machine& machine, std::uint64_t seed)
    : transfer_(machine.to_core(machine.memory.transfer_cycles)),
      page_miss_(machine.to_core(machine.memory.page_miss_cycles)),
      bus_(machine.memory.bus_bytes),
      line_(machine.memory.line_bytes),
      line_transfers_((machine.memory.line_bytes + machine.memory.bus_bytes - 1) / machine.memory.bus_bytes),
      node_(machine.detailed),
      seed_(seed) {}

void MemorySystem::begin(const std::vector<Stream>& streams, std::uint64_t loop, MemoryState& state,
                         const Traffic& traffic) {
  state_ = &state;
  traffic_ = &traffic;
  loop_ = loop;
  accesses_ = 0;
  ready_.fill(0);
  access_at_ = 0;
  cache_free_ = 0;
  bus_free_ = 0;
  last_issue_ = 0;
  last_done_ = 0;
  last_takes_dual_ = false;
  writes_.clear();
  write_ends_.clear();
  pipelined_.clear();
  dma_done_.assign(traffic.dma.size(), 0);
  words_done_ = 0;
  effects_.clear();
  left_.clear();
  gets_ = 0;
  spans_.clear();
  spans_ended_ = 0;
  figures_ = {};
  age_ = std::max(node_.cache.ways, node_.tlb.ways);
  if (node_.coherence != Coherence::snoop) return;
  for (MemoryState::Line& line : state.cache) {
    const Address address = line.number * line_;
    for (const Stream& stream : streams) {
      if (stream.received && address + line_ > stream.base && address < stream.base + stream.bytes) line = {};
    }
  }
}

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

Cycles MemorySystem::next_dma() const {
  Cycles first = words_done_ < traffic_->words.size() ? traffic_->words[words_done_].asks : never;
  for (std::size_t i = 0; i < traffic_->dma.size(); ++i) {
    const Traffic::Dma& dma = traffic_->dma[i];
    if (dma_done_[i] < dma.words) first = std::min(first, dma.first + dma_done_[i] * dma.pace);
  }
  return first;
}

void MemorySystem::take_dma(Cycles start) {
  const Cycles asked = next_dma();
  for (std::size_t i = 0; i < traffic_->dma.size(); ++i) {
    const Traffic::Dma& dma = traffic_->dma[i];
    if (dma_done_[i] == dma.words || dma.first + dma_done_[i] * dma.pace != asked) continue;
    const Address address = dma.address + dma_done_[i] * bus_;
    ++dma_done_[i];
    (void)tenure(start, address, 1, true);
    if (dma.writes) effects_.push_back({bus_free_, address / line_});
    return;
  }
  const Traffic::Word& word = traffic_->words[words_done_++];
  (void)tenure(start, word.address, 1, true);
  if (word.writes) effects_.push_back({bus_free_, word.address / line_});
}

/// Lets DMA or the oldest write have the bus if one of them does before `limit`.
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

void MemorySystem::put_write(Address address, std::uint32_t transfers, Cycles asks) {
  writes_.push_back({address, transfers, asks});
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
    const auto outstanding = [&] {
      return static_cast<std::size_t>(
          std::count_if(pipelined_.begin(), pipelined_.end(), [at](Cycles ready) { return ready > at; }));
    };
    while (outstanding() >= outstanding_loads) {
      Cycles first = never;
      for (const Cycles ready : pipelined_) {
        if (ready > at) first = std::min(first, ready);
      }
      at = first;
    }
    while (step_before(at)) {
    }
    if (!effects_.empty()) apply_effects(at);
    std::erase_if(pipelined_, [at](Cycles ready) { return ready <= at; });
  }
  const std::uint64_t number = op.address / line_;
  access_at_ = at;
  cache_free_ = at + 1;
  const auto done = [this, &op](Cycles ready) {
    if (op.target != 0) ready_[op.target] = ready;
    return ready;
  };
  if (op.uncached && op.kind == OpKind::store) {
    put_write(op.address, 1, at + 1);
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
      if (line->dirty) put_write(number * line_, line_transfers_, at + 1);
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
      put_write(op.address, 1, at + 1);
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
    put_write(op.address, 1, at + 1);
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
  // Behind the fill on the bus, because reads go before writes.
  if (dirty) {
    ++figures_.dirty_victims;
    put_write(old, line_transfers_, at + 1);
  }
  if (op.kind == OpKind::load) {
    (void)done(fill.start + fill.page + transfer_);
  } else {
    filled.dirty = true;
  }
}

// --- The core ------------------------------------------------------------------------------------------------------

/// N8.3: the word that finds the FIFO full before `before` while the next `get` has not been.
void MemorySystem::check_overrun(Cycles before) {
  const std::uint64_t room = node_.fifo_bytes / bus_;
  if (gets_ + room >= traffic_->in_words) return;
  const Cycles arrives = traffic_->in_first + (gets_ + room) * traffic_->in_pace;
  if (arrives < before) throw LoopFault("lets the FIFO overrun", arrives, 0);
}

void MemorySystem::forget_spans(Cycles before) {
  while (!spans_.empty() && spans_.front().end <= before) {
    spans_ended_ = std::max(spans_ended_, spans_.front().end);
    spans_.pop_front();
  }
}

/// The core issues nothing in the cycles from `from` to `until` - 1: counts each by the read that has the bus or waits
/// for it.
void MemorySystem::core_waits(Cycles from, Cycles until) {
  forget_spans(from);
  const auto common = [from, until](Cycles begin, Cycles end) {
    begin = std::max(begin, from);
    end = std::min(end, until);
    return end > begin ? end - begin : 0;
  };
  LoopTimes& times = figures_.times;
  Cycles ended = spans_ended_;
  Cycles left = until - from;
  const auto take = [&times, &left](LoopTime what, Cycles cycles) {
    times[what] += cycles;
    left -= cycles;
  };
  for (const Span& span : spans_) {
    // Until its predecessor ended, that one waited or had the bus.
    take(LoopTime::bus, common(std::max(span.asks, ended), span.start));
    take(LoopTime::page_miss, common(span.start, span.page_end));
    take(LoopTime::load_miss, common(span.page_end, span.end));
    ended = std::max(ended, span.end);
  }
  take(LoopTime::operand, left);
}

Cycles MemorySystem::issue(const Op& op) {
  const bool dual = op.dual && op.kind == OpKind::floating && last_takes_dual_;
  const Cycles turn = dual ? last_issue_ : last_done_;
  Cycles at = std::max({turn, ready_[op.first], ready_[op.second], ready_[op.target]});
  figures_.operand += at - turn;
  if (is_memory(op.kind) && cache_free_ > at) {
    figures_.cache += cache_free_ - at;
    at = cache_free_;
  }
  if ((op.kind == OpKind::put || op.kind == OpKind::get) && access_at_ > at) {
    figures_.cache += access_at_ - at;
    at = access_at_;
  }
  Cycles allowed = at;
  if (op.kind == OpKind::put) {
    const std::uint64_t room = node_.fifo_bytes / bus_;
    if (left_.size() >= room) allowed = std::max(at, left_[left_.size() - room]);
  }
  if (op.kind == OpKind::get) allowed = std::max(at, traffic_->in_first + gets_ * traffic_->in_pace);
  figures_.fifo += allowed - at;
  if (at > last_done_) core_waits(last_done_, at);
  figures_.times[LoopTime::fifo] += allowed - at;
  at = allowed;
  if (traffic_->in_words != 0) check_overrun(at);

  const Cycles takes = op.kind == OpKind::integer ? op.cycles : 1;
  if (!dual) figures_.issue += takes;
  figures_.times[LoopTime::issue] += at + takes - std::max(at, last_done_);
  last_issue_ = at;
  last_done_ = at + takes;
  last_takes_dual_ = op.kind != OpKind::floating && takes == 1;
  ++figures_.operations;
  if (op.outside) throw LoopFault("goes outside its buffer", at, op.address);
  const auto write = [this, &op](Cycles ready) {
    if (op.target != 0) ready_[op.target] = ready;
  };
  switch (op.kind) {
    case OpKind::integer:
      write(at + op.cycles);
      break;
    case OpKind::floating:
      write(at + 3);
      break;
    case OpKind::put: {
      (void)read(at + 1, 0, 1, false);
      left_.push_back(left_.empty() ? bus_free_ : std::max(bus_free_, left_.back() + traffic_->out_pace));
      break;
    }
    case OpKind::get: {
      (void)read(at + 1, 0, 1, false);
      write(bus_free_);
      const std::uint64_t behind = gets_ + node_.fifo_bytes / bus_;
      const Cycles arrives = traffic_->in_first + behind * traffic_->in_pace;
      if (behind < traffic_->in_words && arrives < bus_free_) throw LoopFault("lets the FIFO overrun", arrives, 0);
      ++gets_;
      break;
    }
    case OpKind::load:
    case OpKind::pipelined_load:
    case OpKind::store:
    case OpKind::flush:
      access(op, at);
      ++accesses_;
      break;
  }
  return at;
}

Cycles MemorySystem::finish(Cycles core_done) {
  while (!writes_.empty()) (void)step_before(never);
  Cycles end = std::max({core_done, cache_free_, bus_free_, *std::max_element(ready_.begin(), ready_.end())});
  while (step_before(end)) end = std::max(end, bus_free_);
  apply_effects(end);
  if (traffic_->in_words != 0) check_overrun(end);
  if (node_.cache.replacement == Replacement::lru) {
    rank_ages(state_->cache, node_.cache.ways);
    if (!state_->tlb.empty()) rank_ages(state_->tlb, node_.tlb.ways);
  }
  figures_.drain = end - std::min(end, last_done_);
  figures_.times[LoopTime::drain] = figures_.drain;
  figures_.cycles = end;
  return end;
}

template <class Next>
LoopFigures MemorySystem::run_all(Next&& next, std::vector<Cycles>* issued) {
  Op op;
  while (next(op)) {
    const Cycles at = issue(op);
    if (issued != nullptr) issued->push_back(at);
  }
  (void)finish(last_done_);
  return figures_;
}

LoopFigures MemorySystem::run(const Loop& loop, MemoryState& state, const Traffic& traffic,
                              std::vector<Cycles>* issued) {
  begin(loop.streams, loop.number, state, traffic);
  LoopCursor cursor(loop, node_.coherence == Coherence::flush, line_);
  return run_all([&cursor](Op& op) { return cursor.next(op); }, issued);
}

LoopFigures MemorySystem::run(const std::vector<Op>& operations, const std::vector<Stream>& received,
                              MemoryState& state, const Traffic& traffic, std::vector<Cycles>* issued) {
  begin(received, 0, state, traffic);
  std::size_t place = 0;
  return run_all(
      [&](Op& op) {
        if (place == operations.size()) return false;
        op = operations[place++];
        return true;
      },
      issued);
}

}  // namespace ecube::node
