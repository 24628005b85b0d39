// SPDX-License-Identifier: Apache-2.0
// The service times of a node and what messages wait for on its processor, worked out by hand.
#include "models/exchange/hull.h"
#include "tests/test.h"

namespace ecube::node_service_test {
namespace {

/// A cycle is a microsecond.
Machine machine() {
  Machine machine;
  machine.clock_hz = 1e6;
  machine.core.clock_hz = 1e6;
  machine.node.ports.engines = Ports::n;
  return machine;
}

/// hw/README.md section 3: the port is free h + 2 cycles before the arrival.
TEST(NodeServiceOf, ACircuitFreesItsPortWithTheTail) {
  Machine one = machine();
  one.library.threshold_bytes = 100;
  const NodeService service = node_service(one);
  EXPECT_DOUBLE_EQ(service.early_us, 2);
  EXPECT_DOUBLE_EQ(service.early_hop_us, 1);
  EXPECT_LT(service.reserve_above_bytes, 0) << "no protocol, no reservation";
  EXPECT_FALSE(service.stores);
  EXPECT_TRUE(service.processor);
  one.library.protocol = Protocol::unforced;
  EXPECT_DOUBLE_EQ(node_service(one).reserve_above_bytes, 100);
}

TEST(NodeServiceOf, AStoredPacketFreesItsPortForOneLink) {
  Machine one = machine();
  one.network.switching = Switching::store_and_forward;
  one.library.forward_cycles = 7;
  const NodeService service = node_service(one);
  EXPECT_TRUE(service.stores);
  EXPECT_DOUBLE_EQ(service.early_us, 3);
  EXPECT_DOUBLE_EQ(service.early_hop_us, 0);
  EXPECT_DOUBLE_EQ(service.forward_us, 7);
}

/// hw/README.md section 10: of each hop the worm's tail follows its probe by the router's r + 1 cycles, or, if that is
/// less, by the pace at which a buffer of b phits drains: c b - 1.
TEST(NodeServiceOf, AWormFreesItsPortAtThePaceOfItsBuffers) {
  Machine one = machine();
  one.network.switching = Switching::wormhole;
  one.router.route_cycles = 4;
  one.link.cycles_per_phit = {3, 2};
  one.router.buffer_bytes = Bytes{2} * one.link.phit_bytes;
  ASSERT_EQ(one.buffer_phits(), 2U);
  EXPECT_DOUBLE_EQ(node_service(one).early_hop_us, 2);        // 1.5 x 2 - 1
  EXPECT_DOUBLE_EQ(node_service(one).early_us, 2 + 2 - 1.5);  // a hop, and what is left of the last phit
  one.router.buffer_bytes = Bytes{8} * one.link.phit_bytes;
  EXPECT_DOUBLE_EQ(node_service(one).early_hop_us, 5);  // 4 + 1
  EXPECT_DOUBLE_EQ(node_service(one).early_us, 5 + 2 - 1.5);
}

/// Messages of 45 us, 10 of them start-up and 5 receipt, or with less to transmit.
ExchangeParameters parameters() { return {.lambda_us = 15, .lambda0_us = 10, .tau_us_per_byte = 1, .delta_us = 2}; }

StageOptions queued(const NodeService& service) {
  StageOptions options;
  options.exchange.barrier = Barrier::none;
  options.service = service;
  options.service.startups = Startups::queued;
  return options;
}

NodeService service() {
  return {.processor = ProcessorTimes{.startup_us = 10, .receipt_us = 5, .startup_zero_us = 4, .receipt_zero_us = 2},
          .control_startup_us = 5,
          .control_receipt_us = 3};
}

/// The time of an exchange but for its permutations.
double messages_us(const ExchangeTerms& terms) { return terms.total() - terms.permutation_us; }

/// {2} has a step of two messages and one of a single message, each of 28 + 17 us: start-ups 0-10 and 10-20, arrivals
/// 40 and 50, receipts 40-45 and 50-55.
TEST(QueuedStage, TakesTheStartUpsAndReceiptsOfADescribedNode) {
  const ExchangeTerms terms = staged_cost(Partition({2}), {28}, parameters(), queued(service()));
  EXPECT_DOUBLE_EQ(messages_us(terms), 55 + 45);
  EXPECT_DOUBLE_EQ(terms.serialised_us, 10);
  // On the average of d = 2 every message has one hop, which is 10 us more in both steps.
  ExchangeParameters p = parameters();
  p.delta_hop_us = 10;
  StageOptions average = queued(service());
  average.exchange.hops = HopCount::average;
  EXPECT_DOUBLE_EQ(messages_us(staged_cost(Partition({2}), {28}, p, average)), 65 + 55);
}

/// Three messages of 15 us, all of which the processor is busy, in two steps; or of 43 us, which overlap.
TEST(QueuedStage, TakesNoLessThanItsProcessorOrItsLongestParts) {
  StageOptions options = queued(service());
  options.exchange = {.barrier = Barrier::clock, .slack_us = 7};
  const ExchangeStages stages(Partition({2}), BlockOrder::high);
  ExchangeParameters p{.lambda_us = 15, .rho_us_per_byte = 1};
  EXPECT_DOUBLE_EQ(least_staged_us(stages, {28}, p, options), 3 * 15 + 4 * 28 + 7);
  EXPECT_DOUBLE_EQ(staged_cost(Partition({2}), {28}, p, options).total(), 3 * 15 + 4 * 28 + 7);
  p.tau_us_per_byte = 1;
  EXPECT_DOUBLE_EQ(least_staged_us(stages, {28}, p, options), 2 * 43 + 4 * 28 + 7);
}

/// Zero bytes: start-up 4, receipt 2, the whole 10 + 2: start-ups 0-4 and 4-8, arrivals 10 and 14, receipts 10-12 and
/// 14-16.
TEST(QueuedStage, OfNoBytesTakesTheTimesOfEmptyMessages) {
  const ExchangeTerms terms = staged_cost(Partition({2}), {0}, parameters(), queued(service()));
  EXPECT_DOUBLE_EQ(terms.total(), 16 + 12);
}

/// A message of 83 bytes takes 100 us and is preceded by a reservation and its grant, of which the network's part is
/// 12 - 4 - 2 = 6. Legs of a message: 10 6 3, 5 6 3, 5 57 5. Two of them: start-ups 0-10, 10-20; first reservation due
/// at 16: 20-23; its grant 23-28; second reservation due at 26: 28-31; its grant 31-36; the first grant due at 34:
/// 36-39; data 39-44; the second grant due at 42: 44-47; data 47-52; arrivals 101 and 109: 101-106, 109-114.
TEST(QueuedStage, ReservesAndWaitsForTheGrant) {
  NodeService reserving = service();
  reserving.reserve_above_bytes = 0;
  const ExchangeTerms terms = staged_cost(Partition({2}), {83}, parameters(), queued(reserving));
  EXPECT_DOUBLE_EQ(messages_us(terms), 114 + 100);
  // Not above the threshold: 55 us more than in the test of 28 bytes above, twice.
  reserving.reserve_above_bytes = 83;
  const ExchangeTerms without = staged_cost(Partition({2}), {83}, parameters(), queued(reserving));
  EXPECT_DOUBLE_EQ(messages_us(without), 55 + 45 + 2 * 55);
}

/// Stored and sent on: 10 us of the start-up, 4 of sending on, 5 of the receipt. {4} has 7 pairs of masks and the full
/// one; with start-ups so short that nothing waits for the processor each step takes the time of its longer message.
TEST(QueuedStage, OfStoredPacketsThatNeverMeetOnTheProcessorIsTheEquation) {
  ExchangeParameters p = parameters();
  p.delta_hop_us = 1000;
  NodeService storing = service();
  storing.stores = true;
  storing.forward_us = 4;
  StageOptions options = queued(storing);
  const ExchangeTerms queues = staged_cost(Partition({2}), {28}, p, options);
  options.service.startups = Startups::overlapped;
  const ExchangeTerms alone = staged_cost(Partition({2}), {28}, p, options);
  // Two packets over one hop each: the second starts 10 us later.
  EXPECT_DOUBLE_EQ(queues.total(), alone.total() + 10);
  // Masks 0001 and 1110, 0010 and 1101, .. 0111 and 1000: the second message starts 10 us later. In six of the seven
  // pairs it has as many hops as the first or more, and ends the step; of 0111 and 1000 it has one hop against three.
  options.service.startups = Startups::queued;
  const ExchangeTerms four = staged_cost(Partition({4}), {28}, p, options);
  options.service.startups = Startups::overlapped;
  const ExchangeTerms four_alone = staged_cost(Partition({4}), {28}, p, options);
  EXPECT_NEAR(four.serialised_us, 6 * 10, 1e-9);
  EXPECT_DOUBLE_EQ(four.total(), four_alone.total() + four.serialised_us);
}

/// With a barrier in every step, steps of the average distance: d / 2 hops each.
TEST(StepByStep, TakesTheAverageDistanceInEveryStep) {
  ExchangeParameters p = parameters();
  p.delta_hop_us = 10;
  p.barrier_us = 7;
  StageOptions options;
  options.exchange.barrier = Barrier::step;
  options.exchange.hops = HopCount::average;
  const ExchangeTerms pairs = staged_cost(Partition({3}), {28}, p, options);
  EXPECT_DOUBLE_EQ(messages_us(pairs), 4 * (45 + 1.5 * 10 + 7));
  options.pairing = MaskPairing::off;
  const ExchangeTerms singles = staged_cost(Partition({3}), {28}, p, options);
  EXPECT_DOUBLE_EQ(messages_us(singles), 7 * (45 + 1.5 * 10 + 7));
}

/// The average is d / 2 hops for every message, in a phase of any size: 3 x 3 / 2 hops of {2} on d = 3 in single masks.
TEST(AverageDistance, IsThatOfTheWholeCube) {
  ExchangeParameters p = parameters();
  p.delta_us = 0;
  p.delta_hop_us = 10;
  StageOptions options;
  options.exchange.barrier = Barrier::none;
  options.exchange.hops = HopCount::average;
  options.pairing = MaskPairing::off;
  EXPECT_DOUBLE_EQ(staged_cost(Partition({2, 1}), {8, 8}, p, options).distance_us, 2 * 3 * 1.5 * 10);
  options.pairing = MaskPairing::on;
  EXPECT_DOUBLE_EQ(staged_cost(Partition({2, 1}), {8, 8}, p, options).distance_us, 2 * 2 * 1.5 * 10);
}

/// Times are lines of the length unless the steps are kept together, short messages have times of their own, start-ups
/// queue or engines are fewer than ports.
TEST(StagedHullOf, HasLinesWhereEveryStepIsOne) {
  StageOptions options;
  for (const Barrier barrier : {Barrier::none, Barrier::phase, Barrier::step, Barrier::clock}) {
    options.exchange.barrier = barrier;
    EXPECT_EQ(staged_hull(3, parameters(), options).lines, barrier != Barrier::step);
  }
  options.exchange.barrier = Barrier::none;
  ExchangeParameters has_short = parameters();
  has_short.short_bytes = 4;
  has_short.lambda_short_us = 9;
  EXPECT_FALSE(staged_hull(3, has_short, options).lines);
  options.service.ports.engines = 2;
  EXPECT_FALSE(staged_hull(3, parameters(), options).lines);
}

TEST(StagedHullOf, BeginsWithBlocksOfNoBytes) {
  EXPECT_NEAR(equal_parts_us(Partition({2}), 0, parameters(), {}), 2 * (15 + 2), 1e-6) << "the limit: not lambda0";
  for (const Barrier barrier : {Barrier::none, Barrier::step}) {
    StageOptions options;
    options.exchange.barrier = barrier;
    for (unsigned dim = 1; dim <= 4; ++dim) {
      const StagedHull hull = staged_hull(dim, parameters(), options);
      ASSERT_FALSE(hull.faces.empty());
      EXPECT_EQ(hull.faces.front().from_bytes, 0);
      for (std::size_t i = 1; i < hull.faces.size(); ++i) {
        EXPECT_LT(hull.faces[i - 1].from_bytes, hull.faces[i].from_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace ecube::node_service_test
