// SPDX-License-Identifier: Apache-2.0
// Tracing, the static check and traffic as a user types them: files, bad input, full disks.
#include "tests/command/shell.h"

namespace trace_command_test {
namespace {

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(stream, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    bool quoted = false;
    row.emplace_back();
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted) {
        row.emplace_back();
      } else if (c != '"') {
        row.back() += c;
      }
    }
  }
  return rows;
}

TEST(Trace, GoesIntoTheRunDirectoryWithItsLayoutAndTimeline) {
  const Directory directory;
  const std::string run = "run exchange --dim 4 --bytes 32 --schedule ordered --quiet -o " + (directory / "run");
  const Outcome plain = ecube(run);
  EXPECT_EQ(directory.files("run"),
            (std::vector<std::string>{"links.csv", "provenance.json", "resolved.toml", "summary.json"}));
  const Outcome traced = ecube(run + " --trace waves.fst");
  EXPECT_EQ(directory.files("run"),
            (std::vector<std::string>{"links.csv", "provenance.json", "resolved.toml", "summary.json", "waves.fst",
                                      "waves.gtkw", "waves.links.filter", "waves.pftrace", "waves.programs.filter"}));
  // Tracing changes nothing in the run's output, and adds a report.
  EXPECT_TRUE(traced.output.starts_with(plain.output));
  EXPECT_HAS(traced.output,
             "15->0 #1 waited 561 cycles from 104 for link 14:1\n"
             "  held by 14->0 #1 for 561 cycles, which waited for link 12:2\n");
  const nlohmann::json summary = nlohmann::json::parse(std::ifstream(directory / "run/summary.json"));
  EXPECT_EQ(summary["trace"]["complete"], true);
  EXPECT_EQ(summary["contention"]["longest_link_waits"][0]["cycles"], 561);
}

TEST(Trace, ShowsProgramsAboveLinksAndWaitingOnlyWhereSomebodyWaits) {
  const Directory directory;
  const auto layout = [&directory](const std::string& schedule) {
    EXPECT_EQ(ecube("run exchange --dim 4 --schedule " + schedule + " --trace " + directory / "w.fst").status, 0);
    return file_text(directory / "w.gtkw");
  };
  const std::string contended = layout("ordered");
  ASSERT_HAS(contended, "{program 0}");
  EXPECT_LT(contended.find("{program 15}"), contended.find("{link "));
  EXPECT_HAS(contended, "{waiting}");
  // Its times are those that GTKWave shows, all in one unit.
  EXPECT_HAS(contended, " us\n");
  EXPECT_LACKS(contended, " cycles\n");
  const std::string free = layout("xor");
  EXPECT_HAS(free, "{link ");
  EXPECT_LACKS(free, "{waiting}");
}

TEST(Trace, SaysItsSizeBeforehand) {
  const Directory directory;
  const std::string file = directory / "w.fst";
  const Outcome outcome = expect(ecube("run exchange --dim 6 --bytes 16 --trace " + file, true), 0);
  const std::string words = "and a timeline: about ";
  const std::size_t at = outcome.output.find(words);
  ASSERT_NE(at, std::string::npos) << outcome.output;
  const double told = std::stod(outcome.output.substr(at + words.size())) * 1e6;
  EXPECT_NE(outcome.output.find(" MB together", at), std::string::npos) << outcome.output;
  const auto written =
      static_cast<double>(std::filesystem::file_size(file) + std::filesystem::file_size(directory / "w.pftrace"));
  EXPECT_GT(told, written / 2);
  EXPECT_LT(told, written * 2);
}

TEST(Trace, SaysWhatSignalsOfModulesTakeAtMost) {
  const Directory directory;
  for (const char* const dim : {"2", "4"}) {
    const nlohmann::json plain = json_of(std::string("run exchange --engine clocked --bytes 200 --dim ") + dim);
    for (const char* const format : {"fst", "vcd"}) {
      const std::string file = directory / "w." + format;
      const Outcome outcome =
          ecube(std::string("run exchange --engine clocked --bytes 200 --dim ") + dim + " --trace " + file, true);
      const std::string words = "and for signals of modules up to ";
      const std::size_t at = outcome.output.find(words);
      ASSERT_NE(at, std::string::npos) << outcome.output;
      const std::string told = outcome.output.substr(at + words.size());
      EXPECT_HAS(told, " every 1,000 cycles");
      const double unit = told.find(" MB ") < told.find('\n') ? 1e6 : 1e3;
      const double most = std::stod(told) * unit * plain["measured"]["cycles"].get<double>() / 1000;
      const auto written = static_cast<double>(std::filesystem::file_size(file));
      EXPECT_GT(most, written * 0.8) << dim << format;
      EXPECT_LT(most, written * 6) << dim << format;
    }
  }
}

