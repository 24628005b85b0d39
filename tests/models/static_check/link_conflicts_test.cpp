// SPDX-License-Identifier: Apache-2.0
// Conflicts of circuits: by hand, and against routes walked node by node.
#include "models/static_check/link_conflicts.h"

#include "tests/test.h"

namespace ecube::link_conflicts_test {
namespace {

using Cable = std::pair<NodeId, NodeId>;  ///< a link, by the nodes at its ends

/// The links from `from` to `to`, the lowest differing dimension first: one bit of the label after the other.
std::vector<Cable> walked(NodeId from, NodeId to) {
  std::vector<Cable> links;
  for (NodeId bit = 1; from != to; bit *= 2) {
    if (from / bit % 2 == to / bit % 2) continue;
    const NodeId next = from / bit % 2 == 0 ? from + bit : from - bit;
    links.emplace_back(from, next);
    from = next;
  }
  return links;
}

/// Circuits of every link that more than one takes.
std::map<Cable, std::vector<std::size_t>> shared(const std::vector<PlannedCircuit>& step) {
  std::map<Cable, std::vector<std::size_t>> users;
  for (std::size_t number = 0; number < step.size(); ++number)
    for (const Cable& link : walked(step[number].source, step[number].destination)) users[link].push_back(number);
  std::erase_if(users, [](const auto& link) { return link.second.size() < 2; });
  return users;
}

std::map<Cable, std::vector<std::size_t>> found(const std::vector<PlannedCircuit>& step, unsigned dim) {
  std::map<Cable, std::vector<std::size_t>> conflicts;
  for (const LinkConflict& conflict : conflicts_of(step, Topology::cube(dim))) {
    NodeId bit = 1;
    for (unsigned i = 0; i < conflict.link.output; ++i) bit *= 2;
    const NodeId node = conflict.link.node;
    const NodeId other = node / bit % 2 == 0 ? node + bit : node - bit;
    EXPECT_TRUE(conflicts.emplace(Cable{node, other}, conflict.circuits).second) << "a link twice";
  }
  return conflicts;
}

/// Ports taken twice: the first link leaves by a port of its source, the last one arrives by a port of its destination.
std::size_t shared_ports(const std::vector<PlannedCircuit>& step) {
  std::map<std::tuple<bool, NodeId, NodeId>, int> users;  // inject or eject, node, neighbour
  for (const PlannedCircuit& circuit : step) {
    const std::vector<Cable> links = walked(circuit.source, circuit.destination);
    // To oneself: port 0, as of a message to or from the neighbour in dimension 0.
    const NodeId first = links.empty() ? circuit.source ^ 1U : links.front().second;
    const NodeId last = links.empty() ? circuit.destination ^ 1U : links.back().first;
    ++users[{true, circuit.source, first}];
    ++users[{false, circuit.destination, last}];
  }
  return static_cast<std::size_t>(
      std::count_if(users.begin(), users.end(), [](const auto& p) { return p.second > 1; }));
}

TEST(Contention, OfEveryTwoCircuitsIsTheLinksOfBoth) {
  constexpr unsigned dim = 3;
  std::size_t links_shared = 0;
  for (NodeId all = 0; all < 1U << 4 * dim; ++all) {
    const std::vector<PlannedCircuit> step = {{.source = all & 7, .destination = all >> 3 & 7},
                                              {.source = all >> 6 & 7, .destination = all >> 9 & 7}};
    const auto links = shared(step);
    links_shared += links.size();
    ASSERT_EQ(found(step, dim), links) << step[0].source << " to " << step[0].destination << ", " << step[1].source
                                       << " to " << step[1].destination;
    ASSERT_EQ(port_conflicts_of(step, Topology::cube(dim)), shared_ports(step));
  }
  // Each of 24 links is on 4 routes: the bits below its dimension are free in the source, those above in the
  // destination.
  EXPECT_EQ(links_shared, 24U * 4 * 4);
}

TEST(Contention, OfManyCircuitsIsOfEachWithEveryOther) {
  std::mt19937 random(7);
  for (unsigned dim = 1; dim <= 7; ++dim)
    for (int draw = 0; draw < 60; ++draw) {
      std::vector<PlannedCircuit> step(1 + random() % 40);
      for (PlannedCircuit& circuit : step) {
        circuit = {.source = static_cast<NodeId>(random() % (1U << dim)),
                   .destination = static_cast<NodeId>(random() % (1U << dim))};
      }
      ASSERT_EQ(found(step, dim), shared(step)) << "d " << dim << " draw " << draw;
      ASSERT_EQ(port_conflicts_of(step, Topology::cube(dim)), shared_ports(step)) << "d " << dim << " draw " << draw;
    }
}

TEST(Contention, IsToldInOrderOfNodeThenDimension) {
  // 0 -> 3 and 0 -> 1 share link 0 -> 1; 0 -> 3 and 1 -> 3 share 1 -> 3; 2 -> 6 twice.
  const std::vector<PlannedCircuit> step = {{2, 6}, {0, 3}, {1, 3}, {2, 6}, {0, 1}};
  const std::vector<LinkConflict> conflicts = conflicts_of(step, Topology::cube(3));
  ASSERT_EQ(conflicts.size(), 3U);
  EXPECT_EQ(conflicts[0].link, (LinkId{.node = 0, .output = 0}));
  EXPECT_EQ(conflicts[0].circuits, (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(conflicts[1].link, (LinkId{.node = 1, .output = 1}));
  EXPECT_EQ(conflicts[1].circuits, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(conflicts[2].link, (LinkId{.node = 2, .output = 2}));
  EXPECT_EQ(conflicts[2].circuits, (std::vector<std::size_t>{0, 3}));
}

TEST(Contention, NeedsTheSameDirectionOfACable) {
  EXPECT_TRUE(conflicts_of(std::vector<PlannedCircuit>{{0, 7}, {7, 0}}, Topology::cube(3)).empty());
  EXPECT_TRUE(conflicts_of(std::vector<PlannedCircuit>{{0, 1}, {1, 0}}, Topology::cube(1)).empty());
  EXPECT_EQ(conflicts_of(std::vector<PlannedCircuit>{{0, 1}, {0, 1}}, Topology::cube(1)).size(), 1U);
}

/// Node i to (i + 1) of 16 on a cube of four dimensions, from the labels written out: an e-cube route changes bits from
/// the lowest, so that 15 -> 0 goes by 14, 12 and 8, and no other circuit of the ring takes these links.
TEST(Contention, OfARingIsNone) {
  std::vector<PlannedCircuit> ring;
  for (NodeId node = 0; node < 16; ++node) ring.push_back({node, (node + 1) % 16});
  EXPECT_TRUE(shared(ring).empty());
  EXPECT_TRUE(conflicts_of(ring, Topology::cube(4)).empty());
}

/// All labels that have the bits `alike` of `root`, to their neighbours in each of the directions, at once.
TEST(LogicalCube, CountsTheCircuitsOfAllDirectionsOnTheLinksOfItsNetwork) {
  const std::vector<NodeId> nodes = {3, 7, 0, 5, 1, 6, 2, 4};
  for (const char* const name : {"cube:3", "mesh:8", "mesh:4x2", "nearly:8"}) {
    const Topology topology = *Topology::parse(name);
    const LogicalCube cube(topology, nodes);
    for (NodeId drawn = 0; drawn < 8 * 8 * 8; ++drawn) {
      const NodeId directions = drawn % 8;
      const NodeId alike = drawn / 8 % 8;
      const NodeId root = drawn / 64;
      Topology::StepLoad counted{.hops = 1, .circuits = 1};  // without directions
      std::map<std::pair<NodeId, unsigned>, NodeId> circuits;
      for (NodeId sent = 0; sent < 8 * 3; ++sent) {
        const NodeId label = sent / 3;
        const NodeId bit = 1U << sent % 3;
        if ((label & alike) != (root & alike) || (directions & bit) == 0) continue;
        counted.hops = std::max(counted.hops, topology.hops(nodes[label], nodes[label ^ bit]));
        topology.along(nodes[label], nodes[label ^ bit], [&](LinkId link) {
          counted.circuits = std::max(counted.circuits, ++circuits[{link.node, link.output}]);
        });
      }
      EXPECT_EQ(cube.load_along(directions, alike, root).hops, counted.hops) << name << " " << drawn;
      EXPECT_EQ(cube.load_along(directions, alike, root).circuits, counted.circuits) << name << " " << drawn;
    }
  }
}

TEST(Cube, CountsTheBitsInWhichLabelsDiffer) {
  std::mt19937 random(3);
  for (int draw = 0; draw < 2000; ++draw) {
    const auto from = static_cast<NodeId>(random());
    const auto to = static_cast<NodeId>(draw % 2 == 0 ? random() : from ^ (1U << draw % 32));
    unsigned differing = 0;
    for (std::uint64_t bit = 1; bit <= 0x80000000U; bit *= 2) differing += from / bit % 2 != to / bit % 2 ? 1 : 0;
    ASSERT_EQ(hops(from, to), differing) << from << " " << to;
  }
}

TEST(Cube, RoutesChangeTheLowestBitFirst) {
  for (NodeId from = 0; from < 32; ++from)
    for (NodeId to = 0; to < 32; ++to) {
      const std::vector<Cable> links = walked(from, to);
      std::vector<Cable> route;
      along_route(from, to, [&](LinkId link) { route.emplace_back(link.node, neighbour(link.node, link.output)); });
      ASSERT_EQ(route, links) << from << " to " << to;
      EXPECT_EQ(next_hop(from, to), links.empty() ? to : links.front().second);
      EXPECT_EQ(neighbour(from, first_dimension(from, to)), links.empty() ? from ^ 1U : links.front().second);
      EXPECT_EQ(neighbour(to, last_dimension(from, to)), links.empty() ? to ^ 1U : links.back().first);
    }
}

TEST(Subcube, HasTheNodesThatDifferInItsBitsOnly) {
  constexpr unsigned dim = 5;
  for (unsigned low = 0; low < dim; ++low)
    for (unsigned bits = 1; low + bits <= dim; ++bits) {
      const Subcube cube{.low = low, .dim = bits};
      for (NodeId node = 0; node < 1U << dim; ++node) {
        // Members in order of their labels are numbered in that order.
        std::vector<NodeId> members;
        for (NodeId other = 0; other < 1U << dim; ++other) {
          bool same = true;
          for (unsigned bit = 0; bit < dim; ++bit) {
            if (bit >= low && bit < low + bits) continue;
            same = same && (other >> bit) % 2 == (node >> bit) % 2;
          }
          if (same) members.push_back(other);
        }
        ASSERT_EQ(cube.size(), members.size());
        for (NodeId index = 0; index < members.size(); ++index) ASSERT_EQ(cube.member(node, index), members[index]);
        ASSERT_EQ(members[cube.index_of(node)], node);
      }
    }
}

}  // namespace
}  // namespace ecube::link_conflicts_test
