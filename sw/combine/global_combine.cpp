// SPDX-License-Identifier: Apache-2.0
// The hybrid combine: halves, exchanges and gathers.
#include "sw/combine/global_combine.h"

#include <algorithm>
#include <utility>

namespace ecube {

std::string why_not_translated(const CombineWorkload& workload) {
  if (workload.tree || workload.target == CombineTarget::root) return "the root of a combine is not like other nodes";
  return {};
}

GlobalCombine::GlobalCombine(CombineWorkload workload, unsigned dim)
    : workload_(std::move(workload)),
      dim_(dim),
      parts_(workload_.tree ? Ports{} : workload_.ports, dim),
      item_bytes_(workload_.operation.item_bytes()),
      moves_(workload_.rule, parts_, workload_, workload_.tree),
      carried_(workload_.payload == Payload::bytes && !workload_.folded),
      progress_(std::size_t{2} * dim),
      checks_(workload_.payload == Payload::checks, workload_.folded),
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
  // Halved vectors are exchanged again to gather them.
  const auto halvings =
      static_cast<std::uint64_t>(std::count(strategy.digits().begin(), strategy.digits().end(), true));
  return (CombineParts(workload.ports, dim).count() * (dim + halvings)) << dim;
}

std::span<std::byte> GlobalCombine::vector(NodeId node) {
  if (!carried_) return {};
  const Bytes bytes = workload_.items * item_bytes_;
  return std::span(vectors_).subspan(node * bytes, bytes);
}

// --- The algorithm -------------------------------------------------------------------------------------------------

/// Combines the vector over the directions of all steps (van de Geijn 1991, Figure 4): with the neighbour in the first
/// of them, halved or whole, then over the others what the node has kept; in the end what was halved is collected.
Task<> GlobalCombine::run(Node& node) {
  std::vector<Pieces> held;  // before each step
  held.reserve(dim_);
  for (unsigned number = 0; number < dim_; ++number) {
    Pieces& x = held.emplace_back(parts_.count());
    for (unsigned part = 0; part < parts_.count(); ++part) {
      x[part] = number == 0 ? moves_.whole(part) : moves_.kept(node.id(), part, number - 1, held[number - 1][part]);
    }
    co_await step(node, x, number, false);
  }
  for (unsigned number = dim_; number-- > 0;) co_await step(node, held[number], number, true);
}

/// Combining, the node sends the items that it does not keep, and combines received items with those that it keeps. On
/// the way back the halves of the result are joined, on all nodes or on the one nearer to the root; version 1 sends the
/// whole result back.
Task<> GlobalCombine::step(Node& node, const Pieces& x, unsigned number, bool back) {
  const Transfers all = transfers(node.id(), x, number, back);
  if (!moves_anything(all)) co_return;
  const Cycles since = co_await move(node, all);
  if (!back) {
    const ItemsToCombine work = merged(node.id(), all, since);
    if (work.items > 0) co_await node.combine(work);
  }
  progress_.ended(place(dim_, number, back), node);
}

// --- Who has what --------------------------------------------------------------------------------------------------

GlobalCombine::Transfers GlobalCombine::transfers(NodeId node, const Pieces& x, unsigned number, bool back) {
  Transfers step(parts_.count());
  const unsigned at = place(dim_, number, back);
  for (unsigned part = 0; part < parts_.count(); ++part) {
    const auto planned = moves_.transfer(node, part, number, back, x[part]);
    if (!planned) continue;
    step[part] = {*planned, at * parts_.count() + part, static_cast<std::uint16_t>(at)};
    if (carried_ && planned->receives && !back) step[part].into = scratch_.allocate(bytes_of(planned->incoming.items));
  }
  return step;
}

bool GlobalCombine::moves_anything(const Transfers& step) const {
  for (unsigned part = 0; part < parts_.count(); ++part) {
    if (step[part].moves()) return true;
  }
  return false;
}

// --- Messages ------------------------------------------------------------------------------------------------------

/// `use` of the message or the exchange that a transfer is.
template <class Use>
auto GlobalCombine::message(NodeId node, const Transfer& transfer, const Use& use) {
  Exchange both{.with = transfer.partner,
                .tag = transfer.tag,
                .room = 0,
                .check = checks_.of(transfer.tag, node, transfer.partner),
                .phase = transfer.place,
                .sync = workload_.sync};
  if (transfer.sends) {
    both.bytes = message_bytes(transfer.outgoing);
    both.outgoing = region(node, transfer.outgoing.items);
  }
  if (transfer.receives) {
    both.room = message_bytes(transfer.incoming);
    both.incoming = transfer.into != nullptr ? Region::contiguous(transfer.into, bytes_of(transfer.incoming.items))
                                             : region(node, transfer.incoming.items);
  }
  return as_message(both, {.paired = workload_.paired, .sends = transfer.sends, .receives = transfer.receives}, use);
}

Task<Cycles> GlobalCombine::move(Node& node, const Transfers& step) {
  const Machine::Library& library = node.machine().library;
  if (library.call_cycles != 0 || library.call_per_byte.num != 0) {
    unsigned messages = 0;
    Bytes bytes = 0;
    for (unsigned part = 0; part < parts_.count(); ++part) {
      const Transfer& one = step[part];
      messages += (one.sends ? 1U : 0U) + (one.receives ? 1U : 0U);
      bytes += (one.sends ? bytes_of(one.outgoing.items) : 0) + (one.receives ? bytes_of(one.incoming.items) : 0);
    }
    co_await node.call(messages, bytes);
  }
  if (parts_.count() > 1) co_return co_await move_parts(node, step);
  Awaited only = message(node.id(), step[0], [&](const auto& what) { return Awaited(node, what); });
  const Received received = co_await only;
  check(received, node.id(), step[0]);
  co_return received.since;
}

Task<Cycles> GlobalCombine::move_parts(Node& node, const Transfers& step) {
  std::vector<Pending> pending;
  pending.reserve(parts_.count());
  for (unsigned part = 0; part < parts_.count(); ++part) {
    if (!step[part].moves()) continue;
    pending.push_back(message(node.id(), step[part], [&](const auto& what) { return node.start(what); }));
  }
  // Received data are processed while they are in the cache, not when the last message is complete.
  Cycles since = never;
  unsigned part = 0;
  for (Pending& one : pending) {
    const Received received = co_await one;
    while (!step[part].moves()) ++part;
    check(received, node.id(), step[part]);
    if (step[part++].receives) since = std::min(since, received.since);
  }
  co_return since;
}

Region GlobalCombine::region(NodeId node, const Items& items) {
  if (!carried_) return {};
  return Region::contiguous(vector(node).data() + items.first * item_bytes_, bytes_of(items));
}

ItemsToCombine GlobalCombine::merged(NodeId node, const Transfers& step, Cycles since) {
  ItemsToCombine work{.messages = 0, .since = since};
  for (unsigned part = 0; part < parts_.count(); ++part) {
    const Transfer& one = step[part];
    if (!one.receives) continue;
    const Items& items = one.incoming.items;
    work.items += items.count;
    work.bytes += bytes_of(items);
    work.longest = std::max(work.longest, message_bytes(one.incoming));
    ++work.messages;
    if (!carried_) continue;
    std::byte* const own = vector(node).data() + items.first * item_bytes_;
    workload_.operation.apply(own, one.into, items.count, node < one.partner);
    scratch_.release(one.into, bytes_of(items));
  }
  return work;
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
  if (!carried_) return checks_.wrong();
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
