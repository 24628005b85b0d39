// SPDX-License-Identifier: Apache-2.0
// The long tests of the RTL against the event engine: more programs, more dimensions.
#include "hw/rtl/lone_router.h"
#include "hw/rtl/words.h"
#include "testbench/machine/rtl_library.h"
#include "tests/hw/rtl_comparison.h"

namespace ecube::rtl_long_test {
namespace {

TEST(RtlLong, AgreesOnRandomProgramsOfEveryMode) {
  Shapes shapes;
  for (const unsigned dim : {1U, 2U, 3U, 4U}) {
    for (const RandomShape& shape : shapes_of({dim}, {0, 1 + dim % 3})) shapes.push_back(shape);
  }
  RtlBench bench(shapes);
  compare_random_programs(bench, shapes, given("ECUBE_CASES", 200'000), given("ECUBE_SEED", 1000));
}

TEST(RtlLong, AgreesOnWormsWithBuffersOfEverySize) {
  Shapes shapes;
  for (unsigned buffer = 1; buffer <= 8; ++buffer) shapes.push_back({3, Ports::n, buffer});
  RtlBench bench(shapes);
  compare_random_programs(bench, shapes, 50'000, 1000);
}

TEST(RtlLong, AgreesOnCompleteExchangesOfFiveDimensions) {
  RtlBench bench({{5, 1}, {5, Ports::n}});
  std::size_t compared = 0;
  for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
    for (const char* name : {"ideal", "hull", "ipsc860"}) {
      compared += compare_exchanges(bench, preset_machine(name, engines), 5, 20,
                                    {Schedule::xor_pairs, Schedule::random}, {0, 300});
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared, 20'000U);
}

TEST(RtlLong, AgreesOnTheIpsc860WithSixDimensions) {
  RtlBench bench({{6, 1}, {6, Ports::n}});
  std::size_t compared = 0;
  for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
    compared += compare_exchanges(bench, preset_machine("ipsc860", engines), 6, 32);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 40'000U);
}

TEST(RtlLong, AgreesOnSevenAndEightDimensions) {
  const Shapes shapes{{7, 1}, {8, 1}, {8, 1, 2}};
  RtlBench bench(shapes);
  compare_random_programs(bench, shapes, 5'000, 500);
}

/// The edge at which a router alone grants the probe of a message of a node to itself that it sees at edge 1.
std::uint64_t edge_of_grant(MakeLoneRouter& make, std::uint64_t route_delay) {
  const std::unique_ptr<LoneRouter> router(make(1));
  LoneRouter::Inputs inputs{.reset = true, .route_delay = route_delay};
  (void)router->rise(inputs);
  inputs.reset = false;
  inputs.wire[1] = rtl::packed({.kind = clocked::WireKind::probe, .source = 1}, 1);
  (void)router->fall(inputs);
  std::uint64_t edge = 1;
  while (router->rise(inputs).granted == 0 && edge < route_delay + 10) {
    inputs.wire[1] = 0;
    (void)router->fall(inputs);
    ++edge;
  }
  EXPECT_EQ(router->failed(), "");
  return edge;
}

TEST(RtlLong, ARouterAloneCountsToTheEndOfItsRegister) {
  const std::string target = rtl_target(Machine{}, 1, "alone");
  auto* const make =
      reinterpret_cast<MakeLoneRouter*>(symbol_of_rtl(built_rtl_library(target), target, lone_router_symbol));
  for (const std::uint64_t delay : {std::uint64_t{1}, std::uint64_t{1000}, (std::uint64_t{1} << 32) - 1}) {
    EXPECT_EQ(edge_of_grant(*make, delay), delay + 1);
  }
}

}  // namespace
}  // namespace ecube::rtl_long_test
