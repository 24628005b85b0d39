// SPDX-License-Identifier: Apache-2.0
// Steps of the global combine.
#include "sw/combine/global_combine.h"

#include <algorithm>
#include <utility>

#include "models/machine/random.h"

namespace ecube {

GlobalCombine::GlobalCombine(CombineWorkload workload, unsigned dim)
    : workload_(std::move(workload)),
      dim_(dim),
      parts_(workload_.tree ? Ports{} : workload_.ports, dim),
      item_bytes_(workload_.operation.item_bytes()),
      one_way_(workload_.tree || workload_.target == CombineTarget::root),
      origin_(one_way_ ? workload_.root : 0),
      carried_(workload_.payload == Payload::bytes),
      step_ends_us_(std::size_t{2} * dim, 0),
      firmware_([this](Node& node) { return run(node); }) {
  if (workload_.tree) workload_.rule = HalvingRule::by(Strategy::full(dim));
  if (!carried_) return;
  vectors_.resize((workload_.items * item_bytes_) << dim);
  for (NodeId node = 0; node < NodeId{1} << dim; ++node) {
    workload_.initial(node, 0, workload_.items, vector(node).data());
  }
}

Bytes GlobalCombine::required(unsigned dim, std::uint64_t items, std::uint32_t item_bytes) {
  // Vectors, and what arrives in the first step, which is as long if nothing is halved, in buffers of powers of two.
  return (4 * items * item_bytes) << dim;
}

std::uint64_t GlobalCombine::messages(const CombineWorkload& workload, unsigned dim, const Strategy& strategy) {
  if (workload.tree) return 2 * ((std::uint64_t{1} << dim) - 1);
  // What is halved is exchanged again to gather it.
  const auto halvings =
      static_cast<std::uint64_t>(std::count(strategy.digits().begin(), strategy.digits().end(), true));
  return (CombineParts(workload.ports, dim).count() * (dim + halvings)) << dim;
}

std::span<std::byte> GlobalCombine::vector(NodeId node) {
  if (!carried_) return {};
  const Bytes bytes = workload_.items * item_bytes_;
  return std::span(vectors_).subspan(node * bytes, bytes);
}

// --- Who has what --------------------------------------------------------------------------------------------------

std::optional<GlobalCombine::Transfer> GlobalCombine::transfer_of(NodeId node, unsigned part, unsigned number,
                                                                  bool back) const {
  const CombineMoves moves(workload_.rule, parts_,
                           {.items = workload_.items,
                            .tree = workload_.tree,
                            .one_way = one_way_,
                            .level = workload_.level,
                            .origin = origin_});
  const auto transfer = back ? moves.back(node, part, number) : moves.forward(node, part, number);
  if (!transfer) return std::nullopt;
  return Transfer{.place = place(dim_, number, back),
                  .part = part,
                  .partner = transfer->partner,
                  .sends = transfer->sends,
                  .receives = transfer->receives,
                  .outgoing = transfer->outgoing,
                  .incoming = transfer->incoming,
                  .least = transfer->least};
}

// --- Firmware ------------------------------------------------------------------------------------------------------

Task<> GlobalCombine::run(Node& node) {
  for (unsigned number = 0; number < dim_; ++number) co_await step(node, number, false);
  if (workload_.tree && workload_.target == CombineTarget::root) co_return;
  for (unsigned number = dim_; number-- > 0;) co_await step(node, number, true);
}

Task<> GlobalCombine::step(Node& node, unsigned number, bool back) {
  std::vector<Transfer> transfers;
  std::uint64_t combined = 0;
  Bytes longest = 0;
  unsigned messages = 0;
  unsigned received = 0;
  Bytes bytes = 0;
  for (unsigned part = 0; part < parts_.count(); ++part) {
    auto transfer = transfer_of(node.id(), part, number, back);
    if (!transfer) continue;
    messages += (transfer->sends ? 1U : 0U) + (transfer->receives ? 1U : 0U);
    bytes +=
        (transfer->sends ? bytes_of(transfer->outgoing) : 0) + (transfer->receives ? bytes_of(transfer->incoming) : 0);
    if (!back && transfer->receives) {
      ++received;
      combined += transfer->incoming.count;
      longest = std::max(longest, message_bytes(*transfer, transfer->incoming));
      if (carried_) transfer->into = scratch_.allocate(bytes_of(transfer->incoming));
    }
    transfers.push_back(*transfer);
  }
  if (transfers.empty()) co_return;
  const Machine::Library& library = node.machine().library;
  if (library.call_cycles != 0 || library.call_per_byte.num != 0) co_await node.call(messages, bytes);
  const Cycles since = co_await transfer(node, transfers);
  for (const Transfer& transfer : transfers) {
    if (transfer.into != nullptr) merge(node.id(), transfer);
  }
  if (combined > 0) {
    co_await node.combine(
        {.items = combined, .bytes = combined * item_bytes_, .messages = received, .longest = longest, .since = since});
  }
  double& end = step_ends_us_[place(dim_, number, back)];
  end = std::max(end, node.now_us());
}

Task<Cycles> GlobalCombine::transfer(Node& node, std::span<const Transfer> transfers) {
  const auto both_ways = [this](const Transfer& t) { return workload_.paired || (t.sends && t.receives); };
  if (transfers.size() == 1) {
    const Transfer& only = transfers.front();
    Received received;
    if (both_ways(only)) {
      received = co_await node.exchange(exchange_of(node.id(), only));
    } else if (only.sends) {
      co_await node.send(outgoing_of(node.id(), only));
    } else {
      received = co_await node.receive(incoming_of(node.id(), only));
    }
    if (only.receives) check(received, node.id(), only);
    co_return received.since;
  }
  std::vector<Pending> pending;
  pending.reserve(transfers.size());
  for (const Transfer& t : transfers) {
    if (both_ways(t)) {
      pending.push_back(node.start_exchange(exchange_of(node.id(), t)));
    } else if (t.sends) {
      pending.push_back(node.start_send(outgoing_of(node.id(), t)));
    } else {
      pending.push_back(node.start_receive(incoming_of(node.id(), t)));
    }
  }
  Cycles since = ~Cycles{0};
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    Pending& one = pending[i];
    const Received received = co_await one;
    if (!transfers[i].receives) continue;
    check(received, node.id(), transfers[i]);
    since = std::min(since, received.since);
  }
  co_return since;
}

