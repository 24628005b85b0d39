// SPDX-License-Identifier: Apache-2.0
// Rates, and loops that are run.
#include "models/node/node_work.h"

#include <map>
#include <optional>
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

/// The key of a loop of the library: its kind and its lengths.
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

class DetailedNodeWork final : public NodeWork, public NodeLoops {
 public:
  DetailedNodeWork(const Machine& machine, std::size_t nodes, std::uint64_t seed, bool memo, const MakeLoopRunner& make)
      : machine_(machine), runner_(make(machine, seed)), memo_(memo) {
    const std::uint32_t empty = states_.number_of(node::MemoryState::empty(machine));
    if (memo_) {
      at_.assign(nodes, empty);
      after_ = at_;
    } else {
      own_.assign(nodes, states_[empty]);
      own_after_.resize(nodes);
    }
  }

  Cycles permute(const Operation& operation) override {
    Operation permutes = operation;
    permutes.work = Work::permute_bytes;
    return at_once(operation.node, [&] { return begin(permutes); });
  }
  Cycles copy(NodeId node, Bytes bytes) override {
    return whole(node, {1, bytes, 0, 0}, [&] { return node::copy_loop(machine_, bytes); });
  }
  /// The library's own work, like its paths: from an empty cache, and without a trace (N13.4).
  Cycles copy_out(NodeId /*node*/, Bytes bytes) override {
    const auto known = copies_.find(bytes);
    if (memo_ && known != copies_.end()) return known->second;
    node::MemoryState cold = states_[0];
    const Cycles cycles = machine_.from_core(runner_->run(node::copy_out_loop(machine_, bytes), cold).cycles);
    copies_[bytes] = cycles;
    return cycles;
  }
  Cycles combine(NodeId node, std::uint64_t items, Bytes bytes) override {
    return whole(node, {3, items, bytes, 0}, [&] { return combining(items, bytes); });
  }
  Cycles loop(NodeId node, const node::Loop& loop) override {
    refuse_to_wait(loop);
    return at_once(node, [&] { return run_own(node, loop); });
  }

