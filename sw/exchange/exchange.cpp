// SPDX-License-Identifier: Apache-2.0
// Phases and steps of the multiphase complete exchange.
#include "sw/exchange/exchange.h"

#include <algorithm>
#include <memory>

#include "models/machine/random.h"

namespace ecube {
namespace {

/// Step s of a collective operation exchanges with node XOR masks[s], by plane s modulo the number of planes. Nothing
/// is awaited: a send by a plane waits for the tunes asked for before it.
class RetunedPlanes {
 public:
  /// `masks` outlives it; `planes` is 1 or more.
  RetunedPlanes(Node& node, unsigned planes, Retuning retuning, const std::vector<NodeId>& masks)
      : retuning_(retuning), masks_(masks) {
    planes_.reserve(planes);
    for (unsigned plane = 0; plane < planes; ++plane) planes_.emplace_back(node, static_cast<std::uint8_t>(plane));
    tune();
  }

  /// The plane of the next step; all steps before it have been done.
  [[nodiscard]] std::uint8_t next() {
    tune();
    return static_cast<std::uint8_t>(step_++ % planes_.size());
  }
  /// The steps of a phase have been done, and its blocks permuted, or not yet.
  void phase_ended(bool permuted) {
    if (permuted == (retuning_ == Retuning::after)) tune();
  }

 private:
  class Plane final : public Awaited {
   public:
    Plane(Node& node, std::uint8_t number) : Awaited(node, CoreWork{.kind = Work::tune, .plane = number}) {}
    /// Its last mask has been used, so that its last tune is complete.
    void tune(NodeId mask) {
      operation().mask = mask;
      start();
    }
  };
  void tune() {
    if (retuning_ != Retuning::each && step_ % planes_.size() != 0) return;
    const std::size_t end = std::min(step_ + planes_.size(), masks_.size());
    for (; tuned_ < end; ++tuned_) planes_[tuned_ % planes_.size()].tune(masks_[tuned_]);
  }