Exchange GlobalCombine::exchange_of(NodeId node, const Transfer& transfer) {
  const Outgoing out = outgoing_of(node, transfer);
  const Incoming in = incoming_of(node, transfer);
  return {.with = transfer.partner,
          .type = out.type,
          .bytes = transfer.sends ? out.bytes : 0,
          .room = transfer.receives ? in.bytes : 0,
          .outgoing = transfer.sends ? out.data : Region{},
          .incoming = transfer.receives ? in.data : Region{},
          .tag = out.tag,
          .phase = out.phase,
          .sync = workload_.sync};
}

Outgoing GlobalCombine::outgoing_of(NodeId node, const Transfer& transfer) {
  return {.to = transfer.partner,
          .type = type_of(transfer),
          .bytes = message_bytes(transfer, transfer.outgoing),
          .data = region(node, transfer.outgoing),
          .tag = tag(node, transfer.partner, type_of(transfer)),
          .phase = static_cast<std::uint16_t>(transfer.place),
          .sync = workload_.sync};
}

Incoming GlobalCombine::incoming_of(NodeId node, const Transfer& transfer) {
  return {.from = transfer.partner,
          .type = type_of(transfer),
          .bytes = message_bytes(transfer, transfer.incoming),
          .data = transfer.into != nullptr ? Region::contiguous(transfer.into, bytes_of(transfer.incoming))
                                           : region(node, transfer.incoming),
          .sync = workload_.sync};
}

Region GlobalCombine::region(NodeId node, const Items& items) {
  if (!carried_) return {};
  return Region::contiguous(vector(node).data() + items.first * item_bytes_, bytes_of(items));
}

std::uint64_t GlobalCombine::tag(NodeId from, NodeId to, std::uint32_t type) const {
  return workload_.payload == Payload::tags ? draw(type, from, to) : 0;
}

void GlobalCombine::check(const Received& received, NodeId node, const Transfer& transfer) {
  if (received.tag != tag(transfer.partner, node, type_of(transfer))) ++wrong_tags_;
}

void GlobalCombine::merge(NodeId node, const Transfer& transfer) {
  std::byte* const own = vector(node).data() + transfer.incoming.first * item_bytes_;
  workload_.operation.apply(own, transfer.into, transfer.incoming.count, node < transfer.partner);
  scratch_.release(transfer.into, bytes_of(transfer.incoming));
}

// --- What it should be ---------------------------------------------------------------------------------------------

/// The part's items after `steps` steps, combined over the directions of these steps.
void GlobalCombine::reference_of(unsigned part, unsigned steps, NodeId node, const Items& items,
                                 std::byte* result) const {
  if (steps == 0) {
    workload_.initial(node, items.first, items.count, result);
    return;
  }
  const NodeId bit = NodeId{1} << parts_.direction(part, steps - 1);
  std::vector<std::byte> right(bytes_of(items));
  reference_of(part, steps - 1, node & ~bit, items, result);
  reference_of(part, steps - 1, node | bit, items, right.data());
  workload_.operation.apply(result, right.data(), items.count, true);
}

std::vector<std::byte> GlobalCombine::reference() const {
  std::vector<std::byte> result(workload_.items * item_bytes_);
  for (unsigned part = 0; part < parts_.count(); ++part) {
    const Items items = parts_.items(part, workload_.items);
    reference_of(part, dim_, 0, items, result.data() + items.first * item_bytes_);
  }
  return result;
}

std::uint64_t GlobalCombine::wrong() const {
  if (!carried_) return wrong_tags_;
  const std::vector<std::byte> right = reference();
  const auto differs = [&](NodeId node) {
    const auto own = vectors_.begin() + static_cast<std::ptrdiff_t>(node * right.size());
    return !std::equal(right.begin(), right.end(), own);
  };
  if (workload_.target == CombineTarget::root) return differs(workload_.root) ? 1 : 0;
  std::uint64_t wrong = 0;
  for (NodeId node = 0; node < NodeId{1} << dim_; ++node) wrong += differs(node) ? 1 : 0;
  return wrong;
}

}  // namespace ecube