  [[nodiscard]] std::optional<node::Loop> loop_of(const Operation& operation) const override {
    switch (operation.work) {
      case Work::permute_bytes:
        return operation.amount == 0 ? std::nullopt : std::optional(permuting(operation));
      case Work::copy_bytes:
        return node::copy_loop(machine_, operation.amount);
      case Work::combine_items:
        return combining(operation.amount, operation.arrived.bytes);
      case Work::loop:
        refuse_to_wait(stated(operation));
        return stated(operation);
      default:
        return std::nullopt;
    }
  }
  [[nodiscard]] Run begin(const Operation& operation) override {
    const Bytes amount = operation.amount;
    switch (operation.work) {
      case Work::permute_bytes:
        if (amount == 0) break;
        return run(operation.node, {0, amount, block_of(operation), columns_of(operation)},
                   [&] { return permuting(operation); });
      case Work::copy_bytes:
        return run(operation.node, {1, amount, 0, 0}, [&] { return node::copy_loop(machine_, amount); });
      case Work::combine_items:
        return run(operation.node, {3, amount, operation.arrived.bytes, 0},
                   [&] { return combining(amount, operation.arrived.bytes); });
      case Work::loop:
        refuse_to_wait(stated(operation));
        return run_own(operation.node, stated(operation));
      default:
        break;
    }
    // Blocks without bytes have no grid.
    keep_state(operation.node);
    return {};
  }
  void end(NodeId node) override {
    if (memo_) {
      at_[node] = after_[node];
    } else {
      own_[node] = std::move(own_after_[node]);
    }
  }
  [[nodiscard]] const node::MemoryState& state_of(NodeId node) const override {
    return memo_ ? states_[at_[node]] : own_[node];
  }
  void leave(NodeId node, node::MemoryState&& state) override {
    if (memo_) {
      at_[node] = states_.number_of(std::move(state));
    } else {
      own_[node] = std::move(state);
    }
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
  [[nodiscard]] NodeLoops* loops() override { return this; }

 private:
  // A program that names no blocks permutes one.
  [[nodiscard]] static Bytes block_of(const Operation& operation) {
    const Bytes bytes = operation.amount;
    const Bytes block = operation.matrix.block_bytes;
    return block == 0 || bytes % block != 0 ? bytes : block;
  }
  [[nodiscard]] static std::uint64_t columns_of(const Operation& operation) {
    const std::uint64_t blocks = operation.amount / block_of(operation);
    const std::uint32_t columns = operation.matrix.columns;
    return columns == 0 || blocks % columns != 0 ? 1 : columns;
  }
  [[nodiscard]] node::Loop permuting(const Operation& operation) const {
    const Bytes block = block_of(operation);
    const std::uint64_t columns = columns_of(operation);
    return node::permute_loop(machine_,
                              {.block_bytes = block, .rows = operation.amount / block / columns, .columns = columns});
  }
  [[nodiscard]] node::Loop combining(std::uint64_t items, Bytes bytes) const {
    return node::combine_loop(machine_, items, static_cast<std::uint32_t>(items == 0 ? 0 : bytes / items));
  }
  [[nodiscard]] static const node::Loop& stated(const Operation& operation) { return *operation.loop; }
  /// A word would never come: words arrive only while the library's loops run.
  static void refuse_to_wait(const node::Loop& loop) {
    for (const auto* const part : {&loop.before_block, &loop.element, &loop.rest}) {
      for (const node::BodyOp& body : *part) {
        if (body.op.kind != node::OpKind::get) continue;
        throw node::LoopFault("loop '" + loop.name + "' waits for a word, and none arrives for a program's own loop", 0,
                              0);
      }
    }
  }

  void keep_state(NodeId node) {
    if (memo_) {
      after_[node] = at_[node];
    } else {
      own_after_[node] = own_[node];
    }
  }
  Run run_from(const node::Loop& loop, node::MemoryState& state) {
    try {
      return run_of(machine_, runner_->run(loop, state));
    } catch (const node::LoopFault& fault) {
      return faulted_run(machine_, loop.name, fault);
    }
  }
  Run run_own(NodeId node, const node::Loop& loop) {
    node::MemoryState state = state_of(node);
    Run result = run_from(loop, state);
    if (memo_) {
      after_[node] = states_.number_of(std::move(state));
    } else {
      own_after_[node] = std::move(state);
    }
    return result;
  }
  template <class Make>
  Run run(NodeId node, const LoopKey& key, const Make& make) {
    if (!memo_) return run_own(node, make());
    const std::pair begins{at_[node], key};
    auto known = results_.find(begins);
    if (known == results_.end()) {
      node::MemoryState state = states_[at_[node]];
      Run result = run_from(make(), state);
      known = results_.emplace(begins, Result{std::move(result), states_.number_of(std::move(state))}).first;
    }
    after_[node] = known->second.next;
    return known->second.run;
  }
  /// A loop that is over when it has begun.
  template <class Begin>
  Cycles at_once(NodeId node, const Begin& begin) {
    const Run result = begin();
    if (result.fault != nullptr) std::rethrow_exception(result.fault);
    end(node);
    times_ = result.times;
    return result.cycles;
  }
  template <class Make>
  Cycles whole(NodeId node, const LoopKey& key, const Make& make) {
    return at_once(node, [&] { return run(node, key, make); });
  }

  struct Result {
    Run run;
    std::uint32_t next = 0;
  };
  Machine machine_;
  std::unique_ptr<node::LoopRunner> runner_;
  bool memo_;
  States states_;                             ///< the first is that at the start of a run
  std::vector<std::uint32_t> at_;             ///< [node] number of its state, with memo
  std::vector<std::uint32_t> after_;          ///< [node] the same at the end of the loop that began last
  std::vector<node::MemoryState> own_;        ///< [node] without memo
  std::vector<node::MemoryState> own_after_;  ///< [node]
  std::map<std::pair<std::uint32_t, LoopKey>, Result> results_;
  std::map<Bytes, Cycles> copies_;  ///< out of the system buffer, by length
  node::LoopTimes times_;           ///< of the last loop
};

}  // namespace

MakeLoopRunner run_by_model() {
  return [](const Machine& machine, std::uint64_t seed) -> std::unique_ptr<node::LoopRunner> {
    return std::make_unique<node::MemorySystem>(machine, seed);
  };
}

NodeLoops::Run run_of(const Machine& machine, const node::LoopFigures& figures) {
  const Cycles cycles = machine.from_core(figures.cycles);
  return {.cycles = cycles, .times = figures.times.scaled_to(cycles), .fault = nullptr};
}

NodeLoops::Run faulted_run(const Machine& machine, const std::string& loop, const node::LoopFault& fault) {
  // Until the cycle of the fault is over.
  return {.cycles = machine.from_core(fault.at_cycle + 1),
          .times = {},
          .fault = std::make_exception_ptr(fault_of(loop, fault))};
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
