// SPDX-License-Identifier: Apache-2.0
// The memory system of a detailed node: streams worked out by hand, and loops.
#include "models/node/memory_system.h"

#include "models/node/node_work.h"
#include "tests/machines.h"
#include "tests/models/node/random_stream.h"
#include "tests/test.h"

namespace ecube::memory_system_test {
namespace {

using node::MemoryState;
using node::MemorySystem;

TEST(HandWorkedStreams, TakeTheCyclesOfTheirWorking) {
  test::expect_hand_worked([](const Machine& machine) { return MemorySystem(machine, 1); });
}

/// A stream whose end is worked out a cycle short is noticed.
TEST(HandWorkedStreams, AreContradictedByATransferThatTakesACycleMore) {
  std::size_t noticed = 0;
  for (const test::HandWorked& stream : test::hand_worked()) {
    if (stream.fault) continue;
    Machine slower = stream.machine;
    ++slower.memory.transfer_cycles;
    const test::StreamOutcome outcome = test::outcome_of(MemorySystem(slower, 1), stream);
    if (outcome.end != stream.end || outcome.issued != stream.issued) ++noticed;
  }
  EXPECT_GE(noticed, 30U);
}

/// The same operations in SystemC, which tests/hw holds against the same table.
TEST(RandomStreams, TakeTheCyclesThatWereMeasuredInSystemC) {
  const std::vector<std::string> rows = file_lines(test::measured_streams_file());
  ASSERT_EQ(rows.size(), 1 + test::measured_streams);
  EXPECT_EQ(rows[0], test::measured_streams_heading());
  for (std::uint64_t seed = 1; seed <= test::measured_streams; ++seed) {
    const test::HandWorked stream = test::random_stream(seed);
    ASSERT_EQ(test::measured_row(seed, test::outcome_of(MemorySystem(stream.machine, 1), stream)), rows[seed]);
  }
}

Machine i860(const std::vector<std::string>& settings = {}) { return preset_machine("ipsc860-node", settings); }

/// Every cycle of a loop is one of issue, of a wait, or behind the last operation; the bus is taken for whole transfers
/// and openings of pages.
TEST(RandomStreams, SpendEveryCycleOnce) {
  for (std::uint64_t seed = 1; seed <= test::measured_streams; ++seed) {
    const test::HandWorked stream = test::random_stream(seed);
    MemorySystem system(stream.machine, 1);
    MemoryState state = stream.state;
    node::LoopFigures all;
    try {
      all =
          system.run(test::loop_of(stream.machine, stream.operations, stream.received), state, stream.traffic, nullptr);
    } catch (const node::LoopFault&) {
      continue;
    }
    EXPECT_EQ(all.issue + all.operand + all.cache + all.fifo + all.drain, all.cycles) << "seed " << seed;
    EXPECT_EQ(all.times.total(), all.cycles) << "seed " << seed;
    EXPECT_EQ(all.operations, stream.operations.size()) << "seed " << seed;
    const Machine& machine = stream.machine;
    EXPECT_EQ((all.bus - all.page_miss) % machine.to_core(machine.memory.transfer_cycles), 0U) << "seed " << seed;
    if (machine.memory.page_miss_cycles > 0) {
      EXPECT_EQ(all.page_miss % machine.to_core(machine.memory.page_miss_cycles), 0U) << "seed " << seed;
    }
    EXPECT_LE(all.bus, all.cycles) << "seed " << seed;
    EXPECT_LE(all.dirty_victims, all.misses) << "seed " << seed;
  }
}

/// A load misses, its register is waited for, the next line waits for the cache, and a store of it hits: the first fill
/// is on the bus in 1 .. 16, of which 1 .. 8 open the page, and is ready at 11; the second in 17 .. 24, ready at 20.
TEST(LoopFigures, SayWhatTheAccessesMet) {
  const Machine machine = i860({"tlb.entries=0"});
  MemorySystem system(machine, 1);
  MemoryState state = MemoryState::empty(machine);
  const std::vector<node::Op> operations = {{.kind = node::OpKind::load, .target = 1, .address = 0x5000},
                                            {.kind = node::OpKind::integer, .target = 2, .first = 1},
                                            {.kind = node::OpKind::load, .target = 3, .address = 0x5020},
                                            {.kind = node::OpKind::store, .address = 0x5028}};
  const node::LoopFigures all = system.run(test::loop_of(machine, operations), state);
  // Issue at 0, 11, 17 and 26: the second fill asks at 18 and ends at 26.
  EXPECT_EQ(all.issue, 4U);
  EXPECT_EQ(all.operand, 10U);
  EXPECT_EQ(all.cache, 5U + 8U);
  EXPECT_EQ(all.fifo, 0U);
  EXPECT_EQ(all.bus, 16U + 8U);
  EXPECT_EQ(all.page_miss, 8U);
  EXPECT_EQ(all.hits, 1U);
  EXPECT_EQ(all.misses, 2U);
  EXPECT_EQ(all.cycles, 27U);
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
  const auto misses = [&](Bytes stride) {
    node::Loop loop = node::copy_loop(machine, 8);
    loop.blocks = 64;
    loop.streams[0].pitch = stride;
    loop.streams[0].bytes = 64 * stride;
    loop.streams[1].bytes = Bytes{64} * 8;
    return warm(machine, loop).misses;
  };
  EXPECT_EQ(misses(32), 64U) << "the stores";
  EXPECT_EQ(misses(4096), 128U) << "all loads as well";
  EXPECT_EQ(misses(4096 + 32), 64U) << "padding helps";
}

/// Cycles for each byte of a permutation of 8 by 8 blocks beyond those of blocks of 4 KB, in percent; with
/// the operations that compute the address of each block, or without them.
double beyond_the_line(const Machine& machine, Bytes block, bool addresses) {
  const auto cycles = [&](Bytes bytes, std::uint64_t side) {
    node::Loop loop = node::permute_loop(machine, {.block_bytes = bytes, .rows = side, .columns = side});
    if (!addresses) loop.before_block.clear();
    return static_cast<double>(warm(machine, loop).cycles) / static_cast<double>(side * side * bytes);
  };
  return 100 * (cycles(block, 8) / cycles(4096, 4) - 1);
}

constexpr double most_off = 5;

/// A permutation takes more for each byte where blocks are short, and the addresses of blocks are the reason.
TEST(Loops, OfWholeElementsAreALineWithoutTheAddressesOfBlocks) {
  struct Form {
    std::vector<std::string> settings;
    Bytes element;        ///< with its copies, where the body has some
    Bytes from;           ///< the first block of whole elements for which the addresses are the only reason
    Bytes straight_from;  ///< blocks from here on are within the tolerance with the addresses, too
  };
  Sample sample;
  for (const Form& form :
       {Form{{}, 1, 1, 16}, Form{{"loops.element=4 B"}, 4, 4, 64},
        Form{{"loops.element=4 B", "loops.variables=registers"}, 4, 8, 128}, Form{{"core.loops=tuned"}, 32, 32, 128}}) {
    const Machine machine = i860(form.settings);
    for (const Bytes block : {1U, 2U, 3U, 4U, 8U, 16U, 32U, 64U, 128U, 512U, 2048U}) {
      if (!sample.takes()) continue;
      const std::string name =
          (form.settings.empty() ? "" : form.settings.back()) + ", " + std::to_string(block) + " B";
      EXPECT_EQ(std::abs(beyond_the_line(machine, block, true)) > most_off, block < form.straight_from) << name;
      if (block < form.from || block % form.element != 0) continue;
      EXPECT_LT(std::abs(beyond_the_line(machine, block, false)), most_off) << name;
    }
  }
}

/// Where a line has one element of each block, fills follow one another, and wait for writes that open their page.
TEST(Loops, OfScatteredElementsWaitForPagesThatWritesOpen) {
  const std::vector<std::string> words{"loops.element=4 B", "loops.variables=registers"};
  EXPECT_GT(beyond_the_line(i860(words), 4, false), most_off);
  std::vector<std::string> no_pages = words;
  no_pages.emplace_back("memory.page_miss=0 cycles");
  EXPECT_LT(beyond_the_line(i860(no_pages), 4, false), 0.1);
}

/// Blocks that are no whole number of elements are moved by narrower ones; a loop over bytes does not know of them.
TEST(Loops, OfOddBlocksAreALineWithElementsOfAByte) {
  for (const Bytes block : {1U, 2U, 3U, 5U, 7U}) {
    EXPECT_GT(beyond_the_line(i860({"loops.element=4 B"}), block, false), most_off) << block;
    EXPECT_LT(std::abs(beyond_the_line(i860({"loops.element=1 B"}), block, false)), most_off) << block;
  }
}

/// Fills beyond one for each line of the source, in percent, of a permutation by bytes.
double filled_again(const Machine& machine, const node::BlockGrid& grid) {
  const std::uint64_t bytes = grid.rows * grid.columns * grid.block_bytes;
  const node::LoopFigures figures = warm(machine, node::permute_loop(machine, grid));
  // Every store of a byte misses, too: lines that are written are not filled.
  return 100 * (static_cast<double>(figures.misses - bytes) / (static_cast<double>(bytes) / 32) - 1);
}

/// A permutation in tiles would have nothing to save: no order of the blocks of 64 nodes fills a line twice, but for
/// the few that random replacement takes.
TEST(Loops, PermuteTheBlocksOfSixDimensionsWithoutFillingALineTwice) {
  for (const std::uint64_t rows : {2U, 4U, 8U, 16U, 32U})
    for (const Bytes block : {8U, 16U, 32U, 64U, 128U, 256U, 512U}) {
      const node::BlockGrid grid{.block_bytes = block, .rows = rows, .columns = 64 / rows};
      EXPECT_LT(filled_again(i860(), grid), 1.5) << rows << " rows of blocks of " << block << " B";
    }
  // A cache of eight lines has forgotten them.
  EXPECT_GT(filled_again(i860({"cache.size=256 B"}), {.block_bytes = 8, .rows = 32, .columns = 2}), 50);
}

TEST(Loops, GoThroughAMatrixInTiles) {
  node::Loop loop;
  // Blocks 0 to 2 are the first column.
  loop.blocks = 6;
  loop.tiled_rows = 3;
  const auto order = [&loop] {
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t turn = 0; turn < loop.blocks; ++turn) blocks.push_back(block_of_turn(loop, turn));
    return blocks;
  };
  EXPECT_EQ(order(), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
  loop.tile = 2;
  EXPECT_EQ(order(), (std::vector<std::uint64_t>{0, 1, 3, 4, 2, 5}));
  for (loop.tile = 1; loop.tile <= 9; ++loop.tile)
    for (loop.tiled_rows = 1; loop.tiled_rows <= 8; ++loop.tiled_rows)
      for (std::uint64_t columns = 1; columns <= 8; ++columns) {
        loop.blocks = loop.tiled_rows * columns;
        std::vector<std::uint64_t> blocks = order();
        std::sort(blocks.begin(), blocks.end());
        for (std::uint64_t i = 0; i < loop.blocks; ++i) ASSERT_EQ(blocks[i], i) << "each block once";
      }
}

/// Where a cache has forgotten lines, tiles keep them.
TEST(Loops, InTilesFillNoLineTwice) {
  const node::BlockGrid grid{.block_bytes = 8, .rows = 32, .columns = 2};
  EXPECT_GT(filled_again(i860({"cache.size=256 B"}), grid), 50);
  EXPECT_LT(filled_again(i860({"cache.size=256 B", "loops.tile=4"}), grid), 15);
  // The same blocks are moved, in the same operations but for the bounds of the tiles.
  const node::LoopFigures in_order = warm(i860(), node::permute_loop(i860(), grid));
  const Machine tiled = i860({"loops.tile=4"});
  const node::LoopFigures in_tiles = warm(tiled, node::permute_loop(tiled, grid));
  EXPECT_EQ(in_tiles.operations, in_order.operations + 64);
  EXPECT_EQ(in_tiles.issue, in_order.issue + std::size_t{64} * 2);
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

/// Issue, load miss, page miss, bus, FIFO full, operand, drain.
using Times = std::array<Cycles, 7>;

Times times_of(const Machine& machine, const std::vector<node::Op>& operations, const node::Traffic& traffic = {}) {
  MemorySystem system(machine, 1);
  MemoryState state = MemoryState::empty(machine);
  const node::LoopFigures figures = system.run(test::loop_of(machine, operations), state, traffic, nullptr);
  EXPECT_EQ(figures.times.total(), figures.cycles);
  return figures.times.cycles;
}

TEST(LoopTimes, OfLoadsAreIssueFillsAndOperands) {
  // Transfers of 2 cycles, pages of 8. Loads of one register from two lines of a page: the first issues at 0 and its
  // fill has the bus in 1 .. 16, of which 1 .. 8 open the page. Hits issue at 17, 19 and 21, each waiting a cycle for
  // the one before. The fifth waits in 22, issues at 23 and fills in 24 .. 31. Hits at 32, 34, 36; 37 is the drain.
  std::vector<node::Op> loads;
  for (node::Address at = 0; at < 64; at += 8) {
    loads.push_back({.kind = node::OpKind::load, .target = 1, .address = 0x5000 + at});
  }
  EXPECT_EQ(times_of(i860({"tlb.entries=0"}), loads), (Times{8, 16, 8, 0, 0, 5, 1}));
}

TEST(LoopTimes, BehindDmaAreTimesOfTheBus) {
  // The word of DMA asks for the bus together with the fill, and goes first: it opens a page in 1 .. 8 and has its
  // transfer in 9 and 10. The fill opens its own page in 11 .. 18 and has the bus until 26. The second load hits at 27.
  const std::vector<node::Op> loads = {{.kind = node::OpKind::load, .target = 1, .address = 0x5000},
                                       {.kind = node::OpKind::load, .target = 2, .address = 0x5008}};
  const node::Traffic dma = {.words = {{.asks = 1, .address = 0x9000}}};
  EXPECT_EQ(times_of(i860({"tlb.entries=0"}), loads, dma), (Times{2, 8, 8, 10, 0, 0, 1}));
}

TEST(LoopTimes, OfAFifoWithoutRoomAreTheLinks) {
  // Room for one word, and a link that takes one every 30 cycles: put issues at 0; its word leaves at 3, when the next
  // issues; that word leaves at 33, when the last issues, whose transfer takes 34 and 35.
  const std::vector<node::Op> puts(3, {.kind = node::OpKind::put});
  EXPECT_EQ(times_of(i860({"fifo.size=8 B"}), puts, {.words = {}, .out_pace = 30}), (Times{3, 0, 0, 0, 31, 0, 2}));
}

TEST(LoopTimes, OfAStoreThatWaitsForAWriteBufferAreTheBus) {
  // Stores go past the cache. The buffers take the first two; the write of the first has the bus in 1 .. 10, so that
  // the third issues at 2 and takes place at 11. The fourth finds the cache free at 12, waits for the second write,
  // in the open page, which ends at 13.
  std::vector<node::Op> stores(4, {.kind = node::OpKind::store, .address = 0x5000});
  stores.push_back({.kind = node::OpKind::integer});
  const Times times = times_of(i860({"tlb.entries=0", "buffers.writes=2"}), stores);
  // Issue at 0, 1, 2, 12 and 13; the core waits for the cache in 3 .. 11, in all but the last for a buffer.
  EXPECT_EQ(times[0], 5U);
  EXPECT_EQ(times[3], 8U);
  EXPECT_EQ(times[5], 1U);
}

TEST(LoopTimes, ShareAnyNumberOfCyclesExactly) {
  node::LoopTimes times;
  times.cycles = {7, 0, 13, 1, 0, 5, 3};
  for (const Cycles all : {Cycles{0}, Cycles{1}, Cycles{28}, Cycles{29}, Cycles{30}, Cycles{1'000'003}}) {
    EXPECT_EQ(times.scaled_to(all).total(), all);
  }
  EXPECT_EQ(times.scaled_to(58).cycles, (Times{14, 0, 26, 2, 0, 10, 6}));
  EXPECT_EQ(node::LoopTimes{}.scaled_to(4)[node::LoopTime::issue], 4U);
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

}  // namespace
}  // namespace ecube::memory_system_test
