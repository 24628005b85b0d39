// SPDX-License-Identifier: Apache-2.0
// From phits at a node's interface to words beside its loop.
#include "hw/event/loops_under_way.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ecube::event {

void LoopsUnderWay::reset(const Machine& machine, std::size_t nodes, NodeWork& work, std::uint64_t seed) {
  machine_ = machine;
  loops_ = work.loops();
  system_.reset();
  if (messages_share_bus(machine)) system_.emplace(machine, seed);
  nodes_.assign(loops_ != nullptr ? nodes : 0, {});
}

Cycles LoopsUnderWay::begin(const Operation& operation, Cycles now, Cycles library_until) {
  Node& node = nodes_[operation.node];
  node.begun = now;
  node.operation = &operation;
  node.library.clear();
  node.words.clear();
  node.beside = false;
  if (share()) {
    if (library_until > now) node.library.push_back({now, library_until});
    forget(node, now);
    node.words = words_of(node);
    node.before = loops_->state_of(operation.node);
  }
  if (node.words.empty()) {
    node.run = loops_->begin(operation);
  } else {
    run_beside_words(node);
  }
  node.under_way = true;
  return node.run.cycles;
}

const NodeLoops::Run* LoopsUnderWay::end(NodeId number) {
  Node& node = nodes_[number];
  if (!std::exchange(node.under_way, false)) return nullptr;
  if (node.run.fault == nullptr) {
    if (node.beside) {
      loops_->leave(number, std::move(node.after));
    } else {
      loops_->end(number);
    }
  }
  return &node.run;
}

void LoopsUnderWay::run_beside_words(Node& node) {
  const std::optional<node::Loop> loop = loops_->loop_of(*node.operation);
  node.beside = loop.has_value();
  if (!node.beside) {  // nothing to move
    node.run = loops_->begin(*node.operation);
    return;
  }
  node.after = node.before;
  node::Traffic traffic;
  traffic.words = node.words;
  try {
    node.run = run_of(machine_, system_->run(*loop, node.after, traffic, nullptr));
  } catch (const node::LoopFault& fault) {
    node.run = faulted_run(machine_, loop->name, fault);
  }
}

/// Transfers that were over before the loop under way began, or are over now.
void LoopsUnderWay::forget(Node& node, Cycles now) {
  const Cycles from = node.under_way ? std::min(node.begun, now) : now;
  std::erase_if(node.transfers,
                [&](const Transfer& each) { return each.at.size() == each.phits && each.at.back() + 1 < from; });
}

void LoopsUnderWay::moves(NodeId number, const Phits& phits, std::span<const Cycles> at, Cycles now) {
  Node& node = nodes_[number];
  auto known = std::ranges::find_if(node.transfers, [&](const Transfer& each) {
    return each.circuit == phits.circuit && each.arrive == phits.arrive && each.at.size() < each.phits;
  });
  if (known == node.transfers.end()) {
    forget(node, now);
    known = node.transfers.insert(node.transfers.end(), {phits, {}});
  }
  known->at.insert(known->at.end(), at.begin(), at.end());
}

void LoopsUnderWay::works(NodeId number, Cycles from, Cycles until) {
  Node& node = nodes_[number];
  if (node.under_way && until > from) node.library.push_back({from, until});
}

/// The words of messages, in cycles of the loop (N13.3).
std::vector<node::Traffic::Word> LoopsUnderWay::words_of(const Node& node) const {
  // By cycle of the computation, whether they arrive, port and number of the word.
  std::vector<std::tuple<Cycles, bool, std::uint8_t, std::uint64_t>> passing;
  for (const Transfer& transfer : node.transfers) {
    for (std::uint64_t phit = 0; phit < transfer.at.size(); ++phit) {
      const Cycles at = transfer.at[phit];
      if (at < node.begun) continue;
      Cycles cycle = at - node.begun;
      bool own = true;
      for (const Interval& work : node.library) {
        if (work.from > at) break;
        cycle -= std::min(work.until, at) - work.from;
        own = own && work.until <= at;
      }
      if (!own) continue;
      const auto [first, last] = words_of_phit(machine_, phit, transfer.phits);
      for (std::uint64_t word = first; word < last; ++word) {
        passing.emplace_back(cycle, transfer.arrive, transfer.port, word);
      }
    }
  }
  std::sort(passing.begin(), passing.end());
  std::vector<node::Traffic::Word> words;
  words.reserve(passing.size());
  for (const auto& [cycle, arrives, port, word] : passing) {
    words.push_back({.asks = machine_.to_core(cycle),
                     .address = machine_.detailed.layout.system + word * machine_.memory.bus_bytes,
                     .writes = arrives});
  }
  return words;
}

std::optional<LoopsUnderWay::Change> LoopsUnderWay::run_again(NodeId number) {
  Node& node = nodes_[number];
  if (!node.under_way) return std::nullopt;
  std::vector<node::Traffic::Word> words = words_of(node);
  if (words == node.words) return std::nullopt;
  node.words = std::move(words);
  const Cycles before = node.run.cycles;
  run_beside_words(node);
  return Change{before, node.run.cycles};
}

}  // namespace ecube::event
