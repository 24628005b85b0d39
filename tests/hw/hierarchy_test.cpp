// SPDX-License-Identifier: Apache-2.0
// The SystemC hierarchy of both cubes.
#include "hw/clocked/cube.h"
#include "hw/cube.h"
#include "models/machine/hierarchy_names.h"
#include "sw/api/firmware.h"
#include "tests/test.h"

namespace ecube::hierarchy_test {
namespace {

Task<> one_message(Node& node) {
  if (node.id() == 5) co_await node.send({.to = 2, .bytes = 40});
  if (node.id() == 2) co_await node.receive({.bytes = 40});
}

/// 5 to 2: link 0 of node 5, link 1 of node 4, link 2 of node 6.
void expect_links_by_name(const Links& cube, const std::string& name) {
  for (const char* const taken : {".node5.router.link0", ".node4.router.link1", ".node6.router.link2"}) {
    const std::optional<LinkId> link = cube.find(name + taken);
    ASSERT_TRUE(link.has_value()) << name + taken;
    EXPECT_EQ(cube.statistics(*link).bytes, 40U) << name + taken;
  }
  for (NodeId node = 0; node < 8; ++node)
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      const std::optional<LinkId> link = cube.find(HierarchyNames(name).output(node, dimension, 3));
      ASSERT_TRUE(link.has_value());
      EXPECT_EQ(*link, (LinkId{node, dimension}));
    }
  const std::optional<LinkId> other = cube.find(name + ".node5.router.link1");
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(cube.statistics(*other).circuits, 0U);
  for (const char* const none : {".node8.router.link0", ".node5.router.link3", ".node5.router.link", ".node5.link0",
                                 ".node5.router.link0x", ".node5.router"}) {
    EXPECT_FALSE(cube.find(name + none).has_value()) << name + none;
  }
}

TEST(Hierarchy, HasEveryNodeAndFindsLinksByTheirNames) {
  Cube event("cube", 3);
  Cube flat("flat", 3, Hierarchy::flat);
  ClockedCube clocked("clocked", Machine{}, 3);
  for (NodeId id = 0; id < 8; ++id) {
    const std::string node = "node" + std::to_string(id);
    EXPECT_EQ(sc_core::sc_find_object(("cube." + node).c_str()), &event.node(id));
    EXPECT_EQ(sc_core::sc_find_object(("clocked." + node).c_str()), &clocked.node(id));
    EXPECT_STREQ(event.node(id).program.name(), ("cube." + node + ".program").c_str());
  }
  // The names that waveforms show are those of modules.
  for (const std::string cube : {"cube", "clocked"}) {
    const HierarchyNames names(cube);
    for (NodeId id = 0; id < 8; ++id) {
      EXPECT_NE(sc_core::sc_find_object(names.node(id).c_str()), nullptr);
      EXPECT_NE(sc_core::sc_find_object(names.router(id).c_str()), nullptr);
      EXPECT_NE(sc_core::sc_find_object(names.program(id).c_str()), nullptr);
    }
  }
  // Those of hw/clocked/README.md.
  for (const char* const part : {"node5.core", "node5.port0", "link5_2"}) {
    EXPECT_NE(sc_core::sc_find_object((std::string("clocked.") + part).c_str()), nullptr) << part;
  }
  EXPECT_THROW((void)flat.node(0), std::invalid_argument);
  EXPECT_THROW((void)event.node(8), std::invalid_argument);
  EXPECT_THROW((void)clocked.node(8), std::invalid_argument);
  Firmware firmware(one_message);
  ASSERT_EQ(event.run(firmware).status, RunResult::Status::finished);
  expect_links_by_name(event, "cube");
  event.unload();
  ASSERT_EQ(clocked.run(firmware).status, RunResult::Status::finished);
  expect_links_by_name(clocked, "clocked");
  clocked.unload();
  EXPECT_FALSE(event.find("clocked.node5.router.link0").has_value()) << "a link of another cube";
  EXPECT_FALSE(clocked.find("cube.node5.router.link0").has_value());
  EXPECT_FALSE(flat.find("flat.node5.router.link0").has_value());
}

}  // namespace
}  // namespace ecube::hierarchy_test
