// SPDX-License-Identifier: Apache-2.0
// The memory system in SystemC: the hand-worked streams, and cycle for cycle what models/node works out.
#include <systemc>

#include "hw/clocked/memory/node_memory.h"
#include "models/node/loop.h"
#include "tests/golden.h"
#include "tests/machines.h"
#include "tests/models/node/random_stream.h"
#include "tests/test.h"

namespace ecube::clocked_memory_test {
namespace {

using clocked::NodeMemory;
using node::MemoryState;
using node::MemorySystem;
using test::outcome_of;
using test::random_stream;
using Outcome = test::StreamOutcome;

/// A node's memory with its pins.
struct Bench {
  Bench() : memory("memory", 0) {
    memory.clk_i(clk);
    memory.edge_i(edge);
    memory.activity_o(activity);
  }
  NodeMemory& configured(const Machine& machine, std::uint64_t seed = 1) {
    memory.configure(machine, seed);
    return memory;
  }
  sc_core::sc_signal<bool> clk{"clk"};
  sc_core::sc_signal<Cycles> edge{"edge"};
  sc_core::sc_signal<clocked::MemoryActivity> activity{"activity"};
  NodeMemory memory;
};

TEST(ClockedMemory, TakesTheCyclesOfTheHandWorkedStreams) {
  Bench bench;
  test::expect_hand_worked([&bench](const Machine& machine) -> NodeMemory& { return bench.configured(machine); });
}

TEST(ClockedMemory, RunsRandomStreamsAsTheTableForTestsWithoutSystemCSays) {
  Bench bench;
  std::string table = std::string(test::measured_streams_heading()) + "\n";
  for (std::uint64_t seed = 1; seed <= test::measured_streams; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    table += test::measured_row(seed, outcome_of(bench.configured(stream.machine), stream)) + "\n";
  }
  expect_golden(test::measured_streams_file(), table);
}

TEST(ClockedMemory, GivesTheCyclesAndTheStateOfTheModelForRandomOperations) {
  Bench bench;
  std::uint64_t faults = 0;
  constexpr std::uint64_t streams = 20'000;
  for (std::uint64_t seed = 1; seed <= streams; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    const Outcome model = outcome_of(MemorySystem(stream.machine, 1), stream);
    const Outcome clocked = outcome_of(bench.configured(stream.machine), stream);
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

/// Random streams of 200 that differ, in what `differ` compares, from the model of a machine that `change` changes.
template <class Change, class Differ>
std::uint64_t noticed(const Change& change, const Differ& differ) {
  Bench bench;
  std::uint64_t count = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::HandWorked stream = random_stream(seed);
    Machine other = stream.machine;
    change(other);
    const Outcome model = outcome_of(MemorySystem(other, 1), stream);
    count += differ(model, outcome_of(bench.configured(stream.machine), stream)) ? 1 : 0;
  }
  return count;
}

/// Times that add up to the same number and are for something else are noticed: those of a DRAM that is slower to open
/// a page and faster to transfer.
TEST(ClockedMemory, SpendsItsCyclesOnWhatTheModelSpendsThem) {
  EXPECT_GT(noticed([](Machine& machine) { ++machine.memory.page_miss_cycles; },
                    [](const Outcome& model, const Outcome& clocked) {
                      return !model.fault && !clocked.fault && model.times != clocked.times;
                    }),
            50U);
}

/// The comparison notices a part that breaks a rule: a write buffer less, in one of the two.
TEST(ClockedMemory, DiffersFromAModelWithAnotherNumberOfWriteBuffers) {
  EXPECT_GT(noticed([](Machine& machine) { ++machine.detailed.write_buffers; },
                    [](const Outcome& model, const Outcome& clocked) { return !(model == clocked); }),
            20U);
}

std::vector<Machine> machines() {
  Machine byte_loop = preset_machine("ipsc860-node");
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
  node::Loop strided = node::copy_loop(machine, 16);
  strided.blocks = 12;
  strided.streams[0].pitch = 4096;
  strided.streams[0].bytes = Bytes{12} * 4096;
  strided.streams[1].bytes = Bytes{12} * 16;
  return {node::permute_loop(machine, {.block_bytes = 24, .rows = 4, .columns = 8}),
          node::copy_loop(machine, 1000),
          node::copy_out_loop(machine, 333),
          node::combine_loop(machine, 100, 4),
          node::combine_loop(machine, 33, 8),
          strided,
          node::path_loop(1000, 5, 32),
          node::send_loop(machine, 256)};
}

TEST(ClockedMemory, RunsTheLoopsOfTheLibraryInTheCyclesOfTheModel) {
  Bench bench;
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

/// A loop that has cycles of the machine one by one, and what it shows at the end of each.
struct OnAClock {
  Cycles computation = 0;
  std::vector<clocked::MemoryActivity> shown;
  node::LoopFigures figures;
  MemoryState state;

  OnAClock(Bench& bench, const Machine& machine, const node::Loop& loop) : state(MemoryState::empty(machine)) {
    bench.memory.configure(machine, 1);
    bool ended = bench.memory.begin(loop, state);
    while (!ended) {
      ended = bench.memory.go_on(++computation);
      sc_core::sc_start(1, sc_core::SC_NS);
      shown.push_back(bench.activity.read());
    }
    figures = bench.memory.end(state);
  }
};

TEST(ClockedMemory, RunsOnAClockWhatItRunsAtOnce) {
  Machine machine = machines().front();
  Bench bench;
  const node::Loop loop = node::permute_loop(machine, {.block_bytes = 24, .rows = 4, .columns = 8});
  for (const double clock : {40e6, 80e6, 30e6}) {
    machine.core.clock_hz = clock;
    const OnAClock clocked(bench, machine, loop);
    MemorySystem system(machine, 1);
    MemoryState of_model = MemoryState::empty(machine);
    const node::LoopFigures model = system.run(loop, of_model);
    EXPECT_EQ(clocked.figures.cycles, model.cycles);
    EXPECT_EQ(clocked.figures.times.cycles, model.times.cycles);
    EXPECT_EQ(clocked.computation, machine.from_core(model.cycles)) << clock;
    EXPECT_TRUE(clocked.state == of_model);
    EXPECT_EQ(clocked.shown.back().operations, 4U * 8U * (24 * 12 + 4) + 24) << "24 lines are flushed first";
  }
}

TEST(ClockedMemory, ShowsWhatItsPartsDoInEveryCycle) {
  const std::vector<test::HandWorked> streams = test::hand_worked();
  const auto found = std::ranges::find(streams, "miss_in_another_page", &test::HandWorked::name);
  ASSERT_NE(found, streams.end());
  const test::HandWorked& stream = *found;
  Bench bench;
  node::Loop loop;
  loop.name = "miss";
  loop.streams = {{.base = 0x1000, .bytes = 32, .fixed = true}};
  loop.before_block = {{.op = {.kind = node::OpKind::load, .target = 1}}};
  loop.blocks = 1;
  const OnAClock clocked(bench, stream.machine, loop);
  ASSERT_EQ(clocked.computation, 17U) << "as worked out by hand";
  // In cycle 0 the load issues. The bus opens its page in cycles 1 to 8, and transfers the line in 9 to 16.
  for (Cycles cycle = 0; cycle < 17; ++cycle) {
    const clocked::MemoryActivity& shown = clocked.shown[cycle];
    const char* const bus = cycle == 0 ? "idle" : cycle <= 8 ? "page" : "read";
    EXPECT_EQ(clocked::bus_activity_names[shown.bus], bus) << cycle;
    EXPECT_EQ(clocked::core_activity_names[shown.core], cycle == 0 ? "issues" : "drains") << cycle;
    EXPECT_EQ(clocked::cache_activity_names[shown.cache], cycle < 16 ? "fill" : "idle") << cycle;
  }
}

}  // namespace
}  // namespace ecube::clocked_memory_test
