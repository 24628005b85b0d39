// SPDX-License-Identifier: Apache-2.0
// Published parameters as the papers print them, and what is said of machines, keys, settings and operations.
#include "models/presets/presets.h"

#include "models/contract/operations.h"
#include "models/machine/machine_parameters.h"
#include "models/machine/spelling.h"
#include "tests/machines.h"
#include "tests/models/parameter_numbers.h"
#include "tests/test.h"

namespace ecube::presets_test {
namespace {

TEST(PublishedParameters, OfTheExchangeAreThoseOfThePapers) {
  // Bokhari 1993, Figure 1.
  EXPECT_EQ(numbers(*published_parameters("hull", 6)), (std::vector<double>{100, 100, 2, 10, 0, 1, 0, 0, 0, 0}));
  // Nicol & Bokhari 1994, section 4: a barrier takes 150 us for every dimension.
  EXPECT_EQ(numbers(*published_parameters("ipsc860", 5)),
            (std::vector<double>{95, 82.5, 0.394, 0, 10.3, 0.54, 750, 0, 0, 0}));
  EXPECT_EQ(published_parameters("ipsc860", 7)->barrier_us, 1050);
  // Dunigan 1990.
  EXPECT_EQ(numbers(*published_parameters("ipsc860-nx", 5)),
            (std::vector<double>{103, 64, 0.4, 0, 33, 0.54, 0, 100, 64, 11}));
  EXPECT_FALSE(published_parameters("ideal", 5));
  EXPECT_EQ(published_parameters("hull", 6)->source, "published");
}

TEST(PublishedParameters, OfTheCombineAreThoseOfThePapers) {
  const CombineParameters nx = *published_combine_parameters("ipsc860-nx");
  EXPECT_EQ(numbers(nx.exchange), (std::vector<double>{75, 75, 136, 1.6}));
  EXPECT_EQ(nx.one_way.alpha_us, 136);
  EXPECT_EQ(nx.short_items, 25U);
  EXPECT_EQ(nx.gamma_us_per_item, 0.35);
  EXPECT_EQ(nx.pad_us_per_item, 1.6);
  const CombineParameters measured = *published_combine_parameters("ipsc860-combine");
  EXPECT_EQ(numbers(measured.exchange), (std::vector<double>{480, 480, 480, 2}));
  EXPECT_EQ(measured.one_way.beta_us_per_item, 2);
  EXPECT_EQ(measured.short_items, 0U);
  EXPECT_EQ(measured.source, "published");
  EXPECT_FALSE(published_combine_parameters("hull"));
}

TEST(PresetTexts, HaveALineForEachMachineAndItsSummaryBelowTheOthers) {
  std::vector<std::string> expected;
  for (const Preset& preset : presets()) {
    const std::size_t column = std::max<std::size_t>(17, preset.name.size() + 2);
    expected.push_back(preset.name + std::string(column - preset.name.size(), ' ') + preset.summary);
  }
  EXPECT_EQ(lines_in(presets_as_text()), expected);
  EXPECT_EQ(preset_hint("hul"), "did you mean 'hull'?");
  EXPECT_EQ(preset_hint("something else"), "");
  EXPECT_EQ(valid_machines().rfind("ideal | ", 0), 0U);
  EXPECT_TRUE(valid_machines().ends_with(" | FILE.toml"));
}

/// What is wrong with a preset's file, empty if nothing is: each value has a source with a letter, and the head
/// explains the letters that are used, and no others.
std::string wrong_sources(const std::string& text) {
  std::map<char, std::pair<bool, bool>> marks;  // by letter: explained, used
  bool head = true;
  bool marked = false;  // a letter stands above
  for (const std::string& line : lines_in(text)) {
    head = head && line.rfind("name", 0) != 0;
    marked = line.rfind("# [", 0) == 0 || (marked && !line.empty());
    if (line.size() > 120) return "long: " + line;
    if (line.find(" = \"") != std::string::npos && !head && line.rfind("name", 0) != 0 && !marked) {
      return "without a source: " + line;
    }
    for (std::size_t at = 0; (at = line.find('[', at)) + 2 < line.size() && at != std::string::npos; ++at) {
      if (line[at + 2] == ']') (head ? marks[line[at + 1]].first : marks[line[at + 1]].second) = true;
    }
  }
  for (const auto& [letter, seen] : marks) {
    if (seen.first != seen.second) return std::string(seen.first ? "not used: " : "not explained: ") + letter;
  }
  return "";
}

TEST(PresetTexts, HaveASourceForEachValueAndExplainThoseThatAreUsed) {
  for (const Preset& preset : presets()) EXPECT_EQ(wrong_sources(std::string(preset.toml)), "") << preset.name;
  std::string toml(preset("ipsc2").toml);
  EXPECT_EQ(wrong_sources(toml + "\nx = \"1\"\n"), "without a source: x = \"1\"");
  EXPECT_EQ(wrong_sources(toml + "\n# [Q] a guess\nx = \"1\"\n"), "not explained: Q");
  EXPECT_EQ(wrong_sources("# [Q] a guess\n" + toml), "not used: Q");
}

Setting in_file(const std::string& key, const std::string& value) {
  const Place place{.where = "m.toml", .line = 2, .column = 1, .length = 4, .text = key + " = \"" + value + "\""};
  return {.key = key, .value = value, .origin = {.layer = Layer::file, .key = place, .value = place}};
}

TEST(UnknownKeys, OfAFileAreMarkedWithinTheirTable) {
  const std::string near = refusal({in_file("link.phti", "4 B")});
  EXPECT_EQ(near.substr(0, near.find('\n')), "unknown key 'phti'");
  EXPECT_HAS(near, "did you mean 'phit'?");
  EXPECT_LACKS(near, "valid:");
  const std::string far = refusal({in_file("link.something", "4 B")});
  EXPECT_HAS(far, "\n  valid: phit | cycles_per_phit | bandwidth");
  const std::string no_table = refusal({in_file("lnik.phit", "4 B")});
  EXPECT_EQ(no_table.substr(0, no_table.find('\n')), "unknown key 'lnik.phit'");
  EXPECT_HAS(no_table, "did you mean 'link.phit'?");
}

TEST(Spellings, OfOneParameterInTwoLayersAreThatOfTheHigher) {
  std::vector<Setting> settings = {in_file("link.bandwidth", "10 MB/s"), parse_set("link.cycles_per_phit=3 cycles")};
  EXPECT_EQ(resolve(settings).link.cycles_per_phit, (Ratio{3, 1}));
  settings = {in_file("link.cycles_per_phit", "3 cycles"), parse_set("link.bandwidth=10 MB/s")};
  EXPECT_EQ(resolve(settings).link.cycles_per_phit, (Ratio{4, 1}));
  settings = {parse_set("link.phit=2 B"), in_file("link.phit", "8 B")};
  EXPECT_EQ(resolve(settings).link.phit_bytes, 2U);
}

TEST(Operations, ThatAreNotPossibleAreNamed) {
  const auto refused = [](OperationKind kind, NodeId peer, std::uint8_t port, PairwiseSync sync) {
    Operation operation;
    operation.kind = kind;
    operation.peer = peer;
    operation.port = port;
    operation.sync = sync;
    return thrown<std::invalid_argument>([&] { begin_operation(operation, 5, 0, Topology::cube(3), 2); });
  };
  EXPECT_EQ(refused(OperationKind::send, 7, 1, PairwiseSync::off), "");
  EXPECT_EQ(refused(OperationKind::send, 8, 0, PairwiseSync::off), "node 5 names node 8 of a machine of 8");
  EXPECT_EQ(refused(OperationKind::send, 7, 2, PairwiseSync::off), "node 5 names port 2, but has 2");
  EXPECT_EQ(refused(OperationKind::send, 7, automatic_port, PairwiseSync::off), "");
  EXPECT_EQ(refused(OperationKind::receive, any_node, 0, PairwiseSync::off), "");
  EXPECT_EQ(refused(OperationKind::receive, any_node, 0, PairwiseSync::on),
            "node 5 synchronises a receive, but names no source");
  EXPECT_NE(refused(OperationKind::send, any_node, 0, PairwiseSync::off), "");
  EXPECT_EQ(refused(OperationKind::compute, 99, 99, PairwiseSync::off), "");
}

TEST(Operations, SayWhatWentWrong) {
  Operation receive;
  receive.node = 3;
  receive.room = 8;
  EXPECT_EQ(too_long(receive, 2, 9, 77),
            "message of 9 bytes from node 2 is longer than the receive of 8 bytes at node 3, at cycle 77");
  EXPECT_EQ(escaped(4, std::make_exception_ptr(std::runtime_error("why"))), "the program of node 4 failed: why");
  EXPECT_EQ(escaped(4, std::make_exception_ptr(7)),
            "the program of node 4 failed with an error that does not describe itself");
}

TEST(Settings, FitTogetherOrAreRefusedWithTheReason) {
  unsigned rows = 0;
  for (const std::string& line : file_lines(in_tree("tests/models/presets/settings.txt"))) {
    if (line.starts_with("#")) continue;
    std::smatch row;
    ASSERT_TRUE(std::regex_match(line, row, std::regex("([a-z0-9-]+): ([^!]*?)(?: !(.*))?"))) << line;
    std::vector<Setting> settings;
    if (row[1] != "none") settings = settings_with(row[1].str(), {});
    const std::string above = row[2];
    for (const std::string_view set : split(above, ',')) settings.push_back(parse_set(trimmed(set)));
    expect_reasons(refusal(settings), row[3], line);
    ++rows;
  }
  EXPECT_GT(rows, 20U);
}

/// Programmed transfer takes what the loop takes that moves words, and no other machine has that time.
TEST(DetailedNode, KnowsTheTimeOfAProgrammedWord) {
  const auto word = [](const std::vector<std::string>& settings) {
    return preset_machine("ipsc860-node", settings).detailed.programmed_word;
  };
  const Ratio none = DetailedNode{}.programmed_word;
  EXPECT_EQ(word({"node.transfer=dma"}), none);
  const Ratio programmed = word({"node.transfer=programmed"});
  EXPECT_FALSE(programmed == none);
  // A load, a put and two cycles of the branch for each word, and at most a miss with a page for each of its lines.
  EXPECT_GE(programmed.value(), 4);
  EXPECT_LE(programmed.value(), 4 + 1 + 24);
  // 512 words in the steady state: nothing of the begin is in it.
  EXPECT_EQ(programmed.den, 512U);
}

/// A set-up of a layer below the one that chose real distances does not count.
TEST(Settings, OfASetUpBelowRealDistancesAreIgnored) {
  const Machine machine = preset_machine("hull", {"network.distance=real"});
  EXPECT_EQ(machine.network.distance, Distance::real);
  EXPECT_EQ(machine.network.setup_cycles, 0U);
}

}  // namespace
}  // namespace ecube::presets_test
