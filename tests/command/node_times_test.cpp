// SPDX-License-Identifier: Apache-2.0
// Where the time of detailed nodes goes: every cycle once, the same by both engines, with shared results and without.
#include "tests/command/shell.h"

namespace node_times_test {
namespace {

using Line = std::map<std::string, std::uint64_t>;

/// node_times.csv, a line for each phase and node, by the names of its columns.
std::vector<Line> lines_by_name(const std::string& file) {
  std::vector<Line> all;
  std::vector<std::string> names;
  for (const std::string& text : file_lines(file)) {
    std::vector<std::string> fields;
    std::istringstream stream(text);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    if (names.empty()) {
      names = fields;
      continue;
    }
    Line& line = all.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) line[names[i]] = std::stoull(fields.at(i));
  }
  return all;
}

/// Whether the parts of every line are its cycles, and the lines of each of `nodes` nodes the cycles of the run.
bool adds_up(const std::vector<Line>& lines, std::size_t nodes, std::uint64_t cycles) {
  std::map<std::uint64_t, std::uint64_t> of_node;
  for (const Line& line : lines) {
    std::uint64_t parts = 0;
    for (const auto& [name, value] : line) {
      if (name != "phase" && name != "node" && name != "cycles") parts += value;
    }
    if (parts != line.at("cycles")) return false;
    of_node[line.at("node")] += parts;
  }
  if (of_node.size() != nodes) return false;
  for (const auto& [node, all] : of_node) {
    if (all != cycles) return false;
  }
  return true;
}

struct Timed {
  std::vector<Line> lines;
  std::string table;
  std::uint64_t cycles = 0;
};

Timed timed(const std::string& arguments) {
  const Directory directory;
  const Outcome outcome = expect(ecube("run " + arguments + " --json -o " + (directory / "out")), 0);
  return {lines_by_name(directory / "out/node_times.csv"), file_text(directory / "out/node_times.csv"),
          nlohmann::json::parse(outcome.output)["measured"]["cycles"]};
}

std::uint64_t sum_of(const std::vector<Line>& lines, const std::string& name) {
  std::uint64_t sum = 0;
  for (const Line& line : lines) sum += line.at(name);
  return sum;
}

const std::string exchange = "exchange --machine ipsc860-node --dim 2 --bytes 64 --partition 1,1";

TEST(NodeTimes, AddUpToTheTimeOfEveryNode) {
  for (const std::string& run :
       {exchange, std::string("exchange --machine ipsc860-node --dim 6 --bytes 20 --partition 3,3"),
        exchange + " --set core.loops=tuned --set core.clock='50 MHz'", exchange + " --jitter '3 us' --seed 4",
        std::string("combine --machine ipsc860-node --dim 3 --items 100 --strategy 011"),
        std::string("shuffle --machine ipsc860-node --dim 3 --elements 16 --cycle p2,p1,p0,s0")}) {
    const Timed of = timed(run);
    const bool two = run.find("--dim 2") != std::string::npos;
    const std::size_t nodes = two ? 4 : run.find("--dim 3") != std::string::npos ? 8 : 64;
    EXPECT_TRUE(adds_up(of.lines, nodes, of.cycles)) << run;
    // The check notices a cycle too many, and one that is counted for something else.
    std::vector<Line> wrong = of.lines;
    ++wrong.back()["waiting"];
    EXPECT_FALSE(adds_up(wrong, nodes, of.cycles)) << run;
    ++wrong.back()["cycles"];
    EXPECT_FALSE(adds_up(wrong, nodes, of.cycles)) << run;
  }
}

TEST(NodeTimes, AreTheSameByBothEngines) {
  const Timed event = timed(exchange);
  EXPECT_EQ(event.table, timed(exchange + " --engine clocked").table);
  EXPECT_NE(event.table, timed(exchange + " --set memory.page_miss='9 cycles'").table);
}

TEST(NodeTimes, AreThoseOfTheLoop) {
  // A permutation of 4 blocks of 64 bytes in each of two phases, a byte by 14 cycles of operations and three waits for
  // operands (hw/node/README.md, N11); 24 for every block's address; and the flush of 8 lines that have arrived.
  const Timed event = timed(exchange);
  for (const std::uint64_t phase : {1U, 2U})
    for (const Line& line : event.lines) {
      if (line.at("phase") != phase) continue;
      EXPECT_GE(line.at("issue"), 256U * 14) << phase;
      EXPECT_LT(line.at("issue"), 256U * 14 + 4 * 40 + 8) << phase;
      EXPECT_GE(line.at("operand"), 256U * 2) << phase;
      EXPECT_GE(line.at("load_miss"), 8U * 8) << phase;
    }
  // Pages that open in no time take none.
  EXPECT_GT(sum_of(event.lines, "page_miss"), 0U);
  EXPECT_EQ(sum_of(timed(exchange + " --set memory.page_miss='0 cycles'").lines, "page_miss"), 0U);
}

}  // namespace
}  // namespace node_times_test
