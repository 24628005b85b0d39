// SPDX-License-Identifier: Apache-2.0
// Ports, engines and processor of a node without contention, in cycles worked out by hand from hw/README.md; one node
// that stands for all of them.
#include "models/uncontended/nodes.h"

#include "models/uncontended/timeline.h"
#include "tests/test.h"

namespace ecube::nodes_test {
namespace {

/// A message of circuits that all take the same.
struct Sent {
  char name = 'a';
  uncontended::Circuit<Cycles> circuit;
};

/// Notes when probes are driven and when circuits are received, as "a>10" and "a<15".
class Noted final : private uncontended::Nodes<Cycles, Sent> {
 public:
  static constexpr std::uint8_t any_port = no_port;

  explicit Noted(const uncontended::NodeLimits& limits) { reset(1, limits); }

  Noted& sends(const Sent& sent, std::uint8_t port = any_port, Cycles at = 0, std::uint32_t circuits = 1) {
    messages_.push_back({.of = sent, .circuits = circuits, .port = port, .arrives_in = next_arrives_in});
    wake(at, uncontended::Rank::request, messages_.size() - 1, {}, static_cast<NodeId>(messages_.size() - 1));
    return *this;
  }
  [[nodiscard]] std::string edges() {
    while (is_due()) advance();
    return text_;
  }

  std::uint8_t next_arrives_in = 0;

 private:
  void woken(uncontended::Rank /*rank*/, const Message& by) override { send(messages_[by.node]); }
  uncontended::Circuit<Cycles> begin(const Message& message) override { return message.of.circuit; }
  void drives_probe(const Message& message, Cycles at) override { note(message, '>', at); }
  void received(const Message& message) override { note(message, '<', time()); }
  void note(const Message& message, char what, Cycles at) {
    if (!text_.empty()) text_ += ' ';
    text_ += message.of.name;
    text_ += what;
    text_ += std::to_string(at);
  }

  std::vector<Message> messages_;
  std::string text_;
};

constexpr Sent sent(char name, Cycles startup, Cycles transit, Cycles receipt = 0, Cycles early = 0) {
  return {name, {startup, transit, receipt, early}};
}

TEST(UncontendedNodes, OverlappedStartUpsWaitForNothing) {
  EXPECT_EQ(Noted({}).sends(sent('a', 10, 5, 3)).sends(sent('b', 10, 4, 3)).edges(), "a>10 b>10 b<17 a<18");
}

/// Rule 4.4: a's receipt is due at 15, when b's start-up has the processor until 20; c's start-up is due at 16.
TEST(UncontendedNodes, QueuedWorkIsServedInTheOrderInWhichItIsDue) {
  Noted node({.queued = true});
  node.sends(sent('a', 10, 5, 3)).sends(sent('b', 10, 50, 0)).sends(sent('c', 10, 50, 0), Noted::any_port, 16);
  EXPECT_EQ(node.edges(), "a>10 b>20 c>33 a<23 b<70 c<83");
}

/// Rule 4.4: both receipts are due at 20, the one of the lower eject port first, and c's start-up behind them.
TEST(UncontendedNodes, ReceiptsDueTogetherGoByEjectPortAndBeforeRequests) {
  Noted node({.queued = true});
  node.next_arrives_in = 1;
  node.sends(sent('a', 4, 16, 3));
  node.next_arrives_in = 0;
  node.sends(sent('b', 4, 12, 2)).sends(sent('c', 1, 5, 0), Noted::any_port, 20);
  EXPECT_EQ(node.edges(), "a>4 b>8 c>26 b<22 a<25 c<31");
}

/// Rule 4.2: b has a's port from the edge at which a has left it, 2 cycles before a arrives at 15; c has another one.
TEST(UncontendedNodes, SendsOfOnePortFollowOneAnother) {
  Noted node({});
  node.sends(sent('a', 10, 5, 0, 2), 0).sends(sent('b', 10, 5), 0).sends(sent('c', 10, 5), 1);
  EXPECT_EQ(node.edges(), "a>10 c>10 b>23 a<15 c<15 b<28");
}

/// Rule 4.8: of two engines a has one. b waits for a's port without an engine, and c takes the second.
TEST(UncontendedNodes, AFreeEngineGoesToTheFirstSendWhosePortIsFree) {
  Noted node({.engines = 2});
  node.sends(sent('a', 10, 5), 0).sends(sent('b', 10, 5), 0).sends(sent('c', 20, 5), 1).sends(sent('d', 10, 5), 2);
  EXPECT_EQ(node.edges(), "a>10 c>20 b>25 a<15 d>35 c<25 b<30 d<40");
}

/// Rule 4.2: the second circuit of a goes before b, which waited longer; b has the port when the second has left it.
TEST(UncontendedNodes, AFurtherCircuitGoesBeforeSendsThatHaveNotBegun) {
  Noted node({.engines = 1});
  node.sends(sent('a', 10, 5), 0, 0, 2).sends(sent('b', 10, 5), 0);
  EXPECT_EQ(node.edges(), "a>10 a<15 a>25 b>40 a<30 b<45");
}

TEST(UncontendedNodes, MicrosecondsAreToldApartByPicoseconds) {
  using uncontended::moment_of;
  EXPECT_EQ(moment_of(0.1 + 0.2), moment_of(0.3));
  EXPECT_NE(moment_of(0.3), moment_of(0.300002));
  EXPECT_LT(moment_of(1e300), moment_of(1e301));
}

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
  for (std::size_t q = 1; q <= 5; ++q)
    for (std::size_t steps = 1; steps <= 4; ++steps)
      for (const double transfer : {0.0, 10.0, 15.0, 100.0}) {
        const GivenPart part(steps, {message(10, transfer, 0)});
        const double startups = 10.0 * static_cast<double>(q);
        const double closed = startups + transfer + static_cast<double>(steps - 1) * std::max(startups, 10 + transfer);
        EXPECT_DOUBLE_EQ(timeline(std::vector<GivenPart>(q, part), true), closed) << q << " " << steps;
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
}  // namespace ecube::nodes_test
