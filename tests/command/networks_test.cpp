// SPDX-License-Identifier: Apache-2.0
// Commands on networks that are no cubes: collectives as a logical cube, barriers, checks, answers, studies.
#include <fmt/core.h>

#include <cmath>

#include "tests/command/shell.h"

namespace networks_test {
namespace {

void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

TEST(LogicalCube, RunsEveryCollectiveWithRightData) {
  for (const std::string collective :
       {"combine", "broadcast", "scatter", "gather", "all-gather", "reduce-scatter", "scan"}) {
    for (const std::string network : {"generalised:4x4", "mesh:4x4", "mesh:2x8", "generalised:4+mesh:4"}) {
      for (const std::string embed : {"number", "gray"}) {
        const auto json =
            json_of(fmt::format("run {} --topology {} --embed {} --items 37 --quiet", collective, network, embed));
        EXPECT_EQ(json["verified"], true) << collective << " " << network << " " << embed;
        EXPECT_EQ(json["workload"]["embed"], embed);
        // Partners are neighbours on complete dimensions, as in the cube.
        if (network != "generalised:4x4") continue;
        const auto cube = json_of(fmt::format("run {} --dim 4 --items 37 --quiet", collective));
        EXPECT_EQ(json["measured"]["cycles"], cube["measured"]["cycles"]) << collective << " " << embed;
        EXPECT_EQ(json["network"]["blocked_circuits"], 0) << collective << " " << embed;
      }
    }
  }
}

TEST(LogicalCube, SaysThatItsEquationLeavesDistanceOutAndMeasures) {
  EXPECT_HAS(expect(ecube("run combine --topology mesh:8x8 --items 64"), 0).output, "several links apart");
  const auto best = json_of("best combine --topology mesh:4x4 --items 64");
  EXPECT_EQ(best["best"]["from"], "measurement");
  EXPECT_EQ(json_of("best combine --topology generalised:4x4 --items 64")["best"]["from"], "equation");
  EXPECT_GT(json_of("check reduce-scatter --topology mesh:8x8", 1)["conflict_count"], 0);
  EXPECT_EQ(json_of("check reduce-scatter --topology generalised:4x4")["conflict_count"], 0);
  expect(ecube("run combine --topology mesh:3x4", true), 2, {"mesh:3x4 has 12 nodes, and a logical cube 2^d"});
  expect(ecube("run combine --topology mesh:4x4 --embed grey", true), 2, {"did you mean 'gray'?"});
}

TEST(NetworkBarrier, TakesItsEquationWhereNoCircuitsShareALink) {
  EXPECT_LT(std::abs(json_of("run barrier --topology generalised:4x4x4")["error_percent"].get<double>()), 1e-6);
  const auto sixty = json_of("run barrier --topology generalised:3x4x5 --repeats 3");
  // 32 nodes in five steps, and 28 others before and after them, both ways.
  EXPECT_EQ(sixty["network"]["circuits"], 3 * (32 * 5 + 4 * 28));
}

TEST(NetworkAnswers, AreMeasuredWhereLinksAreShared) {
  EXPECT_EQ(json_of("best exchange --topology mesh:4x4 --bytes 16")["best"]["from"], "measurement");
  const auto best = json_of("best exchange --topology generalised:3x4x5 --bytes 64");
  EXPECT_EQ(best["best"]["from"], "equation");
  EXPECT_EQ(best["best"]["partition"], nlohmann::json({1, 2}));
  const auto hull = json_of("hull exchange --topology generalised:3x4x5 --measure");
  for (const auto& one : hull["crossovers"]) {
    EXPECT_NEAR(one["measured_bytes"].get<double>(), one["predicted_bytes"].get<double>(), 1);
  }
  EXPECT_EQ(json_of("check exchange --topology mesh:8x8", 1)["sum_of_largest_loads"], 3 * (512 - 1) / 7);
  EXPECT_EQ(json_of("check exchange --topology generalised:3x4x5")["conflict_count"], 0);
}

TEST(NetworkStudies, HaveTheTopologyAsAnAxisAndAColumn) {
  const Directory directory;
  write(directory / "s.toml",
        "name = \"s\"\nrun = \"exchange\"\nmachine = \"ideal\"\n[[axis]]\nkey = \"topology\"\nvalues = "
        "[\"generalised:3x4\", \"mesh:4x4\"]\n"
        "[[axis]]\nkey = \"partition\"\nall = \"partitions\"\n");
  const auto done = json_of("sweep " + (directory / "s.toml") + " --quiet -o " + (directory / "out"));
  EXPECT_EQ(done["points"], 4);
  const Outcome rows = shell("sqlite3 '" + (directory / "out") +
                             "/results.sqlite' \"SELECT topology, partition, verified FROM results ORDER BY number\"");
  EXPECT_EQ(rows.output, "generalised:3x4|2|1\ngeneralised:3x4|1,1|1\nmesh:4x4|2|1\nmesh:4x4|1,1|1\n");
  write(directory / "twice.toml",
        "name = \"s\"\nrun = \"exchange\"\nmachine = \"ideal\"\n[workload]\ntopology = \"mesh:4x4\"\n"
        "[[axis]]\nkey = \"network.topology\"\nvalues = [\"mesh:4x4\", \"cube:4\"]\n");
  expect(ecube("sweep plan " + (directory / "twice.toml"), true), 2, {"are one parameter"});
}

TEST(NetworkReproduction, OfTheOutlookOnMeshesAgrees) {
  const Directory directory;
  const auto json = json_of("reproduce bokhari-meshes --no-pictures -o " + (directory / "out"));
  for (const auto& check : json["results"][0]["checks"]) EXPECT_EQ(check["state"], "agrees") << check.dump();
}

}  // namespace
}  // namespace networks_test
