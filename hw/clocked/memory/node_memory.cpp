// SPDX-License-Identifier: Apache-2.0
// The parts of a detailed node, connected and clocked.
#include "hw/clocked/memory/node_memory.h"

#include <utility>

#include "models/node/node_work.h"

namespace ecube::clocked {

NodeMemory::NodeMemory(const sc_core::sc_module_name& name, unsigned ports)
    : sc_core::sc_module(name),
      leaving_i("leaving_i", ports),
      arriving_i("arriving_i", ports),
      leaving_(ports),
      arriving_(ports) {
  SC_HAS_PROCESS(NodeMemory);
  SC_METHOD(drive_pins);
  sensitive << shows_;
  dont_initialize();
}

void NodeMemory::configure(const Machine& machine, std::uint64_t seed) {
  machine_ = machine;
  seed_ = seed;
  shares_ = messages_share_bus(machine);
  fault_ = nullptr;
  cursor_.reset();
  leaving_.assign(leaving_.size(), 0);
  arriving_.assign(arriving_.size(), 0);
  words_.clear();
  arrived_.clear();
  looked_at_ = not_yet;
  show();
}

/// Adds the words of memory that are moved by the phit on a wire, the next behind `phits` others of its message.
void NodeMemory::see(const Wire& wire, std::uint64_t& phits, bool writes,
                     std::vector<node::Traffic::Word>& words) const {
  const bool tail = wire.kind == WireKind::tail;
  if (!tail && wire.kind != WireKind::phit) return;
  const auto [first, last] = words_of_phit(machine_, phits, tail ? phits + 1 : never);
  for (std::uint64_t word = first; word < last; ++word) {
    words.push_back({.address = machine_.detailed.layout.system + word * machine_.memory.bus_bytes, .writes = writes});
  }
  phits = tail ? 0 : phits + 1;
}

void NodeMemory::look() {
  const Cycles now = edge_i.read();
  if (!shares_ || looked_at_ == now) return;
  words_.clear();
  for (std::size_t p = 0; p < leaving_.size(); ++p) see(leaving_i[p].read(), leaving_[p], false, words_);
  if (looked_at_ + 1 == now) words_.insert(words_.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
  for (std::size_t p = 0; p < arriving_.size(); ++p) see(arriving_i[p].read(), arriving_[p], true, arrived_);
  looked_at_ = now;
}

/// The words of the cycle before ask for the bus: it was cycle `cycle` of the computation.
void NodeMemory::take_words(Cycles cycle) {
  for (node::Traffic::Word word : words_) {
    word.asks = machine_.to_core(cycle);
    dma_.add(word);
  }
  words_.clear();
}

void NodeMemory::prepare(const node::Loop& loop, const node::MemoryState& state, const node::Traffic& traffic,
                         std::vector<Cycles>* issued) {
  cursor_ = std::make_unique<node::LoopCursor>(loop, machine_.detailed.coherence == Coherence::flush,
                                               machine_.memory.line_bytes);
  tlb_.reset(machine_, seed_, loop.number, state);
  buffers_.reset(machine_);
  cache_.reset(machine_, seed_, loop, state);
  bus_.reset(machine_, state.open_page);
  fifo_.reset(machine_, traffic);
  dma_.reset(traffic);
  core_.reset(*cursor_, issued);
  now_ = 0;
  buffers_full_ = false;
  times_ = {};
}

bool NodeMemory::ends() {
  bus_.rising_edge(now_);
  fifo_.link_takes(now_);
  if (now_ > 0) count_cycle();
  return core_.ends(now_);
}

void NodeMemory::end_cycle() {
  core_.go_on(now_);
  buffers_full_ = cache_.waits_for_buffer();
  ++now_;
}

void NodeMemory::count_cycle() {
  using enum node::LoopTime;
  switch (core_.activity()) {
    case LoopCore::Activity::issues:
      ++times_[issue];
      break;
    case LoopCore::Activity::waits:
      ++times_[bus_.read_time().value_or(buffers_full_ ? bus : operand)];
      break;
    case LoopCore::Activity::waits_for_fifo:
      ++times_[fifo];
      break;
    case LoopCore::Activity::drains:
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

node::LoopFigures NodeMemory::run(const node::Loop& loop, node::MemoryState& state, const node::Traffic& traffic,
                                  std::vector<Cycles>* issued) {
  prepare(loop, state, traffic, issued);
  while (!ends()) end_cycle();
  cursor_.reset();
  return finish(state);
}

bool NodeMemory::begin(const node::Loop& loop, const node::MemoryState& state) {
  loop_ = loop;
  prepare(loop_, state, {}, nullptr);
  fault_ = nullptr;
  had_ = 0;
  const bool ended = ends();
  show();
  return ended;
}

bool NodeMemory::go_on(Cycles cycles) {
  if (clk_i.posedge()) look();
  if (cycles > had_) take_words(cycles - 1);
  had_ = cycles;
  bool ended = false;
  while (!ended && machine_.from_core(now_ + 1) <= cycles) {
    // A fault ends the run when its cycle is over, like one of an operation that issues.
    if (fault_ != nullptr) std::rethrow_exception(std::exchange(fault_, nullptr));
    end_cycle();
    try {
      ended = ends();
    } catch (const node::LoopFault&) {
      fault_ = std::current_exception();
    }
  }
  show();
  return ended;
}

node::LoopFigures NodeMemory::end(node::MemoryState& state) {
  node::LoopFigures figures = finish(state);
  cursor_.reset();
  show();
  return figures;
}

/// The pins after cycle now_ - 1 of the loop.
void NodeMemory::show() {
  if (cursor_ == nullptr) {
    shown_ = {};
  } else {
    shown_ = {.core = static_cast<std::uint8_t>(1 + static_cast<unsigned>(core_.activity())),
              .cache = cache_.activity(),
              .bus = now_ > 0 ? bus_.activity(now_ - 1) : std::uint8_t{0},
              .writes = static_cast<std::uint8_t>(buffers_.taken()),
              .fifo = static_cast<std::uint8_t>(fifo_.outgoing()),
              .dma = static_cast<std::uint8_t>(dma_.waiting()),
              .operations = static_cast<std::uint32_t>(core_.operations())};
  }
  shows_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace ecube::clocked
