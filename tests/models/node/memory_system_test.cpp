// SPDX-License-Identifier: Apache-2.0
// The memory system of a detailed node: streams worked out by hand, and loops.
#include "models/node/memory_system.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ecube
