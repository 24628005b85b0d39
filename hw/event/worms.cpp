// SPDX-License-Identifier: Apache-2.0
// The edges of a worm that become known with every stage that its probe leaves.
#include "hw/event/worms.h"

#include <algorithm>
#include <utility>

#include "models/node/node_work.h"

namespace ecube::event {

void Worms::reset(const Machine& machine) {
  link_ = machine.link;
  accept_cycles_ = machine.network.accept_cycles;
  pace_ = machine.phit_cycles().num / machine.phit_cycles().den;
  buffer_ = machine.buffer_phits();
  exclusive_ = machine.node.overlap == Overlap::off;
  shares_ = messages_share_bus(machine);
  last_stopped_ = 0;
  worms_.clear();
}

Cycles Worms::flit_leaves(const Worm& worm, std::uint64_t flit, unsigned stage, Cycles pace, std::uint64_t buffer) {
  // Phit j leaves stage k at the latest of g_(k+q) + q + c (j + 1 - B q) over all q with B q <= j + 1 and k + q <= h +
  // 1: the phit has followed the probe at the pace of the link from stage k + q, back through q full buffers.
  Cycles leaves = 0;
  const unsigned last = worm.hops + 2;
  for (std::uint64_t q = 0; stage + q <= last && q * buffer <= flit; ++q) {
    leaves = std::max(leaves, worm.probe[stage + q] + q + pace * (flit - q * buffer));
  }
  return leaves;
}

/// Rule 12.4: behind the link, a flit has left a stage once; before it, a flit leaves as long as the buffers up to the
/// link have room for it.
Cycles Worms::stopped_by(const Circuit& circuit, const Worm& worm, std::uint64_t flit, unsigned stage) const {
  if (!failures_.any()) return never;
  unsigned at = 0;  // the stage that drives the link
  Cycles stopped = never;
  routers_.outputs().along_links(circuit, [&](LinkId link) {
    ++at;
    const Cycles dead = failures_.link(link);
    const std::uint64_t room = at > stage ? (at - stage) * buffer_ : 0;
    if (stopped != never || dead == never || flit < room) return;
    if (flit_leaves(worm, flit - room, at, pace_, buffer_) >= dead) stopped = dead;
  });
  return stopped;
}

/// Rule 12.4: false if a dead link keeps the flit from ever leaving `stage`.
bool Worms::leaves_at_all(const Circuit& circuit, const Worm& worm, std::uint64_t flit, unsigned stage) {
  const Cycles dead = stopped_by(circuit, worm, flit, stage);
  if (dead == never) return true;
  last_stopped_ = std::max(last_stopped_, dead);
  return false;
}

Cycles Worms::first_phit(const Worm& worm) const {
  return buffer_ == 1 ? std::max(worm.probe[0] + pace_, worm.probe[1] + 1) : worm.probe[0] + pace_;
}

void Worms::begin(CircuitId id) {
  if (worms_.size() <= id) worms_.resize(id + std::size_t{1});
  const Circuit& circuit = circuits_[id];
  Worm& worm = worms_[id];
  const unsigned hop_count = topology().hops(circuit.source, circuit.destination);
  worm = {
      .phits = link_.phits(circuit.bytes), .probe = std::move(worm.probe), .hops = hop_count, .router = circuit.source};
  worm.probe.assign(hop_count + std::size_t{3}, 0);  // in memory of worms before
  worm.probe[0] = circuit.probe;
  tell_phits(id, 0);
}

/// Rule 10.4.
void Worms::moved(CircuitId id, unsigned stage, Cycles at) {
  Worm& worm = worms_[id];
  worm.probe[stage] = at;
  const Circuit& circuit = circuits_[id];
  const unsigned last = worm.hops + 2;  // the destination's interface
  // The tail's edge at a stage is known once the probe has left as many stages ahead as the worm fills.
  const std::uint64_t reach = worm.phits / buffer_;
  const auto known = [&](unsigned of) { return stage == last || of + reach <= stage; };
  const auto tail_gone = [&](unsigned from) {
    return from < last ? tail_leaves(worm, from) : std::max(at, tail_leaves(worm, last - 1) + 1);
  };
  // A stage's wire is free when the tail has had its time on the wire and has left the buffer at the wire's end.
  const auto free_again = [&](unsigned of) { return std::max(tail_leaves(worm, of) + pace_, tail_gone(of + 1) + 1); };
  tell_phits(id, stage);
  const auto passes = [&](unsigned of) { return leaves_at_all(circuit, worm, worm.phits, of); };
  if (worm.sender_ready == 0 && known(1) && passes(1)) {
    worm.sender_ready = free_again(0);
    client_.worm_sent(id, first_phit(worm), worm.sender_ready);
  }
  const Outputs& outputs = routers_.outputs();
  while (worm.released <= worm.hops && known(worm.released + 2) && passes(worm.released + 2)) {
    const NodeId router = worm.router;
    const bool ejects = router == circuit.destination;
    const Topology::Hop hop = ejects ? Topology::Hop{outputs.links() + circuit.eject_port, router}
                                     : topology().next(router, circuit.destination, circuit.inject_port);
    const unsigned output = hop.output;
    const Cycles free_at = free_again(worm.released + 1);
    // An output whose link is dead by then stays as it is.
    if (ejects || !failures_.any() || free_at < failures_.link({router, output})) {
      routers_.free_from(outputs.place(output, router), free_at, circuit.bytes);
      if (observer_ != nullptr) observer_->released(id, circuit, router, output, free_at);
    }
    worm.router = hop.to;
    ++worm.released;
  }
}

/// The probe has left `stage`: tells the client the edges at which the first phit and the tail leave the source, once
/// they are known.
void Worms::tell_phits(CircuitId id, unsigned stage) {
  if (shares_) {
    tell_each_phit(id, stage, false);
    tell_each_phit(id, stage, true);
  }
  Worm& worm = worms_[id];
  const Circuit& circuit = circuits_[id];
  const bool first_known = stage >= (buffer_ == 1 ? 1U : 0U);
  if (!exclusive_ || worm.tail_told || !first_known) return;
  if (!std::exchange(worm.first_told, true)) client_.moves(circuit.source, first_phit(worm), never);
  if (stage < worm.hops + 2 && stage < worm.phits / buffer_) return;
  worm.tail_told = true;
  if (!leaves_at_all(circuit, worm, worm.phits, 0)) return;
  client_.worm_stops(circuit.source, first_phit(worm), tail_leaves(worm, 0) + 1);
}

/// The probe has left `stage`: tells in which cycles phits leave the source's interface, or are at the destination's,
/// as far as that is known.
void Worms::tell_each_phit(CircuitId id, unsigned stage, bool arrives) {
  Worm& worm = worms_[id];
  const Circuit& circuit = circuits_[id];
  const unsigned last = worm.hops + 2;
  const unsigned of = arrives ? last - 1 : 0;
  std::uint64_t& told = arrives ? worm.arrived_told : worm.left_told;
  std::vector<Cycles> cycles;
  for (; told < worm.phits && (stage == last || of + (told + 1) / buffer_ <= stage); ++told) {
    if (stopped_by(circuit, worm, told + 1, of) != never) break;
    cycles.push_back(flit_leaves(worm, told + 1, of, pace_, buffer_) + (arrives ? 1 : 0));
  }
  if (!cycles.empty()) client_.worm_phits(id, arrives, cycles);
}

/// Rule 10.5.
void Worms::accept(CircuitId id, Cycles at) {
  const Circuit circuit = circuits_[id];  // copied: the record is freed below, once sent and received
  const unsigned last = worms_[id].hops + 2;
  const Cycles taken = at + accept_cycles_ - 1;
  moved(id, last, taken);
  const Worm& worm = worms_[id];
  const Cycles tail_seen = std::max(taken, tail_leaves(worm, last - 1) + 1);
  Cycles first_seen = worm.probe[last - 1] + pace_ + 1;
  first_seen = std::max(first_seen, buffer_ == 1 ? taken + 2 : taken);
  const CircuitEdges edges = {.acknowledge = taken,
                              .data = first_phit(worm),
                              .tail = tail_leaves(worm, 0),
                              .sender_ready = worm.sender_ready,
                              .receiver_ready = tail_seen + 1};
  const bool ends = leaves_at_all(circuit, worm, worm.phits, last);
  const bool begins = ends || leaves_at_all(circuit, worm, 1, last);
  if (observer_ != nullptr) {
    observer_->phits_leave(id, circuit, edges.data);
    if (begins) observer_->phits_arrive(id, circuit, first_seen + 1);
    if (ends) observer_->established(id, circuit, edges);
  }
  if (exclusive_ && begins) client_.moves(circuit.destination, first_seen, ends ? edges.receiver_ready : never);
  if (!ends) return client_.worm_cut(id);
  client_.worm_received(id, first_seen + 1, edges.receiver_ready);
}

}  // namespace ecube::event
