// SPDX-License-Identifier: Apache-2.0
// Issue, an operation a cycle.
#include "hw/clocked/memory/loop_core.h"

#include <algorithm>

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

}  // namespace ecube::clocked
