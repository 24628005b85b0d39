// SPDX-License-Identifier: Apache-2.0
// Costs of loops and paths, worked out by hand, and the cube's labels, routes and payload.
#include "models/machine/machine.h"

#include "models/contract/payload.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::machine_test {
namespace {

TEST(Memory, ALineTakesItsTransfersAndAPageMiss) {
  Machine machine = preset_machine("ipsc860");
  EXPECT_EQ(machine.line_cycles(), 4U * 2 + 8);
  machine.memory.bus_bytes = 16;
  EXPECT_EQ(machine.line_cycles(), 2U * 2 + 8);
  machine.memory.line_bytes = 64;
  EXPECT_EQ(machine.line_cycles(), 4U * 2 + 8);
  machine.memory.bus_bytes = 24;  // 64 / 24: three transfers
  EXPECT_EQ(machine.line_cycles(), 3U * 2 + 8);
}

TEST(Costs, ThatAreLongerThanARunMayBeDoNotWrapAround) {
  Machine machine;
  machine.clock_hz = 100e9;
  machine.core.clock_hz = 1e3;
  // 10^8 cycles of the machine for each of the core's 10^12: 10^20, more than 2^64.
  EXPECT_EQ(machine.from_core(1'000'000), 100'000'000'000'000U);
  EXPECT_EQ(machine.from_core(1'000'000'000'000), endless);
  machine.memory.page_miss_cycles = 1'000'000'000'000;
  machine.memory.line_bytes = 1;
  EXPECT_EQ(machine.copy_cycles(1), 3'000'000'000'000U);
  for (const Bytes bytes : {Bytes{1} << 20, Bytes{1} << 30, Bytes{1} << 40}) {
    EXPECT_EQ(machine.copy_cycles(bytes), endless);
    EXPECT_EQ(machine.permute_cycles(bytes), endless);
    EXPECT_EQ(machine.combine_cycles(bytes / 4, bytes), endless);
  }
  machine.library.call_cycles = 1'000'000'000'000;
  EXPECT_EQ(machine.call_cycles(1000, 0), endless);
}

TEST(Loops, TakeIssueCyclesAndLines) {
  Machine machine = preset_machine("ipsc860");
  // 20.1 cycles a byte and three lines of 16 cycles in 32 bytes: 21.6.
  EXPECT_EQ(machine.permute_cycles(1000), 21'600U);
  EXPECT_EQ(machine.permute_cycles(1), 22U);
  EXPECT_EQ(machine.permute_cycles(100'000'000'000'000), 2'160'000'000'000'000U);
  EXPECT_EQ(machine.combine_cycles(1000, 4000), 14'000U);
  EXPECT_EQ(machine.copy_cycles(1000), 2'500U);
  EXPECT_EQ(machine.permute_cycles(0), 0U);
  machine.core.loops = Loops::tuned;
  EXPECT_EQ(machine.permute_cycles(1000), 1'250U);        // 0.25 and two lines
  EXPECT_EQ(machine.combine_cycles(1000, 4000), 8'000U);  // 2 and three lines of 8 items
}

TEST(Loops, HaveTheirIssueCyclesOnTheCoresClock) {
  Machine machine = preset_machine("ipsc860");
  machine.core.clock_hz = 80e6;
  EXPECT_EQ(machine.permute_cycles(1000), 10'050U + 1'500U);
  EXPECT_EQ(machine.combine_cycles(1000, 4000), 4'000U + 6'000U);
  EXPECT_EQ(machine.from_core(2247), 1124U);
  machine.core.clock_hz = 30e6;
  EXPECT_EQ(machine.from_core(3), 4U);
  EXPECT_EQ(machine.from_core(4), 6U);  // 5.33 rounded up
}

TEST(Loops, OfACollectiveRoutineAreForEachMessageAndEachByte) {
  Machine machine;
  machine.library.call_cycles = 100;
  machine.library.call_per_byte = {3, 2};
  EXPECT_EQ(machine.call_cycles(3, 8), 312U);
  EXPECT_EQ(machine.call_cycles(3, 7), 311U);  // 10.5 cycles for the bytes
  EXPECT_EQ(machine.call_cycles(0, 0), 0U);
  machine.core.clock_hz = 20e6;
  EXPECT_EQ(machine.call_cycles(3, 7), 621U);
}

TEST(Transfer, OfALoopWithLongFractionsKeepsItsTime) {
  // 12.345679 cycles a byte: 12,345.679 a phit, 12,345,679 / 1,000, which fits.
  Machine machine;
  machine.node.transfer = Transfer::programmed;
  machine.link.phit_bytes = 1000;
  machine.core.copy.compiled = {12'345'679, 1'000'000};
  EXPECT_EQ(machine.phit_cycles(), (Ratio{12'345'679, 1'000}));
  machine.core.copy.compiled = {0, 1};
  EXPECT_EQ(machine.phit_cycles(), (Ratio{1, 1}));
}

/// By trying all denominators: of the fractions whose parts have 24 bits none is nearer.
TEST(Transfer, OfALoopBeyond24BitsTakesTheNearestRatioThatFits) {
  Machine machine;
  machine.node.transfer = Transfer::programmed;
  machine.link.phit_bytes = 1;
  machine.link.cycles_per_phit = {1, 1'000'000};
  for (const Ratio& exact : {Ratio{100'000'000'003, 9'999'999'967}, Ratio{1'234'567'890'123, 98'765'432},
                             Ratio{98'765'432'111, 1'000'000'007}, Ratio{99'999'999'977, 30'000'001}}) {
    machine.core.copy.compiled = exact;
    const Ratio phit = machine.phit_cycles();
    EXPECT_LT(phit.num, 1U << 24);
    EXPECT_LT(phit.den, 1U << 24);
    const auto distance = [&](std::uint64_t num, std::uint64_t den) {
      return std::abs(static_cast<long double>(UInt128{num} * exact.den) -
                      static_cast<long double>(UInt128{den} * exact.num)) /
             static_cast<long double>(den);
    };
    long double least = distance(phit.num, phit.den);
    for (std::uint64_t den = 1; den >> 24 == 0; ++den) {
      const std::uint64_t below = exact.num * den / exact.den;
      if ((below + 1) >> 24 != 0) break;
      least = std::min({least, distance(below, den), distance(below + 1, den)});
    }
    EXPECT_EQ(distance(phit.num, phit.den), least) << exact.num << " / " << exact.den;
  }
}

TEST(Transfer, TheSlowerOfLinkAndNodeSetsThePhits) {
  Machine machine = preset_machine("ipsc860");
  EXPECT_EQ(machine.phit_cycles().value(), 63.04);
  machine.memory.transfer_cycles = 200;  // 4 of 8 bytes: 100 cycles a phit
  EXPECT_EQ(machine.phit_cycles().value(), 100);
  machine = preset_machine("ipsc860");
  machine.node.transfer = Transfer::programmed;  // copying 4 bytes takes 10 cycles
  EXPECT_EQ(machine.phit_cycles().value(), 63.04);
  machine.link.cycles_per_phit = {1, 1};
  EXPECT_EQ(machine.phit_cycles().value(), 10);
}

TEST(Payload, MovesBetweenRegionsOfAnyLayout) {
  for (const Bytes run : {1U, 2U, 3U, 4U, 6U, 12U})
    for (const Bytes other_run : {1U, 2U, 3U, 4U, 6U, 12U}) {
      std::array<std::byte, 64> from{};
      std::array<std::byte, 64> to{};
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i + 1);
      const Region source{from.data(), run, run + 2, static_cast<std::uint32_t>(12 / run)};
      const Region target{to.data(), other_run, other_run + 1, static_cast<std::uint32_t>(12 / other_run)};
      static BufferPool buffers;
      copy(source, target, buffers);
      for (Bytes i = 0; i < 12; ++i) {
        EXPECT_EQ(to[i / other_run * (other_run + 1) + i % other_run], from[i / run * (run + 2) + i % run]);
      }
    }
}

}  // namespace
}  // namespace ecube::machine_test
