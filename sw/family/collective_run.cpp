// SPDX-License-Identifier: Apache-2.0
// The steps of a plan on every node.
#include "sw/family/collective_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ecube {

CollectiveRun::CollectiveRun(CollectiveWorkload workload)
    : workload_(std::move(workload)),
      plan_(workload_.algorithm->plan(workload_.problem)),
      item_bytes_(workload_.operation.item_bytes()),
      progress_(plan_.steps()),
      checks_(workload_.checks),
      firmware_([this](Node& node) { return run(node); }) {
  if (!workload_.carried) return;
  const CollectiveProblem& problem = workload_.problem;
  vectors_.resize(problem.nodes() * problem.items * item_bytes_);
  for (NodeId node = 0; node < problem.nodes(); ++node) {
    for (const Items& range : held_by(workload_.collective->before, node, problem)) {
      workload_.initial(node, range.first, range.count, at(vectors_, node, range.first));
    }
  }
  if (scans()) totals_ = vectors_;
}

Bytes CollectiveRun::required(const Collective& collective, const CollectiveProblem& problem,
                              std::uint32_t item_bytes) {
  // Vectors, the reference beside them, and buffers of powers of two; a scan has totals too.
  const Bytes copies = collective.meaning == Meaning::moved ? 3 : 5;
  return copies * problem.items * item_bytes << problem.dim;
}

std::span<std::byte> CollectiveRun::vector(NodeId node) {
  if (!workload_.carried) return {};
  const Bytes bytes = workload_.problem.items * item_bytes_;
  return std::span(vectors_).subspan(node * bytes, bytes);
}

// --- The algorithm -------------------------------------------------------------------------------------------------

/// All transfers of a step at once; then received items are stored or combined.
Task<> CollectiveRun::run(Node& node) {
  const Machine::Library& library = node.machine().library;
  for (unsigned number = 0; number < plan_.steps(); ++number) {
    std::vector<PlannedTransfer> transfers;
    plan_.step(node.id(), number, transfers);
    if (transfers.empty()) continue;
    std::vector<Moving> under_way;
    unsigned messages = 0;
    Bytes bytes = 0;
    for (const PlannedTransfer& transfer : transfers) {
      under_way.push_back(moving(node.id(), number, transfer));
      messages += (transfer.sends ? 1U : 0U) + (transfer.receives ? 1U : 0U);
      bytes += under_way.back().out_bytes + under_way.back().in_bytes;
    }
    if (library.call_cycles != 0 || library.call_per_byte.num != 0) co_await node.call(messages, bytes);
    std::vector<Pending> pending;
    pending.reserve(under_way.size());
    for (const Moving& one : under_way) pending.push_back(started(node, number, one));
    std::size_t awaited = 0;
    for (Pending& operation : pending) {
      const Received received = co_await operation;
      const Moving& one = under_way[awaited++];
      if (one.planned.receives) checks_.check(received.check, one.tag, one.planned.partner, node.id());
    }
    ItemsToCombine work{.messages = 0};
    for (const Moving& one : under_way) {
      arrive(node.id(), one);
      const std::uint64_t combined = one.planned.combined();
      if (combined == 0) continue;
      work.items += combined;
      work.bytes += combined * item_bytes_;
      work.longest = std::max(work.longest, one.in_bytes);
      ++work.messages;
    }
    if (work.items > 0) co_await node.combine(work);
    progress_.ended(number, node);
  }
}

// --- Messages ------------------------------------------------------------------------------------------------------

CollectiveRun::Moving CollectiveRun::moving(NodeId node, unsigned number, const PlannedTransfer& transfer) {
  Moving one{.planned = transfer,
             .tag = number * workload_.problem.dim + transfer.lane,
             .out_bytes = bytes_of(transfer.outgoing),
             .in_bytes = bytes_of(transfer.incoming)};
  if (!workload_.carried) return one;
  if (transfer.receives) {
    one.in = in_place(transfer) ? at(vectors_, node, transfer.incoming.front().first) : scratch_.allocate(one.in_bytes);
  }
  if (transfer.outgoing.size() > 1) {
    one.out = scratch_.allocate(one.out_bytes);
    std::byte* to = one.out;
    for (const Items& range : transfer.outgoing) {
      std::memcpy(to, at(vectors_, node, range.first), range.count * item_bytes_);
      to += range.count * item_bytes_;
    }
  } else if (transfer.sends) {
    one.out = at(scans() ? totals_ : vectors_, node, transfer.outgoing.front().first);
  }
  return one;
}

Pending CollectiveRun::started(Node& on, unsigned number, const Moving& moving) {
  const PlannedTransfer& planned = moving.planned;
  const auto region = [](std::byte* items, Bytes bytes) {
    return items == nullptr ? Region{} : Region::contiguous(items, bytes);
  };
  const Exchange both{.with = planned.partner,
                      .tag = moving.tag,
                      .bytes = moving.out_bytes,
                      .room = moving.in_bytes,
                      .outgoing = region(moving.out, moving.out_bytes),
                      .incoming = region(moving.in, moving.in_bytes),
                      .check = checks_.of(moving.tag, on.id(), planned.partner),
                      .phase = static_cast<std::uint16_t>(std::min(number, 0xFFFFU)),
                      .sync = workload_.handshake.sync};
  return as_message(both, {.paired = workload_.handshake.paired, .sends = planned.sends, .receives = planned.receives},
                    [&on](const auto& what) { return on.start(what); });
}

