// SPDX-License-Identifier: Apache-2.0
// The example programs: the ring ends with the right sum, the deadlock does not end.
#include "sw/examples/programs.h"

#include "sw/api/firmware.h"
#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::programs_test {
namespace {

TEST(Programs, TheRingEndsOnEveryCubeAndTheDeadlockStalls) {
  for (unsigned dim = 1; dim <= 6; ++dim)
    for (const programs::Entry& program : programs::all()) {
      Firmware firmware(program.body);
      const RunResult result = run(IdealRun::on(dim, 1, dim), firmware);
      EXPECT_EQ(result.status, program.name == "deadlock" ? RunResult::Status::stalled : RunResult::Status::finished)
          << program.name << " " << result.fault;
    }
}

TEST(Programs, TheRingNoticesANumberThatChangedOnItsWay) {
  Firmware firmware(programs::ring);
  std::uint64_t other = 99;
  Faulty program(firmware, [&](NodeId node, Operation& operation) {
    if (node == 2) operation.outgoing.base = reinterpret_cast<std::byte*>(&other);
  });
  const RunResult result = run(IdealRun::on(3, 1, 1), program);
  EXPECT_EQ(result.status, RunResult::Status::fault);
  EXPECT_HAS(result.fault, "the sum is");
}

}  // namespace
}  // namespace ecube::programs_test