TEST(Trace, TheSameRunGivesTheSameBytesOnTheClockedEngineAsWell) {
  const Directory directory;
  for (const char* const name : {"a", "b"}) {
    const std::string file = directory / name + ".fst";
    ASSERT_EQ(ecube("run traffic --dim 3 --rate 40 --messages 20 --engine clocked --quiet --trace " + file).status, 0);
  }
  EXPECT_EQ(shell("cmp " + (directory / "a.fst") + " " + (directory / "b.fst")).status, 0);
}

/// Core, cache and bus of a detailed node are in the waveform and in its layout, FIFO and DMA in the layout where the
/// machine can use them; a node with rates has none.
TEST(Trace, ShowsTheMemoryOfADetailedNode) {
  const Directory directory;
  const auto trace = [&](const std::string& machine) {
    expect(ecube("run exchange --dim 1 --bytes 32 --quiet --engine clocked --machine " + machine + " --trace " +
                 (directory / "w.vcd")),
           0);
    return file_text(directory / "w.vcd");
  };
  const auto has = [](const std::string& text, const std::string& words) { return text.find(words) != text.npos; };
  EXPECT_FALSE(has(trace("ipsc860"), "memory_activity"));
  EXPECT_FALSE(has(file_text(directory / "w.gtkw"), "memory_activity"));
  const std::string waves = trace("ipsc860-node");
  EXPECT_TRUE(has(waves, "memory_activity"));
  const std::string layout = file_text(directory / "w.gtkw");
  for (const char* const leaf : {"core_code[2:0]", "cache_code[2:0]", "bus_code[2:0]", "writes[7:0]"}) {
    EXPECT_TRUE(has(layout, std::string("memory_activity.") + leaf)) << leaf;
  }
  const auto shows = [&](const char* leaf) {
    return has(file_text(directory / "w.gtkw"), std::string("memory_activity.") + leaf);
  };
  EXPECT_FALSE(shows("fifo") || shows("dma"));
  (void)trace("ipsc860-node --set node.transfer=programmed --set node.overlap=on");
  EXPECT_TRUE(shows("fifo") && !shows("dma"));
  (void)trace("ipsc860-node --set node.overlap=on");
  EXPECT_TRUE(!shows("fifo") && shows("dma"));
  EXPECT_TRUE(has(file_text(directory / "w.cores.filter"), "issues"));
  EXPECT_TRUE(has(file_text(directory / "w.caches.filter"), "fill"));
  EXPECT_TRUE(has(file_text(directory / "w.buses.filter"), "page"));
}

/// The event engine works a loop out as a whole. Whoever traces a detailed node there is told who shows its memory.
TEST(Trace, SaysWhoShowsTheMemoryOfADetailedNode) {
  const Directory directory;
  const auto told = [&](const std::string& machine, const std::string& options) {
    const Outcome outcome =
        ecube("run exchange --dim 1 --machine " + machine + " --trace " + (directory / "w.fst") + options, true);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return outcome.output.find("no core, cache or bus of these detailed nodes; --engine clocked") != std::string::npos;
  };
  EXPECT_TRUE(told("ipsc860-node", ""));
  EXPECT_FALSE(told("ipsc860-node", " --engine clocked"));
  EXPECT_FALSE(told("ipsc860-node", " --quiet"));
  EXPECT_FALSE(told("ipsc860", ""));
}

TEST(Trace, OfSignalsOfModulesIsByTheirNames) {
  const Directory directory;
  const std::string run = "cd " + (directory / "") + " && " ECUBE_PROGRAM " run exchange --dim 3 --quiet --engine ";
  for (const char* const name : {"node5", "node5.port0", "'*.sequence_0'", "node5.library", "link5_2"}) {
    EXPECT_EQ(shell(run + "clocked --trace w.fst --trace-filter " + name + " 2>&1").status, 0) << name;
  }
  std::filesystem::remove(directory / "w.fst");
  const std::vector<std::string> before = directory.files();
  // The event engine has no such signals, and no engine has the last one.
  for (const char* const refused : {"event --trace-filter node5.port0", "clocked --trace-filter node5.port9"}) {
    expect(shell(run + refused + " --trace w.fst -o runs 2>&1"), 2, {"valid: node0 .. node7"});
    EXPECT_EQ(directory.files(), before);
  }
}

