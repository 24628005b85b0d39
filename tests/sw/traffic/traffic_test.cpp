// SPDX-License-Identifier: Apache-2.0
// Traffic of every pattern arrives, each message at its destination and not before it can.
#include "sw/traffic/traffic.h"

#include <gtest/gtest.h>

#include "tests/sw/ideal_run.h"

namespace ecube {
namespace {

constexpr TrafficPattern patterns[] = {TrafficPattern::uniform,   TrafficPattern::bitcomp, TrafficPattern::bitrev,
                                       TrafficPattern::transpose, TrafficPattern::shuffle, TrafficPattern::randperm,
                                       TrafficPattern::neighbor,  TrafficPattern::hotspot, TrafficPattern::all_to_one};

TEST(Traffic, OfEveryPatternArrivesAfterWhatItsMessagesCost) {
  constexpr unsigned dim = 4;
  for (const TrafficPattern pattern : patterns) {
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}}) {
      Traffic traffic(make_traffic({.pattern = pattern, .messages = 5, .rate = 20, .bytes = 24, .seed = 7}, dim), dim);
      Firmware firmware([&](Node& node) { return traffic.run(node); });
      const IdealRun where = IdealRun::on(dim, engines, 3);
      const std::string what = "pattern " + std::to_string(static_cast<int>(pattern));
      expect_finished(where, firmware, what);
      EXPECT_EQ(traffic.wrong(), 0U) << what;
      for (std::size_t i = 0; i < traffic.messages().size(); ++i) {
        const TrafficMessage& message = traffic.messages()[i];
        const double cost_us = 3 + 0.1 * 24 + 0.5 * hops(message.source, message.destination);
        const double least = static_cast<double>(message.cycle) + cost_us * 1e-6 * where.machine.clock_hz;
        EXPECT_GE(static_cast<double>(traffic.received_at()[i]) + 1, least) << what << ", message " << i;
      }
    }
  }
}

TEST(Traffic, WithAMessageThatGoesElsewhereIsFoundToBeWrong) {
  constexpr unsigned dim = 3;
  Traffic traffic(make_traffic({.pattern = TrafficPattern::bitcomp, .messages = 1, .rate = 20, .bytes = 8}, dim), dim);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  // Two messages change places, so that nobody waits for one that does not come.
  Faulty program(firmware, [](NodeId node, Operation& operation) {
    if (node == 1 || node == 2) operation.peer ^= 3;
  });
  expect_finished(IdealRun::on(dim, 1, 1), program, "with a fault");
  EXPECT_GT(traffic.wrong(), 0U);
}

}  // namespace
}  // namespace ecube
