// SPDX-License-Identifier: Apache-2.0
// Planes that are tuned as a user meets them: printed examples, the equation, and what is refused.
#include "tests/command/shell.h"

namespace planes_command_test {
namespace {

std::string on_planes(unsigned planes, const std::string& retune = "1000cycles") {
  return " --set node.ports=n --set plane.retune=" + retune + " --set network.planes=" + std::to_string(planes);
}

/// SWOT (2510.19322): all-reduce on 8 nodes, two planes of 50 GB/s; README: 32 MB, T_r 0.2 ms, T_lat 0.02 ms, printed
/// as 1.480 and 1.140 ms; figure: 400 MB, T_r 2 ms, printed as 15 and 12 ms with no latency at all, here 11 cycles of
/// each of six steps.
TEST(PlanesCommand, TakeThePrintedTimesOfSwot) {
  const auto cycles = [](const std::string& engine, const std::string& send, const std::string& retune,
                         const std::string& bytes, const std::string& shares) {
    const auto json = json_of("run program " ECUBE_ROOT "/sw/examples/halving_doubling.cpp --dim 3 --engine " + engine +
                              on_planes(2, retune) +
                              " --set clock=1GHz --set link.phit=50B --set link.cycles_per_phit=1cycles"
                              " --set node.startups=overlapped --set library.send=" +
                              send + " --param bytes=" + bytes + " --param shares=" + shares);
    return std::pair(json["measured"]["cycles"].get<int>(), json["network"]["plane_changes"].get<int>());
  };
  const std::string readme = "25:7,0:1,1:0,1:0,0:1,25:7";
  for (const char* const engine : {"event", "clocked"}) {
    // 4 of 5 neighbouring steps have other masks, on 2 planes of 8 nodes.
    EXPECT_EQ(cycles(engine, "19989cycles", "199999cycles", "32000000", "even"), std::pair(1'480'000, 64));
    EXPECT_EQ(cycles(engine, "19989cycles", "199999cycles", "32000000", readme), std::pair(1'140'000, 32));
  }
  EXPECT_EQ(cycles("event", "0cycles", "1999999cycles", "400000000", "even"), std::pair(15'000'066, 64));
  EXPECT_EQ(cycles("event", "0cycles", "1999999cycles", "400000000", "3:1,0:1,1:0,1:0,0:1,3:1"),
            std::pair(12'000'066, 32));
}

/// T = sum (2^di - 1)(lambda + tau m 2^(d - di) + delta) + n rho m 2^d + R (ceil(S / p) - 1), and R behind a
/// permutation.
TEST(PlanesCommand, ExchangeAsTheEquationSays) {
  for (const char* const partition : {"4", "2,2", "3,1", "1,1,1,1"}) {
    for (const unsigned planes : {1U, 2U, 3U, 7U}) {
      for (const char* const retuning : {"together", "after"}) {
        for (const char* const bytes : {"4", "400"}) {
          const auto json = json_of(std::string("run exchange --dim 4 --payload checks --partition ") + partition +
                                    " --bytes " + bytes + " --retuning " + retuning + on_planes(planes) +
                                    " --set core.permute='0.5 cycles/byte' --set node.startups=overlapped");
          SCOPED_TRACE(std::string(partition) + " on " + std::to_string(planes) + ", " + retuning + ", " + bytes);
          EXPECT_NEAR(json["error_percent"].get<double>(), 0, 1e-9);
          EXPECT_EQ(json["verified"], true);
        }
      }
    }
  }
}

TEST(PlanesCommand, TuneEachPlaneAsSoonAsItIsFreeInLessTime) {
  const auto cycles = [](const std::string& retuning, const std::string& engine) {
    return json_of("run exchange --dim 4 --bytes 400 --retuning " + retuning + on_planes(3) + " --engine " +
                   engine)["measured"]["cycles"]
        .get<int>();
  };
  EXPECT_LT(cycles("each", "event"), cycles("together", "event"));
  EXPECT_EQ(cycles("each", "event"), cycles("each", "clocked"));
}

/// With one plane every crossover moves out by 1 + R / lambda = 6.88.
TEST(PlanesCommand, MoveTheCrossoversOfTheHull) {
  const std::string hull = "hull exchange --dim 6 --params lambda=1.7,tau=0.00001";
  const auto fixed = json_of(hull)["faces"];
  const auto tuned = json_of(hull + on_planes(1, "399cycles"))["faces"];
  ASSERT_EQ(tuned.size(), fixed.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    EXPECT_EQ(tuned[i]["partition"], fixed[i]["partition"]);
    EXPECT_NEAR(tuned[i]["from_bytes"].get<double>(), fixed[i]["from_bytes"].get<double>() * (1 + 10 / 1.7), 0.01);
  }
}

TEST(PlanesCommand, ListTheBestPartitionsOverTheDelay) {
  const std::string hull = "hull exchange --dim 4 --params lambda=1.7,tau=0.00001 --retune 1us:10ms";
  const auto delays = json_of(hull + on_planes(3))["delays"];
  ASSERT_EQ(delays.size(), 5U);
  // {1,1,1,1} and {2,2} tune once, whatever the delay: they meet at 2 lambda = 8 tau m. {4} has 15 masks and tunes four
  // times: 9 lambda and 3 R more than {2,2}, and 9 tau m less.
  for (const auto& delay : delays) {
    const double retune_us = delay["from_us"];
    ASSERT_EQ(delay["faces"].size(), 3U);
    EXPECT_NEAR(delay["faces"][1]["from_bytes"].get<double>(), 42500, 1e-6);
    EXPECT_NEAR(delay["faces"][2]["from_bytes"].get<double>(), (9 * 1.7 + 3 * retune_us) / 9e-5, 1e-3);
  }
  expect(ecube(hull, true), 2, {"network.planes is 0"});
  expect(ecube("hull exchange --dim 4 --retune 5us:1us" + on_planes(3), true), 2, {"1us:10ms"});
}

/// The fastest of the partitions by runs is the one that the equation has at that block and delay.
TEST(PlanesCommand, HaveTheMapOfBlockAndDelayOnTheirPage) {
  const Directory directory;
  expect(ecube("run exchange --dim 4 --bytes 64 --partition 2,2 --set node.startups=overlapped" + on_planes(3) +
               " -o " + (directory / "run")),
         0);
  expect(ecube("report " + (directory / "run")), 0);
  const std::string page = file_text(directory / "run/report.html");
  const std::size_t begin = page.find('{', page.find("<script id=\"data\""));
  const auto map =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin))["run"]["hull"]["map"];
  ASSERT_EQ(map["points"].size(), 30U);
  std::set<nlohmann::json> partitions;
  for (const auto& point : map["points"]) {
    nlohmann::json best;
    for (const auto& delay : map["delays"]) {
      if (delay["from_us"] > point["retune_us"].get<double>() * 1.0001) break;
      for (const auto& face : delay["faces"]) {
        if (face["from_bytes"] <= point["bytes"]) best = face["partition"];
      }
    }
    EXPECT_EQ(point["partition"], best) << point;
    partitions.insert(best);
  }
  EXPECT_EQ(partitions.size(), 3U);
}

