// SPDX-License-Identifier: Apache-2.0
// Phases and steps of the multiphase complete exchange.
#include "sw/exchange/exchange.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/machine/random.h"
#include "sw/api/barrier.h"

namespace ecube {

std::vector<NodeId> targets(const ExchangeWorkload& workload, const Phase& phase, NodeId node) {
  const NodeId own = phase.subcube.index_of(node);
  std::vector<NodeId> result;
  result.reserve(phase.size() - 1);
  for (NodeId j = 1; j < phase.size(); ++j) {
    switch (workload.schedule) {
      case Schedule::xor_pairs:
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
  for (NodeId& target : result) target = phase.subcube.member(node, target);
  return result;
}

CompleteExchange::CompleteExchange(const ExchangeWorkload& workload, unsigned dim)
    : workload_(workload),
      dim_(dim),
      phases_(ecube::phases(workload.partition, workload.order)),
      phase_ends_us_(phases_.size(), 0),
      blocks_(dim, workload.payload == Payload::bytes ? workload.bytes : 0, buffers(workload.schedule)),
      firmware_([this](Node& node) { return run(node); }) {
  for (const Phase& phase : phases_) {
    arrivals_.push_back({&blocks_, phase.subcube, blocks_.effective(0, phase, 0, 0), blocks_.between_effective(phase)});
  }
}

std::uint64_t CompleteExchange::wrong() const { return wrong_tags_ + blocks_.wrong_blocks(); }

std::uint64_t CompleteExchange::messages(const ExchangeWorkload& workload, unsigned dim, bool synchronising) {
  std::uint64_t of_a_node = 0;
  for (const Phase& phase : ecube::phases(workload.partition, workload.order)) {
    const std::uint64_t steps = phase.size() - 1;
    of_a_node += synchronising ? 2 * steps : steps;
    if (workload.barrier == Barrier::phase) of_a_node += dim;
    if (workload.barrier == Barrier::step) of_a_node += dim * steps;
  }
  return of_a_node << dim;
}

std::uint64_t CompleteExchange::tag(NodeId from, NodeId to, std::uint16_t phase) const {
  return workload_.payload == Payload::tags ? draw(phase, from, to) : 0;
}

Task<> CompleteExchange::run(Node& node) {
  const Bytes held = workload_.bytes << dim_;
  for (const Phase& phase : phases_) {
    const Bytes effective_bytes = workload_.bytes << (dim_ - phase.subcube.dim);
    const auto label = static_cast<std::uint16_t>(phase.index);
    if (workload_.schedule == Schedule::xor_pairs) {
      co_await begin_phase(node, label);
      co_await paired_phase(node, phase, effective_bytes);
    } else {
      co_await one_sided_phase(node, phase, effective_bytes);
    }
    blocks_.permute(node.id(), phase);
    if (pays_shuffle(phase.subcube.dim, dim_, workload_.order, workload_.identity_shuffle)) co_await node.permute(held);
    phase_ends_us_[phase.index] = std::max(phase_ends_us_[phase.index], node.now_us());
  }
}

Task<> CompleteExchange::begin_phase(Node& node, std::uint16_t index) {
  if (workload_.barrier == Barrier::phase) co_await barrier(node, index);
  if (workload_.barrier == Barrier::clock) co_await clock_.phase(node, index);
}

/// The message of a node's step, to be turned to one partner after the other, and what else a step looks at. It fills
/// up the cache line behind the operation: in the frame of a coroutine all this would be here and there.
class CompleteExchange::Steps final : public Awaited {
 public:
  template <class Message>
  Steps(Node& node, const Message& message, const Phase& phase, const BlockStore& blocks)
      : Awaited(node, message),
        node_(node),
        blocks_(blocks.effective(node.id(), phase, 0, 0).base),
        apart_(blocks_ == nullptr ? 0 : blocks.between_effective(phase)),
        low_(static_cast<std::uint8_t>(phase.subcube.low)),
        dim_(static_cast<std::uint8_t>(phase.subcube.dim)) {}

  [[nodiscard]] Node& node() const { return node_; }
  [[nodiscard]] Subcube subcube() const { return {low_, dim_}; }
  /// Looks at nothing that has been received; there is received_tag().
  void await_resume() const noexcept {}
  /// Counts 1, 2, 3, ... to the last step of the phase, then gives 0.
  NodeId next_step() { return ++step_ < subcube().size() ? step_ : 0; }
  /// Of this step, where partners exchange.
  [[nodiscard]] NodeId exchange_partner() const { return own() ^ (step_ << low_); }
  /// What is sent to the partner, and of an exchange what is received from it, is the block of this partner.
  void turn_to_exchange(NodeId partner, std::uint64_t tag) {
    if (blocks_ == nullptr) return turn_to(partner, tag);
    turn_to(partner, block(partner), block(partner), tag);
  }
  void turn_to_send(NodeId partner, std::uint64_t tag) {
    if (blocks_ == nullptr) return turn_to(partner, tag);
    turn_to(partner, block(partner), tag);
  }
  /// Whom the node sends to, one for each step.
  void follow(const std::vector<NodeId>& order) { order_ = order.data(); }
  /// Of this step, where `order` is followed.
  [[nodiscard]] NodeId target() {
    const NodeId place = (step_ - 1) % some;
    if (place == 0) {
      std::copy_n(order_ + step_ - 1, std::min(some, subcube().size() - step_), next_targets_.begin());
    }
    return next_targets_[place];
  }

 private:
  [[nodiscard]] std::byte* block(NodeId partner) const { return blocks_ + subcube().index_of(partner) * apart_; }

  static constexpr NodeId some = 4;

  Node& node_;
  std::byte* blocks_;
  Bytes apart_;  ///< from one effective block to the next
  const NodeId* order_ = nullptr;
  NodeId step_ = 0;
  std::array<NodeId, some> next_targets_{};  ///< of the order, which for all nodes is more than the cache holds
  std::uint8_t low_;                         ///< the phase's subcube
  std::uint8_t dim_;
};

Task<> CompleteExchange::paired_phase(Node& node, const Phase& phase, Bytes effective_bytes) {
  const auto label = static_cast<std::uint16_t>(phase.index);
  const Region block = blocks_.effective(node.id(), phase, 0, 0);
  Steps steps(node,
              Exchange{.type = label,
                       .bytes = effective_bytes,
                       .outgoing = block,
                       .incoming = block,
                       .phase = label,
                       .sync = workload_.sync},
              phase, blocks_);
  co_await paired_steps(steps);
}

Task<> CompleteExchange::paired_steps(Steps& steps) {
  static_assert(sizeof(Steps) == sizeof(Operation) + 64);
  while (steps.next_step() != 0) {
    if (workload_.barrier == Barrier::step) {
      co_await barrier(steps.node(), steps.phase());
    }
    const NodeId partner = steps.exchange_partner();
    steps.turn_to_exchange(partner, tag(steps.own(), partner, steps.phase()));
    co_await steps;
    if (steps.received_tag() != tag(steps.partner(), steps.own(), steps.phase())) ++wrong_tags_;
  }
}

Region CompleteExchange::place_of(const void* context, NodeId receiver, NodeId source) {
  const Arrivals& arrivals = *static_cast<const Arrivals*>(context);
  Region place = arrivals.layout;
  if (!place.empty())
    place.base = arrivals.blocks->slots(receiver, 1) + arrivals.sources.index_of(source) * arrivals.apart;
  return place;
}

Task<> CompleteExchange::one_sided_phase(Node& node, const Phase& phase, Bytes effective_bytes) {
  const auto label = static_cast<std::uint16_t>(phase.index);
  Pending arriving = node.start_receive(IncomingFromEach{.sources = phase.subcube,
                                                         .type = label,
                                                         .bytes = effective_bytes,
                                                         .place = place_of,
                                                         .context = &arrivals_[phase.index]});
  co_await begin_phase(node, label);
  const std::vector<NodeId> order = targets(workload_, phase, node.id());
  Steps steps(
      node,
      Outgoing{
          .type = label, .bytes = effective_bytes, .data = blocks_.effective(node.id(), phase, 0, 0), .phase = label},
      phase, blocks_);
  steps.follow(order);
  co_await one_sided_steps(steps);
  co_await arriving;
  std::uint64_t tags = 0;
  for (const NodeId from : order) tags += tag(from, node.id(), label);
  if (arriving.tags_sum() != tags) ++wrong_tags_;
  blocks_.take_arrived(node.id(), phase);
}

Task<> CompleteExchange::one_sided_steps(Steps& steps) {
  while (steps.next_step() != 0) {
    if (workload_.barrier == Barrier::step) {
      co_await barrier(steps.node(), steps.phase());
    }
    const NodeId to = steps.target();
    steps.turn_to_send(to, tag(steps.own(), to, steps.phase()));
    co_await steps;
  }
}

}  // namespace ecube
