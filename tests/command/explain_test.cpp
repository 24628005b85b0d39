// SPDX-License-Identifier: Apache-2.0
// The output of `explain` for a combine, an exchange and a shuffle, compared with runs and the figures of the papers.
#include "tests/command/shell.h"

namespace explain_test {
namespace {

/// The first fields of a line of circuits.csv.
struct LoggedCircuit {
  int source = 0;
  int destination = 0;
  int phase = 0;
  int type = 0;
  int bytes = 0;
};

/// The circuits of the run in this directory, in the order of the file.
std::vector<LoggedCircuit> circuits_of(const std::string& run) {
  std::vector<LoggedCircuit> circuits;
  const std::vector<std::string> lines = file_lines(run + "/circuits.csv");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    LoggedCircuit& one = circuits.emplace_back();
    EXPECT_EQ(
        sscanf(lines[i].c_str(), "%d,%d,%d,%d,%d", &one.source, &one.destination, &one.phase, &one.type, &one.bytes),
        5);
  }
  return circuits;
}

TEST(Command, ExplainsWhatANodeOfTheCombineSends) {
  // The explanation of every node against the messages of a run.
  const Directory directory;
  for (const std::string& options : std::vector<std::string>{
           "--strategy 011", "--strategy 100 --items 7", "--strategy v1", "--strategy v1 --target root --root 6",
           "--strategy v2 --target root --root 3", "--strategy v3 --target root",
           "--strategy 101 --target root --root 5", "--strategy v3 --ports n", "--strategy 011 --ports 2 --items 50"}) {
    ASSERT_EQ(ecube("run combine --dim 3 " + options + " --circuits -o " + directory / "run").status, 0);
    const std::vector<LoggedCircuit> circuits = circuits_of(directory / "run");
    ASSERT_FALSE(circuits.empty());
    for (int node = 0; node < 8; ++node) {
      std::vector<std::pair<int, int>> sent;
      for (const LoggedCircuit& one : circuits) {
        if (one.source == node && one.bytes > 0) sent.emplace_back(one.destination, one.bytes);
      }
      const Outcome outcome =
          expect(ecube("explain combine --dim 3 " + options + " --json --node " + std::to_string(node)), 0);
      std::vector<std::pair<int, int>> explained;
      const auto json = nlohmann::json::parse(outcome.output);
      for (const auto& step : json["steps"]) {
        if (!step["sends"].is_null()) explained.emplace_back(step["partner"], 4 * step["sends"]["count"].get<int>());
      }
      // Messages of the parts of one step end in the order of their lengths.
      std::sort(sent.begin(), sent.end());
      std::sort(explained.begin(), explained.end());
      EXPECT_EQ(explained, sent) << options << " node " << node;
    }
  }
}

TEST(Command, ExplainsWhatANodeOfTheExchangeSends) {
  // The explanation of every node against the messages of a run, by place in the phase or stage.
  const Directory directory;
  for (const std::string& options : std::vector<std::string>{
           "--partition 3", "--partition 2,1 --order low", "--partition 1,2 --order inplace --bytes 5",
           "--partition 2,1 --schedule shift", "--partition 2,1 --schedule ordered",
           "--partition 1,2 --schedule random --seed 7", "--partition 2,1 --machine ipsc860",
           "--partition 2,1 --ports n", "--partition 1,1,1 --ports 2 --bytes 2", "--partition 3 --ports n",
           "--partition 2,1 --ports n --pair-masks off"}) {
    ASSERT_EQ(ecube("run exchange --dim 3 " + options + " --circuits -o " + directory / "run").status, 0) << options;
    const std::vector<LoggedCircuit> circuits = circuits_of(directory / "run");
    ASSERT_FALSE(circuits.empty());
    using Message = std::array<int, 3>;  // phase or stage, destination, bytes
    std::vector<std::vector<Message>> sent(8);
    for (const LoggedCircuit& one : circuits) {
      if (one.bytes == 0) continue;
      sent[static_cast<std::size_t>(one.source)].push_back({one.phase, one.destination, one.bytes});
    }
    for (int node = 0; node < 8; ++node) {
      const Outcome outcome =
          expect(ecube("explain exchange --dim 3 " + options + " --json --node " + std::to_string(node)), 0);
      const auto json = nlohmann::json::parse(outcome.output);
      const bool staged = json.contains("stages");
      EXPECT_EQ(staged, options.find("--ports") != std::string::npos) << options;
      std::vector<Message> explained;
      int number = 0;
      for (const auto& round : json[staged ? "stages" : "phases"]) {
        for (const auto& step : round["steps"]) {
          const int partner = step["partner"];
          explained.push_back({number, partner, step["bytes"]});
          EXPECT_EQ(step["mask"], partner ^ node);
          EXPECT_EQ(step["hops"], std::popcount(static_cast<unsigned>(partner ^ node)));
          // The node that this node receives from sends to it, and the bytes are equal.
          if (step["receives_from"].is_null()) continue;
          const Message received = {number, node, step["bytes"]};
          const auto& others = sent[step["receives_from"].get<std::size_t>()];
          EXPECT_EQ(std::count(others.begin(), others.end(), received), 1) << options << " node " << node;
          if (staged) continue;
          ASSERT_GE(others.size(), explained.size());  // in the same step
          EXPECT_EQ(others[explained.size() - 1], received) << options << " node " << node;
        }
        ++number;
      }
      // On one port the circuits come in the order of sending; parts of a stage end in the order of their lengths.
      auto& own = sent[static_cast<std::size_t>(node)];
      if (staged) {
        std::sort(own.begin(), own.end());
        std::sort(explained.begin(), explained.end());
      }
      EXPECT_EQ(explained, own) << options << " node " << node;
    }
  }
  const auto phases = json_of("explain exchange --machine ipsc860 --dim 6 --bytes 40 --partition best")["phases"];
  ASSERT_EQ(phases.size(), 2U);  // {3,3}: 7 steps of 8 blocks of 40 B, then 64 blocks are permuted
  EXPECT_EQ(phases[0]["steps"].size(), 7U);
  EXPECT_EQ(phases[0]["steps"][0]["blocks"], 8);
  EXPECT_EQ(phases[0]["steps"][0]["bytes"], 320);
  EXPECT_EQ(phases[0]["shuffles"][0]["rotate_bits"], 3);
  EXPECT_EQ(phases[0]["shuffles"][0]["paid_bytes"], 2560);
}

/// Of each row of a schedule: "v5@1 0'1@5 01@11", where its chains begin: control, primes of the constituent, dimension
/// and step.
std::vector<std::string> chains_of(const std::string& options) {
  const Outcome outcome = expect(ecube("explain shuffle --json " + options), 0);
  std::vector<std::string> rows;
  const auto json = nlohmann::json::parse(outcome.output);
  for (const auto& row : json["schedules"][0]["rows"]) {
    std::string text;
    std::string before;
    int next = 0;
    for (const auto& entry : row["entries"]) {
      const std::string chain = (entry["control"] == "v" ? "v" : "0") + std::string(entry["constituent"], '\'');
      const int step = entry["step"];
      const int dimension = entry["dimension"];
      if (chain != before || step != next || dimension == 1) {
        text += (text.empty() ? "" : " ") + chain + std::to_string(dimension) + "@" + std::to_string(step);
      }
      before = chain;
      next = step + 1;
    }
    rows.push_back(text);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Command, ExplainsTheSchedulesOfFigures8And9) {
  // Johnsson & Ho 1991, Figure 8, rows d_0 .. d_11.
  std::vector<std::string> figure8;
  for (int q = 0; q < 5; ++q) figure8.push_back("01@" + std::to_string(q + 1) + " 0'1@" + std::to_string(q + 8));
  for (int q = 5; q < 12; ++q) figure8.push_back("0'1@" + std::to_string(q - 4) + " 01@" + std::to_string(q + 1));
  std::sort(figure8.begin(), figure8.end());
  EXPECT_EQ(chains_of("--ports n --dim 10 --elements 24 --cycle p4,p3,p2,p1,p0,s0 --cycle p9,p8,p7,p6,p5,s1 "
                      "--algorithm pipelined"),
            figure8);
  // Figure 9, rows d_0^0 .. d_9.
  std::vector<std::string> figure9 = {
      "v5@1 0'1@5 01@11", "v5@2 0'1@6 01@12",  "v3@1 0'1@7 01@13",  "v3@2 0'1@8 01@14",  "01@1 0'1@9",
      "01@2 0'1@10",      "v'5@1 01@3 0'1@11", "v'5@2 01@4 0'1@12", "v'3@1 01@5 0'1@13", "v'3@2 01@6 0'1@14",
      "0'1@1 01@7",       "0'1@2 01@8",        "0'1@3 01@9",        "0'1@4 01@10"};
  std::sort(figure9.begin(), figure9.end());
  EXPECT_EQ(chains_of("--ports n --dim 12 --elements 28 --cycle p5,p4,p3,p2,p1,p0,s0 --cycle p11,p10,p9,p8,p7,p6,s1"),
            figure9);
}

}  // namespace
}  // namespace explain_test
