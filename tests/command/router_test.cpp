// SPDX-License-Identifier: Apache-2.0
// A router of one's own: refused with the line, equal where it keeps the rules, and named where it breaks one.
#include <fmt/format.h>

#include <regex>

#include "tests/command/shell.h"

namespace router_test {
namespace {

/// Our router with one text in the place of another.
void write_router(const std::string& file, const std::string& from, const std::string& to,
                  const std::string& module = "ecube_router") {
  std::string text = file_text(ECUBE_ROOT "/hw/rtl/" + module + ".sv");
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << "the router has changed: " << from;
  std::ofstream(file) << text.replace(at, from.size(), to);
}

TEST(OwnRouterInSystemVerilog, IsRefusedWithItsLine) {
  const Directory directory;
  const std::string file = directory / "wrong.sv";
  write_router(file, "assign acknowledge_o = acknowledge_q;", "assign acknowledge_o = acknowlege_q;");
  expect(ecube("verify-router " + file, true), 2, {"wrong.sv' does not pass verilator -Wall", "acknowlege_q"});
  // What the node does not find is missing in the user's file.
  const std::string text = file_text(ECUBE_ROOT "/hw/rtl/ecube_router.sv");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::ofstream(file) << std::regex_replace(text, std::regex(from), to);
    return ecube("verify-router " + file, true);
  };
  expect(with("moving_o", "stirring_o"), 2,
         {"wrong.sv' lacks the pin 'moving_o'", "wrong.sv:5:8", "hw/rtl/ecube_router.sv"}, {"node.sv"});
  expect(with("([^.])\\bTime\\b", "$1Count"), 2, {"wrong.sv' lacks the parameter 'Time'"}, {"node.sv"});
  write_router(file, "output logic moving_o", "output logic more_o = 1'b0, output logic moving_o");
  expect(ecube("verify-router " + file, true), 2, {"wrong.sv' has a pin that no router has, 'more_o'"}, {"node.sv"});
  expect(with("module ecube_router", "module my_router"), 2, {"wrong.sv' has no module ecube_router"});
  // Long words and blanks are read in one go.
  std::ofstream(file) << "module " << std::string(1'000'000, ' ') << "x(" << std::string(1'000'000, 'y')
                      << "); endmodule\n";
  expect(ecube("verify-router " + file, true), 2, {"wrong.sv' has no module ecube_router"});
  // What a comment says does not count.
  write_router(file, "assign acknowledge_o = acknowledge_q;",
               "/* parameter int DIM = 3 */ assign acknowledge_o = acknowlege_q;");
  expect(ecube("verify-router " + file, true), 2, {"wrong.sv' does not pass verilator -Wall", "acknowlege_q"});
  // Parameters as they were named at first.
  write_router(file, "parameter int Dim = 3", "parameter int DIM = 3");
  expect(ecube("verify-router " + file, true), 2, {"a router has the parameter Dim, not DIM", "wrong.sv:6:19"});
  EXPECT_EQ(ecube("verify-router /none.sv").status, 2);
  EXPECT_EQ(ecube("run exchange --router " + file + " --engine clocked").status, 2);
}

TEST(OwnRouterInSystemVerilog, RunsOnNoOtherEngineThanRtl) {
  const Directory directory;
  const std::string file = directory / "mine.sv";
  write_router(file, "endmodule", "endmodule");
  expect(ecube("run exchange --engine event --router " + file, true), 2,
         {"--engine event has no routers in SystemVerilog for --router"});
  expect(ecube("run exchange --dim 9 --router " + file, true), 2, {"--engine rtl is for cubes of up to 8 dimensions"},
         {"--engine event"});
  // A point of a study that asks for another engine is refused, and holds no result.
  std::ofstream(directory / "study.toml") << "run = \"exchange\"\n[workload]\ndim = 2\nrouter = \"mine.sv\"\n"
                                             "[[axis]]\nkey = \"engine\"\nvalues = [\"event\", \"clocked\"]\n";
  const Outcome sweep = ecube(
      "sweep " + (directory / "study.toml") + " --allow-code --keep-going --json -o " + (directory / "out"), true);
  EXPECT_EQ(sweep.status, 1) << sweep.output;
  EXPECT_TRUE(has(sweep, "\"failed\": 2")) << sweep.output;
}

TEST(OwnRouterInSystemVerilog, IsNotBuiltByAStudyThatNobodyAllowed) {
  const Directory directory;
  write_router(directory / "mine.sv", "endmodule", "endmodule");
  std::ofstream(directory / "study.toml") << "run = \"exchange\"\n[workload]\ndim = 2\nrouter = \"mine.sv\"\n";
  expect(ecube("sweep " + (directory / "study.toml") + " -o " + (directory / "out"), true), 2,
         {"this study builds and runs the router 'mine.sv'", "study.toml:4:"});
  std::ofstream(directory / "axis.toml") << "run = \"exchange\"\n[workload]\ndim = 2\n[[axis]]\nkey = \"router\"\n"
                                            "values = [\"mine.sv\"]\n";
  expect(ecube("sweep " + (directory / "axis.toml") + " -o " + (directory / "out"), true), 2, {"add --allow-code"});
}

TEST(OwnRouterInSystemVerilog, WithAFaultIsNamedWithMessageAndEdge) {
  const Directory directory;
  const std::string file = directory / "late.sv";
  std::string late = file_text(ECUBE_ROOT "/hw/rtl/ecube_router.sv");
  late = std::regex_replace(late, std::regex("arrives \\? route_delay_i :"), "arrives ? route_delay_i + 1'b1 :");
  late = std::regex_replace(late, std::regex("arrives && route_delay_i == Time'\\(1\\)"), "1'b0");
  std::ofstream(file) << late;
  // Modules of its own may be in the file of a router.
  std::ofstream(file, std::ios::app) << "\nmodule helper (input logic a_i, output logic b_o);\n  assign b_o = a_i;\n"
                                        "endmodule\n";
  const std::string cache = "XDG_CACHE_HOME=" + (directory / "cache") + " ";
  expect(shell(cache + ECUBE_PROGRAM " verify-router " + file + " --dim 2 2>&1"), 1,
         {"late.sv differs from hw/README.md at its pins in a program of seed 1 (d = 2, one port)", "  edge ",
          "the rules:  ", "--dim 2 --ports one --seed 1 --programs 1"});
  // Built once for whole cubes, too: then a run needs no lock of builds, which another process has.
  expect(shell(cache + ECUBE_PROGRAM " run exchange --dim 2 --quiet --router " + file + " 2>&1"), 0, {"verilating"});
  const std::string lock = "flock " + (directory / "cache") + "/ecube/routers/*/.lock timeout 60 ";
  const Outcome run =
      expect(shell(cache + lock + ECUBE_PROGRAM " run exchange --dim 2 --quiet --router " + file + " 2>&1"), 0);
  EXPECT_FALSE(has(run, "verilating") || has(run, "waiting for")) << run.output;
}

TEST(OwnRouterInSystemVerilog, HasABufferWhereItIsForWorms) {
  const Directory directory;
  const std::string file = directory / "mine.sv";
  write_router(file, "endmodule", "endmodule // module ecube_worm_router\n/* \"\nmodule ecube_worm_router */");
  expect(ecube("verify-router " + file + " --buffer 2", true), 2, {"--buffer is of routers for worms"});
  write_router(file, "endmodule", "endmodule", "ecube_worm_router");
  expect(ecube("verify-router " + file + " --buffer 9", true), 2, {"--buffer"});
}

/// A router of worms is compared on machines of worms.
TEST(OwnRouterInSystemVerilog, OfWormsIsComparedAndItsFaultNamed) {
  const Directory directory;
  const std::string cache = "XDG_CACHE_HOME=" + (directory / "cache") + " ";
  const std::string mine = directory / "mine.sv";
  write_router(mine, "// Router for worms", "// My router for worms", "ecube_worm_router");
  expect(shell(cache + ECUBE_PROGRAM " verify-router " + mine + " --dim 2 --buffer 3 2>&1"), 0,
         {"every pin as the rules say: one port and buffers of 3 (d = 2), n ports and buffers of 3 (d = 2)",
          "(d = 2, one port, worms, buffers of 3, seeds 1 .. 100), every edge as the rules say"});
  // A stop comes a word too late.
  const std::string late = directory / "late.sv";
  write_router(late, "<= count_d == Count'(Buffer) ||", "<= count_d > Count'(Buffer) ||", "ecube_worm_router");
  expect(
      shell(cache + ECUBE_PROGRAM " verify-router " + late + " --dim 2 2>&1"), 1,
      {"late.sv differs from hw/README.md at its pins in a program of seed", "--dim 2 --ports one --buffer 1 --seed"});
}

TEST(OwnRouterInSystemVerilog, IsProvedOrRefutedAtItsPins) {
  const Directory directory;
  const std::string cache = "XDG_CACHE_HOME=" + (directory / "cache") + " ";
  const std::string text = file_text(ECUBE_ROOT "/hw/rtl/ecube_router.sv");
  std::ofstream(directory / "mine.sv") << text << "// ecube_worm_router is not in this file.\n";
  const std::string verify = cache + ECUBE_PROGRAM " verify-router --dim 2 --programs 1 --prove ";
  expect(shell(verify + (directory / "mine.sv") + " 2>&1"), 0,
         {"not tried: other whole cubes than one port (d = 2); in these, route delays beyond",
          "assertions at the pins; from reset: holds for 12 edges; proved for any time",
          "ecube_own_router of 2 dimensions, 1 port, wires of 6 bits, counts of 2 bits; not proved: other values"});
  // A fault that no program meets: with counts of two bits, a probe is changed when the same comes in by two inputs at
  // an edge. What the router takes for granted itself does not help it.
  std::string wrong = text;
  const std::string keeps = "arrives ? wire_i[i*Width+:Payload] :";
  ASSERT_HAS(wrong, keeps);
  wrong.replace(
      wrong.find(keeps), keeps.size(),
      "arrives ? wire_i[i*Width+:Payload] ^ {Time == 2 && i == 1 && wire_i[0+:Width] == wire_i[Width+:Width], "
      "{(Payload - 1) {1'b0}}} :");
  const std::string end = "endmodule";
  ASSERT_HAS(wrong, end);
  wrong.insert(wrong.find(end),
               "`ifdef FORMAL\n  always_ff @(posedge clk_i)\n    assume (!(probe[0] && probe[1]));\n`endif\n");
  std::ofstream(directory / "wrong.sv") << wrong;
  expect(shell(verify + (directory / "wrong.sv") + " 2>&1"), 1,
         {"every edge as the rules say", "Assert failed: ecube_rule_2_2_probe.probe_keeps_its_source, at edge"});
  // The same in a router that is right for 20 edges: pdr finds it, and its rule has its name.
  const std::string same = "i == 1 && wire_i[0+:Width]";
  ASSERT_HAS(wrong, same);
  wrong.replace(wrong.find(same), same.size(), "i == 1 && age_q == 5'd20 && wire_i[0+:Width]");
  const std::string ports = "for (genvar i = 0; i < N; i++) begin : g_input";
  ASSERT_HAS(wrong, ports);
  wrong.insert(wrong.find(ports),
               "logic [4:0] age_q;\n  always_ff @(posedge clk_i)\n    if (rst_i) age_q <= '0;\n"
               "    else if (age_q != 5'd20) age_q <= age_q + 1'b1;\n  ");
  std::ofstream(directory / "late.sv") << wrong;
  expect(shell(verify + (directory / "late.sv") + " 2>&1"), 1,
         {"holds for 12 edges; FAILED", "Assert failed: ecube_rule_2_2_probe.probe_keeps_its_source, at edge 2"});
}

TEST(OwnRouterInSystemVerilog, ThatKeepsTheRulesDiffersNowhere) {
  const Directory directory;
  const std::string file = directory / "mine.sv";
  write_router(file, "// Router of a circuit", "// My router of a circuit");
  for (const char* const ports : {"one", "n"}) {
    expect(shell(fmt::format("XDG_CACHE_HOME={} {} verify-router {} --dim 3 --ports {} 2>&1", directory / "cache",
                             ECUBE_PROGRAM, file, ports)),
           0, {"every edge as the rules say"});
  }
}

}  // namespace
}  // namespace router_test
