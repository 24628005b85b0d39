// SPDX-License-Identifier: Apache-2.0
// An event engine whose way of messages breaks one rule (planted.txt): the comparison with the clocked machine finds
// every one of them.
#include <gtest/gtest.h>

#include "tests/hw/known_program.h"
#include "tests/hw/planted.h"

namespace ecube {

namespace {

struct PlantedInEvent {
  const char* name;
  const char* shows_in;  ///< what differs first
  friend std::ostream& operator<<(std::ostream& stream, const PlantedInEvent& fault) { return stream << fault.name; }
};

/// The difference from the clocked machine in the first of 200 random programs in which a fault shows; nothing when it
/// shows in none.
std::string found_in_event(std::string_view fault) {
  BothEngines engines;
  const auto shape_of = [](const RandomProgram& program) { return machine_of({.dim = program.dim}); };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomProgram program = plain_program(seed);
    engines.elaborate(shape_of(program), program.dim);
  }
  planted_fault = fault;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomProgram program = plain_program(seed);
    const KnownRun clocked = run_clocked(engines, program);
    if (const auto differs = difference(clocked, run_known(engines.event(), program, nullptr)); differs)
      return *differs;
  }
  return "";
}

class PlantedInThePlainMachine : public ::testing::TestWithParam<PlantedInEvent> {};

TEST_P(PlantedInThePlainMachine, IsFoundByRandomPrograms) {
  const std::string difference = found_in_event(GetParam().name);
  EXPECT_TRUE(difference.starts_with(GetParam().shows_in)) << "found: '" << difference << "'";
}

TEST(PlantedInThePlainMachine, IsFoundWhereThereIsNone) { EXPECT_EQ(found_in_event(""), ""); }

const PlantedInEvent faults[] = {
    {"EventStartUpsTakeACycleMore", "cycles"}, {"EventMessagesLoseTheirContents", "wrong messages"},
    {"EventReceiptsTakeACycleMore", "cycles"}, {"EventMessagesLoseTheirTags", "wrong messages"},
    {"EventPortsAreFreeACycleLate", "cycles"}, {"EventPortsAreNotServedAgain", "status"},
    {"EventBytesAreNotCounted", "counts"},
};

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInThePlainMachine, ::testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace ecube
