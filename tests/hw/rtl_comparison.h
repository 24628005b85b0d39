// SPDX-License-Identifier: Apache-2.0
// Running the same program on the event engine and in RTL, and reporting the first difference.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/machine/random.h"
#include "sw/exchange/exchange.h"
#include "sw/traffic/traffic.h"
#include "testbench/machine/rtl_library.h"
#include "tests/hw/both_engines.h"
#include "tests/machines.h"

namespace ecube {

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

/// Complete exchanges by every partition and each schedule, with `jitters` of each. Returns the circuits compared.
inline std::size_t compare_exchanges(BothEngines& bench, const Machine& machine, unsigned dim, Bytes bytes,
                                     const std::vector<Schedule>& schedules = {Schedule::xor_pairs},
                                     const std::vector<Cycles>& jitters = {0}) {
  std::size_t compared = 0;
  for (const Schedule schedule : schedules)
    for (const Cycles jitter : jitters)
      for (const Partition& partition : equipartitions_of(dim)) {
        ExchangeWorkload workload{.partition = partition,
                                  .bytes = bytes,
                                  .schedule = schedule,
                                  .barrier = machine.library.barrier,
                                  .sync = jitter == 0 ? PairwiseSync::on : PairwiseSync::off};
        compared += bench.expect_equal(
            machine, dim, {.jitter = jitter, .seed = 9},
            [&] { return std::make_unique<CompleteExchange>(workload, Topology::cube(dim)); },
            machine.name + " d=" + std::to_string(dim) + " " + partition.braced_name());
        if (::testing::Test::HasFatalFailure()) return compared;
      }
  return compared;
}

}  // namespace ecube
