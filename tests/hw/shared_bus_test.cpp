// SPDX-License-Identifier: Apache-2.0
// Messages that share the bus of a node with the loop under way (hw/node/README.md, N13): worked out by hand, and equal
// on both engines for random programs.
#include "tests/hw/both_engines.h"
#include "tests/test.h"

namespace ecube::shared_bus_test {
namespace {

/// Words of 8 bytes in 2 cycles, 8 more for a page; a route delay and an acceptance of a cycle; start-ups of `send`
/// cycles, receipts of none.
Machine small(Cycles send) {
  Machine machine;
  machine.node.model = NodeModel::detailed;
  machine.node.transfer = Transfer::dma;
  machine.node.overlap = Overlap::on;
  machine.node.startups = Startups::queued;
  machine.memory.bus_bytes = 8;
  machine.memory.transfer_cycles = 2;
  machine.memory.page_miss_cycles = 8;
  machine.memory.line_bytes = 32;
  machine.link.phit_bytes = 8;
  machine.link.cycles_per_phit = {1, 1};
  machine.router.route_cycles = 1;
  machine.network.accept_cycles = 1;
  machine.library.send_cycles = send;
  machine.library.receive_cycles = 0;
  machine.detailed.tlb.entries = 0;
  return machine;
}

/// An operation of `cycles` cycles, and a load that needs its result.
node::Loop loading_after(std::uint8_t cycles) {
  node::Loop loop;
  loop.name = "one load";
  loop.streams = {{.base = 0x1000, .bytes = 32, .fixed = true}};
  loop.before_block = {{.op = {.kind = node::OpKind::integer, .cycles = cycles, .target = 1}},
                       {.op = {.kind = node::OpKind::load, .target = 2, .first = 1}}};
  loop.blocks = 1;
  return loop;
}

/// Node 1 computes from edge 0 on while a message of three phits comes to it, and sends one itself at an edge.
class ComputesMeanwhile {
 public:
  ComputesMeanwhile(std::uint8_t cycles, bool message, Cycles sends_at = never)
      : loop_(loading_after(cycles)),
        message_(message),
        sends_at_(sends_at),
        firmware_([this](Node& node) { return node.id() == 0 ? partner(node) : computing(node); }) {}
  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] Cycles computed_at() const { return computed_at_; }

 private:
  static constexpr Bytes three_phits = 24;
  Task<> partner(Node& node) const {
    if (message_) co_await node.send({.to = 1, .bytes = three_phits});
    if (sends_at_ != never) co_await node.receive({.from = 1, .bytes = three_phits});
  }
  Task<> computing(Node& node) {
    std::optional<Pending> arriving;
    if (message_) arriving.emplace(node.start_receive({.from = 0, .bytes = three_phits}));
    Pending computes = node.start(CoreWork{.kind = Work::loop, .loop = &loop_});
    if (sends_at_ != never) {
      co_await node.until(sends_at_);
      co_await node.send({.to = 0, .bytes = three_phits});
    }
    co_await computes;
    computed_at_ = computes.completed_at();
    if (arriving) co_await arriving->completion();
  }

