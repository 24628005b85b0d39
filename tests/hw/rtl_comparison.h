// SPDX-License-Identifier: Apache-2.0
// Running the same program on the event engine and in RTL, and reporting the first difference.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/machine/random.h"
#include "models/presets/presets.h"
#include "sw/exchange/exchange.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/rtl_library.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/random_program.h"

namespace ecube {

using Shapes = std::vector<RandomShape>;

/// Event engine and RTL of these shapes; a SystemC process elaborates once.
class RtlBench : public BothEngines {
 public:
  explicit RtlBench(const Shapes& shapes, const char* variant = "") : BothEngines("rtl") {
    for (const RandomShape& shape : shapes) {
      elaborate(machine_of(shape), shape.dim, RtlParts(rtl_library(machine_of(shape), shape.dim, variant)));
    }
  }
};

/// Traffic as a program.
class TrafficProgram {
 public:
  TrafficProgram(const std::vector<TrafficMessage>& messages, unsigned dim)
      : plan_(messages, Topology::cube(dim)),
        traffic_(plan_),
        firmware_([this](Node& node) { return traffic_.run(node); }) {}
  Program& program() { return firmware_; }
  [[nodiscard]] std::uint64_t wrong() const { return traffic_.wrong(); }

 private:
  TrafficPlan plan_;
  Traffic traffic_;
  Firmware firmware_;
};

inline auto traffic_maker(const std::vector<TrafficMessage>& messages, unsigned dim) {
  return [&messages, dim] { return std::make_unique<TrafficProgram>(messages, dim); };
}

/// Random programs on random machines of every mode, until `wanted` circuits have been compared; wide ones unless the
/// modules are `narrow`.
inline void compare_random_programs(BothEngines& bench, const Shapes& shapes, std::size_t wanted, std::uint64_t seed,
                                    bool narrow = false) {
  std::size_t compared = 0;
  std::uint64_t blocked = 0;
  for (; compared < wanted; ++seed) {
    if (narrow && is_wide(seed)) continue;
    const RandomProgram program =
        random_program(seed, shapes[mix(seed) % shapes.size()], static_cast<unsigned>(3 + seed % 9), seed % 4 == 0);
    compared += bench.expect_equal(
        program.machine, program.dim, program.conditions, [&] { return std::make_unique<RandomFirmware>(program); },
        "ECUBE_SEED=" + std::to_string(seed));
    if (::testing::Test::HasFatalFailure()) return;
    const RunStatistics& statistics = bench.event().engine().statistics();
    blocked += statistics.link_blocked.circuits + statistics.port_blocked.circuits;
  }
  ::testing::Test::RecordProperty("circuits", std::to_string(compared));
  EXPECT_GT(blocked, compared / 20) << "the programs are hardly contended";
}

inline void compare_exchanges(BothEngines& bench, const Machine& machine, unsigned dim, Bytes bytes, Schedule schedule,
                              const RunConditions& conditions, std::size_t& compared) {
  for (const Partition& partition : equipartitions_of(dim)) {
    ExchangeWorkload workload;
    workload.bytes = bytes;
    workload.partition = partition;
    workload.schedule = schedule;
    workload.barrier = machine.library.barrier;
    workload.sync = conditions.jitter == 0 ? PairwiseSync::on : PairwiseSync::off;
    compared += bench.expect_equal(
        machine, dim, conditions, [&] { return std::make_unique<CompleteExchange>(workload, Topology::cube(dim)); },
        machine.name + " d=" + std::to_string(dim) + " " + partition.braced_name());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace ecube
