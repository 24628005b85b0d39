// SPDX-License-Identifier: Apache-2.0
// Sizes of traces, the static check against the machine, and curves; the rest is in transcripts/trace.txt.
#include "tests/command/shell.h"

namespace trace_command_test {
namespace {

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

}  // namespace
}  // namespace trace_command_test
