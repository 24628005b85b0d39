// SPDX-License-Identifier: Apache-2.0
// Asking, closing and dark time.
#include "hw/event/planes.h"

#include <algorithm>
#include <utility>

namespace ecube::event {

void Planes::reset(const Machine& machine, const Topology& topology) {
  planes_ = std::max(1U, topology.planes());
  scope_ = machine.plane.scope;
  retune_ = machine.plane.retune_cycles;
  const std::size_t nodes = topology.planes() == 0 ? 0 : topology.nodes();
  halves_.assign(nodes * planes_, Half{});
  asks_.assign(planes_, {});
  times_.reset(nodes);
  by_node_.reset(nodes);
}

Planes::Sends Planes::tune(Operation& tune, Cycles now) {
  have_links_.clear();
  Half& half = half_of(tune);
  half.tunes.push_back({&tune, static_cast<NodeId>(tune.amount), half.called});
  if (half.free > now) {
    host_.serve_half(number(tune.node, tune.port), half.free);
  } else if (half.tunes.size() == 1) {
    go_on(number(tune.node, tune.port), now);
  }
  return have_links_;
}

void Planes::left(const Operation& send, Cycles first_phit, Cycles at, Cycles now) {
  Half& half = half_of(send);
  half.free = std::max(half.free, at);
  ++half.left;
  if (!half.tunes.empty() && half.tunes.front().after == half.left) {
    host_.serve_half(number(send.node, send.port), half.free);
  }
  times_.moves(send.node, first_phit, at, now);
}

Planes::Sends Planes::serve(std::span<const Number> due, Cycles now) {
  have_links_.clear();
  closing_.clear();
  // Who closes is decided by the masks before this edge.
  for (const Number number : due) {
    if (halves_[number].wanted != 0) find_closing(number, now);
  }
  for (const auto [number, changes] : closing_) {
    if (halves_[number].wanted != 0) halves_[number].close(now, changes ? retune_ : 1);
  }
  for (const auto [number, changes] : closing_) meet(number, now, changes);
  for (const Number number : due) go_on(number, now);
  by_node_.sort(
      have_links_, [](const Operation* send) { return send->node; },
      [](const Operation* a, const Operation* b) { return notes(*a).issue < notes(*b).issue; });
  return have_links_;
}

/// Rule 14.4, for a half whose ask is seen.
void Planes::find_closing(Number asked, Cycles now) {
  if (scope_ == PlaneScope::link) {
    const Number end = other_end(asked);
    const bool joined = halves_[end].mask == halves_[asked].mask;
    if (joined && (halves_[end].wanted == 0 || halves_[end].asked_at == now)) return;
    closing_.push_back({asked, true});
    if (joined) closing_.push_back({end, true});
    return;
  }
  const Number first = asked % planes_;
  if (asks_[first].halves < halves_.size() / planes_ || asks_[first].last == now) return;
  asks_[first].halves = 0;
  const std::size_t before = closing_.size();
  bool changes = false;
  for (Number each = first; each < halves_.size(); each += planes_) {
    changes = changes || halves_[each].wanted != halves_[each].mask;
    closing_.push_back({each, false});
  }
  for (std::size_t i = before; i < closing_.size(); ++i) closing_[i].changes = changes;
}

/// Rule 14.5, if the other end is tuned to this one.
void Planes::meet(Number number, Cycles now, bool counts) {
  const Number end = other_end(number);
  if (halves_[end].mask != halves_[number].mask || halves_[number].up != never) return;
  const Cycles up = std::max(halves_[number].ready, halves_[end].ready);
  for (const Number each : {number, end}) {
    Half& half = halves_[each];
    half.up = up;
    if (half.dark && counts) times_.changed(half);
    if (up > now) host_.serve_half(each, up);
  }
  if (up > now) return;
  go_on(end, now);
  go_on(number, now);
}

/// Rules 14.2 and 14.6: what a half can do at this edge: complete a tune, begin the next ones in order of call, up to
/// one that has to wait, and let sends go.
void Planes::go_on(Number number, Cycles now) {
  Half& half = halves_[number];
  if (half.dark && half.up <= now) {
    times_.ends(node_of(number), PlaneTimes::changes, now);
    finish_tune(half);
  }
  while (!half.tunes.empty() && half.tunes.front().after == half.left && !half.changes() && half.free <= now) {
    const NodeId mask = half.tunes.front().mask;
    if (half.mask == 0) {
      half.mask = mask;
      half.ready = now;
      finish_tune(half);
      meet(number, now, true);
    } else if (half.mask == mask && scope_ == PlaneScope::link) {
      finish_tune(half);
    } else {
      half.ask(now);
      times_.begins(node_of(number), PlaneTimes::changes, now);
      ++asks_[number % planes_].halves;
      asks_[number % planes_].last = now;
      host_.serve_half(number, now + 1);
    }
  }
  if (half.waiting.empty()) return;
  std::erase_if(half.waiting, [&](const Half::Waiting& waiting) {
    if (!admits(*waiting.send, now)) return false;
    times_.ends(waiting.send->node, PlaneTimes::waits, now);
    have_links_.push_back(waiting.send);
    return true;
  });
}

void Planes::finish_tune(Half& half) {
  half.dark = false;
  host_.tuned(*half.tunes.front().asked);
  half.tunes.erase(half.tunes.begin());
}

}  // namespace ecube::event
