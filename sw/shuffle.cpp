// SPDX-License-Identifier: Apache-2.0
// Steps of generalised shuffles.
#include "sw/shuffle.h"

#include <algorithm>
#include <numeric>

#include "sw/micro_benchmarks.h"

namespace ecube {

namespace {

/// A real constituent as a mixed one whose control is an extra dimension (Johnsson & Ho 1991, section 4.2, algorithm
/// A1).
Constituent as_mixed(const RealConstituent& real) {
  return {.dims = real.dims, .complement = real.complement, .control = 0};
}

std::uint32_t ports_of(const ShuffleWorkload& workload, unsigned dim) {
  const std::uint32_t engines = workload.ports.engines;
  return engines == Ports::n || engines > dim ? dim : engines;
}

RowSchedule schedule_of(const ShuffleWorkload& workload, std::span<const std::uint32_t> orders, std::uint32_t rows,
                        unsigned dim) {
  const std::uint32_t dims = std::accumulate(orders.begin(), orders.end(), 0U);
  const std::uint32_t ports = ports_of(workload, dim);
  switch (workload.algorithm) {
    case ShuffleAlgorithm::pipelined:
    case ShuffleAlgorithm::a1_pipelined:
      return ports < dims ? limited_schedule(orders, rows, ports) : pipelined_schedule(orders, rows);
    case ShuffleAlgorithm::concurrent:
      return ports < dims ? limited_schedule(orders, rows, ports) : concurrent_schedule(orders, rows);
    case ShuffleAlgorithm::one_port:
    case ShuffleAlgorithm::a1:
    case ShuffleAlgorithm::a2:
    case ShuffleAlgorithm::a2x2:
      break;
  }
  return one_port_schedule(orders, rows);
}

}  // namespace

std::vector<RowSchedule> schedules_of(const ShuffleWorkload& workload, unsigned dim) {
  const Factors factors = factor(workload.permutation);
  const std::uint64_t pairs = workload.elements / 2;
  const auto rows = static_cast<std::uint32_t>((pairs + workload.packet - 1) / workload.packet);
  std::vector<RowSchedule> schedules;
  if (!factors.mixed.empty()) {
    std::vector<std::uint32_t> orders;
    for (const Constituent& constituent : factors.mixed) orders.push_back(constituent.order());
    schedules.push_back(schedule_of(workload, orders, rows, dim));
  }
  if (is_a2(workload.algorithm)) return schedules;
  for (const RealConstituent& real : factors.real) {
    const bool all_ports = ports_of(workload, dim) >= real.order() && workload.ports.engines != 1;
    schedules.push_back(!all_ports ? a1_one_port_schedule(real.order(), rows)
                        : workload.algorithm == ShuffleAlgorithm::a1_pipelined
                            ? a1_pipelined_schedule(real.order(), rows)
                            : a1_concurrent_schedule(real.order(), rows));
  }
  return schedules;
}

std::vector<ShufflePlan> plans_of(const ShuffleWorkload& workload, unsigned dim) {
  const Factors factors = factor(workload.permutation);
  const std::vector<RowSchedule> schedules = schedules_of(workload, dim);
  std::vector<ShufflePlan> plans;
  auto schedule = schedules.begin();
  if (!factors.mixed.empty()) plans.emplace_back(factors.mixed, workload.elements, workload.packet, *schedule++);
  for (const RealConstituent& real : factors.real) {
    if (is_a2(workload.algorithm)) break;
    plans.emplace_back(std::vector{as_mixed(real)}, workload.elements, workload.packet, *schedule++);
  }
  return plans;
}

GeneralisedShuffle::GeneralisedShuffle(const ShuffleWorkload& workload, unsigned dim)
    : workload_(workload),
      dim_(dim),
      factors_(factor(workload.permutation)),
      plans_(plans_of(workload, dim)),
      elements_(workload.elements << dim),
      firmware_([this](Node& node) { return run(node); }) {
  std::iota(elements_.begin(), elements_.end(), Element{0});
  if (is_a2(workload_.algorithm)) second_.resize(elements_.size());
}

std::uint64_t GeneralisedShuffle::messages() const {
  std::uint64_t of_a_node = 0;
  for (const ShufflePlan& plan : plans_) {
    for (const ShuffleStep& step : plan.steps()) of_a_node += step.exchanges.size();
  }
  if (is_a2(workload_.algorithm)) {
    for (const RealConstituent& real : factors_.real) {
      of_a_node += real.order() * ((workload_.elements + workload_.packet - 1) / workload_.packet + real.order());
    }
  }
  return of_a_node << dim_;
}

std::uint64_t GeneralisedShuffle::wrong() const {
  std::uint64_t wrong = 0;
  for (std::uint64_t now = 0; now < elements_.size(); ++now) {
    const Address origin{static_cast<NodeId>(elements_[now] / workload_.elements), elements_[now] % workload_.elements};
    const Address to = workload_.permutation.destination(origin);
    wrong += to.node * workload_.elements + to.local != now ? 1 : 0;
  }
  return wrong;
}

Task<> GeneralisedShuffle::run(Node& node) {
  if (plans_.empty() && !factors_.virtual_bits.empty()) {  // purely local, or by A2
    const std::vector<Element> before(memory(node.id()).begin(), memory(node.id()).end());
    for (std::uint64_t y = 0; y < before.size(); ++y) memory(node.id())[factors_.local(y)] = before[y];
    co_await move_locally(node, workload_.elements);
  }
  for (std::size_t number = 0; number < plans_.size(); ++number) {
    co_await run_plan(node, plans_[number], number == 0);
  }
  if (!is_a2(workload_.algorithm)) co_return;
  for (const RealConstituent& real : factors_.real) {
    if (workload_.algorithm == ShuffleAlgorithm::a2x2 && real.order() == 2) {
      co_await run_a2x2(node, real);
    } else {
      co_await run_a2(node, real);
    }
  }
}

/// One packet of at most `elements` has been exchanged in sequence.
void GeneralisedShuffle::count(const Node& node, std::uint64_t elements) {
  if (node.id() != 0) return;
  counted_.steps += elements;
  ++counted_.startups;
}

Task<> GeneralisedShuffle::run_plan(Node& node, const ShufflePlan& plan, bool first) {
  const std::uint32_t parities = plan.parities(node.id());
  const std::span<Element> own = memory(node.id());
  if (workload_.align) {
    const std::vector<Element> before(own.begin(), own.end());
    for (std::uint64_t slot = 0; slot < own.size(); ++slot) own[slot] = before[plan.address(slot, parities, false)];
    if (node.id() == 0) counted_.moved += 2 * own.size();
    co_await move_locally(node, own.size());
  }
  std::uint16_t label = 0;
  for (const ShuffleStep& step : plan.steps()) {
    co_await exchange(node, plan, step, parities, ++label);
    std::uint64_t moved = 0;
    for (const Synchronisation& sync : step.synchronisations) {
      if (!workload_.align || (parities >> sync.constituent & 1U) == 0) continue;
      std::swap(own[sync.slot[0][0]], own[sync.slot[1][1]]);
      std::swap(own[sync.slot[0][1]], own[sync.slot[1][0]]);
      moved += 4;
    }
    if (moved > 0) co_await move_locally(node, moved);
    std::uint32_t longest = 0;
    for (const ShuffleExchange& exchange : step.exchanges) longest = std::max(longest, exchange.count);
    count(node, longest);
  }
  // The virtual part of the permutation commutes with the real constituents: it comes with the first plan's
  // realignment.
  const std::vector<Element> after(own.begin(), own.end());
  std::uint64_t moved = 0;
  for (std::uint64_t slot = 0; slot < own.size(); ++slot) {
    const std::uint64_t from = place(plan, slot, parities, true);
    const std::uint64_t address = plan.final_address(slot, parities);
    const std::uint64_t to = first ? factors_.local(address) : address;
    own[to] = after[from];
    moved += to != from ? 1 : 0;
  }
  if (workload_.align || moved > 0) co_await move_locally(node, own.size());
}

Task<> GeneralisedShuffle::exchange(Node& node, const ShufflePlan& plan, const ShuffleStep& step,
                                    std::uint32_t parities, std::uint16_t label) {
  const std::span<Element> own = memory(node.id());
  const auto location = [&](const SlotPair& pair, const ShuffleExchange& exchange) {
    return place(plan, ShufflePlan::moved(pair, exchange, node.id(), parities), parities, exchange.synchronised);
  };
  std::vector<Element> packets;  // of exchanges of more than one element, one after the other
  for (const ShuffleExchange& exchange : step.exchanges) {
    if (exchange.count == 1) continue;
    for (const SlotPair& pair : plan.pairs(exchange)) packets.push_back(own[location(pair, exchange)]);
  }
  std::size_t packed = 0;
  const auto message_of = [&](const ShuffleExchange& exchange) {
    Element* elements = &own[location(plan.pairs(exchange).front(), exchange)];
    if (exchange.count > 1) {
      elements = packets.data() + packed;
      packed += exchange.count;
    }
    const Bytes bytes = exchange.count * element_bytes;
    const Region region = Region::contiguous(reinterpret_cast<std::byte*>(elements), bytes);
    return Exchange{.with = node.id() ^ NodeId{1} << exchange.dim,
                    .type = exchange.dim,
                    .bytes = bytes,
                    .outgoing = region,
                    .incoming = region,
                    .phase = label,
                    .sync = handshake_of(node.machine()).sync};
  };
  if (step.exchanges.size() == 1) {
    co_await node.exchange(message_of(step.exchanges.front()));
  } else {
    std::vector<Pending> pending;
    pending.reserve(step.exchanges.size());
    for (const ShuffleExchange& exchange : step.exchanges) pending.push_back(node.start_exchange(message_of(exchange)));
    for (Pending& one : pending) co_await one;
  }
  packed = 0;
  for (const ShuffleExchange& exchange : step.exchanges) {
    if (exchange.count == 1) continue;
    for (const SlotPair& pair : plan.pairs(exchange)) own[location(pair, exchange)] = packets[packed++];
  }
}

/// Charges the moving of elements within the node, on machines where it costs anything.
Task<> GeneralisedShuffle::move_locally(Node& node, std::uint64_t elements) {
  const Bytes bytes = elements * element_bytes;
  if (node.machine().permute_cycles(bytes) > 0) co_await node.permute(bytes);
}

}  // namespace ecube