  node::Loop loop_;
  bool message_;
  Cycles sends_at_;
  Cycles computed_at_ = 0;
  Firmware firmware_;
};

class SharedBus : public ::testing::Test {
 protected:
  void expect(const Machine& machine, std::uint8_t cycles, bool message, Cycles sends_at, Cycles edge) {
    engines_.elaborate(machine, 1);
    CircuitRecorder recorder;
    ComputesMeanwhile on_event(cycles, message, sends_at);
    EXPECT_EQ(engines_.run_event(on_event.program(), machine, 1, {}, recorder).status, RunResult::Status::finished);
    EXPECT_EQ(on_event.computed_at(), edge);
    ComputesMeanwhile on_clocked(cycles, message, sends_at);
    EXPECT_EQ(engines_.run_clocked(on_clocked.program(), machine, 1, {}, recorder).status, RunResult::Status::finished);
    EXPECT_EQ(on_clocked.computed_at(), edge);
  }
  BothEngines engines_;
};

TEST_F(SharedBus, GoesToTheWordsOfAMessageFirst) {
  // c = 2, since DMA moves a phit in 2 cycles. The load issues at 10 and its fill asks from 11.
  // Alone: s = 11, p = 8, B = 16, ends at 27.
  expect(small(0), 10, false, never, 27);
  // Node 0's probe leaves at 0: T0 = 8, and node 1 has the phits in cycles T0 + h + 2 + 2 j = 11, 13, 15, which are
  // these cycles of the loop. The first word goes before the fill: s = 11, another page, B = 10, ends at 21. The words
  // of 13 and 15 wait and go first again: s = 21 and 23, B = 2, ending at 25. The fill: s = 25, p = 8, ends at 41.
  expect(small(0), 10, true, never, 41);
}

TEST_F(SharedBus, StandsStillWithItsLoopDuringLibraryWork) {
  // Start-ups of 4 cycles. Node 0's probe leaves at 4: T0 = 12, phits at node 1 in cycles 15, 17, 19. Node 1 sends at
  // 16: library work in 16 .. 19, so that cycle 20 is cycle 16 of its loop, and the words of 17 and 19 take nothing.
  // The load issues at 14, its fill and the word of 15 ask from 15. The word: s = 15, p = 8, ends at 25. Node 1's probe
  // leaves at 20: T0 = 28, its phits leave in cycles 28, 30, 32, which are 24, 26, 28 of the loop. Their words go
  // before the fill: s = 25, 27, 29, the page is open, ending at 31. The fill: s = 31, p = 8, ends at 47: the loop has
  // 47 cycles, and ends at edge 47 + 4.
  expect(small(4), 14, true, 16, 51);
}

/// A random program on a machine whose messages share the bus with loops.
RandomProgram sharing_program(std::uint64_t seed, const RandomShape& shape) {
  RandomProgram program = random_program(seed, shape, static_cast<unsigned>(4 + seed % 6), seed % 4 == 0);
  Machine& machine = program.machine;
  machine.node.model = NodeModel::detailed;
  machine.node.transfer = Transfer::dma;
  machine.node.overlap = Overlap::on;
  machine.memory.transfer_cycles = 1 + seed % 2;
  machine.memory.page_miss_cycles = seed % 7;
  machine.memory.line_bytes = 32;
  machine.memory.bus_bytes = seed % 3 == 0 ? 4 : 8;
  machine.library.combining = Combining::received;
  machine.detailed.cache.bytes = 256;
  machine.detailed.dram_page_bytes = 256;
  machine.detailed.coherence = seed % 5 == 0 ? Coherence::snoop : Coherence::flush;
  if (seed % 6 == 0) machine.core.clock_hz = 1.5 * machine.clock_hz;
  if (seed % 6 == 1) machine.core.clock_hz = 0.7 * machine.clock_hz;
  return program;
}

void compare_random(const RandomShape& shape, std::uint64_t cases, std::uint64_t first) {
  BothEngines engines;
  Machine detailed = machine_of(shape);
  detailed.node.model = NodeModel::detailed;
  engines.elaborate(detailed, shape.dim);
  const Compared wanted{.programs = all_cases ? 5000 : random_cases(cases)};
  const Compared all =
      compare_programs(engines, wanted, first, [&shape](std::uint64_t seed) { return sharing_program(seed, shape); });
  EXPECT_GT(all.circuits, all.programs);
}

TEST(SharedBusOfRandomPrograms, IsTheSameOnBothEngines) { compare_random({2, 1, 0}, 200, 1); }

TEST(SharedBusOfRandomPrograms, IsTheSameOnBothEnginesWithSeveralPorts) { compare_random({2, 2, 0}, 100, 100'000); }

TEST(SharedBusOfRandomPrograms, IsTheSameOnBothEnginesForWorms) { compare_random({2, 1, 2}, 100, 200'000); }

/// The comparison notices an engine in which words take nothing from loops: that of a machine whose processor moves
/// words, at the same pace.
TEST(SharedBusOfRandomPrograms, DiffersWhereWordsTakeNothing) {
  Cube cube("cube", 2, Hierarchy::flat);
  std::size_t differing = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RandomProgram program = sharing_program(seed, {2, 1, 0});
    const auto cycles = [&](const Machine& machine) {
      RandomFirmware firmware(program);
      cube.reset(machine, program.dim, program.conditions);
      const Cycles taken = cube.run(firmware.program()).cycles;
      cube.unload();
      return taken;
    };
    Machine apart = program.machine;
    apart.node.transfer = Transfer::programmed;
    apart.detailed.programmed_word = {apart.memory.transfer_cycles, 1};
    ASSERT_EQ(apart.phit_cycles(), program.machine.phit_cycles());
    if (cycles(apart) != cycles(program.machine)) ++differing;
  }
  EXPECT_GT(differing, 5U);
}

}  // namespace
}  // namespace ecube::shared_bus_test
