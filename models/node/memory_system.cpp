// SPDX-License-Identifier: Apache-2.0
// Loops from their begin to their end, and the core that issues their operations.
#include "models/node/memory_system.h"

#include <algorithm>

namespace ecube::node {

namespace {

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

void MemorySystem::begin(const Loop& loop, MemoryState& state, const Traffic& traffic) {
  static_cast<LoopUnderWay&>(*this) = {};
  state_ = &state;
  traffic_ = &traffic;
  loop_ = loop.number;
  age_ = std::max(node_.cache.ways, node_.tlb.ways);
  if (node_.coherence != Coherence::snoop) return;
  for (MemoryState::Line& line : state.cache) {
    const Address address = line.number * line_;
    for (const Stream& stream : loop.streams) {
      if (stream.received && address + line_ > stream.base && address < stream.base + stream.bytes) line = {};
    }
  }
}

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
  const bool transfers = op.kind == OpKind::put || op.kind == OpKind::get;
  const Cycles free = is_memory(op.kind) ? cache_free_ : transfers ? access_at_ : 0;
  if (free > at) {
    figures_.cache += free - at;
    at = free;
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
      check_overrun(bus_free_);
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

void MemorySystem::finish() {
  while (!writes_.empty()) (void)step_before(never);
  Cycles end = std::max({last_done_, cache_free_, bus_free_, *std::max_element(ready_.begin(), ready_.end())});
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
}

LoopFigures MemorySystem::run(const Loop& loop, MemoryState& state, const Traffic& traffic,
                              std::vector<Cycles>* issued) {
  begin(loop, state, traffic);
  LoopCursor cursor(loop, node_.coherence == Coherence::flush, line_);
  for (Op op; cursor.next(op);) {
    const Cycles at = issue(op);
    if (issued != nullptr) issued->push_back(at);
  }
  finish();
  return figures_;
}

}  // namespace ecube::node
