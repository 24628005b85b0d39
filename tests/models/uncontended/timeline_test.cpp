// SPDX-License-Identifier: Apache-2.0
// Start-ups and receipts that queue on a node's processor, worked out by hand.
#include "models/uncontended/timeline.h"

#include "tests/test.h"

namespace ecube::timeline_test {
namespace {

TEST(ProcessorQueue, OfTwoExchangesIsBoundByTheProcessorByTheLastMessageOrByTheFirst) {
  // Start-ups end at 10 and 20, messages arrive at 13 and 23: receipts 20 .. 24 and 24 .. 28.
  EXPECT_EQ(queued_exchanges_us(2, {.startup = 10, .transit = 3, .receipt = 4}), 28);
  // Messages arrive at 40 and 50: receipts 40 .. 44 and 50 .. 54.
  EXPECT_EQ(queued_exchanges_us(2, {.startup = 10, .transit = 30, .receipt = 4}), 54);
  // Start-ups end at 2 and 4, messages arrive at 32 and 34: receipts 32 .. 42 and 42 .. 52.
  EXPECT_EQ(queued_exchanges_us(2, {.startup = 2, .transit = 30, .receipt = 10}), 52);
}

TEST(ProcessorQueue, OfOneExchangeIsItsAlphaAndTransmission) {
  EXPECT_EQ(queued_exchanges_us(1, {.startup = 10, .transit = 3, .receipt = 4}), 17);
}

TEST(ProcessorQueue, OfMessagesThatAreOnlyReceivedStartsNothing) {
  // Both arrive at 13: receipts 13 .. 17 and 17 .. 21.
  const TimedMessage received{.sends = false, .circuit = {.startup = 10, .transit = 3, .receipt = 4}};
  EXPECT_EQ(queued_step_us(std::vector{received, received}), 21);
}

TimedCircuit drawn(std::mt19937& draws) {
  return {.startup = static_cast<double>(draws() % 50),
          .transit = static_cast<double>(draws() % 200),
          .receipt = static_cast<double>(draws() % 50)};
}

TEST(ProcessorQueue, OfEqualExchangesIsTheClosedForm) {
  std::mt19937 draws(1);
  for (int i = 0; i < 300; ++i) {
    const TimedCircuit one = drawn(draws);
    const std::size_t count = 1 + draws() % 8;
    EXPECT_EQ(queued_step_us(std::vector(count, TimedMessage{.circuit = one})), queued_exchanges_us(count, one));
  }
}

double picoseconds(std::uint32_t nodes, const TimedProgram& program) {
  return timeline_us<uncontended::Picoseconds>({.nodes = nodes}, program);
}

/// All nodes exchange with their neighbours in all dimensions, `rounds` times.
TimedProgram all_exchange(unsigned dim, std::uint64_t rounds, const TimedCircuit& circuit) {
  return [=](std::uint32_t node, std::uint64_t number, TimedStep& step) {
    if (number == rounds) return false;
    for (std::uint32_t d = 0; d < dim; ++d) {
      step.messages.push_back({.partner = node ^ 1U << d, .tag = d, .circuit = circuit});
    }
    return true;
  };
}

/// The step of queued_step_us() with every node in it: program i + 1 is the node that sends message i, where program 0
/// only receives it.
double followed_step_us(const std::vector<TimedMessage>& messages) {
  const auto program = [&](std::uint32_t number, std::uint64_t step, TimedStep& into) {
    if (step > 0) return false;
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
      const bool meets = !messages[i].sends;
      if (number != 0 && (number != i + 1 || !meets)) continue;
      TimedMessage& message = into.messages.emplace_back(messages[i]);
      message.partner = meets && number == 0 ? i + 1 : 0;
      message.sends = number != 0 || !meets;
      message.receives = number == 0;
    }
    return true;
  };
  return timeline_us<double>({.nodes = static_cast<std::uint32_t>(1 + messages.size())}, program);
}

TEST(ProcessorQueue, OfAStepIsThatOfAllItsNodes) {
  std::mt19937 draws(3);
  for (int i = 0; i < 3000; ++i) {
    std::vector<TimedMessage> messages(draws() % 7);
    const auto us = [&](unsigned most) { return draws() % 4 == 0 ? 0 : static_cast<double>(draws() % most) / 3; };
    for (TimedMessage& message : messages) {
      message.sends = draws() % 3 != 0;
      message.circuit = {.startup = us(50), .transit = us(200), .receipt = us(50)};
    }
    ASSERT_NEAR(queued_step_us(messages), followed_step_us(messages), 1e-9) << "case " << i;
  }
}

TEST(ProcessorQueue, OfNodesThatDoAlikeIsTheSumOfTheirSteps) {
  std::mt19937 draws(2);
  for (int i = 0; i < 100; ++i) {
    const TimedCircuit one = drawn(draws);
    const unsigned dim = 1 + draws() % 4;
    EXPECT_DOUBLE_EQ(picoseconds(1U << dim, all_exchange(dim, 5, one)), 5 * queued_exchanges_us(dim, one));
  }
}

TEST(ProcessorQueue, OfPacketsOneWayIsPacedByTheReceiver) {
  const TimedProgram two_packets = [](std::uint32_t node, std::uint64_t number, TimedStep& step) {
    if (number == 2) return false;
    step.messages.push_back({.partner = node ^ 1U,
                             .sends = node == 0,
                             .receives = node != 0,
                             .circuit = {.startup = 10, .transit = 3, .receipt = 4}});
    return true;
  };
  EXPECT_DOUBLE_EQ(picoseconds(2, two_packets), 34);
}

TEST(ProcessorQueue, NoticesPartnersThatNeverMeet) {
  const TimedProgram alone = [](std::uint32_t node, std::uint64_t number, TimedStep& step) {
    if (number == 1 || node != 0) return false;
    step.messages.push_back({.partner = 1, .receives = false});
    return true;
  };
  EXPECT_THROW((void)picoseconds(2, alone), std::logic_error);
}

/// Times in us are told apart by picoseconds; in picoseconds each is rounded.
TEST(Timeline, RoundsTimesInPicosecondsOnly) {
  const TimedProgram thirds = [](std::uint32_t /*node*/, std::uint64_t number, TimedStep& step) {
    if (number == 3) return false;
    step.messages.push_back({.circuit = {.transit = 1.0 / 3}});
    return true;
  };
  EXPECT_EQ(timeline_us<double>({}, thirds), 1);
  EXPECT_DOUBLE_EQ(picoseconds(1, thirds), 0.999999);
}

}  // namespace
}  // namespace ecube::timeline_test
