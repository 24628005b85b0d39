// SPDX-License-Identifier: Apache-2.0
// Asking, closing and dark time.
#include "hw/event/planes.h"

#include <algorithm>
#include <utility>

#include "models/contract/operations.h"

namespace ecube::event {

void Planes::reset(const Machine& machine, const Topology& topology) {
  planes_ = std::max(1U, topology.planes());
  nodes_ = topology.nodes();
  by_plane_ = machine.plane.scope == PlaneScope::plane;
  retune_ = machine.plane.retune_cycles;
  const std::size_t nodes = topology.planes() == 0 ? 0 : nodes_;
  halves_.assign(nodes * planes_, Half{});
  asked_.assign(planes_, 0);
  times_.reset(nodes);
}

void Planes::tune(Operation& tune, Cycles now) {
  Half& half = half_of(tune);
  half.tunes.push_back({&tune, std::exchange(half.sends, 0), now});
  if (half.tunes.size() == 1) begin_tunes(number(tune.node, tune.port));
}

bool Planes::admits(const Operation& send, Cycles now) const {
  const Half& half = half_of(send);
  const bool tunes_before =
      half.settled > now || (!half.tunes.empty() && notes(*half.tunes.front().operation).issue < notes(send).issue);
  return !tunes_before && half.up <= now && half.mask == (send.node ^ send.peer);
}

void Planes::take_waiting(Number number, Cycles now, std::vector<Operation*>& into) {
  std::erase_if(halves_[number].waiting, [&](const Waiting& waiting) {
    if (!admits(*waiting.send, now)) return false;
    times_.add(waiting.send->node, PlaneTimes::waits, waiting.since, now);
    into.push_back(waiting.send);
    return true;
  });
}

void Planes::left(const Operation& send, Cycles first_phit, Cycles at) {
  Half& half = half_of(send);
  times_.add(send.node, PlaneTimes::moves, first_phit, at);
  half.left = std::max(half.left, at);
  std::size_t& sends = half.tunes.empty() ? half.sends : half.tunes.front().sends;
  if (--sends == 0 && !half.tunes.empty()) begin_tunes(number(send.node, send.port));
}

/// The half's tunes in order of call, up to one that has to wait: for sends called before it, or for the plane.
void Planes::begin_tunes(Number number) {
  Half& half = halves_[number];
  while (!half.tunes.empty() && half.tunes.front().sends == 0) {
    const Tune& tune = half.tunes.front();
    const Cycles at = std::max({tune.called, half.left, half.settled});
    if (half.mask == 0) {
      half.mask = tune.mask();
      half.ready = at;
      finish_tune(number, at);
      meet(number);
    } else if (!by_plane_ && half.mask == tune.mask()) {
      finish_tune(number, at);
    } else {
      half.asked_at = at;
      return host_.ask_is_seen(number, at + 1);
    }
  }
}

/// The first tune is complete at edge `at`; sends that waited for it may have their link then.
void Planes::finish_tune(Number number, Cycles at) {
  Half& half = halves_[number];
  host_.tuned(*half.tunes.front().operation, at);
  half.tunes.pop_front();
  half.settled = at;
  host_.link_is_up(number, at);
}

void Planes::serve_asks(std::span<const Number> asks, Cycles now) {
  for (const Number number : asks) {
    halves_[number].asked = true;
    ++asked_[number % planes_];
  }
  // Who closes is decided by the masks before this edge.
  closing_.clear();
  for (const Number number : asks) {
    if (by_plane_) {
      close_plane(static_cast<unsigned>(number % planes_), now);
      continue;
    }
    const Number end = other_end(number);
    const bool joined = halves_[end].mask == halves_[number].mask;
    if (joined && !halves_[end].asked) continue;
    closing_.push_back(number);
    if (joined) closing_.push_back(end);
  }
  std::sort(closing_.begin(), closing_.end());
  closing_.erase(std::unique(closing_.begin(), closing_.end()), closing_.end());
  for (const Number number : closing_) close(number, now);
  for (const Number number : closing_) meet(number);
}

/// Scope plane: nobody closes before all nodes have asked, nor if no mask changes.
void Planes::close_plane(unsigned plane, Cycles now) {
  if (asked_[plane] < nodes_) return;
  asked_[plane] = 0;
  bool changes = false;
  for (NodeId node = 0; node < nodes_; ++node) {
    const Half& half = halves_[number(node, plane)];
    changes = changes || half.mask != half.tunes.front().mask();
  }
  for (NodeId node = 0; node < nodes_; ++node) {
    const Number each = number(node, plane);
    if (changes) {
      closing_.push_back(each);
      continue;
    }
    halves_[each].asked = false;
    finish_tune(each, now + 1);
    begin_tunes(each);
  }
}

void Planes::close(Number number, Cycles now) {
  Half& half = halves_[number];
  half.mask = half.tunes.front().mask();
  half.asked = false;
  half.dark = true;
  half.closed_at = now;
  half.ready = now + retune_;
  half.up = never;
}

/// Both ends of a link are tuned to each other: it comes up when the later one is not dark any more.
void Planes::meet(Number number) {
  const Number end = other_end(number);
  if (halves_[end].mask != halves_[number].mask || halves_[number].up != never) return;
  const Cycles up = std::max(halves_[number].ready, halves_[end].ready);
  for (const Number each : {number, end}) {
    Half& half = halves_[each];
    half.up = up;
    if (std::exchange(half.dark, false)) {
      times_.changed(node_of(each), half.asked_at, half.closed_at, up);
      finish_tune(each, up);
      begin_tunes(each);
    } else {
      host_.link_is_up(each, up);
    }
  }
}

std::optional<WaitingNode> Planes::waiting(NodeId node) const {
  using For = WaitingNode::For;
  for (unsigned plane = 0; plane < planes_ && !halves_.empty(); ++plane) {
    const Half& half = halves_[number(node, plane)];
    if (half.tunes.empty()) continue;
    if (half.dark) return WaitingNode{node, For::end, node ^ half.mask, plane, half.asked_at};
    if (!half.asked) continue;
    NodeId peer = node ^ half.mask;
    if (by_plane_) {
      for (peer = 0; halves_[number(peer, plane)].asked;) ++peer;
    }
    return WaitingNode{node, For::ask, peer, plane, half.asked_at};
  }
  for (unsigned plane = 0; plane < planes_ && !halves_.empty(); ++plane) {
    const Half& half = halves_[number(node, plane)];
    if (half.waiting.empty()) continue;
    return WaitingNode{node, For::link, half.waiting.front().send->peer, plane, half.waiting.front().since};
  }
  return std::nullopt;
}

}  // namespace ecube::event
