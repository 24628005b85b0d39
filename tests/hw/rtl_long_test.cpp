// SPDX-License-Identifier: Apache-2.0
// The RTL against the event engine where it takes long: more traffic, more dimensions.
#include "tests/hw/rtl_comparison.h"

namespace ecube {
namespace {

const std::vector<Model> all = {{1, true},  {2, true}, {2, false}, {3, true}, {3, false}, {4, true},
                                {4, false}, {5, true}, {5, false}, {6, true}, {6, false}};

TEST(RtlLong, AgreesOnRandomContendedTraffic) {
  Bench bench(all);
  compare_random_traffic(bench, all, 250'000, 1000);
}

TEST(RtlLong, AgreesOnRandomContendedWorms) {
  const std::vector<Model> worms = {{4, true, "", 1},  {4, false, "", 2}, {5, true, "", 4},
                                    {5, false, "", 1}, {6, true, "", 1},  {6, false, "", 8}};
  Bench bench(worms);
  compare_random_traffic(bench, worms, 100'000, 1000);
}

TEST(RtlLong, AgreesOnCompleteExchangesOfFiveDimensions) {
  Bench bench({{5, true}, {5, false}});
  std::size_t compared = 0;
  for (const bool one_port : {true, false}) {
    for (const char* name : {"ideal", "hull", "ipsc860"}) {
      Machine machine = resolve(preset_settings(preset(name)));
      machine.node.ports.engines = one_port ? 1 : Ports::n;
      for (const Schedule schedule : {Schedule::xor_pairs, Schedule::random}) {
        compare_exchanges(bench, machine, 5, 20, schedule, {}, compared);
        compare_exchanges(bench, machine, 5, 20, schedule, {.jitter = 300, .seed = 9}, compared);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(compared, 20'000U);
}

TEST(RtlLong, AgreesOnTheIpsc860WithSixDimensions) {
  Bench bench({{6, true}, {6, false}});
  std::size_t compared = 0;
  for (const bool one_port : {true, false}) {
    Machine machine = resolve(preset_settings(preset("ipsc860")));
    machine.node.ports.engines = one_port ? 1 : Ports::n;
    compare_exchanges(bench, machine, 6, 32, Schedule::xor_pairs, {}, compared);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 40'000U);
}

}  // namespace
}  // namespace ecube
