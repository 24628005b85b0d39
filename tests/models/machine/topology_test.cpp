// SPDX-License-Identifier: Apache-2.0
// Topologies against exhaustive counts on the digits of their labels: neighbours, routes, links, hops, bisection, and
// that routes in the order of dimensions cannot wait for each other in a ring.
#include "models/machine/topology.h"

#include "tests/test.h"

namespace ecube::topology_test {
namespace {

using Digits = std::vector<unsigned>;

Topology topology(const std::string& text) {
  const auto parsed = Topology::parse(text);
  if (!parsed) throw std::invalid_argument(text + " " + parsed.problem().message);
  return *parsed;
}

const std::vector<std::string> small{"cube:1",
                                     "cube:4",
                                     "generalised:3",
                                     "generalised:4x4",
                                     "generalised:2x3x4",
                                     "generalised:5x3",
                                     "mesh:8",
                                     "mesh:3x3",
                                     "mesh:4x6",
                                     "mesh:3x2",
                                     "mesh:2x3x4",
                                     "generalised:4+mesh:4",
                                     "mesh:5x2+generalised:3",
                                     "mesh:2x2x3+generalised:4",
                                     "nearly:6",
                                     "nearly:8",
                                     "nearly:2x6",
                                     "mesh:3+nearly:6"};

Digits digits(const Topology& of, NodeId node) {
  Digits result;
  for (const Topology::Dimension& dimension : of.dimensions()) {
    result.push_back(node % dimension.radix);
    node /= dimension.radix;
  }
  return result;
}

/// Whether a link joins two nodes: one digit differs, in a line by one.
bool joined(const Topology& of, NodeId a, NodeId b) {
  const Digits own = digits(of, a);
  const Digits other = digits(of, b);
  unsigned different = 0;
  bool far = false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == other[i]) continue;
    ++different;
    const unsigned apart = std::max(own[i], other[i]) - std::min(own[i], other[i]);
    const Topology::Dimension dimension = of.dimensions()[i];
    far = far || (dimension.kind == Topology::Kind::line && apart > 1) ||
          (dimension.kind == Topology::Kind::without_longest && 2 * apart == dimension.radix);
  }
  return different == 1 && !far;
}

/// Distances from a node, by breadth-first search.
std::vector<unsigned> distances(const Topology& of, NodeId from) {
  std::vector<unsigned> result(of.nodes(), ~0U);
  result[from] = 0;
  std::queue<NodeId> next({from});
  for (; !next.empty(); next.pop())
    for (NodeId node = 0; node < of.nodes(); ++node) {
      if (result[node] != ~0U || !joined(of, next.front(), node)) continue;
      result[node] = result[next.front()] + 1;
      next.push(node);
    }
  return result;
}

TEST(Topologies, NumberOutputsByDimension) {
  const Topology mixed = topology("generalised:4x2+mesh:3");
  ASSERT_EQ(mixed.outputs(), 3U + 1 + 2);
  EXPECT_EQ(mixed.nodes(), 24U);
  // Node 6 has the digits 2, 1, 0.
  const auto to = [&](NodeId node) {
    std::string text;
    for (unsigned output = 0; output < mixed.outputs(); ++output) {
      text += mixed.output_name(node, output) + " " +
              (mixed.exists(node, output) ? std::to_string(mixed.neighbour(node, output)) : "-") + ", ";
    }
    return text;
  };
  EXPECT_EQ(to(6), "x to 3 7, x to 0 4, x to 1 5, dim 1 2, +z 14, -z -, ");
  EXPECT_EQ(to(22), "x to 3 23, x to 0 20, x to 1 21, dim 1 18, +z -, -z 14, ");
}

