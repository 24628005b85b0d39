// SPDX-License-Identifier: Apache-2.0
// Rates, and loops that are run.
#include "models/node/node_work.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "models/machine/random.h"
#include "models/node/loops.h"

namespace ecube {
namespace {

class RatesNodeWork final : public NodeWork {
 public:
  explicit RatesNodeWork(const Machine& machine) : machine_(machine) {}
  Cycles permute(const Operation& operation) override { return machine_.permute_cycles(operation.amount); }
  Cycles copy(NodeId /*node*/, Bytes bytes) override { return machine_.copy_cycles(bytes); }
  Cycles copy_out(NodeId /*node*/, Bytes bytes) override { return machine_.copy_cycles(bytes); }
  Cycles combine(NodeId /*node*/, std::uint64_t items, Bytes bytes) override {
    return machine_.combine_cycles(items, bytes);
  }
  Cycles loop(NodeId /*node*/, const node::Loop& loop) override {
    throw std::invalid_argument("loop '" + loop.name + "' needs a detailed node (node.model = detailed)");
  }
  [[nodiscard]] Machine::PathLengths path_lengths() const override { return machine_.path_lengths(); }

 private:
  Machine machine_;
};

/// What tells a loop of the library from others: its kind and its lengths.
using LoopKey = std::tuple<std::uint8_t, std::uint64_t, std::uint64_t, std::uint64_t>;

std::uint64_t hash_of(const node::MemoryState& state) {
  std::uint64_t hash = state.open_page;
  for (const auto* const table : {&state.cache, &state.tlb}) {
    for (const node::MemoryState::Line& line : *table) {
      const std::uint64_t flags = (line.valid ? 1U : 0U) | (line.dirty ? 2U : 0U) | (line.stale ? 4U : 0U);
      hash = mix(hash ^ line.number) + (std::uint64_t{line.age} << 3) + flags;
    }
  }
  return hash;
}

/// States that nodes can be in, each kept once.
class States {
 public:
  [[nodiscard]] const node::MemoryState& operator[](std::uint32_t number) const { return states_[number]; }
  std::uint32_t number_of(node::MemoryState&& state) {
    const std::uint64_t hash = hash_of(state);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      if (states_[it->second] == state) return it->second;
    }
    states_.push_back(std::move(state));
    const auto number = static_cast<std::uint32_t>(states_.size() - 1);
    by_hash_.emplace(hash, number);
    return number;
  }

 private:
  std::vector<node::MemoryState> states_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

class DetailedNodeWork final : public NodeWork {
 public:
  DetailedNodeWork(const Machine& machine, std::size_t nodes, std::uint64_t seed, bool memo, const MakeLoopRunner& make)
      : machine_(machine), runner_(make(machine, seed)), memo_(memo) {
    const std::uint32_t empty = states_.number_of(node::MemoryState::empty(machine));
    if (memo_) {
      at_.assign(nodes, empty);
    } else {
      own_.assign(nodes, states_[empty]);
    }
  }

  Cycles permute(const Operation& operation) override {
    const Bytes bytes = operation.amount;
    if (bytes == 0) {
      times_ = {};
      return 0;  // blocks without bytes are no grid
    }
    // A program that names no blocks permutes one.
    const Bytes block = operation.bytes == 0 || bytes % operation.bytes != 0 ? bytes : operation.bytes;
    const std::uint64_t blocks = block == 0 ? 0 : bytes / block;
    const std::uint64_t columns = operation.messages == 0 || blocks % operation.messages != 0 ? 1 : operation.messages;
    return run(operation.node, {0, bytes, block, columns}, [&] {
      return node::permute_loop(machine_, {.block_bytes = block, .rows = blocks / columns, .columns = columns});
    });
  }
  Cycles copy(NodeId node, Bytes bytes) override {
    return run(node, {1, bytes, 0, 0}, [&] { return node::copy_loop(machine_, bytes); });
  }
  Cycles copy_out(NodeId node, Bytes bytes) override {
    return run(node, {2, bytes, 0, 0}, [&] { return node::copy_out_loop(machine_, bytes); });
  }
  Cycles combine(NodeId node, std::uint64_t items, Bytes bytes) override {
    const auto item = static_cast<std::uint32_t>(items == 0 ? 0 : bytes / items);
    return run(node, {3, items, bytes, 0}, [&] { return node::combine_loop(machine_, items, item); });
  }
  Cycles loop(NodeId node, const node::Loop& loop) override {
    for (const auto* const part : {&loop.before_block, &loop.element, &loop.rest}) {
      for (const node::BodyOp& body : *part) {
        if (body.op.kind != node::OpKind::get) continue;
        // It would wait for ever: words arrive only while the library's loops run.
        throw node::LoopFault("loop '" + loop.name + "' waits for a word, and none arrives for a program's own loop", 0,
                              0);
      }
    }
    node::MemoryState state = state_of(node);
    const Cycles cycles = run_loop(loop, state);
    set_state(node, std::move(state));
    return cycles;
  }

