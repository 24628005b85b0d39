// SPDX-License-Identifier: Apache-2.0
// Labels of a logical cube on other networks.
#include "sw/api/embedding.h"

#include "sw/api/firmware.h"
#include "tests/sw/ideal_run.h"

namespace ecube::embedding_test {
namespace {

TEST(Embedding, ByNumberIsTheLabel) {
  const Topology topology = *Topology::parse("generalised:4+mesh:8");
  const std::vector<NodeId> nodes = nodes_of_cube(topology, Embedding::number);
  for (NodeId label = 0; label < topology.nodes(); ++label) EXPECT_EQ(nodes[label], label);
}

/// 0 1 3 2 6 7 5 4 stand in a row on a line of 8.
TEST(Embedding, ByGrayCodePutsNeighboursOfTheCubeBesideEachOther) {
  EXPECT_EQ(nodes_of_cube(*Topology::parse("mesh:8"), Embedding::gray), (std::vector<NodeId>{0, 1, 3, 2, 7, 6, 4, 5}));
  for (const char* const text : {"mesh:4x8", "mesh:2x4x4", "generalised:4+mesh:4"}) {
    const Topology topology = *Topology::parse(text);
    const std::vector<NodeId> nodes = nodes_of_cube(topology, Embedding::gray);
    std::vector<NodeId> labels(nodes.size(), any_node);
    for (NodeId label = 0; label < nodes.size(); ++label) labels[nodes[label]] = label;
    for (NodeId node = 0; node < nodes.size(); ++node) {
      ASSERT_NE(labels[node], any_node) << text;
      for (unsigned i = 0; i < topology.dimensions().size(); ++i) {
        const NodeId next = node + topology.stride(i);
        if (node / topology.stride(i) % topology.dimensions()[i].radix + 1 == topology.dimensions()[i].radix) continue;
        EXPECT_EQ(hops(labels[node], labels[next]), 1U) << text << " " << node << " " << next;
      }
    }
  }
  EXPECT_EQ(nodes_of_cube(Topology::cube(4), Embedding::gray), nodes_of_cube(Topology::cube(4), Embedding::number));
  EXPECT_THROW((void)nodes_of_cube(*Topology::parse("mesh:3x4"), Embedding::gray), std::invalid_argument);
}

/// The source of such a receive would be a node of the network, not of the cube.
TEST(Embedding, RefusesReceivesThatNameNoSource) {
  for (const NodeId from : {NodeId{0}, any_node}) {
    Firmware firmware([from](Node& node) -> Task<> {
      if (node.id() == 0) co_await node.send({.to = 1, .bytes = 8});
      if (node.id() == 1) co_await node.receive({.from = from, .bytes = 8});
    });
    EmbeddedProgram program(firmware, Topology::cube(2), Embedding::gray);
    const RunResult result = run({.dim = 2}, program);
    EXPECT_EQ(result.status, from == any_node ? RunResult::Status::fault : RunResult::Status::finished);
    const bool said = result.fault.find("on a logical cube every receive names its source") != std::string::npos;
    EXPECT_EQ(said, from == any_node) << result.fault;
  }
}

}  // namespace
}  // namespace ecube::embedding_test