TEST(Topologies, JoinTheNodesWhoseDigitsSaySo) {
  for (const std::string& name : small) {
    SCOPED_TRACE(name);
    const Topology of = topology(name);
    std::uint64_t links = 0;
    for (NodeId node = 0; node < of.nodes(); ++node) {
      std::set<NodeId> found;
      for (unsigned output = 0; output < of.outputs(); ++output) {
        if (of.has_origin(node, output)) {
          const NodeId origin = of.origin(node, output);
          ASSERT_TRUE(of.exists(origin, output));
          ASSERT_EQ(of.neighbour(origin, output), node);
        }
        if (!of.exists(node, output)) continue;
        const NodeId neighbour = of.neighbour(node, output);
        ASSERT_TRUE(of.has_origin(neighbour, output));
        ASSERT_EQ(of.origin(neighbour, output), node);
        ASSERT_TRUE(found.insert(neighbour).second);
        ++links;
      }
      for (NodeId other = 0; other < of.nodes(); ++other) {
        ASSERT_EQ(found.contains(other), joined(of, node, other)) << node << " " << other;
      }
    }
    EXPECT_EQ(of.links(), links);
  }
}

TEST(Topologies, RoutesAreShortestAndInTheOrderOfDimensions) {
  for (const std::string& name : small) {
    SCOPED_TRACE(name);
    const Topology of = topology(name);
    double sum = 0;
    unsigned longest = 0;
    for (NodeId from = 0; from < of.nodes(); ++from) {
      const std::vector<unsigned> distance = distances(of, from);
      for (NodeId to = 0; to < of.nodes(); ++to) {
        std::vector<LinkId> links;
        of.along(from, to, [&](LinkId link) { links.push_back(link); });
        ASSERT_EQ(links.size(), distance[to]) << from << " to " << to;
        ASSERT_EQ(of.hops(from, to), distance[to]) << from << " to " << to;
        NodeId at = from;
        unsigned last = 0;
        for (const LinkId link : links) {
          ASSERT_EQ(link.node, at);
          ASSERT_TRUE(of.exists(at, link.output));
          ASSERT_GE(link.output, last) << "a lower dimension comes later";
          last = link.output;
          at = of.neighbour(at, link.output);
        }
        ASSERT_EQ(at, to);
        ASSERT_EQ(of.first_output(from, to), links.empty() ? 0 : links.front().output);
        if (of.jumps()) {
          ASSERT_EQ(of.jump(from, to).output, links.empty() ? of.outputs() : links.front().output);
        }
        ASSERT_EQ(of.last_output(from, to), last);
        sum += distance[to];
        longest = std::max(longest, distance[to]);
      }
    }
    EXPECT_EQ(of.diameter(), longest);
    EXPECT_NEAR(of.mean_distance(), sum / (static_cast<double>(of.nodes()) * of.nodes()), 1e-12);
  }
  EXPECT_EQ(Topology::on_planes(3, 2).mean_distance(), 7.0 / 8) << "a hop to all nodes but itself";
}

TEST(Topologies, OfMillionsOfLabelsDivideExactly) {
  for (const std::string name : {"mesh:1048576", "mesh:1024x1024", "mesh:1023x1025", "mesh:3x349525",
                                 "generalised:100x2+mesh:5242", "generalised:3x5x7x11x13+mesh:67"}) {
    const Topology of = topology(name);
    for (NodeId node = 1; node < of.nodes(); node += 1 + node % 97) {
      const Digits own = digits(of, node);
      const Digits before = digits(of, node - 1);
      unsigned hops = 0;
      for (std::size_t i = 0; i < own.size(); ++i) {
        const unsigned apart = std::max(own[i], before[i]) - std::min(own[i], before[i]);
        hops += of.dimensions()[i].kind == Topology::Kind::line ? apart : unsigned{apart != 0};
      }
      ASSERT_EQ(of.hops(node - 1, node), hops) << name << " node " << node;
    }
  }
}