  Retuning retuning_;
  const std::vector<NodeId>& masks_;
  std::size_t step_ = 0;
  std::size_t tuned_ = 0;
  std::vector<Plane> planes_;
};

}  // namespace

std::string why_not_translated(const ExchangeWorkload& workload) {
  if (workload.schedule == Schedule::xor_pairs) return {};
  return "a one-sided schedule has an order of partners for every node";
}

std::vector<NodeId> targets(const ExchangeWorkload& workload, const Phase& phase, NodeId node) {
  const NodeId own = phase.subcube().index_of(node);
  std::vector<NodeId> result;
  result.reserve(phase.size() - 1);
  for (NodeId j = 1; j < phase.size(); ++j) {
    switch (workload.schedule) {
      case Schedule::xor_pairs:
      case Schedule::masks:
        result.push_back(own ^ j);
        break;
      case Schedule::shift:
        result.push_back((own + j) & (phase.size() - 1));
        break;
      case Schedule::ordered:
      case Schedule::random:
        result.push_back(j - 1 < own ? j - 1 : j);
        break;
    }
  }
  if (workload.schedule == Schedule::random) {
    for (std::size_t left = result.size(); left > 1; --left) {
      std::swap(result[left - 1],
                result[below(draw(workload.seed, node, std::uint64_t{phase.index} * phase.size() + left), left)]);
    }
  }
  for (NodeId& target : result) target = phase.subcube().member(node, target);
  return result;
}

CompleteExchange::CompleteExchange(const ExchangeWorkload& workload, const Topology& topology)
    : workload_(workload),
      topology_(topology),
      phases_(ecube::phases(workload.partition, workload.order, topology)),
      blocks_(topology, workload.payload == Payload::bytes ? workload.bytes : 0, buffers(workload, topology),
              workload.folded),
      pace_(workload.barrier),
      progress_(phases_.size()),
      checks_(workload.payload == Payload::checks, workload.folded),
      firmware_([this](Node& node) {
        if (shifts_digits(workload_, topology_)) return shifted(node);
        return workload_.schedule == Schedule::xor_pairs ? multiphase(node) : one_sided(node);
      }) {
  for (const Phase& phase : phases_) {
    arrivals_.push_back({&blocks_, blocks_.row(0, phase)});
    for (NodeId j = 1; j < phase.size() && topology.planes() != 0; ++j) masks_.push_back(phase.partner(0, j));
  }
}

std::uint64_t CompleteExchange::messages(const ExchangeWorkload& workload, const Topology& topology,
                                         bool synchronising) {
  std::uint64_t of_a_node = 0;
  std::uint64_t barriers = 0;
  for (const Phase& phase : ecube::phases(workload.partition, workload.order, topology)) {
    const std::uint64_t steps = phase.size() - 1;
    of_a_node += synchronising ? 2 * steps : steps;
    if (workload.barrier == Barrier::phase) ++barriers;
    if (workload.barrier == Barrier::step) barriers += steps;
  }
  return of_a_node * topology.nodes() + barriers * barrier_messages(topology.nodes());
}

/// In each phase a node exchanges with every other node of its subcube: in step j with the one whose label differs from
/// its own in the bits of j (Bokhari 1993, section 2.3).
Task<> CompleteExchange::multiphase(Node& node) {
  const NodeId own = node.id();
  // Frames of cubes are small where there are many.
  const auto planes = topology_.planes() == 0
                          ? nullptr
                          : std::make_unique<RetunedPlanes>(node, topology_.planes(), workload_.retuning, masks_);
  for (const Phase& phase : phases_) {
    co_await pace_.begin_phase(node, phase.index);
    RepeatedExchange blocks(
        node, {.tag = phase.index, .bytes = effective_bytes(phase), .phase = phase.index, .sync = workload_.sync},
        blocks_.row(node.id(), phase), checks_);
    for (NodeId j = 1; j < phase.size(); ++j) {
      if (planes) blocks.by(planes->next());
      if (pace_.steps()) co_await barrier(node, phase.index);
      blocks.turn_to(phase.partner(own, j));
      co_await blocks;
    }
    if (planes) planes->phase_ended(false);
    blocks_.permute(own, phase);
    if (pays_shuffle(phase)) co_await blocks.permute(all_bytes(), workload_.bytes, phase.columns());
    if (planes) planes->phase_ended(true);
    progress_.ended(phase.index, node);
  }
}

/// The same where digits are no bits: in step j a node sends to the one whose digits are its own plus those of j, each
/// modulo its radix, and receives from the one whose digits are its own minus those of j. A link of a complete
/// dimension is taken by one circuit of a step: by the one whose lower digits have arrived and whose higher ones have
/// not.
Task<> CompleteExchange::shifted(Node& node) {
  // With a protocol the two partners of a step would have to be told apart, and unforced messages wait anyhow.
  const PairwiseSync sync = node.machine().library.protocol == Protocol::none ? workload_.sync : PairwiseSync::off;
  for (const Phase& phase : phases_) {
    co_await pace_.begin_phase(node, phase.index);
    for (NodeId j = 1; j < phase.size(); ++j) {
      if (pace_.steps()) co_await barrier(node, phase.index);
      const NodeId to = topology_.plus(node.id(), j * phase.stride);
      const NodeId from = topology_.minus(node.id(), j * phase.stride);
      Pending arriving = node.start_receive({.from = from,
                                             .tag = phase.index,
                                             .bytes = effective_bytes(phase),
                                             .data = blocks_.place(node.id(), phase.slots(phase.index_of(from)), 1),
                                             .sync = sync});
      Pending leaving = node.start_send({.to = to,
                                         .tag = phase.index,
                                         .bytes = effective_bytes(phase),
                                         .data = blocks_.place(node.id(), phase.slots(phase.index_of(to))),
                                         .check = checks_.of(phase.index, node.id(), to),
                                         .phase = phase.index,
                                         .sync = sync});
      co_await node.all(arriving, leaving);
      checks_.check(arriving.received().check, phase.index, from, node.id());
    }
    blocks_.take_arrived(node.id(), phase);
    blocks_.permute(node.id(), phase);
    if (pays_shuffle(phase)) co_await node.permute(all_bytes(), workload_.bytes, phase.columns());
    progress_.ended(phase.index, node);
  }
}

/// The same by messages one way: a node sends a block to every other one, in an order of its own, and receives as they
/// come.
Task<> CompleteExchange::one_sided(Node& node) {
  for (const Phase& phase : phases_) {
    Pending arriving = node.start_receive(IncomingFromEach{.sources = phase.subcube(),
                                                           .tag = phase.index,
                                                           .bytes = effective_bytes(phase),
                                                           .place = place_of,
                                                           .context = &arrivals_[phase.index]});
    co_await pace_.begin_phase(node, phase.index);
    const std::vector<NodeId> order = targets(workload_, phase, node.id());
    RepeatedSend blocks(node, {.tag = phase.index, .bytes = effective_bytes(phase), .phase = phase.index},
                        blocks_.row(node.id(), phase), checks_, order);
    while (blocks.turn_to_next()) {
      if (pace_.steps()) co_await barrier(node, phase.index);
      co_await blocks;
    }
    co_await arriving;
    checks_.expect(arriving.received().check, checks_.sum(phase.index, order, node.id()));
    blocks_.take_arrived(node.id(), phase);
    blocks_.permute(node.id(), phase);
    if (pays_shuffle(phase)) co_await node.permute(all_bytes(), workload_.bytes, phase.columns());
    progress_.ended(phase.index, node);
  }
}

Region CompleteExchange::place_of(const void* context, NodeId receiver, NodeId source) {
  const Arrivals& arrivals = *static_cast<const Arrivals*>(context);
  const BlockRow& row = arrivals.row;
  Region place = row.first;
  if (!place.empty()) place.base = arrivals.blocks->slots(receiver, 1) + row.subcube.index_of(source) * row.apart;
  return place;
}

}  // namespace ecube
