// SPDX-License-Identifier: Apache-2.0
// One node that stands for all of them, in steps worked out by hand.
#include "models/uncontended/timeline.h"
#include "tests/test.h"

namespace ecube::node_timeline_test {
namespace {

struct GivenMessage {
  std::vector<TimedCircuit> circuits;
  std::uint8_t arrives_in = 0;
};
/// Steps of given messages.
using GivenPart = std::vector<std::vector<GivenMessage>>;

GivenMessage message(double startup, double transit, double receipt, std::uint8_t arrives_in = 0, double early = 0) {
  return {{{startup, transit, receipt, early}}, arrives_in};
}

double timeline(const std::vector<GivenPart>& parts, bool queued, std::uint32_t engines = 0, bool in_step = false) {
  const TimedNodes node{
      .programs = static_cast<std::uint32_t>(parts.size()), .limits = {queued, engines}, .in_step = in_step};
  return timeline_us<double>(node, [&](std::uint32_t part, std::uint64_t number, TimedStep& step) {
    if (number == parts[part].size()) return false;
    for (const GivenMessage& given : parts[part][number]) {
      const std::span<const TimedCircuit> circuits = given.circuits;
      step.messages.push_back(
          {.partner = part, .arrives_in = given.arrives_in, .circuit = circuits.front(), .more = circuits.subspan(1)});
    }
    return true;
  });
}

TEST(NodeTimeline, ServesStartUpsAndReceiptsInTheOrderInWhichTheyAreDue) {
  const GivenMessage slow = message(10, 30, 5);
  // Start-ups 0-10 and 10-20, arrivals 40 and 50, receipts 40-45 and 50-55; alone 45.
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{slow, slow}})}, true), 55);
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{slow, slow}})}, false), 45);
  // The first arrives at 14 while the processor is busy to 20: receipts 20-25 and, due at 24, 25-30.
  const GivenMessage fast = message(10, 4, 5);
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{fast, fast}})}, true), 30);
  // Two parts of two steps: start-ups 0-10, 10-20; receipts 20-25 (due 14), 25-30 (due 24); second steps due at 25 and
  // 30: start-ups 30-40, 40-50; arrivals 44, 54; receipts 50-55, 55-60.
  const GivenPart two{{fast}, {fast}};
  EXPECT_DOUBLE_EQ(timeline({two, two}, true), 60);
  EXPECT_DOUBLE_EQ(timeline({two, two}, false), 38);
  // In step: 30 for each.
  EXPECT_DOUBLE_EQ(timeline({two, two}, true, 0, true), 60);
  EXPECT_DOUBLE_EQ(timeline({two, GivenPart({{slow}})}, false, 0, true), 45 + 19);
}

/// q parts of S equal steps without receipts: q lambda + T + (S - 1) max(q lambda, lambda + T).
TEST(NodeTimeline, ComesToTheClosedFormOfEqualMessages) {
  for (std::size_t q = 1; q <= 5; ++q) {
    for (std::size_t steps = 1; steps <= 4; ++steps) {
      for (const double transfer : {0.0, 10.0, 15.0, 100.0}) {
        const GivenPart part(steps, {message(10, transfer, 0)});
        const double startups = 10.0 * static_cast<double>(q);
        const double closed = startups + transfer + static_cast<double>(steps - 1) * std::max(startups, 10 + transfer);
        EXPECT_DOUBLE_EQ(timeline(std::vector<GivenPart>(q, part), true), closed) << q << " " << steps;
      }
    }
  }
}

TEST(NodeTimeline, ReceiptsDueTogetherGoByPortAndBeforeStartUps) {
  // Start-ups 0-10, 10-20, 20-30; the second and the third arrive at 50 together, the first at 90. Receipts in order of
  // port: the third's 50-55, the second's 55-60.
  const GivenPart parts[] = {GivenPart({{message(10, 80, 5, 0)}}),
                             GivenPart({{message(10, 30, 5, 2)}, {message(10, 0, 0, 2)}}),
                             GivenPart({{message(10, 20, 5, 1)}, {message(10, 0, 0, 1)}})};
  // The third's next start-up is due at 55, when the second's receipt is: 60-70; the second's at 60: 70-80. First
  // 90-95.
  EXPECT_DOUBLE_EQ(timeline({parts[0], parts[1], parts[2]}, true), 95);
  EXPECT_DOUBLE_EQ(timeline({parts[1], parts[2]}, true), 80 - 10);
}

TEST(NodeTimeline, EnginesAreTakenInOrderOfIssue) {
  // 20 us each; the engine is free 3 us before the arrival.
  const GivenMessage one = message(5, 10, 5, 0, 3);
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{one, one}})}, false, 2), 20);
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{one, one}})}, false, 1), 12 + 20);
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{one, one}}), GivenPart({{one}})}, false, 2), 12 + 20);
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{one, one}}), GivenPart({{one}})}, false, 1), 24 + 20);
}

TEST(NodeTimeline, CircuitsOfOneMessageFollowOneAnother) {
  const GivenMessage both = {{{10, 20, 5, 0}, {1, 2, 3, 0}}};
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{both}})}, true), 41);
  // Two of them: start-ups 0-10, 10-20. The first: receipt 30-35, data 35-36, arrival 38, receipt 38-41. The second,
  // which arrived at 40: receipt 41-46, data 46-47, arrival 49, receipt 49-52.
  EXPECT_DOUBLE_EQ(timeline({GivenPart({{both, both}})}, true), 52);
}

/// Start-ups 0-10, 10-20, 20-40. Both other messages arrive while the processor is busy, the second at 22 and the first
/// at 23, and are received at once: their next start-ups are due in that order, 40-50 and 50-60.
TEST(NodeTimeline, AReceiptOfNoTimeDoesNotWaitForTheProcessor) {
  const GivenPart first{{message(10, 13, 0)}, {message(10, 100, 0)}};
  const GivenPart second{{message(10, 2, 0, 1)}, {message(10, 0, 0, 1)}};
  EXPECT_DOUBLE_EQ(timeline({first, second, {{message(20, 0, 0, 2)}}}, true), 160);
}

}  // namespace
}  // namespace ecube::node_timeline_test
