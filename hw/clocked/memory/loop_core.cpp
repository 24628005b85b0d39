// SPDX-License-Identifier: Apache-2.0
// Issue, an operation a cycle; accesses, cycle by cycle.
#include "hw/clocked/memory/loop_core.h"

#include <algorithm>

#include "models/machine/random.h"

namespace ecube::clocked {

using node::OpKind;

void LoopCore::reset(node::LoopCursor& loop, std::vector<Cycles>* issued) {
  loop_ = &loop;
  issued_ = issued;
  ready_.fill(0);
  free_at_ = 0;
  dual_at_ = not_yet;
  operations_ = 0;
  fetch();
}

bool LoopCore::ended(Cycles now) const {
  return !fetched_ && now >= free_at_ && cache_.free(now) && bus_.idle() && buffers_.empty() &&
         std::all_of(ready_.begin(), ready_.end(), [now](Cycles at) { return at <= now; });
}

bool LoopCore::may_issue(Cycles now) const {
  if (!may_issue_with_fifo(now)) return false;
  return op_.kind == OpKind::put ? fifo_.room() : op_.kind != OpKind::get || fifo_.word();
}

bool LoopCore::may_issue_with_fifo(Cycles now) const {
  if (!fetched_) return false;
  const bool dual = op_.kind == OpKind::floating && op_.dual && dual_at_ == now;
  if (now < free_at_ && !dual) return false;
  if (ready_[op_.first] > now || ready_[op_.second] > now || ready_[op_.target] > now) return false;
  switch (op_.kind) {
    case OpKind::load:
    case OpKind::pipelined_load:
    case OpKind::store:
    case OpKind::flush:
      return cache_.free(now);
    case OpKind::put:
    case OpKind::get:
      return !cache_.access_waits();
    case OpKind::integer:
    case OpKind::floating:
      break;
  }
  return true;
}

void LoopCore::issue(Cycles now) {
  const node::Op op = op_;
  if (issued_ != nullptr) issued_->push_back(now);
  ++operations_;
  if (op.outside) throw node::LoopFault("goes outside its buffer", now, op.address);
  const Cycles takes = op.kind == OpKind::integer ? op.cycles : 1;
  free_at_ = now + takes;
  dual_at_ = op.kind != OpKind::floating && takes == 1 ? now : not_yet;
  constexpr Cycles stages = 3;
  switch (op.kind) {
    case OpKind::integer:
      ready(op.target, now + op.cycles);
      break;
    case OpKind::floating:
      ready(op.target, now + stages);
      break;
    case OpKind::put:
      fifo_.put_issued();
      bus_.ask({.reader = Reader::put, .asks = now + 1});
      break;
    case OpKind::get:
      fifo_.get_issued();
      ready(op.target, not_yet);
      bus_.ask({.reader = Reader::get, .asks = now + 1, .target = op.target});
      break;
    case OpKind::load:
    case OpKind::pipelined_load:
      ready(op.target, not_yet);
      cache_.start(op, now);
      break;
    case OpKind::store:
    case OpKind::flush:
      cache_.start(op, now);
      break;
  }
  fetch();
}

bool LoopCore::ends(Cycles now) {
  cache_.progress(now);
  return ended(now);
}

void LoopCore::go_on(Cycles now) {
  if (!fifo_.arrive(now)) throw node::LoopFault("lets the FIFO overrun", now, 0);
  // Two operations at most: one, and a dual one.
  while (may_issue(now)) issue(now);
  if (now < free_at_) {
    activity_ = Activity::issues;
  } else if (!fetched_) {
    activity_ = Activity::drains;
  } else {
    activity_ = may_issue_with_fifo(now) ? Activity::waits_for_fifo : Activity::waits;
  }
}

// --- The data cache ------------------------------------------------------------------------------------------------

void DataCache::reset(const Machine& machine, std::uint64_t seed, const node::Loop& loop,
                      const node::MemoryState& state) {
  node_ = machine.detailed;
  line_ = machine.memory.line_bytes;
  line_transfers_ = (machine.memory.line_bytes + machine.memory.bus_bytes - 1) / machine.memory.bus_bytes;
  seed_ = seed;
  loop_ = loop.number;
  table_.reset(state.cache, node_.cache.ways, node_.cache.replacement);
  state_ = State::idle;
  free_at_ = 0;
  access_ = next_access_ = 0;
  outstanding_ = 0;
  filling_ = nullptr;
  figures_ = {};
  if (node_.coherence != Coherence::snoop) return;
  for (SetTable::Entry& entry : table_.entries()) {
    for (const node::Stream& stream : loop.streams) {
      const node::Address begin = entry.number * line_;
      if (stream.received && begin + line_ > stream.base && begin < stream.base + stream.bytes) entry = {};
    }
  }
}

void DataCache::progress(Cycles now) {
  if (state_ == State::waiting) try_access(now);
}

void DataCache::start(const node::Op& op, Cycles now) {
  op_ = op;
  access_ = next_access_++;
  if (tlb_.knows(op.address, access_)) {
    state_ = State::waiting;
    try_access(now);
    return;
  }
  BusRead walk = tlb_.walk(op.address);
  walk.asks = now + 1;
  walk.order = access_;
  bus_.ask(walk);
  state_ = State::walking;
}

std::uint64_t DataCache::random() const { return draw(seed_, loop_, access_); }

/// Whether the access, if it took place now, would put a word or a line into a write buffer.
bool DataCache::needs_buffer() {
  if (op_.uncached && op_.kind != OpKind::flush) return op_.kind == OpKind::store;
  const SetTable::Entry* const entry = table_.find(line_of(op_.address));
  switch (op_.kind) {
    case OpKind::flush:
      return entry != nullptr && entry->dirty;
    case OpKind::pipelined_load:
      return false;
    case OpKind::store:
      if (entry != nullptr) return node_.cache.write == WritePolicy::through;
      if (node_.cache.allocate == Allocate::read) return true;
      break;
    default:
      if (entry != nullptr) return false;
  }
  const SetTable::Entry& replaced = table_.place_for(line_of(op_.address), random());
  return replaced.valid && replaced.dirty;
}

void DataCache::to_buffer(node::Address address, std::uint32_t transfers, Cycles now) {
  buffers_.put({.address = address, .transfers = transfers, .asks = now + 1, .order = access_});
}

void DataCache::hit(SetTable::Entry& entry, Cycles now) {
  if (entry.stale) throw node::LoopFault("reads a stale line", now, op_.address);
  ++figures_.hits;
  table_.use(entry);
  if (op_.kind != OpKind::store) {
    core_.ready(op_.target, now + 2);
  } else if (node_.cache.write == WritePolicy::back) {
    entry.dirty = true;
  } else {
    to_buffer(op_.address, 1, now);
  }
}

void DataCache::fill(Cycles now) {
  const std::uint64_t number = line_of(op_.address);
  SetTable::Entry& entry = table_.place_for(number, random());
  if (entry.valid && entry.dirty) {
    ++figures_.dirty_victims;
    to_buffer(entry.number * line_, line_transfers_, now);
  }
  entry = {.number = number, .valid = true};
  table_.use(entry);
  filling_ = &entry;
  bus_.ask({.reader = Reader::fill,
            .asks = now + 1,
            .address = op_.address,
            .transfers = line_transfers_,
            .target = op_.target,
            .order = access_,
            .guarded = true});
  state_ = State::filling;
}

void DataCache::try_access(Cycles now) {
  if (buffers_.full() && needs_buffer()) return;
  constexpr unsigned deep = 3;
  if (op_.kind == OpKind::pipelined_load && outstanding_ >= deep) return;
  state_ = State::idle;
  free_at_ = now + 1;
  const bool loads = op_.kind == OpKind::load || op_.kind == OpKind::pipelined_load;
  SetTable::Entry* const entry =
      op_.uncached && op_.kind != OpKind::flush ? nullptr : table_.find(line_of(op_.address));
  if (op_.kind == OpKind::flush) {
    if (entry == nullptr) return;
    if (entry->dirty) to_buffer(line_of(op_.address) * line_, line_transfers_, now);
    *entry = {};
    return;
  }
  if (entry != nullptr) return hit(*entry, now);
  if (!op_.uncached || op_.kind == OpKind::pipelined_load) ++figures_.misses;
  if (op_.kind == OpKind::store && (op_.uncached || node_.cache.allocate == Allocate::read)) {
    return to_buffer(op_.address, 1, now);
  }
  if (!loads || (op_.kind == OpKind::load && !op_.uncached)) return fill(now);
  const bool pipelined = op_.kind == OpKind::pipelined_load;
  bus_.ask({.reader = pipelined ? Reader::pipelined : Reader::uncached,
            .asks = now + 1,
            .address = op_.address,
            .target = op_.target,
            .order = access_,
            .guarded = true});
  if (pipelined) {
    ++outstanding_;
  } else {
    state_ = State::reading;
  }
}

void DataCache::written_by_dma(std::uint64_t line) {
  SetTable::Entry* const entry = table_.find(line);
  // A fill that has not begun reads what DMA has written.
  if (entry == nullptr || (state_ == State::filling && entry == filling_)) return;
  if (node_.coherence == Coherence::snoop) {
    *entry = {};
  } else {
    entry->stale = true;
  }
}

void DataCache::first(const BusRead& read, Cycles now) {
  if (read.reader == Reader::fill && op_.kind == OpKind::load) core_.ready(read.target, now);
}

void DataCache::end(const BusRead& read, Cycles now) {
  switch (read.reader) {
    case Reader::fill:
      if (op_.kind == OpKind::store) filling_->dirty = true;
      state_ = State::idle;
      free_at_ = now;
      break;
    case Reader::walk:
      state_ = State::waiting;
      break;
    case Reader::pipelined:
      --outstanding_;
      core_.ready(read.target, now);
      break;
    case Reader::uncached:
      state_ = State::idle;
      free_at_ = now;
      core_.ready(read.target, now);
      break;
    case Reader::put:
      fifo_.put_ended();
      break;
    case Reader::get:
      fifo_.get_ended();
      core_.ready(read.target, now);
      break;
  }
}

}  // namespace ecube::clocked
