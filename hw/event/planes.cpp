// SPDX-License-Identifier: Apache-2.0
// Asking, closing and dark time.
#include "hw/event/planes.h"

#include <algorithm>
#include <utility>

namespace ecube::event {

void Planes::reset(const Machine& machine, const Topology& topology) {
  machine_ = &machine;
  nodes_ = topology.planes() == 0 ? 0 : topology.nodes();
  label_bits_ = topology.label_bits();
  halves_.assign(nodes_ * topology.planes(), Half{});
  asked_.assign(topology.planes(), 0);
  times_.reset(nodes_);
}

Planes::Sends Planes::tune(Operation& tune, Cycles now) {
  have_links_.clear();
  Half& half = halves_[number(tune)];
  sends_before(tune) = half.called;
  half.tunes.append(tune);
  if (half.free > now) {
    host_.serve_half(number(tune), half.free);
  } else if (half.tunes.head == &tune) {
    go_on(number(tune), now);
  }
  return have_links_;
}

void Planes::left(const Operation& send, Cycles first_phit, Cycles at, Cycles now) {
  Half& half = halves_[number(send)];
  half.free = std::max(half.free, at);
  ++half.left;
  if (half.tune_begins()) host_.serve_half(number(send), half.free);
  times_.moves(send.node, first_phit, at, now);
}

Planes::Sends Planes::serve(std::span<const Number> due, Cycles now) {
  have_links_.clear();
  closing_.clear();
  // Who closes is decided by the masks before this edge.
  for (const Number number : due) {
    if (halves_[number].wanted != 0) find_closing(number);
  }
  for (const Number number : closing_) {
    halves_[number].close(now, machine_->plane.retune_cycles);
    times_.closed(node_of(number), plane_of(number), halves_[number]);
  }
  for (const Number number : closing_) meet(number, now);
  for (const Number number : due) {
    if (halves_[number].up == now) {
      go_on(other_end(number), now);
    } else if (halves_[number].changes()) {
      continue;
    }
    go_on(number, now);
  }
  by_node_.sort(
      have_links_, nodes_, [](const Operation* send) { return send->node; },
      [](const Operation* a, const Operation* b) { return notes(*a).issue < notes(*b).issue; });
  return have_links_;
}

/// Rule 14.4, for a half whose ask is seen: under scope plane, that of the last node.
void Planes::find_closing(Number asked) {
  if (machine_->plane.scope == PlaneScope::link) {
    const Number end = other_end(asked);
    const bool joined = halves_[end].mask == halves_[asked].mask;
    if (joined && halves_[end].wanted == 0) return;
    closing_.push_back(asked);
    // An end that asked at the same edge is due itself.
    if (joined && halves_[end].asked_at < halves_[asked].asked_at) closing_.push_back(end);
    return;
  }
  const unsigned plane = plane_of(asked);
  asked_[plane] = 0;
  const std::span<Half> halves = std::span(halves_).subspan(plane * nodes_, nodes_);
  const bool changes =
      std::any_of(halves.begin(), halves.end(), [](const Half& half) { return half.wanted != half.mask; });
  for (Half& half : halves) {
    half.changes_mask = changes;
    closing_.push_back(static_cast<Number>(&half - halves_.data()));
  }
}

/// Rule 14.5, if the other end is tuned to this one.
void Planes::meet(Number number, Cycles now) {
  const Number end = other_end(number);
  if (halves_[end].mask != halves_[number].mask || halves_[number].up != never) return;
  const Cycles up = std::max(halves_[number].ready, halves_[end].ready);
  for (const Number each : {number, end}) {
    halves_[each].up = up;
    times_.changed(node_of(each), plane_of(each), halves_[each]);
  }
  if (up > now) return host_.serve_half(number, up);
  go_on(end, now);
  go_on(number, now);
}

/// Rules 14.2 and 14.6: what a half can do at this edge: complete a tune, begin the next ones in order of call, up to
/// one that has to wait, and let sends go.
void Planes::go_on(Number number, Cycles now) {
  Half& half = halves_[number];
  if (half.dark && half.up <= now) {
    times_.ends(node_of(number), plane_changes, now);
    finish_tune(half);
  }
  while (half.tune_begins() && half.free <= now) {
    const auto mask = static_cast<NodeId>(half.tunes.head->mask);
    if (half.mask == 0) {
      half.mask = mask;
      half.ready = now;
      finish_tune(half);
      meet(number, now);
    } else if (half.mask == mask && machine_->plane.scope == PlaneScope::link) {
      finish_tune(half);
    } else {
      half.ask(mask, now);
      times_.asked(node_of(number), plane_of(number), half);
      const bool last = ++asked_[plane_of(number)] == nodes_;
      if (last || machine_->plane.scope == PlaneScope::link) host_.serve_half(number, now + 1);
    }
  }
  for (Operation* send = std::exchange(half.waiting, {}).head; send != nullptr;) {
    Operation* const next = next_send(*send);
    if (admits(*send, now)) {
      times_.ends(send->node, plane_waits, now);
      send_notes(*send).posted_at = now;
      have_links_.push_back(send);
    } else {
      half.waiting.append(*send);
    }
    send = next;
  }
}

void Planes::finish_tune(Half& half) {
  half.dark = false;
  Operation& tune = *half.tunes.head;
  half.tunes.remove(nullptr, tune);
  host_.tuned(tune);
}

}  // namespace ecube::event
