// SPDX-License-Identifier: Apache-2.0
// Machines of detailed nodes: both engines, with shared results and without, whatever messages carry.
#include "sw/exchange/exchange.h"
#include "tests/hw/both_engines.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::detailed_node_test {
namespace {

Machine i860(const std::vector<std::string>& settings = {}) { return preset_machine("ipsc860-node", settings); }

ExchangeWorkload exchange(const std::vector<unsigned>& parts, Bytes bytes) {
  return {.partition = Partition(parts), .bytes = bytes, .identity_shuffle = IdentityShuffle::skip};
}

Machine detailed(Machine machine) {
  machine.node.model = NodeModel::detailed;
  return machine;
}

std::vector<Machine> machines() {
  return {i860(), i860({"core.loops=tuned", "node.coherence=snoop"}),
          i860({"loops.variables=registers", "loops.element=4 B", "node.coherence=uncached"}),
          i860({"core.clock=80 MHz", "cache.allocate=write", "layout.padding=4 B"}),
          i860({"library.lines=20", "core.loops=tuned", "loops.loads=pipelined"})};
}

TEST(DetailedNodes, GiveTheSameEdgesInBothEngines) {
  BothEngines engines;
  const unsigned largest = all_cases ? 4 : 2;
  for (unsigned dim = 1; dim <= largest; ++dim) engines.elaborate(i860(), dim);
  for (const Machine& machine : machines())
    for (unsigned dim = 1; dim <= largest; ++dim) {
      const auto make = [&] {
        return std::make_unique<CompleteExchange>(exchange(std::vector<unsigned>(dim, 1), all_cases ? 256 : 64),
                                                  Topology::cube(dim));
      };
      EXPECT_GT(engines.expect_equal(machine, dim, {}, make, "d = " + std::to_string(dim)), 0U);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(DetailedNodes, GiveTheSameEdgesInBothEnginesForRandomPrograms) {
  const RandomShape shape{2, 1, 0};
  BothEngines engines;
  engines.elaborate(detailed(machine_of(shape)), shape.dim);
  const Compared wanted{.circuits = all_cases ? 20'000 : random_cases(1000)};
  compare_programs(engines, wanted, 1, [&shape](std::uint64_t seed) {
    RandomProgram program = random_program(seed, shape, static_cast<unsigned>(3 + seed % 5), seed % 4 == 0);
    program.machine = detailed(program.machine);
    program.machine.memory.transfer_cycles = 2;
    program.machine.memory.line_bytes = 32;
    program.machine.memory.bus_bytes = 8;
    program.machine.library.combining = Combining::received;
    program.machine.detailed.cache.bytes = 256;
    program.machine.detailed.library_lines = static_cast<std::uint32_t>(seed % 3);
    return program;
  });
}

Cycles cycles_of(Cube& cube, const Machine& machine, const ExchangeWorkload& workload, unsigned dim,
                 const RunConditions& conditions = {}) {
  cube.reset(machine, dim, conditions);
  CompleteExchange run(workload, Topology::cube(dim));
  const RunResult result = cube.run(run.program());
  EXPECT_EQ(result.status, RunResult::Status::finished);
  EXPECT_EQ(run.wrong(), 0U);
  cube.unload();
  return result.cycles;
}

TEST(DetailedNodes, TakeTheSameCyclesWithSharedResultsAndWithout) {
  Cube cube("cube", 4, Hierarchy::flat);
  for (const Machine& machine : machines()) {
    const ExchangeWorkload workload = exchange({2, 1, 1}, 24);
    const Cycles shared = cycles_of(cube, machine, workload, 4);
    EXPECT_EQ(shared, cycles_of(cube, machine, workload, 4, {.memo = false}));
    EXPECT_NE(shared, cycles_of(cube, i860({"cache.size=256 B", "memory.transfer=3 cycles"}), workload, 4));
  }
}

TEST(DetailedNodes, ExchangeBlocksWithoutBytesAsNodesWithRatesDo) {
  Cube cube("cube", 3, Hierarchy::flat);
  EXPECT_EQ(cycles_of(cube, i860(), exchange({2, 1}, 0), 3),
            cycles_of(cube, preset_machine("ipsc860"), exchange({2, 1}, 0), 3));
}

TEST(DetailedNodes, TakeTheSameCyclesWhateverMessagesCarry) {
  Cube cube("cube", 3, Hierarchy::flat);
  ExchangeWorkload workload = exchange({1, 1, 1}, 48);
  const Cycles bytes = cycles_of(cube, i860(), workload, 3);
  for (const Payload payload : {Payload::checks, Payload::none}) {
    workload.payload = payload;
    EXPECT_EQ(cycles_of(cube, i860(), workload, 3), bytes);
  }
}

/// A loop of a program's own that reads `bytes` bytes of a buffer of 64.
node::Loop reading(Bytes bytes) {
  node::Loop loop;
  loop.name = "sum";
  loop.streams = {{.base = 0x5000, .bytes = 64, .pitch = bytes}};
  loop.element = {{.op = {.kind = node::OpKind::load, .target = 1}}};
  loop.element_bytes = 8;
  loop.blocks = 1;
  loop.block_bytes = bytes;
  return loop;
}

RunResult run_loop(Cube& cube, const Machine& machine, const node::Loop& loop) {
  cube.reset(machine, 1);
  Firmware firmware([&loop](Node& node) -> Task<> { co_await node.run(loop); });
  RunResult result = cube.run(firmware);
  cube.unload();
  return result;
}

TEST(DetailedNodes, RunLoopsThatAProgramStates) {
  Cube cube("cube", 1, Hierarchy::flat);
  // Loads of 8 bytes from two lines, in one page of the DRAM.
  const RunResult result = run_loop(cube, i860({"tlb.entries=0"}), reading(64));
  EXPECT_EQ(result.status, RunResult::Status::finished);
  // The first misses: fill 1 .. 16. The others write the same register, so each waits for its predecessor: hits at 17,
  // 19, 21; at 23 a miss in the open page, fill 24 .. 31; hits at 32, 34, 36, the last of them ready at 38.
  EXPECT_EQ(result.cycles, 38U);
}

TEST(DetailedNodes, FaultWhereALoopGoesOutsideItsBuffer) {
  Cube cube("cube", 1, Hierarchy::flat);
  const RunResult result = run_loop(cube, i860({"tlb.entries=0"}), reading(72));
  EXPECT_EQ(result.status, RunResult::Status::fault);
  EXPECT_EQ(result.fault,
            "the program of node 0 failed: loop 'sum' goes outside its buffer at cycle 38 of the loop, address 0x5040");
}

RunResult run_clocked(ClockedCube& cube, const Machine& machine, const node::Loop& loop, NodeId of_node) {
  cube.reset(machine);
  Firmware firmware([&loop, of_node](Node& node) -> Task<> {
    if (node.id() == of_node) co_await node.run(loop);
  });
  RunResult result = cube.run(firmware);
  cube.unload();
  return result;
}

TEST(DetailedNodes, FaultOnTheClockedCubeAsOnTheOther) {
  const Machine machine = i860({"tlb.entries=0"});
  ClockedCube clocked("clocked", machine, 1);
  EXPECT_EQ(run_clocked(clocked, machine, reading(64), 1).cycles, 38U);
  const RunResult result = run_clocked(clocked, machine, reading(72), 1);
  EXPECT_EQ(result.status, RunResult::Status::fault);
  EXPECT_EQ(result.fault,
            "the program of node 1 failed: loop 'sum' goes outside its buffer at cycle 38 of the loop, address 0x5040");
  // A buffer that is a line longer is not gone outside of.
  node::Loop longer = reading(72);
  longer.streams[0].bytes = 96;
  EXPECT_EQ(run_clocked(clocked, machine, longer, 1).status, RunResult::Status::finished);
}

TEST(DetailedNodes, FaultWhereALoopMakesNoSense) {
  Cube cube("cube", 1, Hierarchy::flat);
  const auto fault = [&](const std::function<void(node::Loop&)>& change) {
    node::Loop loop = reading(64);
    change(loop);
    const RunResult result = run_loop(cube, i860({"tlb.entries=0"}), loop);
    return result.status == RunResult::Status::fault ? result.fault : "no fault";
  };
  EXPECT_HAS(fault([](node::Loop& loop) { loop.element[0].op.target = 32; }), "a register that is not there");
  EXPECT_HAS(fault([](node::Loop& loop) { loop.element[0].stream = 1; }), "a stream that is not there");
  EXPECT_HAS(fault([](node::Loop& loop) { loop.streams[0].rows = 0; }), "a stream without rows");
  EXPECT_HAS(fault([](node::Loop& loop) { loop.element_bytes = 0; }), "elements of no bytes");
  EXPECT_HAS(fault([](node::Loop& loop) { loop.element[0].op.kind = node::OpKind::get; }), "waits for a word");
}

TEST(DetailedNodes, FaultWhereANodeWithRatesIsAskedForALoop) {
  Cube cube("cube", 1, Hierarchy::flat);
  const RunResult result = run_loop(cube, preset_machine("ipsc860"), reading(64));
  EXPECT_EQ(result.status, RunResult::Status::fault);
  EXPECT_HAS(result.fault, "needs a detailed node");
}

}  // namespace
}  // namespace ecube::detailed_node_test
