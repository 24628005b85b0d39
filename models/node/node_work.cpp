// SPDX-License-Identifier: Apache-2.0
// Rates, and loops that are run.
#include "models/node/node_work.h"

#include <map>
#include <tuple>
#include <unordered_set>

#include "models/machine/random.h"
#include "models/node/loop.h"

namespace ecube {
namespace {

/// The key of a loop of the library: its kind and its lengths.
using LoopKey = std::tuple<Work, std::uint64_t, std::uint64_t, std::uint64_t>;

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

using State = std::shared_ptr<const node::MemoryState>;

/// States are found by their contents.
struct Contents {
  std::size_t operator()(const State& state) const { return hash_of(*state); }
  bool operator()(const State& a, const State& b) const { return *a == *b; }
};

class DetailedNodeWork final : public NodeWork, public NodeLoops {
 public:
  DetailedNodeWork(const Machine& machine, std::size_t nodes, std::uint64_t seed, bool memo, const MakeRunLoop& make)
      : NodeWork(machine),
        run_loop_(make(machine, seed)),
        memo_(memo),
        empty_(kept(node::MemoryState::empty(machine))),
        at_(nodes, empty_),
        after_(at_) {}

  /// The library's own work, like its paths: from an empty cache, and without a trace (N13.4).
  Cycles copy_out(NodeId /*node*/, Bytes bytes) override {
    const auto known = copies_.find(bytes);
    if (memo_ && known != copies_.end()) return known->second;
    return copies_[bytes] = from_empty(node::copy_out_loop(machine(), bytes));
  }
  Cycles combine(NodeId node, std::uint64_t items, Bytes bytes) override {
    return at_once(node, run(node, {Work::combine_items, items, bytes, 0}, [&] { return combining(items, bytes); }));
  }

  [[nodiscard]] std::optional<node::Loop> loop_of(const Operation& operation) const override {
    switch (operation.work) {
      case Work::permute_bytes:
        return operation.amount == 0 ? std::nullopt : std::optional(permuting(operation));
      case Work::copy_bytes:
        return node::copy_loop(machine(), operation.amount);
      case Work::combine_items:
        return combining(operation.amount, operation.arrived.bytes);
      case Work::loop:
        refuse_to_wait(*operation.loop);
        return *operation.loop;
      default:
        return std::nullopt;
    }
  }
  [[nodiscard]] Run begin(const Operation& operation) override {
    const bool permutes = operation.work == Work::permute_bytes;
    if (operation.work == Work::loop) return run_own(operation.node, *loop_of(operation));
    if (permutes && operation.amount == 0) {  // blocks without bytes have no grid
      after_[operation.node] = at_[operation.node];
      return {};
    }
    LoopKey key{operation.work, operation.amount, 0, 0};
    if (permutes) key = {operation.work, operation.amount, block_of(operation), columns_of(operation)};
    if (operation.work == Work::combine_items) std::get<2>(key) = operation.arrived.bytes;
    return run(operation.node, key, [&] { return *loop_of(operation); });
  }
  void end(NodeId node) override { at_[node] = after_[node]; }
  [[nodiscard]] const node::MemoryState& state_of(NodeId node) const override { return *at_[node]; }
  void leave(NodeId node, node::MemoryState&& state) override { at_[node] = kept(std::move(state)); }

  /// Every path begins with the library's data out of the cache: the loops between messages have replaced them.
  [[nodiscard]] Machine::PathLengths path_lengths() const override {
    const auto path = [this](Cycles cycles) {
      if (cycles == 0) return Cycles{0};
      return from_empty(node::path_loop(cycles, machine().detailed.library_lines, machine().memory.line_bytes));
    };
    return machine().path_lengths(path);
  }
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
    return node::permute_loop(machine(),
                              {.block_bytes = block, .rows = operation.amount / block / columns, .columns = columns});
  }
  [[nodiscard]] node::Loop combining(std::uint64_t items, Bytes bytes) const {
    return node::combine_loop(machine(), items, static_cast<std::uint32_t>(items == 0 ? 0 : bytes / items));
  }
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

  /// The state for the nodes that are in it: one for all of them where they share results.
  [[nodiscard]] State kept(node::MemoryState&& state) {
    State one = std::make_shared<const node::MemoryState>(std::move(state));
    return memo_ ? *states_.insert(std::move(one)).first : one;
  }
  [[nodiscard]] Cycles from_empty(const node::Loop& loop) const {
    node::MemoryState state = *empty_;
    return machine().from_core(run_loop_(loop, state).cycles);
  }
  Run run_own(NodeId node, const node::Loop& loop) {
    node::MemoryState state = *at_[node];
    Run result;
    try {
      result = run_of(machine(), run_loop_(loop, state));
    } catch (const node::LoopFault& fault) {
      result = faulted_run(machine(), loop.name, fault);
    }
    after_[node] = kept(std::move(state));
    return result;
  }
  Run run(NodeId node, const LoopKey& key, const auto& make) {
    if (!memo_) return run_own(node, make());
    const std::pair begins{at_[node], key};
    auto known = results_.find(begins);
    if (known == results_.end()) {
      Run result = run_own(node, make());
      known = results_.emplace(begins, Result{std::move(result), after_[node]}).first;
    }
    after_[node] = known->second.next;
    return known->second.run;
  }
  Cycles of_loop(const Operation& computation) override { return at_once(computation.node, begin(computation)); }
  /// The loop that has begun is over at once.
  Cycles at_once(NodeId node, const Run& result) {
    if (result.fault != nullptr) std::rethrow_exception(result.fault);
    end(node);
    return result.cycles;
  }

  struct Result {
    Run run;
    State next;
  };
  RunLoop run_loop_;
  bool memo_;
  std::unordered_set<State, Contents, Contents> states_;
  State empty_;               ///< at the start of a run
  std::vector<State> at_;     ///< [node]
  std::vector<State> after_;  ///< [node] at the end of the loop that began last
  std::map<std::pair<State, LoopKey>, Result> results_;
  std::map<Bytes, Cycles> copies_;  ///< out of the system buffer, by length
};

}  // namespace

Cycles NodeWork::of_loop(const Operation& computation) {
  if (computation.work == Work::permute_bytes) return machine_.permute_cycles(computation.amount);
  if (computation.work == Work::copy_bytes) return machine_.copy_cycles(computation.amount);
  if (computation.work == Work::combine_items) {
    return machine_.combine_cycles(computation.amount, computation.arrived.bytes);
  }
  throw std::invalid_argument("loop '" + computation.loop->name + "' needs a detailed node (node.model = detailed)");
}

Cycles NodeWork::cycles(const Operation& computation) {
  if (computation.work == Work::calls) return machine_.call_cycles(computation.amount, computation.call_bytes);
  return is_loop(computation.work) ? of_loop(computation) : computation.amount;
}

MakeRunLoop run_by_model() {
  return [](const Machine& machine, std::uint64_t seed) -> RunLoop {
    return [system = std::make_shared<node::MemorySystem>(machine, seed)](
               const node::Loop& loop, node::MemoryState& state) { return system->run(loop, state); };
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
                                         const MakeRunLoop& make) {
  if (machine.node.model == NodeModel::rates) return std::make_unique<NodeWork>(machine);
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