TEST(Trace, TheSameRunGivesTheSameBytes) {
  const Directory directory;
  for (const char* const name : {"a", "b"}) {
    expect(ecube("run traffic --dim 4 --rate 40 --jitter '9 cycles' --quiet --trace " + (directory / name) + ".fst"),
           0);
  }
  for (const char* const ending : {".pftrace", ".links.filter"}) {
    EXPECT_EQ(shell("cmp " + (directory / "a") + ending + " " + (directory / "b") + ending).status, 0) << ending;
  }
}

TEST(Trace, LinksCsvHasTheWindowAndTheLongestWait) {
  const Directory directory;
  const std::string run = "run exchange --dim 4 --bytes 32 --schedule ordered --quiet -o " + (directory / "run");
  ASSERT_EQ(ecube(run + " --trace waves.fst --trace-window 200:400").status, 0);
  const auto rows = rows_of(directory / "run/links.csv");
  ASSERT_EQ(rows.size(), 65U);
  EXPECT_EQ(rows[0][9], "blocked_cycles_in_window");
  EXPECT_EQ(rows[0][10], "longest_wait_cycles");
  for (const auto& row : rows) {
    if (row[0] != "14" || row[1] != "1") continue;
    // 15->0 waits for 14:1 in all of the window.
    EXPECT_EQ(row[9], "200");
    EXPECT_EQ(row[10], "561");
    EXPECT_TRUE(row[11].starts_with("15->0 #1 waited 561 cycles from 104 for link 14:1 held by 14->0 #1")) << row[11];
  }
}

TEST(Trace, AWindowBehindTheEndIsToldWithTheResults) {
  const Directory directory;
  const Outcome outcome =
      ecube("run exchange --dim 3 --quiet --trace " + (directory / "w.fst") + " --trace-window 1ms:2ms", true);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_HAS(outcome.output, "data verified");
  EXPECT_HAS(outcome.output, "is outside the run, which took");
  EXPECT_TRUE(directory.files().empty());
}

TEST(Trace, AFullDiskCostsTheTraceNotTheResults) {
  const Directory directory;
  for (const char* const arguments : {"fst", "vcd", "fst --engine clocked", "vcd --engine clocked"}) {
    // No file may grow beyond some KB, as on a disk that is full; the writer of FST has files of its own.
    for (const char* const most : {"1", "8", "32"}) {
      expect(shell(std::string("bash -c \"ulimit -f ") + most +
                   "; " ECUBE_PROGRAM " run exchange --dim 5 --bytes 32 --quiet --trace " + (directory / "w.") +
                   arguments + "\" 2>&1"),
             1, {"data verified", "the trace is incomplete"});
      EXPECT_TRUE(directory.files().empty()) << arguments;
    }
  }
}

/// One write that fails costs the trace, also where all later ones go well.
TEST(Trace, IsLeftOutWhenAWriteOfItsFilesHasFailed) {
  const Directory directory;
  for (const char* const write : {"2", "3", "5", "8", "11"}) {
    expect(shell(std::string("ASAN_OPTIONS=detect_leaks=0 strace -qq -o /dev/null -e trace=write -e "
                             "inject=write:error=ENOSPC:when=") +
                 write + " " ECUBE_PROGRAM " run exchange --dim 5 --bytes 32 --quiet --trace " + (directory / "w.fst") +
                 " 2>&1"),
           1, {"the trace is incomplete"});
    EXPECT_TRUE(directory.files().empty()) << write;
  }
}

/// Two runs of the RTL, of circuits and of worms, whose ports are as many as the dimensions; a run with another seed
/// gives other bytes.
TEST(Trace, TheSameRunGivesTheSameBytesOnTheRtlAsWell) {
  const Directory directory;
  for (const char* const machine :
       {"", " --set network.switching=wormhole --set 'link.cycles_per_phit=2 cycles' --set 'router.buffer=3 B'"}) {
    for (const char* const name : {"a", "b", "c"}) {
      std::string run =
          "run traffic --dim 2 --ports n --rate 40 --messages 20 --jitter '9 cycles' --engine rtl --quiet";
      run.append(machine).append(*name == 'c' ? " --seed 2" : " --seed 1");
      run.append(" --trace ").append(directory / name).append(".fst");
      ASSERT_EQ(ecube(run).status, 0) << machine;
    }
    for (const char* const ending : {".fst", ".pftrace"}) {
      EXPECT_EQ(shell("cmp " + (directory / "a") + ending + " " + (directory / "b") + ending).status, 0) << ending;
      EXPECT_NE(shell("cmp -s " + (directory / "a") + ending + " " + (directory / "c") + ending).status, 0) << ending;
    }
  }
}

