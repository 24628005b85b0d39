// SPDX-License-Identifier: Apache-2.0
// Random machines with random operations on their memory, and what became of them on the model or in SystemC.
#pragma once

#include "models/machine/random.h"
#include "tests/models/node/stream_file.h"
#include "tests/test.h"

namespace ecube::test {

/// Random machines, states, traffic and operations.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t upto(std::uint64_t limit) { return up_to(draw(seed_, 0, count_++), limit); }
  bool one_in(std::uint64_t n) { return upto(n - 1) == 0; }
  template <class T>
  T among(std::initializer_list<T> values) {
    return *(values.begin() + upto(values.size() - 1));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

inline Machine random_machine(Random& random) {
  Machine machine;
  machine.node.model = NodeModel::detailed;
  machine.memory.bus_bytes = random.among({4U, 8U});
  machine.memory.transfer_cycles = 1 + random.upto(3);
  machine.memory.page_miss_cycles = random.upto(9);
  machine.memory.line_bytes = random.among({16U, 32U});
  if (random.one_in(3)) machine.core.clock_hz = 100e6;
  DetailedNode& node = machine.detailed;
  node.cache.bytes = random.among({256U, 1024U});
  node.cache.ways = random.among({1U, 2U, 4U});
  node.cache.allocate = random.among({Allocate::read, Allocate::write});
  if (node.cache.allocate == Allocate::read) node.cache.write = random.among({WritePolicy::back, WritePolicy::through});
  node.cache.replacement = random.among({Replacement::random, Replacement::lru});
  node.tlb.entries = random.among({0U, 2U, 8U});
  node.tlb.ways = random.among({1U, 2U});
  node.tlb.page_bytes = 256;
  node.write_buffers = static_cast<std::uint32_t>(1 + random.upto(3));
  node.dram_page_bytes = random.among({256U, 1024U});
  node.fifo_bytes = machine.memory.bus_bytes * static_cast<std::uint32_t>(1 + random.upto(3));
  node.coherence = random.among({Coherence::uncached, Coherence::flush, Coherence::snoop});
  return machine;
}

inline HandWorked random_stream(std::uint64_t seed) {
  Random random(seed);
  HandWorked stream;
  stream.machine = random_machine(random);
  stream.state = node::MemoryState::empty(stream.machine);
  const node::Address uncached = random.one_in(2) ? 0x1800 : 0x10000;
  if (random.one_in(3)) {
    node::Traffic::Word word{.asks = random.upto(40)};
    const Cycles pace = 1 + random.upto(30);
    const std::uint64_t words = random.upto(20);
    word.address = 0x1000 + 8 * random.upto(50);
    word.writes = random.one_in(3);
    add_dma(stream.traffic, stream.machine, word, pace, words);
  }
  if (random.one_in(4)) add_dma(stream.traffic, stream.machine, {.asks = 5, .address = 0x4000}, 9, 6);
  stream.traffic.out_pace = 1 + random.upto(30);
  stream.traffic.in_first = random.upto(30);
  stream.traffic.in_pace = 5 + random.upto(200);
  stream.traffic.in_words = random.one_in(2) ? 0 : random.upto(5);
  std::uint64_t gets = stream.traffic.in_words;
  const std::uint64_t length = 1 + random.upto(60);
  for (std::uint64_t i = 0; i < length; ++i) {
    node::Op op;
    using enum node::OpKind;
    op.kind =
        random.among({integer, floating, load, load, pipelined_load, pipelined_load, store, store, flush, put, get});
    if (op.kind == get && gets == 0) op.kind = integer;
    if (op.kind == get) --gets;
    op.cycles = static_cast<std::uint8_t>(1 + random.upto(4));
    op.dual = random.one_in(2);
    op.target = static_cast<node::Register>(random.upto(7));
    op.first = static_cast<node::Register>(random.one_in(3) ? random.upto(7) : 0);
    op.second = static_cast<node::Register>(random.one_in(3) ? random.upto(7) : 0);
    op.address = 0x1000 + 4 * random.upto(random.one_in(2) ? 100 : 1000);
    op.uncached = op.address >= uncached;
    stream.operations.push_back(op);
  }
  if (random.one_in(4)) {
    // Words of messages, some of them at the same cycle.
    Cycles at = random.upto(30);
    for (std::uint64_t words = random.upto(30); words > 0; --words) {
      node::Traffic::Word word{.asks = at, .address = 0x1000 + 8 * random.upto(200)};
      word.writes = random.one_in(8);
      add_dma(stream.traffic, stream.machine, word, 0, 1);
      if (!random.one_in(3)) at += random.upto(20);
    }
  }
  return stream;
}

struct StreamOutcome {
  std::vector<Cycles> issued;
  Cycles end = 0;
  node::LoopTimes times;
  std::optional<std::pair<Cycles, node::Address>> fault;
  node::MemoryState state;

  friend bool operator==(const StreamOutcome& a, const StreamOutcome& b) {
    if (a.fault || b.fault) return a.fault == b.fault;
    return a.issued == b.issued && a.end == b.end && a.state == b.state;
  }
};

/// On the model, or in SystemC.
template <class System>
StreamOutcome outcome_of(System&& system, const HandWorked& stream) {
  StreamOutcome outcome;
  outcome.state = stream.state;
  try {
    const node::LoopFigures figures = system.run(loop_of(stream.machine, stream.operations, stream.received),
                                                 outcome.state, stream.traffic, &outcome.issued);
    outcome.end = figures.cycles;
    outcome.times = figures.times;
  } catch (const node::LoopFault& fault) {
    outcome.fault = {fault.at_cycle, fault.address};
  }
  return outcome;
}

/// All streams of the file, each as it was worked out by hand. `system_of` gives the memory of a stream's machine.
template <class SystemOf>
void expect_hand_worked(const SystemOf& system_of) {
  const std::vector<HandWorked> streams = hand_worked();
  ASSERT_GE(streams.size(), 30U);
  for (const HandWorked& stream : streams) {
    const StreamOutcome outcome = outcome_of(system_of(stream.machine), stream);
    EXPECT_EQ(outcome.fault, stream.fault) << stream.name;
    if (stream.fault) continue;
    EXPECT_EQ(outcome.issued, stream.issued) << stream.name;
    EXPECT_EQ(outcome.end, stream.end) << stream.name;
  }
}

/// A table with a row for each of the streams of random_stream(1), random_stream(2) and so on, as the SystemC modules
/// ran them. tests/hw writes it and compares; tests/models, which have no SystemC, read it.
inline constexpr std::uint64_t measured_streams = 400;
inline std::string measured_streams_file() { return in_tree("tests/models/node/measured_streams.csv"); }
inline const char* measured_streams_heading() {
  return "seed;end, or the cycle and address of a fault;times;valid lines, dirty ones, sum of place x number of lines "
         "and pages, of place x age;cycles of issue";
}

/// One row.
inline std::string measured_row(std::uint64_t seed, const StreamOutcome& outcome) {
  std::ostringstream row;
  row << seed << ';';
  if (outcome.fault) {
    row << outcome.fault->first << ' ' << outcome.fault->second << ";;;";
    return row.str();
  }
  row << outcome.end << ';';
  const char* between = "";
  for (const Cycles each : outcome.times.cycles) row << std::exchange(between, " ") << each;
  std::uint64_t valid = 0;
  std::uint64_t dirty = 0;
  std::uint64_t numbers = 0;
  std::uint64_t ages = 0;
  std::uint64_t place = 0;
  for (const auto* const table : {&outcome.state.cache, &outcome.state.tlb})
    for (const node::MemoryState::Line& line : *table) {
      ++place;
      ages += place * line.age;
      if (!line.valid) continue;
      ++valid;
      dirty += line.dirty ? 1 : 0;
      numbers += place * line.number;
    }
  row << ';' << valid << ' ' << dirty << ' ' << numbers << ' ' << ages << ';';
  between = "";
  for (const Cycles each : outcome.issued) row << std::exchange(between, " ") << each;
  return row.str();
}

}  // namespace ecube::test
