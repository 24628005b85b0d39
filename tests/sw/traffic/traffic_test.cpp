// SPDX-License-Identifier: Apache-2.0
// Traffic of every pattern arrives, each message at its destination and not before it can.
#include "sw/traffic/traffic.h"

#include "tests/sw/ideal_run.h"
#include "tests/test.h"

namespace ecube::traffic_test {
namespace {

constexpr TrafficPattern patterns[] = {TrafficPattern::uniform,   TrafficPattern::bitcomp, TrafficPattern::bitrev,
                                       TrafficPattern::transpose, TrafficPattern::shuffle, TrafficPattern::randperm,
                                       TrafficPattern::neighbor,  TrafficPattern::hotspot, TrafficPattern::all_to_one};

struct Arrival {
  TrafficMessage message;
  Cycles at = 0;
};

class Arrivals final : public TrafficListener {
 public:
  void received(const TrafficMessage& message, Cycles at) override { all.push_back({message, at}); }
  std::vector<Arrival> all;
};

using Identity = std::tuple<NodeId, NodeId, Bytes, Cycles>;
Identity identity(const TrafficMessage& message) {
  return {message.source, message.destination, message.bytes, message.cycle};
}

TEST(Traffic, OfEveryPatternArrivesAfterWhatItsMessagesCost) {
  constexpr unsigned dim = 4;
  for (const TrafficPattern pattern : patterns)
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}})
      for (const TrafficOperations operations : {TrafficOperations::counted, TrafficOperations::separate}) {
        const TrafficWorkload workload{.pattern = pattern, .messages = 5, .rate = 20, .bytes = 24, .seed = 7};
        const TrafficPlan plan(workload, Topology::cube(dim));
        Arrivals arrivals;
        Traffic traffic(plan, &arrivals, operations);
        Firmware firmware([&](Node& node) { return traffic.run(node); });
        const IdealRun where = IdealRun::on(dim, engines, 3);
        const std::string what = "pattern " + std::to_string(static_cast<int>(pattern));
        expect_finished(where, firmware, what);
        EXPECT_EQ(traffic.wrong(), 0U) << what;
        std::map<Identity, int> missing;
        for (const TrafficMessage& message : make_traffic(workload, Topology::cube(dim))) ++missing[identity(message)];
        for (const auto& [message, at] : arrivals.all) {
          --missing[identity(message)];
          const double cost_us = 3 + 0.1 * 24 + 0.5 * hops(message.source, message.destination);
          const double least = static_cast<double>(message.cycle) + cost_us * 1e-6 * where.machine.clock_hz;
          EXPECT_GE(static_cast<double>(at) + 1, least) << what << ", from node " << message.source;
        }
        for (const auto& [message, left] : missing) EXPECT_EQ(left, 0) << what;
      }
}

TEST(Traffic, WithAMessageThatGoesElsewhereIsFoundToBeWrong) {
  constexpr unsigned dim = 3;
  for (const TrafficOperations operations : {TrafficOperations::counted, TrafficOperations::separate}) {
    const TrafficPlan plan({.pattern = TrafficPattern::bitcomp, .messages = 1, .rate = 20, .bytes = 8},
                           Topology::cube(dim));
    Traffic traffic(plan, nullptr, operations);
    Firmware firmware([&](Node& node) { return traffic.run(node); });
    // Two messages change places, so that nobody waits for one that does not come.
    Faulty program(firmware, [](NodeId node, Operation& operation) {
      if (operation.kind == OperationKind::send && (node == 1 || node == 2)) operation.peer ^= 3;
    });
    expect_finished(IdealRun::on(dim, 1, 1), program, "with a fault");
    EXPECT_EQ(traffic.wrong(), 4U);  // two strays, two that did not come
  }
}

/// Cycles of 1 us; a message takes 3 us, 1 us a byte and 1 us a link. At node 0 two messages get their turn at once, of
/// which the second finds the port taken until 31. What waits for a message to itself waits until it is received.
TEST(Traffic, ThatWaitsForMessagesLeavesSoManyCyclesAfterTheLastOfThem) {
  const TrafficPlan plan(
      {{1, 0, 4, 10}, {0, 3, 3, 5}, {0, 1, 1, 5}, {3, 3, 2, 3}, {3, 2, 1, 2}, {1, 2, 1, 3}, {1, 3, 1, 51}},
      {{0, 1}, {0, 2}, {0, 5}, {1, 3}, {3, 4}, {6, 4}}, Topology::cube(2));
  Arrivals arrivals;
  Traffic traffic(plan, &arrivals);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  IdealRun where{.dim = 2};
  where.machine.clock_hz = 1e6;
  where.costs.message = {.lambda_us = 3, .tau_us_per_byte = 1, .delta_hop_us = 1};
  expect_finished(where, firmware, "messages that wait");
  std::string found;
  for (const auto& [message, at] : arrivals.all) {
    found += std::to_string(message.source) + ">" + std::to_string(message.destination) + " " +
             std::to_string(message.cycle) + ".." + std::to_string(at) + ", ";
  }
  EXPECT_EQ(found, "1>0 10..18, 1>2 21..27, 0>3 23..31, 0>1 23..36, 3>3 34..39, 1>3 51..56, 3>2 58..63, ");
}

TEST(Traffic, WithTheTagOfAnotherMessageIsFoundToBeWrong) {
  constexpr unsigned dim = 2;
  const TrafficPlan plan({.pattern = TrafficPattern::bitcomp, .messages = 3, .rate = 20, .bytes = 8},
                         Topology::cube(dim));
  Traffic traffic(plan);
  Firmware firmware([&](Node& node) { return traffic.run(node); });
  std::uint64_t first = 0;
  Faulty program(firmware, [&](NodeId node, Operation& operation) {
    if (operation.kind != OperationKind::send || node != 1) return;
    if (first == 0) first = operation.check;
    operation.check = first;
  });
  expect_finished(IdealRun::on(dim, 1, 1), program, "with a repeated check word");
  EXPECT_EQ(traffic.wrong(), 4U);  // of three messages of node 1, two come under a check word that has been used
}

TEST(Traffic, KeepsTheMessagesUnderWayAndNoOthers) {
  constexpr unsigned dim = 4;
  const auto most_under_way = [](double rate, std::uint64_t messages) {
    const TrafficPlan plan({.messages = messages, .rate = rate, .bytes = 24, .seed = 3}, Topology::cube(dim));
    Traffic traffic(plan);
    Firmware firmware([&](Node& node) { return traffic.run(node); });
    expect_finished(IdealRun::on(dim, 1, 1), firmware, "uniform");
    EXPECT_EQ(traffic.wrong(), 0U);
    return traffic.most_under_way();
  };
  // Beyond saturation, messages wait at their sources; at most two of a node are asked for.
  EXPECT_LE(most_under_way(1000, 100), 2U << dim);
  EXPECT_LE(most_under_way(1000, 10'000), 2U << dim);
}

}  // namespace
}  // namespace ecube::traffic_test