TEST(Trace, OfTheRtlHasATimelineToo) {
  const Directory directory;
  const std::string run = "run traffic --dim 3 --rate 40 --messages 20 --quiet --trace ";
  ASSERT_EQ(ecube(run + (directory / "event.fst")).status, 0);
  ASSERT_EQ(ecube(run + (directory / "rtl.fst") + " --engine rtl").status, 0);
  // Circuits and programs do the same on both engines, so the slices are the same; the engines report them at other
  // times, in another order.
  EXPECT_EQ(std::filesystem::file_size(directory / "event.pftrace"),
            std::filesystem::file_size(directory / "rtl.pftrace"));
  EXPECT_GT(std::filesystem::file_size(directory / "rtl.fst"), 1000U);
}

TEST(Contention, IsTheSameOnTheRtl) {
  const std::string run = "run traffic --dim 3 --rate 40 --messages 100 --contention";
  const nlohmann::json event = json_of(run);
  const nlohmann::json rtl = json_of(run + " --engine rtl");
  EXPECT_EQ(event["contention"], rtl["contention"]);
  EXPECT_GT(event["contention"]["longest_link_waits"].size(), 8U);
  EXPECT_GT(event["contention"]["longest_port_waits"].size(), 4U);
}

TEST(Check, FindsTheConflictsOfSchedules) {
  EXPECT_EQ(json_of("check exchange --dim 5 --partition 2,3")["conflicts"].size(), 0U);
  EXPECT_EQ(json_of("check exchange --dim 5 --schedule shift")["conflicts"].size(), 0U);
  const nlohmann::json ordered = json_of("check exchange --dim 4 --schedule ordered", 1);
  EXPECT_EQ(ordered["steps"], 15);
  EXPECT_EQ(ordered["steps_with_conflicts"], 15);
  // At step 1 all send to node 0: half of the cube over its last dimension (theory: 2^(d-1)).
  EXPECT_EQ(ordered["most_circuits_on_a_link"], 8);
  EXPECT_EQ(ordered["conflicts"][3]["link"], "8:3");
  EXPECT_EQ(ordered["conflicts"][3]["circuits"].size(), 8U);
  EXPECT_EQ(json_of("check traffic --pattern all-to-one --dim 6", 1)["most_circuits_on_a_link"], 32);
  EXPECT_EQ(json_of("check traffic --pattern bitcomp --dim 6")["conflicts"].size(), 0U);
  EXPECT_EQ(ecube("check traffic --pattern transpose --dim 6").status, 1);
  expect(ecube("check exchange --dim 4 --partition best", true), 2, {"depends on times"});
  EXPECT_EQ(ecube("check traffic --pattern bitrev --dim 6").status, 1);
  for (const char* const algorithm : {"one-port", "pipelined", "concurrent", "aapc"}) {
    expect(ecube(std::string("check shuffle --ports n --dim 4 --elements 16 --cycle p3,p2,p1,p0,s0 --algorithm ") +
                 algorithm),
           0);
  }
  EXPECT_EQ(ecube("check shuffle --dim 4 --elements 16 --cycle p3,p2,p1,p0 --algorithm a2").status, 0);
}

TEST(Check, AgreesWithTheMachineWhereStepsAreSynchronous) {
  // Where the circuits of a step begin together, by a barrier before each step or because there is only one step,
  // circuits block exactly if there is a conflict.
  struct Case {
    std::string check;
    std::string run;
  };
  std::vector<Case> cases;
  for (const char* const schedule : {"xor", "shift", "ordered", "random"}) {
    for (const char* const partition : {"direct", "2,3", "standard"}) {
      const std::string options = std::string(" --dim 5 --schedule ") + schedule + " --partition " + partition;
      cases.push_back({"check exchange" + options, "run exchange --set library.barrier=step --bytes 400" + options});
    }
  }
  for (const char* const method : {"one-port", "pipelined", "concurrent"}) {
    const std::string options =
        std::string(" --ports n --dim 4 --elements 16 --cycle p3,p2,p1,p0,s0 --algorithm ") + method;
    cases.push_back({"check shuffle" + options, "run shuffle" + options});
  }
  for (const char* const pattern : {"bitcomp", "bitrev", "transpose", "shuffle", "randperm", "all-to-one"}) {
    const std::string options = std::string(" --dim 6 --messages 1 --bytes 1000 --pattern ") + pattern;
    cases.push_back({"check traffic" + options, "run traffic --rate 1000" + options});
  }
  unsigned conflicting = 0;
  for (const Case& one : cases) {
    const bool conflict = ecube(one.check).status == 1;
    const nlohmann::json run = json_of(one.run);
    EXPECT_EQ(run["network"]["blocked_circuits"] > 0, conflict) << one.run;
    conflicting += conflict ? 1 : 0;
  }
  EXPECT_GE(conflicting, 8U);
  EXPECT_LE(conflicting, cases.size() - 8);
}

