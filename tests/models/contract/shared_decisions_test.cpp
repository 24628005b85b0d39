// SPDX-License-Identifier: Apache-2.0
// What models/ decides for both engines, which their comparison cannot find to be wrong (hw/README.md): against tables
// made by hand.
#include "models/contract/operations.h"
#include "models/node/node_work.h"
#include "tests/test.h"

namespace ecube::shared_decisions_test {
namespace {

Operation operation(OperationKind kind, NodeId node, NodeId peer, std::uint32_t tag) {
  Operation result;
  result.kind = kind;
  result.node = node;
  result.peer = peer;
  result.tag = tag;
  return result;
}

TEST(SharedDecisions, AReceiveTakesTheSourceAndTypeThatItNames) {
  // A receive of tag 7 by node 2: the source that it names; source and tag of a message, and whether it takes it.
  const std::tuple<NodeId, NodeId, std::uint32_t, bool> rows[] = {
      {5, 5, 7, true},         {5, 5, 6, false},        {5, 4, 7, false}, {5, 2, 7, false},
      {any_node, 0, 7, true},  {any_node, 2, 7, true},  {0, 0, 7, true},  {0, 1, 7, false},
      {any_node, 5, 8, false}, {any_node, 15, 7, true}, {2, 2, 7, true},  {2, 3, 7, false}};
  for (const auto& [named, source, tag, taken] : rows) {
    EXPECT_EQ(takes(operation(OperationKind::receive, 2, named, 7), source, tag), taken)
        << named << " " << source << " " << tag;
  }
}

TEST(SharedDecisions, PartnersNameEachOtherAndOneType) {
  const Operation exchange = operation(OperationKind::exchange, 1, 6, 3);
  const Operation send = operation(OperationKind::send, 1, 6, 3);
  EXPECT_TRUE(are_partners(exchange, operation(OperationKind::exchange, 6, 1, 3)));
  EXPECT_FALSE(are_partners(exchange, operation(OperationKind::exchange, 6, 1, 4)));
  EXPECT_FALSE(are_partners(exchange, operation(OperationKind::exchange, 6, 2, 3)));
  EXPECT_FALSE(are_partners(exchange, operation(OperationKind::exchange, 5, 1, 3)));
  EXPECT_FALSE(are_partners(exchange, operation(OperationKind::receive, 6, 1, 3)));
  EXPECT_TRUE(are_partners(send, operation(OperationKind::receive, 6, 1, 3)));
  EXPECT_TRUE(are_partners(operation(OperationKind::receive, 6, 1, 3), send));
  EXPECT_FALSE(are_partners(send, operation(OperationKind::send, 6, 1, 3)));
  EXPECT_FALSE(are_partners(send, operation(OperationKind::receive, 6, any_node, 3)));
}

TEST(SharedDecisions, AMessageLeavesByThePortNamedOrByItsLowestDimension) {
  struct Row {
    NodeId source, destination;
    std::uint8_t named;
    std::uint32_t ports;
    unsigned port;
  };
  const Row rows[] = {{0b000, 0b110, automatic_port, 3, 1},
                      {0b101, 0b001, automatic_port, 3, 2},
                      {0b101, 0b100, automatic_port, 3, 0},
                      {0b011, 0b011, automatic_port, 3, 0},
                      {0b000, 0b110, automatic_port, 1, 0},
                      {0b000, 0b110, 2, 3, 2},
                      {0b011, 0b011, 1, 3, 1},
                      {0b1010, 0b0010, automatic_port, 4, 3}};
  for (const Row& row : rows) {
    EXPECT_EQ(inject_port(Topology::cube(4), row.source, row.destination, row.named, row.ports), row.port)
        << row.source << " " << row.destination;
  }
}

TEST(SharedDecisions, ARouteTakesTheLowestDimensionFirst) {
  struct Row {
    NodeId from, to;
    std::vector<NodeId> nodes;  // behind `from`
  };
  const Row rows[] = {{0b0000, 0b1011, {0b0001, 0b0011, 0b1011}},
                      {0b1011, 0b0000, {0b1010, 0b1000, 0b0000}},
                      {0b0110, 0b1001, {0b0111, 0b0101, 0b0001, 0b1001}},
                      {0b0100, 0b0000, {0b0000}},
                      {0b0101, 0b0101, {}}};
  for (const Row& row : rows) {
    NodeId at = row.from;
    std::vector<NodeId> nodes;
    along_route(row.from, row.to, [&](LinkId link) {
      EXPECT_EQ(link.node, at);
      EXPECT_EQ(next_hop(at, row.to), neighbour(at, link.output));
      at = neighbour(at, link.output);
      nodes.push_back(at);
    });
    EXPECT_EQ(nodes, row.nodes);
    EXPECT_EQ(next_hop(at, row.to), row.to);
  }
}

TEST(SharedDecisions, AnOperationHasAPartForEachMessageAndAnExchangeOneMore) {
  Operation each = operation(OperationKind::receive_each, 2, 2, 7);
  each.sources = {.low = 0, .dim = 2};
  Operation counted = operation(OperationKind::receive_counted, 2, any_node, 7);
  counted.count = 5;
  const Operation exchange = operation(OperationKind::exchange, 2, 3, 7);
  EXPECT_EQ((std::array{parts_of(each), parts_of(counted), messages_of(exchange), parts_of(exchange)}),
            (std::array{3U, 5U, 1U, 2U}));
}

/// On a cube of four nodes and three planes, node 1 and operations that it asks for.
TEST(SharedDecisions, PlanesRefuseWhatTheyDoNotCarryAndCannotBeTunedTo) {
  Machine machine;
  machine.library.protocol = Protocol::forced;
  Operation tune = operation(OperationKind::compute, 1, 2, 7);
  tune.work = Work::tune;
  tune.port = 2;
  tune.mask = 3;
  Operation send = operation(OperationKind::send, 1, 2, 7);
  send.port = 2;
  const auto refused = [&](const Operation& possible, const auto& change) {
    Operation asked = possible;
    change(asked);
    return thrown<InputError>([&] { check_on_planes(asked, Topology::on_planes(2, 3), machine); });
  };
  EXPECT_EQ(refused(tune, [](Operation&) {}), "");
  EXPECT_HAS(refused(tune, [](Operation& one) { one.port = 3; }), "node 1 tunes plane 3\n  valid: planes 0 to 2");
  EXPECT_HAS(refused(tune, [](Operation& one) { one.mask = 4; }), "plane 2 to mask 4\n  valid: masks 1 to 3");
  EXPECT_EQ(refused(send, [](Operation&) {}), "");
  EXPECT_HAS(refused(send, [](Operation& one) { one.signal = true; }), "sends a signal");
  EXPECT_HAS(refused(send, [](Operation& one) { one.port = automatic_port; }), "no plane\n  valid: port = 0 to 2");
  EXPECT_HAS(refused(send, [](Operation& one) { one.sync = PairwiseSync::on; }), "synchronises an exchange");
}

TEST(SharedDecisions, MessagesAndBuffersAreWholePhits) {
  Machine machine;
  machine.link.phit_bytes = 4;
  for (const auto& [bytes, phits, buffered] :
       {std::tuple(0U, 1U, 1U), std::tuple(1U, 1U, 1U), std::tuple(4U, 1U, 1U), std::tuple(5U, 2U, 1U),
        std::tuple(8U, 2U, 2U), std::tuple(9U, 3U, 2U)}) {
    machine.router.buffer_bytes = bytes;
    EXPECT_EQ(machine.phits(bytes), phits) << bytes;
    EXPECT_EQ(machine.buffer_phits(), buffered) << bytes;
  }
}

TEST(SharedDecisions, PathsOfTheLibraryAreRoundedUpToTheClockOfTheMachine) {
  Machine machine;
  machine.core.clock_hz = 2 * machine.clock_hz;
  machine.library = {1, 4, 6, 8, 9, 12, 14, 16, 18};  // in the order of Machine::PathLengths
  EXPECT_EQ((std::bit_cast<std::array<Cycles, 9>>(machine.path_lengths())),
            (std::array<Cycles, 9>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(SharedDecisions, APhitCompletesTheWordsOfTheBusThatEndInIt) {
  using Words = std::pair<std::uint64_t, std::uint64_t>;
  Machine machine;  // with a bus of 8 bytes
  machine.link.phit_bytes = 4;
  EXPECT_EQ(words_of_phit(machine, 1, 3), Words(0, 1));
  EXPECT_EQ(words_of_phit(machine, 2, 3), Words(1, 2)) << "the last word is not full";
  machine.link.phit_bytes = 16;
  EXPECT_EQ(words_of_phit(machine, 1, 2), Words(2, 4));
}

TEST(SharedDecisions, JitterDependsOnSeedNodeAndNumberOnly) {
  const RunConditions conditions{.jitter = 1000, .seed = 7};
  EXPECT_EQ((RunConditions{.jitter = 0, .seed = 7}.jitter_of(3, 0)), 0U);
  std::set<Cycles> drawn;
  for (std::uint64_t number = 0; number < 50; ++number) {
    const Cycles delay = conditions.jitter_of(3, number);
    EXPECT_LE(delay, 1000U);
    EXPECT_EQ(delay, conditions.jitter_of(3, number));
    drawn.insert(
        {delay, conditions.jitter_of(4, number), RunConditions{.jitter = 1000, .seed = 8}.jitter_of(3, number)});
  }
  EXPECT_GT(drawn.size(), 120U) << "of 150";
}

TEST(SharedDecisions, JitterOfStartsAndOfStartupsAreTheDrawsOfBoth) {
  const RunConditions both{.jitter = 1000, .seed = 7};
  const RunConditions starts{.jitter = 1000, .late = Late::starts, .seed = 7};
  const RunConditions startups{.jitter = 1000, .late = Late::startups, .seed = 7};
  for (std::uint64_t number = 0; number < 50; ++number) {
    EXPECT_EQ(starts.jitter_of(3, number), number == 0 ? both.jitter_of(3, number) : 0);
    EXPECT_EQ(startups.jitter_of(3, number), number == 0 ? 0 : both.jitter_of(3, number));
  }
}

}  // namespace
}  // namespace ecube::shared_decisions_test