  /// Every path begins with the library's data out of the cache: the loops between messages have replaced them.
  [[nodiscard]] Machine::PathLengths path_lengths() const override {
    const auto path = [this](Cycles cycles) {
      if (cycles == 0) return Cycles{0};
      node::MemoryState cold = states_[0];
      const node::Loop loop = node::path_loop(cycles, machine_.detailed.library_lines, machine_.memory.line_bytes);
      return machine_.from_core(runner_->run(loop, cold).cycles);
    };
    const Machine::Library& library = machine_.library;
    return {.send = path(library.send_cycles),
            .send_zero = path(library.send_zero_cycles),
            .receive = path(library.receive_cycles),
            .receive_zero = path(library.receive_zero_cycles),
            .control_send = path(library.control_send_cycles),
            .control_receive = path(library.control_receive_cycles),
            .signal_send = path(library.signal_send_cycles),
            .signal_receive = path(library.signal_receive_cycles),
            .forward = path(library.forward_cycles)};
  }
  [[nodiscard]] const node::LoopTimes* times() const override { return &times_; }

 private:
  [[nodiscard]] const node::MemoryState& state_of(NodeId node) const { return memo_ ? states_[at_[node]] : own_[node]; }
  void set_state(NodeId node, node::MemoryState&& state) {
    if (memo_) {
      at_[node] = states_.number_of(std::move(state));
    } else {
      own_[node] = std::move(state);
    }
  }
  Cycles run_loop(const node::Loop& loop, node::MemoryState& state) {
    try {
      const node::LoopFigures figures = runner_->run(loop, state);
      const Cycles cycles = machine_.from_core(figures.cycles);
      times_ = figures.times.scaled_to(cycles);
      return cycles;
    } catch (const node::LoopFault& fault) {
      constexpr std::size_t room = 160;
      char text[room];
      std::snprintf(text, sizeof text, " at cycle %llu of the loop, address 0x%llx",
                    static_cast<unsigned long long>(fault.at_cycle), static_cast<unsigned long long>(fault.address));
      throw node::LoopFault("loop '" + loop.name + "' " + fault.what() + text, fault.at_cycle, fault.address);
    }
  }
  template <class Make>
  Cycles run(NodeId node, const LoopKey& key, const Make& make) {
    if (!memo_) return run_loop(make(), own_[node]);
    const std::pair begins{at_[node], key};
    auto known = results_.find(begins);
    if (known == results_.end()) {
      node::MemoryState state = states_[at_[node]];
      const Cycles cycles = run_loop(make(), state);
      known = results_.emplace(begins, Result{cycles, states_.number_of(std::move(state)), times_}).first;
    }
    at_[node] = known->second.next;
    times_ = known->second.times;
    return known->second.cycles;
  }

  struct Result {
    Cycles cycles = 0;
    std::uint32_t next = 0;
    node::LoopTimes times;
  };
  Machine machine_;
  std::unique_ptr<node::LoopRunner> runner_;
  bool memo_;
  States states_;                       ///< the first is that at the start of a run
  std::vector<std::uint32_t> at_;       ///< [node] number of its state, with memo
  std::vector<node::MemoryState> own_;  ///< [node] without
  std::map<std::pair<std::uint32_t, LoopKey>, Result> results_;
  node::LoopTimes times_;  ///< of the last loop
};

}  // namespace

MakeLoopRunner run_by_model() {
  return [](const Machine& machine, std::uint64_t seed) -> std::unique_ptr<node::LoopRunner> {
    return std::make_unique<node::MemorySystem>(machine, seed);
  };
}

std::unique_ptr<NodeWork> make_node_work(const Machine& machine, std::size_t nodes, std::uint64_t seed, bool memo,
                                         const MakeLoopRunner& make) {
  if (machine.node.model == NodeModel::rates) return std::make_unique<RatesNodeWork>(machine);
  return std::make_unique<DetailedNodeWork>(machine, nodes, seed, memo, make);
}

Ratio programmed_word_cycles(const Machine& machine) {
  // Two lengths, so that the start of the loop does not count.
  constexpr Bytes words = 512;
  node::MemorySystem system(machine, 1);
  const auto cycles = [&](Bytes count) {
    node::MemoryState state = node::MemoryState::empty(machine);
    return system.run(node::send_loop(machine, count * machine.memory.bus_bytes), state).cycles;
  };
  const Cycles more = cycles(2 * words) - cycles(words);
  return {machine.from_core(more), words};
}

}  // namespace ecube