TEST(Check, ReadsSteps) {
  const Directory directory;
  const std::string file = directory / "steps.txt";
  std::ofstream(file) << "# two steps\n0 3   # over 0:0 and 1:1\n1 3\n# still the first step\n2 0\n\n\n0 3\n\n1 3\n";
  const nlohmann::json json = json_of("check " + file + " --dim 2", 1);
  EXPECT_EQ(json["steps"], 3);
  EXPECT_EQ(json["circuits"], 5);
  ASSERT_EQ(json["conflicts"].size(), 1U);
  EXPECT_EQ(json["conflicts"][0]["step"], 1);
  EXPECT_EQ(json["conflicts"][0]["link"], "1:1");
  EXPECT_EQ(json["conflicts"][0]["circuits"], (std::vector<std::string>{"0->3", "1->3"}));
  const std::vector<std::pair<std::string, std::string>> bad = {{"0 4\n", "'4' is no destination"},
                                                                {"0\n", "no destination"},
                                                                {"0 1 2\n", "more than two numbers"},
                                                                {"0 -1\n", "'-1' is no destination"},
                                                                {"\n# nothing\n", "has no steps"}};
  for (const auto& [text, expected] : bad) {
    std::ofstream(file) << text;
    const Outcome outcome = ecube("check " + file + " --dim 2", true);
    EXPECT_EQ(outcome.status, 2) << text;
    EXPECT_HAS(outcome.output, expected);
  }
  EXPECT_EQ(ecube("check " + (directory / "none.txt")).status, 2);
  EXPECT_EQ(ecube("check").status, 2);
}

TEST(Traffic, ACurveSaysWhereItBendsAndWhatBoundsIt) {
  // One message of a node takes its port for S cycles, so at most 1000 / S can be accepted; on the ideal machine this
  // limits uniform traffic.
  const nlohmann::json json = json_of("run traffic --dim 5 --rate 1:64 --messages 200");
  const nlohmann::json& curve = json["traffic"]["curve"];
  ASSERT_EQ(curve["points"].size(), 7U);
  double last = 0;
  for (const nlohmann::json& point : curve["points"]) {
    EXPECT_GE(point["latency_cycles"]["mean"], curve["unloaded_latency_cycles"]);
    EXPECT_GE(point["latency_cycles"]["mean"], last);
    const double accepted = point["accepted"];
    EXPECT_DOUBLE_EQ(point["accepted_percent"], 100 * accepted / point["offered"].get<double>());
    last = point["latency_cycles"]["mean"];
    EXPECT_LE(point["accepted"], curve["bounds"]["source_ports"].get<double>() * 1.02);
  }
  EXPECT_LT(curve["saturation"]["keeps_up_at"], curve["saturation"]["saturated_at"]);
  const Outcome words = ecube("run traffic --dim 5 --rate 1:64 --messages 200");
  EXPECT_HAS(words.output, "saturates between");
  // All to one: the links into node 0 and its port; the bound is that of the port.
  const nlohmann::json one = json_of("run traffic --dim 5 --rate 0.5,2,8 --messages 50 --pattern all-to-one");
  const nlohmann::json& bounds = one["traffic"]["curve"]["bounds"];
  EXPECT_LT(bounds["destination_ports"], bounds["links"]);
  EXPECT_LT(bounds["links"], bounds["source_ports"]);
}

TEST(Traffic, RefusesPatternsAndRatesThatAreNotDefined) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"--pattern transpose --dim 5", "valid: uniform | bitcomp | bitrev | shuffle"},
      {"--pattern tornado", "neighbor is what is left of it"},
      {"--pattern unifrom", "did you mean 'uniform'?"},
      {"--rate 0", "0.000001 .. 1000"},
      {"--rate 5:1", "ends before it begins"},
      {"--rate 1:2:3:4", "is no range"},
      {"--rate 1,x", "is no rate"},
      {"--rate 1:1000:0.1", "more than 64 rates"},
      {"--rate 1:4 --trace w.fst", "trace one rate"}};
  for (const auto& [arguments, expected] : bad) {
    expect(ecube("run traffic " + arguments, true), 2, {expected});
  }
}

}  // namespace
}  // namespace trace_command_test
