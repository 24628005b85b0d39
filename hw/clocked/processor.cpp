// SPDX-License-Identifier: Apache-2.0
// The cycles of a processor.
#include "hw/clocked/processor.h"

#include <algorithm>

namespace ecube::clocked {

namespace {

/// Accounts for the cycles from `state.accounted` to `until` - 1. Phits passed either in all of these cycles or in
/// none.
void account_alike(ProcessorState& state, Cycles until, bool excluded) {
  if (until <= state.accounted) return;
  const Cycles own_from = std::max(state.accounted, std::min(state.library_until, until));
  const Cycles own = excluded ? 0 : until - own_from;
  state.accounted = until;
  if (state.work.empty()) {
    state.idle += own;
  } else {
    ProcessorState::Work& work = state.work.front();
    work.had += own;
    if (!work.loop) work.left -= std::min(own, work.left);
  }
}

}  // namespace

/// Rule 5.1.
void account(ProcessorState& state, Cycles now, std::uint32_t begun, bool exclusive) {
  if (now == 0) return;
  account_alike(state, now - 1, exclusive && state.passing != 0);
  account_alike(state, now, exclusive && (state.passing | begun) != 0);
}

/// Rule 5.1.
Cycles expected_end(const ProcessorState& state, bool exclusive) {
  if (state.work.empty() || (exclusive && state.passing != 0)) return never;
  const ProcessorState::Work& work = state.work.front();
  return std::max(state.accounted, state.library_until) + (work.loop ? 1 : work.left);
}

void Processor::reset(const Machine& machine) {
  machine_ = &machine;
  state_ = {};
  exclusive_ = machine.node.overlap == Overlap::off;
  idle_before_.clear();
}

void Processor::account_for(Cycles now, const Phits& phits) {
  account(state_, now, phits.begun, exclusive_);
  state_.passing = (state_.passing | phits.begun) & ~phits.ended;
  if (phits.first_arrived && machine_->library.combining == Combining::arriving) idle_before_[now] = state_.idle;
}

/// Rule 4.4: whatever became due before is served before.
Cycles Processor::library_work(Cycles now, Cycles length) {
  state_.library_until = std::max(state_.library_until, now) + length;
  return state_.library_until;
}

/// Rule 5.3: idle cycles since the first phit have combined what had come, but for the last phit of each message.
Cycles Processor::combining_left(const Operation& combine, NodeWork& work, NodeId node) const {
  const ArrivedItems& came = combine.arrived;
  const Cycles whole = work.combine(node, combine.amount, came.bytes);
  const bool while_arriving = machine_->library.combining == Combining::arriving;
  if (!while_arriving || came.since == 0 || combine.amount == 0) return whole;
  const auto first_phit = idle_before_.find(came.since);
  if (first_phit == idle_before_.end()) return whole;
  const Cycles idle = state_.idle - first_phit->second;
  const Bytes item = came.bytes / combine.amount;
  const std::uint64_t items_in_phit = machine_->link.phit_bytes / item + (machine_->link.phit_bytes % item != 0);
  const std::uint64_t items = came.messages * items_in_phit;
  const Cycles after_the_last = work.combine(node, items, items * item);
  if (whole <= after_the_last) return whole;
  return idle < whole - after_the_last ? whole - idle : after_the_last;
}

}  // namespace ecube::clocked
