// SPDX-License-Identifier: Apache-2.0
// Start-ups and receipts that queue on a node's processor, worked out by hand.
#include "models/processor/processor_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace ecube::processor_queue_test {
namespace {

TEST(ProcessorQueue, OfTwoExchangesIsBoundByTheProcessorByTheLastMessageOrByTheFirst) {
  // Start-ups end at 10 and 20, messages arrive at 13 and 23: receipts 20 .. 24 and 24 .. 28.
  EXPECT_EQ(queued_exchanges_us(2, {.startup_us = 10, .wire_us = 3, .receipt_us = 4}), 28);
  // Messages arrive at 40 and 50: receipts 40 .. 44 and 50 .. 54.
  EXPECT_EQ(queued_exchanges_us(2, {.startup_us = 10, .wire_us = 30, .receipt_us = 4}), 54);
  // Start-ups end at 2 and 4, messages arrive at 32 and 34: receipts 32 .. 42 and 42 .. 52.
  EXPECT_EQ(queued_exchanges_us(2, {.startup_us = 2, .wire_us = 30, .receipt_us = 10}), 52);
}

TEST(ProcessorQueue, OfOneExchangeIsItsAlphaAndTransmission) {
  EXPECT_EQ(queued_exchanges_us(1, {.startup_us = 10, .wire_us = 3, .receipt_us = 4}), 17);
}

TEST(ProcessorQueue, OfMessagesThatAreOnlyReceivedStartsNothing) {
  // Both arrive at 13: receipts 13 .. 17 and 17 .. 21.
  const QueuedMessage received{.startup_us = 10, .wire_us = 3, .receipt_us = 4, .sends = false};
  EXPECT_EQ(queued_step_us(std::vector{received, received}), 21);
}

TEST(ProcessorQueue, OfEqualExchangesIsTheClosedForm) {
  std::mt19937 draws(1);
  for (int i = 0; i < 300; ++i) {
    const QueuedMessage one{.startup_us = static_cast<double>(draws() % 50),
                            .wire_us = static_cast<double>(draws() % 200),
                            .receipt_us = static_cast<double>(draws() % 50)};
    const std::size_t count = 1 + draws() % 8;
    EXPECT_EQ(queued_step_us(std::vector(count, one)), queued_exchanges_us(count, one));
  }
}

/// All nodes exchange with their neighbours in all dimensions, `rounds` times.
MetSteps all_exchange(unsigned dim, std::uint64_t rounds, double wire_us) {
  return [=](std::uint32_t node, std::uint64_t number, std::vector<MetMessage>& messages) {
    if (number == rounds) return false;
    for (std::uint32_t d = 0; d < dim; ++d) {
      messages.push_back({.partner = node ^ 1U << d, .type = d, .out_us = wire_us, .in_us = wire_us});
    }
    return true;
  };
}

TEST(ProcessorQueue, OfNodesThatDoAlikeIsTheSumOfTheirSteps) {
  std::mt19937 draws(2);
  for (int i = 0; i < 100; ++i) {
    const ProcessorTimes times{.startup_us = static_cast<double>(draws() % 50),
                               .receipt_us = static_cast<double>(draws() % 50)};
    const auto wire = static_cast<double>(draws() % 200);
    const unsigned dim = 1 + draws() % 4;
    EXPECT_DOUBLE_EQ(met_steps_us(1U << dim, times, all_exchange(dim, 5, wire)),
                     5 * queued_exchanges_us(
                             dim, {.startup_us = times.startup_us, .wire_us = wire, .receipt_us = times.receipt_us}));
  }
}

TEST(ProcessorQueue, OfPacketsOneWayIsPacedByTheReceiver) {
  const MetSteps two_packets = [](std::uint32_t node, std::uint64_t number, std::vector<MetMessage>& messages) {
    if (number == 2) return false;
    MetMessage message{.partner = node ^ 1U};
    (node == 0 ? message.out_us : message.in_us) = 3;
    messages.push_back(message);
    return true;
  };
  EXPECT_DOUBLE_EQ(met_steps_us(2, {.startup_us = 10, .receipt_us = 4}, two_packets), 34);
}

TEST(ProcessorQueue, NoticesPartnersThatNeverMeet) {
  const MetSteps alone = [](std::uint32_t node, std::uint64_t number, std::vector<MetMessage>& messages) {
    if (number == 1 || node != 0) return false;
    messages.push_back({.partner = 1, .out_us = 1});
    return true;
  };
  EXPECT_THROW((void)met_steps_us(2, {}, alone), std::logic_error);
}

}  // namespace
}  // namespace ecube::processor_queue_test
