// SPDX-License-Identifier: Apache-2.0
// The memory system in SystemC: the hand-worked streams, and cycle for cycle what models/node works out.
#include <gtest/gtest.h>

#include <algorithm>
#include <systemc>

#include "hw/clocked/memory/node_memory.h"
#include "models/machine/random.h"
#include "models/node/loops.h"
#include "models/presets/presets.h"
#include "tests/models/node/stream_file.h"

namespace ecube {
namespace {

using clocked::NodeMemory;
using node::LoopFault;
using node::MemoryState;
using node::MemorySystem;

/// A node's memory on a clock.
struct Bench {
  explicit Bench(const Machine& machine) : memory("memory", machine, 1) {
    memory.clk_i(clk);
    memory.master_o(shows[0]);
    memory.cache_o(shows[1]);
    memory.fifo_o(shows[2]);
    memory.operations_o(shows[3]);
  }
  sc_core::sc_signal<bool> clk{"clk"};
  sc_core::sc_vector<sc_core::sc_signal<unsigned>> shows{"shows", 4};
  NodeMemory memory;
};

struct Outcome {
  std::vector<Cycles> issued;
  Cycles end = 0;
  node::LoopTimes times;
  std::optional<std::pair<Cycles, node::Address>> fault;
  MemoryState state;

  friend bool operator==(const Outcome& a, const Outcome& b) {
    if (a.fault || b.fault) return a.fault == b.fault;
    return a.issued == b.issued && a.end == b.end && a.state == b.state;
  }
};

template <class System>
Outcome outcome_of(System& system, const test::HandWorked& stream) {
  Outcome outcome;
  outcome.state = stream.state;
  try {
    const node::LoopFigures figures =
        system.run(stream.operations, stream.received, outcome.state, stream.traffic, &outcome.issued);
    outcome.end = figures.cycles;
    outcome.times = figures.times;
  } catch (const LoopFault& fault) {
    outcome.fault = {fault.at_cycle, fault.address};
  }
  return outcome;
}

TEST(ClockedMemory, TakesTheCyclesOfTheHandWorkedStreams) {
  const auto streams = test::StreamFile::read(ECUBE_STREAMS);
  ASSERT_GE(streams.size(), 30U);
  Bench bench(streams.front().machine);
  for (const test::HandWorked& stream : streams) {
    bench.memory.configure(stream.machine, 1);
    const Outcome outcome = outcome_of(bench.memory, stream);
    EXPECT_EQ(outcome.fault, stream.fault) << stream.name;
    if (stream.fault) continue;
    EXPECT_EQ(outcome.issued, stream.issued) << stream.name;
    EXPECT_EQ(outcome.end, stream.end) << stream.name;
  }
}

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

Machine random_machine(Random& random) {
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

test::HandWorked random_stream(std::uint64_t seed) {
  Random random(seed);
  test::HandWorked stream;
  stream.machine = random_machine(random);
  stream.state = MemoryState::empty(stream.machine);
  const node::Address uncached = random.one_in(2) ? 0x1800 : 0x10000;
  if (random.one_in(3)) {
    stream.traffic.dma.push_back({.first = random.upto(40),
                                  .pace = 1 + random.upto(30),
                                  .words = random.upto(20),
                                  .address = 0x1000 + 8 * random.upto(50),
                                  .writes = random.one_in(3)});
  }
  if (random.one_in(4)) stream.traffic.dma.push_back({.first = 5, .pace = 9, .words = 6, .address = 0x4000});
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
  return stream;
}

TEST(ClockedMemory, GivesTheCyclesAndTheStateOfTheModelForRandomOperations) {
  Bench bench(Machine{});
  std::uint64_t faults = 0;
  constexpr std::uint64_t streams = 20'000;
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    MemorySystem system(stream.machine, 1);
    bench.memory.configure(stream.machine, 1);
    const Outcome model = outcome_of(system, stream);
    const Outcome clocked = outcome_of(bench.memory, stream);
    if (model.fault) ++faults;
    ASSERT_EQ(model.fault, clocked.fault) << "seed " << seed;
    if (model.fault) continue;
    const auto [one, other] =
        std::mismatch(model.issued.begin(), model.issued.end(), clocked.issued.begin(), clocked.issued.end());
    const auto place = static_cast<std::size_t>(one - model.issued.begin());
    ASSERT_TRUE(one == model.issued.end() && other == clocked.issued.end())
        << "seed " << seed << ": operation " << place << ", of kind "
        << static_cast<int>(stream.operations.at(place).kind) << ", issues at " << *one << " or " << *other;
    ASSERT_EQ(model.end, clocked.end) << "seed " << seed;
    ASSERT_TRUE(model.state == clocked.state) << "seed " << seed;
    ASSERT_EQ(model.times.cycles, clocked.times.cycles) << "seed " << seed;
    ASSERT_EQ(model.times.total(), model.end) << "seed " << seed;
  }
  EXPECT_GT(faults, streams / 100);
  EXPECT_LT(faults, streams / 2);
}

/// Times that add up to the same number and are for something else are noticed: those of a DRAM that is slower to open
/// a page and faster to transfer.
TEST(ClockedMemory, SpendsItsCyclesOnWhatTheModelSpendsThem) {
  Bench bench(Machine{});
  std::uint64_t other_times = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    Machine other = stream.machine;
    ++other.memory.page_miss_cycles;
    MemorySystem system(other, 1);
    bench.memory.configure(stream.machine, 1);
    const Outcome model = outcome_of(system, stream);
    const Outcome clocked = outcome_of(bench.memory, stream);
    if (!model.fault && !clocked.fault && model.times != clocked.times) ++other_times;
  }
  EXPECT_GT(other_times, 50U);
}

/// The comparison notices a part that breaks a rule: a write buffer less, in one of the two.
TEST(ClockedMemory, DiffersFromAModelWithAnotherNumberOfWriteBuffers) {
  Bench bench(Machine{});
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    Machine other = stream.machine;
    ++other.detailed.write_buffers;
    MemorySystem system(other, 1);
    bench.memory.configure(stream.machine, 1);
    if (!(outcome_of(system, stream) == outcome_of(bench.memory, stream))) ++noticed;
  }
  EXPECT_GT(noticed, 20U);
}

