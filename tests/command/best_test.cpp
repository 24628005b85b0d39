// SPDX-License-Identifier: Apache-2.0
// The answers of `predict`, `best` and `calibrate` against runs; others are in transcripts/best.txt.
#include <fmt/format.h>

#include "tests/command/shell.h"

namespace best_test {
namespace {

/// The value of `--partition` for a row of output that has one.
std::string partition_of(const nlohmann::json& row) {
  return fmt::format("{}", fmt::join(row["partition"].get<std::vector<int>>(), ","));
}

// The recommendation is the candidate with the least measured time, and the command that it prints takes exactly that
// time.
TEST(Command, BestMeasuresWhereTheEquationLeavesSomethingOut) {
  for (const std::string question :
       {"exchange --machine ipsc860 --ports n --dim 4 --set network.together='50 cycles' --bytes 100",
        "combine --machine ipsc860-combine --ports n --dim 4 --items 100",
        "shuffle --machine ipsc860-nx --ports n --dim 3 --elements 16 --cycle p2,p1,p0",
        "broadcast --machine ipsc1 --dim 5 --ports n --items 4096", "scatter --machine ncube2 --dim 4 --items 1000"}) {
    const auto json = json_of("best " + question);
    ASSERT_FALSE(json["leaves_out"].empty()) << question;
    const std::string command = json["best"]["run"];
    const auto run = json_of(command.substr(std::string("./ecube ").size()));
    EXPECT_EQ(json["best"]["from"], "measurement");
    EXPECT_EQ(run["measured"]["us"], json["best"]["us"]) << command;
    // `route` has no equation.
    const bool described = json["best"]["ports"] == "one" || command.find("--algorithm route") != std::string::npos;
    const bool collective = question.starts_with("broadcast") || question.starts_with("scatter");
    EXPECT_TRUE(collective || run.contains("leaves_out") != described) << command;
    for (const auto& one : json["candidates"]) EXPECT_GE(one["us"], json["best"]["us"]) << one;
    const std::string text = ecube("best " + question).output;
    EXPECT_HAS(text, "the equation leaves out: ");
    EXPECT_HAS(text, "were run on the machine");
  }
  // By the equation it is a scatter on 3 ports.
  EXPECT_EQ(json_of("best broadcast --machine ipsc1 --dim 5 --ports n --items 4096")["best"]["algorithm"], "trees");
  for (const std::string workload : {"exchange", "broadcast"}) {
    EXPECT_HAS(ecube("best " + workload + " --machine ipsc1 --dim 12").output, "the recommendation is an estimate");
  }
  EXPECT_LACKS(ecube("best combine --machine ideal --ports n --json").output, "leaves_out");
}

TEST(Command, PredictsAnExchangeAlikeInEveryCommand) {
  for (const char* const machine :
       {"ideal", "hull", "ipsc860", "ipsc860-nx", "ipsc860-combine", "cm2", "ipsc1", "ipsc2", "ncube2"}) {
    for (int dim = 1; dim <= 6; ++dim) {
      const std::string options =
          " exchange --machine " + std::string(machine) + " --dim " + std::to_string(dim) + " --bytes 40 --json";
      const auto best = nlohmann::json::parse(ecube("best" + options).output);
      const auto predicted = nlohmann::json::parse(ecube("predict" + options + " --partition best").output);
      const auto run = nlohmann::json::parse(ecube("run" + options + " --partition best --payload none").output);
      // On the iPSC/1 the equation leaves out packets: there `best` recommends by measured times.
      EXPECT_EQ(best.contains("leaves_out"), std::string(machine) == "ipsc1") << options;
      auto by_equation = best.contains("leaves_out") ? best["by_equation"] : best["best"];
      // On several ports fewer of them may be faster.
      for (const auto& one : best["candidates"]) {
        if (by_equation["ports"] != best["machine"]["ports"] && one["ports"] == best["machine"]["ports"])
          by_equation = one;
      }
      EXPECT_EQ(by_equation["hops"], "real");
      EXPECT_EQ(by_equation["partition"], predicted["workload"]["partition"]) << options;
      EXPECT_EQ(by_equation["partition"], run["workload"]["partition"]) << options;
      EXPECT_EQ(by_equation["us"], predicted["predicted"]["us"]) << options;
      EXPECT_EQ(by_equation["us"], run["predicted"]["us"]) << options;
      EXPECT_EQ(by_equation["average_distance_us"], predicted["predicted"]["average_distance_us"]) << options;
      EXPECT_LE(best["average_distance"]["us"], by_equation["average_distance_us"]) << options;
    }
  }
  // At 5 B, between the crossovers of the two forms on the iPSC/860 (5.0 and 6.3 B), they prefer different partitions.
  const auto between = json_of("best exchange --machine ipsc860 --dim 6 --bytes 5");
  EXPECT_EQ(between["best"]["partition"], (std::vector<int>{3, 3}));
  EXPECT_EQ(between["average_distance"]["partition"], (std::vector<int>{2, 2, 2}));
  const auto hull = json_of("hull exchange --machine ipsc860 --dim 6");
  EXPECT_EQ(hull["faces"][1]["partition"], between["best"]["partition"]);
  EXPECT_NEAR(between["best"]["us"],
              hull["faces"][1]["intercept_us"].get<double>() + 5 * hull["faces"][1]["slope_us_per_byte"].get<double>(),
              1e-6);
  EXPECT_NEAR(hull["faces"][1]["from_bytes"], 4.973, 1e-3);
  EXPECT_NEAR(hull["average_distance"]["faces"][1]["from_bytes"], 6.283, 1e-3);
  // Real hops are followed where all partitions are tried.
  const auto large = json_of("best exchange --machine ipsc860 --dim 21");
  EXPECT_EQ(large["best"]["hops"], "average");
  EXPECT_EQ(large["best"]["partition"], large["average_distance"]["partition"]);
  EXPECT_HAS(ecube("best exchange --machine ipsc860 --dim 21").output, "up to --dim 20");
  EXPECT_HAS(ecube("hull exchange --machine ipsc860 --dim 21").output, "up to --dim 20");
}

TEST(Command, MeasuresTheBestExchangeAndSaysWhyOneIsAheadOfItsEquation) {
  const std::string machine = " exchange --machine ipsc860 --dim 4 --bytes 40 --json";
  const auto json = nlohmann::json::parse(ecube("best" + machine + " --measure").output);
  EXPECT_EQ(json["tried_partitions"], 5);
  ASSERT_EQ(json["candidates"].size(), 25U);  // xor synchronised or not, shift, ordered, random
  auto chosen = json["best"];
  const std::string command_of_best = chosen["run"];
  chosen.erase("run");
  EXPECT_EQ(chosen, json["candidates"][0]);
  EXPECT_EQ(nlohmann::json::parse(
                ecube(command_of_best.substr(command_of_best.find("run ")) + " --json").output)["measured"]["us"],
            chosen["us"]);
  double before = 0;
  for (const auto& one : json["candidates"]) {
    // Every row has the figures of the run that it names.
    const std::string partition = partition_of(one);
    const std::string sync = one["pairwise_sync"].is_null() ? "on" : one["pairwise_sync"].get<std::string>();
    const std::string command = fmt::format("run{} --partition {} --pairwise-sync {} --schedule {}", machine, partition,
                                            sync, one["schedule"].get<std::string>());
    const auto run = nlohmann::json::parse(ecube(command).output);
    EXPECT_EQ(one["us"], run["measured"]["us"]) << command;
    EXPECT_EQ(one["predicted_us"], run["predicted"]["us"]) << command;
    EXPECT_EQ(run["verified"], true) << command;
    EXPECT_GE(one["us"].get<double>(), before);
    before = one["us"];
    EXPECT_EQ(one["ahead_of_prediction"], run["error_percent"].get<double>() < -0.5) << command;
  }
  // Direct by shift is faster than its equation because receipts overlap with transmissions: where receipts cost
  // nothing, it is not faster.
  const auto& reasons = json["reasons"];
  const auto direct =
      std::find_if(reasons.begin(), reasons.end(), [](const auto& reason) { return reason["schedule"] == "shift"; });
  ASSERT_NE(direct, reasons.end());
  EXPECT_GT((*direct)["ahead_us"].get<double>(), 0);
  EXPECT_EQ((*direct)["without_receipts"]["ahead_of_prediction"], false);

  const auto jittered = nlohmann::json::parse(ecube("best" + machine + " --measure --jitter '3 us' --seed 11").output);
  EXPECT_EQ(jittered["workload"]["runs"], 5);
  const auto& first = jittered["best"];
  const std::string partition = partition_of(first);
  std::vector<double> times;
  for (int seed = 11; seed < 16; ++seed) {
    const std::string sync = first["pairwise_sync"].is_null() ? "on" : first["pairwise_sync"].get<std::string>();
    const std::string command =
        fmt::format("run{} --jitter '3 us' --partition {} --pairwise-sync {} --schedule {} --seed {}", machine,
                    partition, sync, first["schedule"].get<std::string>(), seed);
    times.push_back(nlohmann::json::parse(ecube(command).output)["measured"]["us"]);
  }
  std::sort(times.begin(), times.end());
  EXPECT_EQ(first["us"], times[2]);

  const auto seven = json_of("best exchange --dim 7 --measure");
  EXPECT_EQ(seven["tried_partitions"], 12);
  EXPECT_EQ(seven["all_partitions"], 15);
  const Outcome text = ecube("best exchange --dim 7 --measure");
  EXPECT_HAS(text.output, "12 partitions with the least predictions of 15");
}

TEST(Command, FindsTheBestShuffleAndRunsIt) {
  const std::string options = " shuffle --ports n --dim 4 --elements 256 --cycle p3,p2,p1,p0,s0 ";
  const auto json = json_of("best" + options);
  const std::string algorithm = json["best"]["algorithm"];
  const int packet = json["best"]["packet"];
  const auto run = nlohmann::json::parse(
      ecube("run" + options + "--json --algorithm " + algorithm + " --packet " + std::to_string(packet)).output);
  EXPECT_NEAR(run["measured"]["us"], json["best"]["us"].get<double>(), 1e-6);
  for (const auto& other : json["candidates"]) {
    EXPECT_GE(other["us"].get<double>(), json["best"]["us"].get<double>());
    const std::string name = other["algorithm"];
    std::string command = "run" + options;
    command.append("--json --algorithm ").append(name).append(" --packet ");
    command += std::to_string(other["packet"].get<int>());
    const auto measured = nlohmann::json::parse(ecube(command).output);
    EXPECT_NEAR(measured["measured"]["us"], other["us"].get<double>(), 1e-6) << name;
    EXPECT_EQ(measured["verified"], true) << name;
  }
  const auto best_packet = nlohmann::json::parse(ecube("run" + options + "--json --packet best").output);
  EXPECT_EQ(best_packet["workload"]["packet"], json["workload"]["packet"]);  // of the fastest that has an equation
}

TEST(Command, BestChoosesThePortsAndPrintsTheCommandThatTakesWhatItPromises) {
  const auto promise = [](const std::string& question) {
    auto best = json_of("best " + question)["best"];
    const std::string command = best["run"].get<std::string>();
    EXPECT_EQ(command.rfind("./ecube run ", 0), 0U) << command;
    const auto run = json_of(command.substr(command.find(' ') + 1));
    EXPECT_NEAR(run["measured"]["us"].get<double>() / best["us"].get<double>(), 1, 0.02) << command;
    return best;
  };
  EXPECT_EQ(promise("combine --machine ncube2 --dim 4 --items 40")["ports"], "one");
  EXPECT_EQ(promise("combine --machine ideal --ports n --dim 4 --items 6400")["ports"], "n");
  const auto shuffle = promise("shuffle --machine ncube2 --dim 5 --elements 256 --cycle p4,p3,p2,p1,p0,s0");
  EXPECT_EQ(shuffle["from"], shuffle["algorithm"] == "route" ? "measurement" : "equation");
}

TEST(Command, CalibratesFittedBesidePublished) {
  const auto json = json_of("calibrate --machine ipsc860");
  for (const char* const key : {"lambda_us", "lambda0_us", "tau_us_per_byte", "delta_us_per_hop", "rho_us_per_byte",
                                "gamma_us_per_item", "barrier_us_per_dim"}) {
    const double published = json["published"][key];
    EXPECT_NEAR(json["fitted"][key], published, 0.01 * published) << key;
  }
  for (const char* const key : {"alpha_zero_us", "alpha_short_us", "alpha_us", "beta_us_per_item"}) {
    EXPECT_TRUE(json["fitted"][key].is_number()) << key;
  }
  EXPECT_LT(json["residual_percent"], 0.5);
}

}  // namespace
}  // namespace best_test
