// SPDX-License-Identifier: Apache-2.0
// The machines of which the equations leave something out.
#include "models/fit/equation_gaps.h"

#include "models/presets/presets.h"
#include "tests/test.h"

namespace ecube::equation_gaps_test {
namespace {

constexpr unsigned dim = 6;
constexpr Bytes block = 32;

Machine preset_with(std::string_view name, std::uint32_t ports) {
  Machine machine = resolve(preset_settings(preset(name)));
  machine.node.ports.engines = ports;
  return machine;
}

using Names = std::set<std::string>;

/// The presets with these ports for which `gaps` are not empty.
template <class Gaps>
Names presets_with_gaps(std::uint32_t ports, const Gaps& gaps) {
  Names names;
  for (const Preset& shipped : presets()) {
    if (!gaps(preset_with(shipped.name, ports)).empty()) names.emplace(shipped.name);
  }
  return names;
}

// The workloads to which `validate` gives a tolerance above 5 % on one port: packets of the iPSC/1, unforced shuffles,
// and detailed nodes.
TEST(EquationGaps, OnOnePortAreThoseOfStoredPacketsUnforcedShufflesAndDetailedNodes) {
  EXPECT_EQ(presets_with_gaps(1, [](const Machine& m) { return exchange_gaps(m, dim, block); }),
            (Names{"ipsc1", "ipsc860-node"}));
  EXPECT_EQ(presets_with_gaps(1, [](const Machine& m) { return combine_gaps(m, dim); }),
            (Names{"ipsc1", "ipsc860-node"}));
  EXPECT_EQ(presets_with_gaps(1, [](const Machine& m) { return shuffle_gaps(m, dim); }),
            (Names{"ipsc860-node", "ipsc860-nx", "ipsc860-combine", "ipsc2"}));
}

TEST(EquationGaps, OnAllPortsAreThoseOfDuplexCallsAndProtocolsToo) {
  const Names intel = {"ipsc860", "ipsc860-node", "ipsc860-nx", "ipsc860-combine", "ipsc1", "ipsc2"};
  EXPECT_EQ(presets_with_gaps(Ports::n, [](const Machine& m) { return exchange_gaps(m, dim, block); }), intel);
  EXPECT_EQ(presets_with_gaps(Ports::n, [](const Machine& m) { return combine_gaps(m, dim); }), intel);
  EXPECT_EQ(presets_with_gaps(Ports::n, [](const Machine& m) { return shuffle_gaps(m, dim); }),
            (Names{"ipsc860", "ipsc860-node", "ipsc860-nx", "ipsc860-combine", "ipsc2"}));
}

TEST(EquationGaps, OfOneDimensionAreThoseOfOnePort) {
  EXPECT_FALSE(exchange_gaps(preset_with("ipsc860", Ports::n), 2, block).empty());
  EXPECT_TRUE(exchange_gaps(preset_with("ipsc860", Ports::n), 1, block).empty());
}

TEST(EquationGaps, SayOneReasonForEachMechanism) {
  Machine machine = preset_with("ideal", Ports::n);
  EXPECT_TRUE(combine_gaps(machine, dim).empty());
  machine.library.call_cycles = 1;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 1U);
  machine.library.protocol = Protocol::forced;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 2U);
  machine.network.duplex = Duplex::together;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 3U);
  machine.library.send_zero_cycles = machine.library.send_cycles + 1;
  EXPECT_EQ(combine_gaps(machine, dim).size(), 4U);
}

TEST(EquationGaps, OfBlocksOfZeroBytesAreTheirOwnStartUps) {
  const Machine machine = preset_with("ipsc860", 1);
  EXPECT_EQ(exchange_gaps(machine, dim, 0).size(), 1U);
  EXPECT_TRUE(exchange_gaps(preset_with("ideal", 1), dim, 0).empty());
}

}  // namespace
}  // namespace ecube::equation_gaps_test