std::vector<Machine> machines() {
  Machine byte_loop = resolve(preset_settings(preset("ipsc860-node")));
  std::vector<Machine> all{byte_loop};
  byte_loop.detailed.loops.variables = Variables::registers;
  all.push_back(byte_loop);
  byte_loop.core.loops = Loops::tuned;
  all.push_back(byte_loop);
  byte_loop.detailed.loops.loads = LoopLoads::pipelined;
  byte_loop.detailed.cache.allocate = Allocate::write;
  all.push_back(byte_loop);
  byte_loop.detailed.coherence = Coherence::snoop;
  byte_loop.detailed.layout.padding = 4;
  all.push_back(byte_loop);
  return all;
}

std::vector<node::Loop> loops(const Machine& machine) {
  return {node::permute_loop(machine, {.block_bytes = 24, .rows = 4, .columns = 8}),
          node::copy_loop(machine, 1000),
          node::copy_out_loop(machine, 333),
          node::combine_loop(machine, 100, 4),
          node::combine_loop(machine, 33, 8),
          node::pack_loop(machine, 16, 4096, 12),
          node::path_loop(1000, 5, 32),
          node::send_loop(machine, 256)};
}

TEST(ClockedMemory, RunsTheLoopsOfTheLibraryInTheCyclesOfTheModel) {
  Bench bench(Machine{});
  for (const Machine& machine : machines()) {
    MemorySystem system(machine, 7);
    bench.memory.configure(machine, 7);
    MemoryState of_model = MemoryState::empty(machine);
    MemoryState of_clocked = of_model;
    for (const node::Loop& loop : loops(machine)) {
      EXPECT_EQ(system.run(loop, of_model).cycles, bench.memory.run(loop, of_clocked).cycles) << loop.name;
      EXPECT_TRUE(of_model == of_clocked) << loop.name;
    }
  }
}

TEST(ClockedMemory, RunsOnAClockWhatItRunsAtOnce) {
  const Machine machine = machines().front();
  Bench bench(machine);
  sc_core::sc_clock clock("clock", 25, sc_core::SC_NS);
  // The bench's signal follows the clock.
  struct Follow : sc_core::sc_module {
    sc_core::sc_in<bool> from{"from"};
    sc_core::sc_out<bool> to{"to"};
    explicit Follow(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
      SC_HAS_PROCESS(Follow);
      SC_METHOD(copy);
      sensitive << from;
    }
    void copy() { to.write(from.read()); }
  } follow("follow");
  follow.from(clock);
  follow.to(bench.clk);
  const node::Loop loop = node::permute_loop(machine, {.block_bytes = 24, .rows = 4, .columns = 8});
  bench.memory.begin(loop, MemoryState::empty(machine));
  sc_core::sc_start(1, sc_core::SC_MS);
  MemoryState state = MemoryState::empty(machine);
  const Cycles clocked = bench.memory.result(state).cycles;
  MemorySystem system(machine, 1);
  MemoryState of_model = MemoryState::empty(machine);
  EXPECT_EQ(clocked, system.run(loop, of_model).cycles);
  EXPECT_TRUE(state == of_model);
  EXPECT_EQ(bench.shows[3].read(), 4U * 8U * (24 * 12 + 4) + 24) << "24 lines are flushed first";
}

}  // namespace
}  // namespace ecube
