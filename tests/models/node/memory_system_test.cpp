// SPDX-License-Identifier: Apache-2.0
// The memory system of a detailed node: streams worked out by hand, and loops.
#include "models/node/memory_system.h"

#include <gtest/gtest.h>

#include "models/machine/error.h"
#include "models/node/loops.h"
#include "models/node/node_work.h"
#include "models/presets/presets.h"
#include "tests/models/node/stream_file.h"

namespace ecube {
namespace {

using node::MemoryState;
using node::MemorySystem;

const std::vector<test::HandWorked>& hand_worked() {
  static const std::vector<test::HandWorked> streams = test::StreamFile::read(ECUBE_STREAMS);
  return streams;
}

TEST(HandWorkedStreams, TakeTheCyclesOfTheirWorking) {
  ASSERT_GE(hand_worked().size(), 30U);
  for (const test::HandWorked& stream : hand_worked()) {
    MemorySystem system(stream.machine, 1);
    MemoryState state = stream.state;
    std::vector<Cycles> issued;
    try {
      const node::LoopFigures figures = system.run(stream.operations, stream.received, state, stream.traffic, &issued);
      EXPECT_FALSE(stream.fault) << stream.name;
      EXPECT_EQ(issued, stream.issued) << stream.name;
      EXPECT_EQ(figures.cycles, stream.end) << stream.name;
    } catch (const node::LoopFault& fault) {
      ASSERT_TRUE(stream.fault) << stream.name << ": " << fault.what();
      EXPECT_EQ(std::pair(fault.at_cycle, fault.address), *stream.fault) << stream.name;
    }
  }
}

/// A stream whose end is worked out a cycle short is noticed.
TEST(HandWorkedStreams, AreContradictedByATransferThatTakesACycleMore) {
  std::size_t noticed = 0;
  for (const test::HandWorked& stream : hand_worked()) {
    if (stream.fault) continue;
    Machine slower = stream.machine;
    ++slower.memory.transfer_cycles;
    MemorySystem system(slower, 1);
    MemoryState state = stream.state;
    std::vector<Cycles> issued;
    const Cycles end = system.run(stream.operations, stream.received, state, stream.traffic, &issued).cycles;
    if (end != stream.end || issued != stream.issued) ++noticed;
  }
  EXPECT_GE(noticed, 30U);
}

Machine i860(const std::vector<std::string>& settings = {}) {
  std::vector<Setting> all = preset_settings(preset("ipsc860-node"));
  for (const std::string& each : settings) all.push_back(parse_set(each));
  return resolve(all);
}

node::LoopFigures warm(const Machine& machine, const node::Loop& loop, std::uint64_t seed = 1) {
  MemorySystem system(machine, seed);
  MemoryState state = MemoryState::empty(machine);
  (void)system.run(loop, state);
  return system.run(loop, state);
}

/// By hand, hw/node/README.md: a loop of bytes with its variables in memory issues 14 cycles a byte and waits three
/// times for a load that hits; a fill of 16 cycles for every line is waited for by the next load.
TEST(Loops, OfBytesWithVariablesInMemoryTakeTheirOperations) {
  const node::LoopFigures figures = warm(i860({"tlb.entries=0"}), node::copy_loop(i860(), 65'536));
  const double bytes = 65'536;
  EXPECT_NEAR(static_cast<double>(figures.cycles) / bytes, 14 + 3 + 16.0 / 32, 0.02);
  EXPECT_EQ(figures.operations, 12U * 65'536U + 4U);
  EXPECT_NEAR(static_cast<double>(figures.misses), bytes / 32 + bytes, bytes / 100) << "stores go to memory";
}

/// The bus of a tuned copy: a line read and four words written, each with the opening of a page, 16 cycles each.
TEST(Loops, TunedByHandAreAsFastAsTheBus) {
  const node::LoopFigures figures =
      warm(i860({"core.loops=tuned"}), node::copy_loop(i860({"core.loops=tuned"}), 65'536));
  EXPECT_GT(static_cast<double>(figures.cycles) / 65'536, 0.99);
  EXPECT_LT(static_cast<double>(figures.cycles) / 65'536, 1.06);
}

/// 64 words of 8 bytes, twice: 4 KiB apart they share one set of two ways, a line apart they fit.
TEST(Loops, MissAgainAtStridesOfAPowerOfTwo) {
  const Machine machine = i860({"core.loops=tuned", "cache.replacement=lru", "tlb.entries=0"});
  const auto misses = [&](Bytes stride) { return warm(machine, node::pack_loop(machine, 8, stride, 64)).misses; };
  EXPECT_EQ(misses(32), 64U) << "the stores";
  EXPECT_EQ(misses(4096), 128U) << "all loads as well";
  EXPECT_EQ(misses(4096 + 32), 64U) << "padding helps";
}

TEST(Loops, WaitForAFifoThatIsFull) {
  const Machine machine = i860({"fifo.size=16 B"});
  MemorySystem system(machine, 1);
  MemoryState state = MemoryState::empty(machine);
  node::Traffic slow;
  slow.out_pace = 100;
  const node::LoopFigures figures = system.run(node::send_loop(machine, 256), state, slow, nullptr);
  EXPECT_GT(figures.fifo, 32U * 50U);
  EXPECT_GT(figures.cycles, 29U * 100U);
  EXPECT_LT(figures.cycles, 31U * 100U);
}

TEST(Replacement, IsDrawnFromSeedLoopAndAccess) {
  const Machine machine = i860();
  // One and a half times the cache.
  const node::Loop loop = node::copy_loop(machine, 12'288);
  EXPECT_EQ(warm(machine, loop, 3), warm(machine, loop, 3));
  EXPECT_NE(warm(machine, loop, 3).misses, warm(machine, loop, 4).misses);
}

TEST(NodeWork, AColderCacheAndASlowerBusMoveTheStartUp) {
  const auto send = [](const std::vector<std::string>& settings) {
    return make_node_work(i860(settings), 1, 1, true, run_by_model())->path_lengths().send;
  };
  EXPECT_EQ(send({}), i860().path_lengths().send);
  const Cycles cold = send({"library.lines=20"});
  EXPECT_GT(cold, send({}) + 160);
  EXPECT_GT(send({"library.lines=20", "memory.transfer=4 cycles"}), cold + 20);
}

void expect_refused(const std::vector<std::string>& settings, const std::string& text) {
  try {
    (void)i860(settings);
    ADD_FAILURE() << "not refused: " << text;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(DetailedParameters, AreRefusedWhereNoNodeCanHaveThem) {
  expect_refused({"cache.size=9000 B"}, "cache.size = '9000 B' is no power of two");
  expect_refused({"memory.line=8 KiB"}, "memory.line is longer than a page");
  expect_refused({"fifo.size=2 B"}, "fifo.size is smaller than a phit");
  expect_refused({"fifo.size=12 B"}, "fifo.size is no multiple of memory.bus");
  expect_refused({"cache.ways=3"}, "cache.ways must be a power of two");
  expect_refused({"tlb.entries=60"}, "tlb.entries must be a power of two times tlb.ways");
  expect_refused({"node.coherence=snop"}, "did you mean 'snoop'?");
  expect_refused({"cache.write=through", "cache.allocate=write"}, "needs cache.allocate = 'read'");
  expect_refused({"core.permute=1 cycles/byte"}, "core.permute has no effect while node.model is 'detailed'");
  expect_refused({"node.model=rates", "cache.size=16 KB"}, "cache.size has no effect while node.model is 'rates'");
}

}  // namespace
}  // namespace ecube