TEST(PlanesCommand, RefuseWhatCannotBeTogether) {
  const auto refused = [](const std::string& options, const char* words) {
    expect(ecube("run exchange --dim 3" + on_planes(2) + options, true), 2, {words});
  };
  refused(" --set network.switching=wormhole --set link.cycles_per_phit=2cycles", "a worm would stall");
  refused(" --set network.switching=store-and-forward", "a packet would wait");
  refused(" --set library.protocol=unforced --set library.buffer=1KB", "the grant of a node");
  refused(" --set library.barrier=phase", "signals need links");
  refused(" --fail 1", "do not fail");
  refused(" --engine ideal", "no planes");
  refused(" --engine rtl", "the SystemVerilog is for binary cubes");
  refused(" --fold on", "planes are tuned");
  refused(" --schedule shift", "--schedule xor");
  expect(ecube("run combine --dim 3" + on_planes(2), true), 2, {"no plane is tuned", "node.tune(plane, mask)"});
  expect(ecube("run exchange --dim 3 --set network.planes=2", true), 2, {"node.ports"});
  expect(ecube("run exchange --dim 3 --set network.planes=99", true), 2, {"0 to 15"});
  expect(ecube("run exchange --dim 3 --set plane.retune=0cycles", true), 2, {"1 cycle to"});
  expect(ecube("run traffic --set network.topology=mesh:3x3" + on_planes(2), true), 2, {"network.topology"});
}

}  // namespace
}  // namespace planes_command_test
