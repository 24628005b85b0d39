// SPDX-License-Identifier: Apache-2.0
// What models/ decides for both engines, which their comparison cannot find to be wrong (hw/README.md): against tables
// made by hand.
#include "models/contract/operations.h"
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
  struct Row {
    NodeId named;
    NodeId source;
    std::uint32_t tag;
    bool taken;
  };
  // A receive of tag 7 by node 2.
  const Row rows[] = {{5, 5, 7, true},         {5, 5, 6, false},        {5, 4, 7, false}, {5, 2, 7, false},
                      {any_node, 0, 7, true},  {any_node, 2, 7, true},  {0, 0, 7, true},  {0, 1, 7, false},
                      {any_node, 5, 8, false}, {any_node, 15, 7, true}, {2, 2, 7, true},  {2, 3, 7, false}};
  for (const Row& row : rows) {
    EXPECT_EQ(takes(operation(OperationKind::receive, 2, row.named, 7), row.source, row.tag), row.taken)
        << row.named << " " << row.source << " " << row.tag;
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

}  // namespace
}  // namespace ecube::shared_decisions_test
