// SPDX-License-Identifier: Apache-2.0
// Waits, their holders and their chains.
#include "testbench/trace/wait_chains.h"

#include <fmt/compile.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace ecube {

std::string text_of(const OutputId& output, unsigned links) {
  if (output.output < links) return fmt::format("link {}:{}", output.router, output.output);
  return fmt::format("eject port {}:{}", output.router, output.output - links);
}

WaitChains::WaitChains(const Topology& topology, unsigned ports, const TraceWindow& window, MessageNumbers& names)
    : links_(topology.outputs()),
      outputs_(links_ + ports),
      window_(window),
      names_(names),
      holdings_(std::size_t{topology.nodes()} * outputs_),
      contended_(1) {}

void WaitChains::end_way(WayId way) {
  ways_[way].waits.clear();
  free_ways_.push_back(way);
}

void WaitChains::injected(CircuitId id, const CircuitRecord& circuit) {
  names_.injected(id, circuit);
  if (way_of_.size() <= id) way_of_.resize(id + std::size_t{1}, no_way);
  drop(way_of_[id]);
  way_of_[id] = no_way;
}

WaitChains::WayId WaitChains::begin_way(CircuitId id, const CircuitRecord& circuit) {
  WayId& way = way_of_[id];
  if (free_ways_.empty()) {
    way = static_cast<WayId>(ways_.size());
    ways_.emplace_back();
  } else {
    way = free_ways_.back();
    free_ways_.pop_back();
  }
  ways_[way].name = names_.name(id, circuit.source, circuit.destination, circuit.probe);
  ways_[way].references = 1;
  return way;
}

void WaitChains::waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles) {
  way_of(id, circuit);
  Holding& holding = holdings_[place(router, output)];
  if (holding.contended == 0) {
    holding.contended = static_cast<std::uint32_t>(contended_.size());
    contended_.push_back({.output = {router, output}});
  }
  Contended& at = contended_[holding.contended];
  if (at.waiting++ > 0 || holding.way == no_way) return;
  refer(holding.way);
  at.holders.push_back(holding);
}

void WaitChains::granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
                         Cycles at) {
  const WayId way = way_of(id, circuit);
  Holding& holding = holdings_[place(router, output)];
  Contended& here = contended_[holding.contended];
  if (at > asked) {
    finish_wait(here, way, asked, at);
    if (--here.waiting == 0) {
      for (const Holding& holder : here.holders) drop(holder.way);
      here.holders.clear();
    }
  }
  drop(holding.way);
  refer(way);
  holding = {.way = way, .contended = holding.contended, .from = at};
  if (here.waiting > 0) {
    refer(way);
    here.holders.push_back(holding);
  }
}

void WaitChains::released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output,
                          Cycles free_from) {
  const WayId way = way_of(id, circuit);
  Holding& holding = holdings_[place(router, output)];
  if (holding.way == way) holding.until = free_from;
  for (Holding& holder : contended_[holding.contended].holders) {
    if (holder.way == way) holder.until = free_from;
  }
}

namespace {

/// The longest wait first, equal ones in order of time, node and dimension.
auto rank(const Wait& wait) {
  return std::tuple(~wait.cycles(), wait.from, wait.output.router, wait.output.output, wait.waiter.source);
}

/// The cycles that two intervals have in common.
Cycles overlap(const auto& a, const auto& b) {
  const Cycles begin = std::max(a.from, b.from);
  return std::max(begin, std::min(a.until, b.until)) - begin;
}

/// Of some intervals the one that has most of another; null where none has any of it.
template <typename Interval>
const Interval* longest_in(const std::vector<Interval>& all, const auto& of) {
  const auto longest = std::ranges::max_element(all, {}, [&](const Interval& one) { return overlap(one, of); });
  return longest == all.end() || overlap(*longest, of) == 0 ? nullptr : &*longest;
}

}  // namespace

void WaitChains::finish_wait(Contended& at, WayId way, Cycles from, Cycles until) {
  Wait wait{.waiter = ways_[way].name, .output = at.output, .from = from, .until = until};
  wait.holders = static_cast<unsigned>(
      std::ranges::count_if(at.holders, [&](const Holding& holder) { return overlap(holder, wait) > 0; }));
  if (const Holding* const worst = longest_in(at.holders, wait); worst != nullptr) {
    const Way& holder = ways_[worst->way];
    wait.chain.push_back({at.output, holder.name, std::max(worst->from, from), std::min(worst->until, until)});
    const Wait* const cause = longest_in(holder.waits, wait.chain.front());
    if (cause != nullptr) wait.chain.insert(wait.chain.end(), cause->chain.begin(), cause->chain.end());
  }
  at.window_blocked += overlap(wait, window_);
  if (rank(wait) < rank(at.longest)) at.longest = wait;
  std::vector<Wait>& kept = longest_[at.output.output < links_ ? 1 : 0];
  if (kept.size() < most_kept || rank(wait) < rank(kept.back())) {
    kept.insert(std::ranges::upper_bound(kept, rank(wait), {}, rank), wait);
    kept.resize(std::min(kept.size(), most_kept));
  }
  ways_[way].waits.push_back(std::move(wait));
}

std::string CircuitName::text() const {
  std::array<char, 48> space{};
  return std::string(text(space));
}

std::string_view CircuitName::text(std::span<char, 48> space) const {
  // Three numbers of at most ten digits each. Waveforms write this by the million.
  return {space.data(), fmt::format_to(space.data(), FMT_COMPILE("{}->{} #{}"), source, destination, number)};
}

void MessageNumbers::injected(CircuitId id, const CircuitRecord& circuit) {
  if (numbers_.size() <= id) numbers_.resize(id + std::size_t{1});
  numbers_[id] = 0;
  nodes_[circuit.source].pending.emplace_back(circuit.probe, circuit.inject_port, id);
}

void MessageNumbers::number_pending(NodeId source, Cycles probe) {
  // The first request of a circuit comes later than its probe, so all circuits that this node sends before or with it
  // have been injected.
  NodeCount& node = nodes_[source];
  std::ranges::sort(node.pending);
  auto pending = node.pending.begin();
  for (; pending != node.pending.end() && std::get<Cycles>(*pending) <= probe; ++pending) {
    numbers_[std::get<CircuitId>(*pending)] = ++node.counted;
  }
  node.pending.erase(node.pending.begin(), pending);
}

}  // namespace ecube
