// SPDX-License-Identifier: Apache-2.0
// The memory system in SystemC: the hand-worked streams, and cycle for cycle what models/node works out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <systemc>

#include "hw/clocked/memory/node_memory.h"
#include "models/node/loops.h"
#include "models/presets/presets.h"
#include "tests/models/node/random_stream.h"

namespace ecube {
namespace {

using clocked::NodeMemory;
using node::MemoryState;
using node::MemorySystem;
using test::outcome_of;
using test::random_stream;
using Outcome = test::StreamOutcome;

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

TEST(ClockedMemory, RunsRandomStreamsAsTheTableForTestsWithoutSystemCSays) {
  Bench bench(Machine{});
  std::vector<std::string> rows{test::measured_streams_heading()};
  for (std::uint64_t seed = 1; seed <= test::measured_streams; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    bench.memory.configure(stream.machine, 1);
    rows.push_back(test::measured_row(seed, outcome_of(bench.memory, stream)));
  }
  if (std::getenv("ECUBE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(test::measured_streams_file());
    for (const std::string& row : rows) file << row << '\n';
  }
  std::ifstream file(test::measured_streams_file());
  for (const std::string& row : rows) {
    std::string written;
    std::getline(file, written);
    ASSERT_EQ(row, written);
  }
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
