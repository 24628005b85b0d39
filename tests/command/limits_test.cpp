// SPDX-License-Identifier: Apache-2.0
// Numbers as they are written, values that are there, and problems that are too large: refused, and never answered
// with nonsense, a crash or all of the memory.
#include <fmt/core.h>

#include "tests/command/shell.h"

namespace limits_test {
namespace {

void write(const std::string& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The program is refused with these words, with at most 4 GB.
void expect_refused(const std::string& arguments, const std::string& words, const std::string& before = "") {
#ifdef ECUBE_SANITIZED
  const std::string limits = before;  // a shadow of the memory is larger than all limits
#else
  const std::string limits = "ulimit -v 4000000; " + before;
#endif
  const Outcome outcome = shell(limits + "timeout 300 " ECUBE_PROGRAM " " + arguments + " 2>&1 </dev/null");
  EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.output.substr(0, 2000);
  EXPECT_HAS(outcome.output, words) << arguments << "\n" << outcome.output.substr(0, 2000);
}

// --- Numbers and values --------------------------------------------------------------------------------------------

TEST(Number, IsDecimal) {
  EXPECT_EQ(json_of("predict exchange --dim 010")["machine"]["dim"], 10);
  EXPECT_EQ(json_of("run pingpong --dim 1 --bytes 08,0010,000")["workload"]["bytes"], (std::vector<int>{8, 10, 0}));
}

TEST(Number, IsShownAsItWasTyped) {
  // More than 64 bits, a unit, zeros in front.
  const Directory directory;
  write(directory / "study.toml",
        "run = \"exchange\"\n[workload]\ndim = 0x2\n[[axis]]\nkey = \"bytes\"\n"
        "values = [1, 0x7fff_ffff]\n");
  const std::string line = fmt::format("{0}/study.toml -o {0}/out", directory / "");
  EXPECT_EQ(ecube("sweep --keep-going --quiet " + line).status, 1);
  for (const std::string& shown :
       {shell(fmt::format("sqlite3 {}/out/results.sqlite 'SELECT error FROM points WHERE status = \"failed\"'",
                          directory / ""))
            .output,
        ecube(fmt::format("sweep plan {}/study.toml", directory / "")).output}) {
    EXPECT_HAS(shown, "--bytes 2147483647 is out of range");
    EXPECT_HAS(shown, "in the study: bytes = 0x7fff_ffff");
    EXPECT_LACKS(shown, "0x2");
  }
}

TEST(Value, IsNotTheNextOption) {
  const Directory directory;
  expect_refused("run exchange --output --quiet", "--output needs a value, not the option '--quiet'",
                 "cd " + (directory / "") + "; ");
  EXPECT_TRUE(directory.files().empty());
}

TEST(TextFile, MayBeginWithAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  const Directory directory;
  const auto same = [&](const std::string& name, const std::string& text, const std::string& arguments) {
    const std::string file = directory / name;
    const std::string line = fmt::format(fmt::runtime(arguments), file) + " --quiet --json";
    write(file, text);
    const Outcome without = ecube(line);
    write(file, mark + text);
    const Outcome with = ecube(line, true);
    EXPECT_EQ(without.status, 0) << name;
    EXPECT_EQ(with.status, 0) << with.output;
    const auto of_the_model = [](const std::string& output) { return output.substr(0, output.find("\"host\"")); };
    EXPECT_EQ(of_the_model(with.output), of_the_model(without.output));
    // Not anywhere else.
    write(file, text + mark + text);
    EXPECT_EQ(ecube(line).status, 2) << name;
  };
  same("machine.toml", "base = \"hull\"\n", "run barrier --dim 2 --machine {}");
  same("messages.txt", "0 1 8 0\n", "run traffic --dim 2 --pattern {}");
  same("sizes.txt", "0 1 8\n", "run exchange --dim 2 --sizes {}");
  same("schedule.goal", "num_ranks 1\nrank 0 {\ncalc 5\n}\n", "run goal {} --dim 1");
  write(directory / "study.toml", mark + "run = \"barrier\"\n[workload]\ndim = 1\n");
  EXPECT_EQ(ecube(fmt::format("sweep {0}/study.toml -o {0}/out --quiet", directory / "")).status, 0);
}

// --- Times ---------------------------------------------------------------------------------------------------------

/// Signs of an answer that is no answer.
void expect_sense(const std::string& arguments) {
  const Outcome outcome = shell("timeout 60 " ECUBE_PROGRAM " " + arguments + " 2>&1 </dev/null");
  EXPECT_TRUE(outcome.status == 0 || outcome.status == 2 || outcome.status == 3)
      << arguments << "\nstatus " << outcome.status << "\n"
      << outcome.output;
  for (const char* const foreign : {"(E5", "In file", "kernel/", "bad_alloc", "terminate"}) {
    EXPECT_LACKS(outcome.output, foreign) << arguments;
  }
  EXPECT_FALSE(std::regex_search(outcome.output, std::regex("[ :]-?(nan|inf)\\b"))) << arguments << "\n"
                                                                                    << outcome.output;
  // A total below zero; a start-up that is fitted may be, because it is less the first phit.
  EXPECT_FALSE(outcome.status == 0 && std::regex_search(outcome.output, std::regex("\n(total|steps|us) +-")))
      << arguments << "\n"
      << outcome.output;
}

TEST(Times, AtTheEndsOfTheirRangesGiveSenseOrARefusal) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& line : lines_of(ecube("machines --options --markdown").output)) {
    std::smatch found;
    if (!std::regex_search(line, found, std::regex("^\\| `([a-z_.]+)` \\|[^|]*\\|[^|]*\\| (.*) to ([0-9][^|]*) \\|"))) {
      continue;
    }
    settings.emplace_back(found[1], found[3]);
    if (found[3].str().ends_with(" cycles")) settings.emplace_back(found[1], "100 ms");
  }
  ASSERT_GT(settings.size(), 40U);
  // Which command on which machine: every pair with every setting in turns, so that the test is short.
  const std::vector<std::string> commands{"run exchange --dim 2 --bytes 3",
                                          "run combine --dim 2",
                                          "run shuffle --dim 2",
                                          "run pingpong --dim 2",
                                          "run traffic --dim 2",
                                          "predict exchange",
                                          "predict combine",
                                          "best shuffle --dim 3"};
  const std::vector<std::string> machines{"ideal", "ipsc860", "ipsc1", "ncube2", "cm2"};
  std::size_t turn = 0;
  Sample sample;
  for (const auto& [key, value] : settings) {
    for (unsigned i = 0; i < 2; ++i, ++turn) {
      if (!sample.takes()) continue;
      expect_sense(fmt::format("{} --machine {} --set '{}={}'", commands[turn % commands.size()],
                               machines[turn / commands.size() % machines.size()], key, value));
    }
  }
}

TEST(Traffic, HasAsManyMessagesAsAReceiveCounts) {
  expect_refused("run traffic --dim 10 --messages 4194304", "1 .. 4194303");  // 2^32 messages
}

TEST(Times, LongerThanCanBeCountedAreBadInputOnEveryEngine) {
  const Directory directory;
  write(directory / "late.txt", "0 1 100 1099511627776\n");
  const std::string late = "run traffic --dim 2 --set 'clock=1 kHz' --pattern " + (directory / "late.txt");
  for (const char* const engine : {"event", "clocked"}) {
    expect_refused(fmt::format("{} --engine {}", late, engine), "longer than simulated time can be counted");
  }
  // 10^12 cycles for each of 3 x 10^9 lines, and 10^23 cycles of the faster clock, are more than 64 bits hold.
  expect_refused(
      "run pingpong --dim 1 --set clock='100 GHz' --set memory.line='1 B' --set 'memory.page_miss=1000000000000 "
      "cycles'",
      "longer than simulated time can be counted");
  expect_refused(
      "run barrier --dim 1 --set clock='100 GHz' --set core.clock='1 kHz' --set "
      "'library.signal_send=1000000000000 cycles'",
      "longer than simulated time can be counted");
}

TEST(Times, ThatAnEquationGivesBelowZeroAreRefused) {
  // Whole phits take as long and are predicted.
  expect(ecube("run exchange --dim 2 --bytes 64 --machine ipsc860 --set link.phit='64 B' --set "
               "link.cycles_per_phit='1000000 cycles'"),
         0);
}

// --- Sizes ---------------------------------------------------------------------------------------------------------

TEST(Problem, ThatIsTooLargeIsRefusedBeforeItTakesMemory) {
  for (const char* const json : {"", " --json"}) {
    expect_refused(fmt::format("explain shuffle --elements 16777216{}", json), "entries, of which 65,536 are shown");
    expect_refused(fmt::format("explain shuffle --elements 16777216 --ports n --cycle p3,p2{}", json),
                   "of which 65,536");
  }
  expect_refused("explain shuffle --elements 4096", "cells");
#ifndef ECUBE_SANITIZED
  // Without a limit of the memory a machine may have room for them.
  expect_refused("run shuffle --dim 6 --elements 16777216 --packet 1 --ports n",
                 "the elements and their schedule need");
#endif
  expect_refused("run shuffle --dim 6 --elements 4194304 --packet 1 --ports n", "exchanges of packets");
  expect_refused("check shuffle --dim 6 --elements 16777216 --packet 1 --ports n", "exchanges of packets");
  expect_refused("check exchange --dim 20 --schedule ordered", "messages, of which a check can hold");
  expect_refused("check shuffle --dim 20 --elements 1024 --algorithm route", "messages, of which a check can hold");
}

#ifndef ECUBE_SANITIZED
TEST(Problem, ThatTakesMoreMemoryThanThereIsSaysSo) {
  // Estimated before.
  for (const char* const arguments : {"run exchange --dim 18 --payload none", "run barrier --dim 18"}) {
    expect_refused(arguments, "the tables of the machine need 512 MiB of memory", "ulimit -v 200000; ");
  }
  expect_refused("run exchange --dim 8 --bytes 10000", "the blocks need", "ulimit -v 200000; ");
  expect_refused("run combine --dim 8 --items 1000000", "the vectors need", "ulimit -v 200000; ");
  expect_refused("run shuffle --dim 8 --elements 262144 --packet 1024", "the elements and their schedule need",
                 "ulimit -v 200000; ");
  const Directory directory;
  std::ofstream schedule(directory / "s.goal");
  schedule << "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 900'000; ++i) schedule << "calc 1\n";
  schedule << "}\n";
  schedule.close();
  expect_refused("run goal --dim 1 " + (directory / "s.goal"), "s.goal' needs", "ulimit -v 60000; ");
  // Found out later, by a table that nobody estimates.
  for (const char* const kilobytes : {"60000", "80000", "100000"}) {
    expect_refused("explain shuffle --elements 32768 --json", "more memory than there is",
                   fmt::format("ulimit -v {}; ", kilobytes));
  }
  // From the heap, or from the system.
  write(directory / "two.goal", "num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 10b from 0\n}\n");
  for (int kilobytes = 38'000; kilobytes <= 56'000; kilobytes += 2'000) {
    const Outcome outcome = shell(
        fmt::format("ulimit -v {}; {} run goal --dim 14 '{}' 2>&1", kilobytes, ECUBE_PROGRAM, directory / "two.goal"));
    if (outcome.status == 0) continue;
    EXPECT_EQ(outcome.status, 2) << kilobytes << "\n" << outcome.output;
    EXPECT_HAS(outcome.output, "more memory than there is");
  }
}

TEST(Stack, OfASmallSizeIsRefusedOrRaised) {
  for (const char* const arguments : {"run exchange --dim 6", "machines", "run exchange --dim 3 --engine clocked"}) {
    expect_refused(arguments, "ulimit -s 8192", "ulimit -s 64; ");
    expect_refused(arguments, "ecube needs 1024", "ulimit -s 512; ");
    EXPECT_EQ(shell(fmt::format("ulimit -s 1024; {} {} >/dev/null", ECUBE_PROGRAM, arguments)).status, 0) << arguments;
    expect(shell(fmt::format("ulimit -S -s 100; {} {} >/dev/null", ECUBE_PROGRAM, arguments)), 0);
  }
}
#endif

TEST(Nesting, IsRefusedOnASmallStackToo) {
  const Directory directory;
  const auto repeated = [](const std::string& text, unsigned times) {
    std::string all;
    for (unsigned i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::vector<std::string> files{
      "a" + repeated(".a", 20'000) + " = 1\n",
      "[a" + repeated(".\"a\"", 20'000) + "]\nb = 1\n",
      "a = " + repeated("[", 20'000) + repeated("]", 20'000) + "\n",
      "a = " + repeated("{a=", 20'000) + "1" + repeated("}", 20'000) + "\n",
  };
#ifdef ECUBE_SANITIZED
  const std::string stack;
#else
  const std::string stack = "ulimit -s 1024; ";
#endif
  for (const std::string& text : files) {
    write(directory / "deep.toml", text);
    expect_refused("run barrier --machine " + (directory / "deep.toml"), "machine file", stack);
    expect_refused("sweep plan " + (directory / "deep.toml"), "study", stack);
  }
  ASSERT_EQ(ecube("run barrier --dim 2 --quiet -o " + (directory / "run")).status, 0);
  for (const char* const name : {"summary.json", "provenance.json"}) {
    const std::string whole = shell("cat " + (directory / std::string("run/") + name)).output;
    write(directory / std::string("run/") + name, repeated("[", 200'000) + repeated("]", 200'000));
    expect_refused("compare " + (directory / "run") + " " + (directory / "run"), name, stack);
    // A member that is too deep in an object that is right otherwise, and a schema of another type.
    write(directory / std::string("run/") + name,
          "{\"deep\":" + repeated("[", 200'000) + repeated("]", 200'000) + "," + whole.substr(1));
    expect_refused("report " + (directory / "run") + " -o " + (directory / "page.html"), name, stack);
    write(directory / std::string("run/") + name, "{\"schema\": \"1\"}");
    expect_refused("compare " + (directory / "run") + " " + (directory / "run"), name, stack);
    write(directory / std::string("run/") + name, whole);
  }
  // A record that nests too deep is none of ours: it stays.
  write(directory / "run/provenance.json", "{\"files\":" + repeated("[", 20'000) + repeated("]", 20'000) + "}");
  EXPECT_EQ(ecube("run barrier --dim 2 --quiet -o " + (directory / "run")).status, 2);
}

#ifndef ECUBE_SANITIZED
/// 65,536 nodes in 128 MB, with the firmware of every node under way and its charge for the permutation, and with tags
/// in 160.
TEST(Memory, OfALargeCubeIsTwoKilobytesANode) {
  const auto megabytes = [](const std::string& payload) {
    const Outcome run =
        ecube("run exchange --dim 16 --bytes 16 --partition 4,4,4,4 --quiet --json --payload " + payload);
    EXPECT_EQ(run.status, 0);
    return nlohmann::json::parse(run.output)["host"]["peak_rss_mib"].get<double>() * 1.048576;
  };
  EXPECT_LE(megabytes("none"), 128);
  EXPECT_LE(megabytes("tags"), 160);
}
#endif

}  // namespace
}  // namespace limits_test
