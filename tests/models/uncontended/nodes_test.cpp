// SPDX-License-Identifier: Apache-2.0
// Ports, engines and processor of a node without contention, in cycles worked out by hand from hw/README.md.
#include "models/uncontended/nodes.h"

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

}  // namespace
}  // namespace ecube::nodes_test