TEST(Topologies, CutTheFewestLinksThatAHalfHas) {
  for (const std::string name :
       {"cube:1", "cube:2", "cube:3", "cube:4", "generalised:4", "generalised:6", "generalised:4x4", "generalised:2x6",
        "mesh:6", "mesh:4x4", "mesh:2x6", "mesh:4x2", "generalised:4+mesh:4", "nearly:6", "nearly:8", "nearly:2x6"}) {
    const Topology of = topology(name);
    std::uint64_t fewest = ~std::uint64_t{0};
    for (std::uint64_t half = 0; half >> of.nodes() == 0; ++half) {
      if (static_cast<NodeId>(std::popcount(half)) * 2 != of.nodes()) continue;
      std::uint64_t cut = 0;
      for (NodeId node = 0; node < of.nodes(); ++node) {
        if ((half >> node & 1) == 0) continue;
        for (unsigned output = 0; output < of.outputs(); ++output) {
          if (of.exists(node, output) && (half >> of.neighbour(node, output) & 1) == 0) ++cut;
        }
      }
      fewest = std::min(fewest, cut);
    }
    EXPECT_EQ(of.bisection(), fewest) << name;
  }
  EXPECT_EQ(topology("mesh:3x2").bisection(), std::nullopt) << "3 links: N / r = 2 holds for even radices only";
}

/// Links of routes, and which link is asked for while which is held. True if some wait for each other in a ring.
template <class Route>
bool waits_in_a_ring(NodeId nodes, const Route& route) {
  using Link = std::pair<NodeId, NodeId>;
  std::map<Link, std::set<Link>> next;
  for (NodeId from = 0; from < nodes; ++from)
    for (NodeId to = 0; to < nodes; ++to) {
      const std::vector<NodeId> path = route(from, to);
      for (std::size_t i = 2; i < path.size(); ++i) next[{path[i - 2], path[i - 1]}].insert({path[i - 1], path[i]});
    }
  // Links that wait for none are removed until none is left, or all that is left is in rings or behind them.
  for (bool removed = true; removed;) {
    removed = std::erase_if(next, [&](const auto& link) {
                return std::none_of(link.second.begin(), link.second.end(),
                                    [&](const Link& other) { return next.contains(other); });
              }) > 0;
  }
  return !next.empty();
}

TEST(Topologies, NeverWaitInARing) {
  for (const std::string& name : small) {
    const Topology of = topology(name);
    EXPECT_FALSE(waits_in_a_ring(of.nodes(), [&](NodeId from, NodeId to) {
      std::vector<NodeId> path{from};
      of.along(from, to, [&](LinkId link) { path.push_back(of.neighbour(link.node, link.output)); });
      return path;
    })) << name;
  }
  // The shortest way around a ring, forward where both are equal.
  const auto around = [](NodeId nodes) {
    return waits_in_a_ring(nodes, [nodes](NodeId from, NodeId to) {
      std::vector<NodeId> path{from};
      const NodeId forward = (to + nodes - from) % nodes;
      while (path.back() != to) path.push_back((path.back() + (2 * forward <= nodes ? 1 : nodes - 1)) % nodes);
      return path;
    });
  };
  EXPECT_FALSE(around(3)) << "every route is one link";
  EXPECT_TRUE(around(4));
  EXPECT_TRUE(around(5));
  EXPECT_TRUE(around(8));
}

TEST(Topologies, HaveOneNameEach) {
  for (const std::string& name : small) EXPECT_EQ(topology(name).name(), name);
  for (const std::string name : {"cube:3", "mesh:2x2x2", "generalised:2x2x2", "cube:1+mesh:2x2"}) {
    EXPECT_EQ(topology(name).name(), "cube:3");
    EXPECT_EQ(topology(name), Topology::cube(3));
  }
  EXPECT_EQ(topology("cube:20").nodes(), Topology::max_nodes);
  EXPECT_EQ(topology("generalised:128").outputs(), 127U) << "and a port: 128 inputs";
}