void CollectiveRun::arrive(NodeId node, const Moving& moving) {
  if (!workload_.carried) return;
  const PlannedTransfer& planned = moving.planned;
  const bool lower = node < planned.partner;
  const std::byte* from = moving.in;
  for (const Items& range : planned.incoming) {
    const Bytes bytes = range.count * item_bytes_;
    std::byte* const own = at(vectors_, node, range.first);
    if (planned.arrival == Arrival::stored && !in_place(planned)) std::memcpy(own, from, bytes);
    if (planned.arrival == Arrival::combined) workload_.operation.apply(own, from, range.count, lower);
    if (planned.totalled) workload_.operation.apply(at(totals_, node, range.first), from, range.count, lower);
    from += bytes;
  }
  if (planned.receives && !in_place(planned)) scratch_.release(moving.in, moving.in_bytes);
  if (planned.outgoing.size() > 1) scratch_.release(moving.out, moving.out_bytes);
}

// --- What it should be ---------------------------------------------------------------------------------------------

/// Dimension by dimension, each part of every block in its own order, as one processor does it.
void CollectiveRun::combine_all(std::vector<std::byte>& vectors) const {
  const CollectiveProblem& problem = workload_.problem;
  const VectorBlocks blocks = problem.blocks();
  for (unsigned part = 0; part < blocks.parts(); ++part) {
    const ItemRanges ranges = blocks.agreeing(0, 0, part);
    for (unsigned step = 0; step < problem.dim; ++step) {
      const NodeId bit = NodeId{1} << blocks.direction(part, step);
      for (NodeId node = 0; node < problem.nodes(); ++node) {
        if ((node & bit) != 0) continue;
        for (const Items& range : ranges) {
          std::byte* const low = at(vectors, node, range.first);
          std::byte* const high = at(vectors, node | bit, range.first);
          workload_.operation.apply(low, high, range.count, true);
          std::memcpy(high, low, range.count * item_bytes_);
        }
      }
    }
  }
}

void CollectiveRun::combine_prefixes(std::vector<std::byte>& vectors) const {
  const CollectiveProblem& problem = workload_.problem;
  const Bytes bytes = problem.items * item_bytes_;
  if (bytes == 0) return;
  const bool exclusive = workload_.collective->meaning == Meaning::exclusive_prefix;
  std::vector<std::byte> totals = vectors;
  for (unsigned step = 0; step < problem.dim; ++step) {
    const NodeId bit = NodeId{1} << step;
    for (NodeId node = 0; node < problem.nodes(); ++node) {
      if ((node & bit) != 0) continue;
      std::byte* const low = totals.data() + node * bytes;
      std::byte* const high = low + bit * bytes;
      std::byte* const prefix = vectors.data() + (node | bit) * bytes;
      if (exclusive && (node & (bit - 1)) == 0) {
        std::memcpy(prefix, low, bytes);
      } else {
        workload_.operation.apply(prefix, low, problem.items, false);
      }
      workload_.operation.apply(low, high, problem.items, true);
      std::memcpy(high, low, bytes);
    }
  }
}

std::vector<std::byte> CollectiveRun::reference() const {
  const CollectiveProblem& problem = workload_.problem;
  std::vector<std::byte> vectors(problem.nodes() * problem.items * item_bytes_);
  const bool moved = workload_.collective->meaning == Meaning::moved;
  for (NodeId node = 0; node < problem.nodes(); ++node) {
    for (const Items& range : held_by(workload_.collective->before, node, problem)) {
      // Every node's place has what the one node that began with the items has.
      for (NodeId to = 0; to < problem.nodes(); ++to) {
        if (!moved && to != node) continue;
        workload_.initial(node, range.first, range.count, at(vectors, to, range.first));
      }
    }
  }
  if (workload_.collective->meaning == Meaning::combined) combine_all(vectors);
  if (scans()) combine_prefixes(vectors);
  return vectors;
}

std::uint64_t CollectiveRun::wrong() const {
  if (!workload_.carried) return checks_.wrong();
  const CollectiveProblem& problem = workload_.problem;
  const std::vector<std::byte> right = reference();
  std::uint64_t wrong = 0;
  for (NodeId node = 0; node < problem.nodes(); ++node) {
    bool differs = false;
    for (const Items& range : held_by(workload_.collective->after, node, problem)) {
      const auto first = static_cast<std::ptrdiff_t>((node * problem.items + range.first) * item_bytes_);
      const auto last = first + static_cast<std::ptrdiff_t>(range.count * item_bytes_);
      differs = differs || !std::equal(right.begin() + first, right.begin() + last, vectors_.begin() + first);
    }
    wrong += differs ? 1 : 0;
  }
  return wrong;
}

}  // namespace ecube
