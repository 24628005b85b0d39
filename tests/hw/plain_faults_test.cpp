// SPDX-License-Identifier: Apache-2.0
// An event engine whose way of messages breaks one rule: the comparison with the clocked machine finds every one of
// them. This program has the sources of that way compiled once more, with the faults in them.
#include <gtest/gtest.h>

#include "hw/event/planted.h"
#include "tests/hw/known_program.h"

namespace ecube {

event::PlantedFault event::planted = event::PlantedFault::none;

namespace {

using event::PlantedFault;

struct Planted {
  const char* name;
  PlantedFault fault;
  const char* shows_in;  ///< what differs first
  friend std::ostream& operator<<(std::ostream& stream, const Planted& planted) { return stream << planted.name; }
};

/// The difference from the clocked machine in the first of 200 random programs in which a fault shows; nothing when it
/// shows in none.
std::string found(PlantedFault fault) {
  BothEngines engines;
  const auto shape_of = [](const RandomProgram& program) { return machine_of({.dim = program.dim}); };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomProgram program = plain_program(seed);
    engines.elaborate(shape_of(program), program.dim);
  }
  event::planted = fault;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomProgram program = plain_program(seed);
    const KnownRun clocked = run_clocked(engines, program);
    if (const auto differs = difference(clocked, run_known(engines.event(), program, nullptr)); differs)
      return *differs;
  }
  return "";
}

class PlantedInThePlainMachine : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedInThePlainMachine, IsFoundByRandomPrograms) {
  const std::string difference = found(GetParam().fault);
  EXPECT_TRUE(difference.starts_with(GetParam().shows_in)) << "found: '" << difference << "'";
}

TEST(PlantedInThePlainMachine, IsFoundWhereThereIsNone) { EXPECT_EQ(found(PlantedFault::none), ""); }

const Planted faults[] = {
    {"StartUpsTakeACycleMore", PlantedFault::startups_a_cycle_longer, "cycles"},
    {"MessagesLoseTheirContents", PlantedFault::contents_forgotten, "wrong messages"},
    {"ReceiptsTakeACycleMore", PlantedFault::receipts_a_cycle_longer, "cycles"},
    {"MessagesLoseTheirTags", PlantedFault::tags_forgotten, "wrong messages"},
    {"PortsAreFreeACycleLate", PlantedFault::ports_free_a_cycle_late, "cycles"},
    {"PortsAreNotServedAgain", PlantedFault::ports_not_announced, "status"},
    {"BytesAreNotCounted", PlantedFault::bytes_not_counted, "counts"},
};

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInThePlainMachine, ::testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace ecube
