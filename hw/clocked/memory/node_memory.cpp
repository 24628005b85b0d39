// SPDX-License-Identifier: Apache-2.0
// The parts of a detailed node, connected and clocked.
#include "hw/clocked/memory/node_memory.h"

#include <utility>

namespace ecube::clocked {

NodeMemory::NodeMemory(const sc_core::sc_module_name& name, const Machine& machine, std::uint64_t seed)
    : sc_core::sc_module(name), machine_(machine), seed_(seed) {
  cache_.tlb(tlb_);
  cache_.buffers(buffers_);
  cache_.bus(bus_);
  cache_.fifo(fifo_);
  cache_.scoreboard(core_);
  bus_.buffers(buffers_);
  bus_.dma(dma_);
  bus_.readers(cache_);
  bus_.cache(cache_);
  core_.cache(cache_);
  core_.bus(bus_);
  core_.fifo(fifo_);
  core_.buffers(buffers_);
  SC_HAS_PROCESS(NodeMemory);
  SC_METHOD(on_rising);
  sensitive << clk_i.pos();
  dont_initialize();
  SC_METHOD(on_falling);
  sensitive << clk_i.neg();
  dont_initialize();
}

void NodeMemory::prepare(const node::Loop& loop, const node::MemoryState& state, const node::Traffic& traffic,
                         LoopCore::Source source, std::vector<Cycles>* issued) {
  tlb_.reset(machine_, seed_, loop.number, state);
  buffers_.reset(machine_);
  cache_.reset(machine_, seed_, loop, state);
  bus_.reset(machine_, state.open_page);
  fifo_.reset(machine_, traffic);
  dma_.reset(machine_, traffic.dma);
  core_.reset(std::move(source), issued);
  now_ = 0;
  buffers_full_ = false;
  times_ = {};
}

void NodeMemory::rising_edge(Cycles now) {
  bus_.rising_edge(now);
  fifo_.link_takes(now);
  if (now > 0) count_cycle();
}

bool NodeMemory::falling_edge(Cycles now) {
  const bool ended = core_.falling_edge(now);
  buffers_full_ = cache_.waits_for_buffer();
  return ended;
}

void NodeMemory::count_cycle() {
  using enum node::LoopTime;
  const auto waits_for = [this] {
    switch (bus_.read_cycle()) {
      case Bus::ReadCycle::transfer:
        return load_miss;
      case Bus::ReadCycle::page:
        return page_miss;
      case Bus::ReadCycle::waits:
        return bus;
      case Bus::ReadCycle::none:
        break;
    }
    return buffers_full_ ? bus : operand;
  };
  switch (core_.activity()) {
    case LoopCore::Activity::issues:
      ++times_[issue];
      break;
    case LoopCore::Activity::waits:
      ++times_[waits_for()];
      break;
    case LoopCore::Activity::waits_for_fifo:
      ++times_[fifo];
      break;
    case LoopCore::Activity::has_done:
      ++times_[drain];
  }
}

node::LoopFigures NodeMemory::finish(node::MemoryState& state) const {
  state.cache = cache_.contents();
  state.tlb = tlb_.contents();
  state.open_page = bus_.open_page();
  node::LoopFigures figures = cache_.figures();
  figures.cycles = now_;
  figures.operations = core_.operations();
  figures.tlb_misses = tlb_.misses();
  figures.times = times_;
  return figures;
}

node::LoopFigures NodeMemory::run_prepared(node::MemoryState& state) {
  for (;; ++now_) {
    rising_edge(now_);
    if (falling_edge(now_)) return finish(state);
  }
}

node::LoopFigures NodeMemory::run(const node::Loop& loop, node::MemoryState& state) {
  node::LoopCursor cursor(loop, machine_.detailed.coherence == Coherence::flush, machine_.memory.line_bytes);
  prepare(
      loop, state, {}, [&cursor](node::Op& op) { return cursor.next(op); }, nullptr);
  return run_prepared(state);
}

node::LoopFigures NodeMemory::run(const std::vector<node::Op>& operations, const std::vector<node::Stream>& received,
                                  node::MemoryState& state, const node::Traffic& traffic, std::vector<Cycles>* issued) {
  node::Loop loop;
  loop.streams = received;
  std::size_t place = 0;
  const auto source = [&operations, &place](node::Op& op) {
    if (place == operations.size()) return false;
    op = operations[place++];
    return true;
  };
  prepare(loop, state, traffic, source, issued);
  return run_prepared(state);
}

void NodeMemory::begin(const node::Loop& loop, const node::MemoryState& state) {
  cursor_ = std::make_unique<node::LoopCursor>(loop, machine_.detailed.coherence == Coherence::flush,
                                               machine_.memory.line_bytes);
  prepare(
      loop, state, {}, [this](node::Op& op) { return cursor_->next(op); }, nullptr);
  running_ = true;
  begun_ = false;
  fault_ = nullptr;
}

node::LoopFigures NodeMemory::result(node::MemoryState& state) const {
  if (fault_ != nullptr) std::rethrow_exception(fault_);
  return finish(state);
}

void NodeMemory::on_rising() {
  if (!running_) return;
  if (begun_) ++now_;
  begun_ = true;
  rising_edge(now_);
}

void NodeMemory::on_falling() {
  if (!running_ || !begun_) return;
  try {
    running_ = !falling_edge(now_);
  } catch (const std::exception&) {
    fault_ = std::current_exception();
    running_ = false;
  }
  master_o.write(bus_.master());
  cache_o.write(cache_.state());
  fifo_o.write(static_cast<unsigned>(fifo_.outgoing()));
  operations_o.write(static_cast<unsigned>(core_.operations()));
  if (!running_) done_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace ecube::clocked