TEST(Topologies, HaveAllLinksOnceForEachChannel) {
  for (const std::string& name : small) {
    const Topology one = topology(name);
    const Topology three = one.with_channels(3);
    const unsigned links = one.outputs();
    ASSERT_EQ(three.outputs(), 3 * links) << name;
    EXPECT_EQ(three.is_cube(), one.is_cube());
    EXPECT_EQ(three.links(), 3 * one.links());
    EXPECT_EQ(three.name(), name + " with 3 channels");
    EXPECT_EQ(three.with_channels(1), one);
    EXPECT_FALSE(three.with_channels(1).port_decides());
    EXPECT_NE(three, one);
    EXPECT_EQ(three.bisection().value_or(0), 3 * one.bisection().value_or(0));
    for (NodeId node = 0; node < one.nodes(); ++node)
      for (unsigned output = 0; output < 3 * links; ++output) {
        ASSERT_EQ(three.exists(node, output), one.exists(node, output % links)) << name;
        ASSERT_EQ(three.has_origin(node, output), one.has_origin(node, output % links)) << name;
        if (three.exists(node, output)) {
          ASSERT_EQ(three.neighbour(node, output), one.neighbour(node, output % links)) << name;
        }
        if (three.has_origin(node, output)) {
          ASSERT_EQ(three.origin(node, output), one.origin(node, output % links)) << name;
        }
      }
    for (NodeId from = 0; from < one.nodes(); ++from)
      for (NodeId to = 0; to < one.nodes(); ++to) {
        std::vector<unsigned> expected;
        std::vector<unsigned> found;
        one.along(from, to, [&](LinkId link) { expected.push_back(2 * links + link.output); });
        three.along(from, to, 3 * links - 1, [&](LinkId link) { found.push_back(link.output); });
        ASSERT_EQ(found, expected) << name;
        if (from != to) {
          ASSERT_EQ(three.next(from, to, 2 * links).output, expected.front()) << name;
        }
      }
  }
  EXPECT_EQ(topology("cube:4").with_channels(2).output_name(0, 5), "dim 1 channel 1");
  EXPECT_EQ(topology("cube:4").with_channels(2).output_name(0, 3), "dim 3");
}

TEST(Topologies, AddAndSubtractDigits) {
  for (const std::string& text : small) {
    const Topology of = topology(text);
    for (NodeId node = 0; node < of.nodes(); ++node)
      for (NodeId step = 0; step < of.nodes(); ++step) {
        const Digits own = digits(of, node);
        const Digits moved = digits(of, of.plus(node, step));
        for (std::size_t i = 0; i < own.size(); ++i) {
          EXPECT_EQ(moved[i], (own[i] + digits(of, step)[i]) % of.dimensions()[i].radix) << text;
        }
        EXPECT_EQ(of.minus(of.plus(node, step), step), node) << text;
      }
  }
}

/// All nodes of a dimension at once, counted link by link.
TEST(Topologies, KnowTheLoadOfAStepInADimension) {
  for (const std::string text : {"mesh:3", "mesh:4", "mesh:5", "mesh:8", "mesh:13", "mesh:16", "mesh:21",
                                 "generalised:5", "generalised:8", "nearly:6", "nearly:8", "nearly:10"}) {
    const Topology line = topology(text);
    for (NodeId step = 0; step < line.nodes(); ++step) {
      std::map<std::pair<NodeId, unsigned>, NodeId> circuits;
      Topology::StepLoad counted;
      for (NodeId node = 0; node < line.nodes(); ++node) {
        const NodeId to = line.digits_are_bits() ? node ^ step : line.plus(node, step);
        counted.hops = std::max(counted.hops, line.hops(node, to));
        line.along(node, to, [&](LinkId link) {
          counted.circuits = std::max(counted.circuits, ++circuits[{link.node, link.output}]);
        });
      }
      EXPECT_EQ(line.step_load(0, step).hops, counted.hops) << text << " step " << step;
      EXPECT_EQ(line.step_load(0, step).circuits, counted.circuits) << text << " step " << step;
    }
  }
}

}  // namespace
}  // namespace ecube::topology_test
