// SPDX-License-Identifier: Apache-2.0
// The values that every parameter takes, at both ends and beyond them, and the documented table.
#include "models/machine/machine_parameters.h"
#include "models/presets/presets.h"
#include "models/presets/settings.h"
#include "tests/test.h"

namespace ecube::parameter_ranges_test {
namespace {

/// A parameter's least and largest value as they are written, and the values next to them that are refused.
struct Ends {
  std::vector<std::string> taken;
  std::vector<std::string> refused;
};

std::map<std::string, Ends> numbers() {
  const Ends frequency{.taken = {"1 kHz", "100 GHz", "1001 Hz"}, .refused = {"999 Hz", "100000000001 Hz", "0 Hz"}};
  const Ends cycles{.taken = {"0 cycles", "1 cycle", "1000000000000 cycles"},
                    .refused = {"1000000000001 cycles", "0.5 cycles"}};
  const Ends some_cycles{.taken = {"1 cycle", "1000000000000 cycles"}, .refused = {"0 cycles", "1000000000001 cycles"}};
  const Ends per_byte{.taken = {"0 cycles/byte", "1000000 cycles/byte", "0.000001 cycles/byte"},
                      .refused = {"1000001 cycles/byte", "1 cycles/item", "1 cycles"}};
  const Ends per_item{.taken = {"0 cycles/item", "1000000 cycles/item"},
                      .refused = {"1000001 cycles/item", "1 cycles/byte"}};
  const Ends bus{.taken = {"1 B", "65536 B", "64 KB"}, .refused = {"0 B", "65537 B"}};
  return {{"clock", frequency},
          {"core.clock", frequency},
          {"link.phit", bus},
          {"link.cycles_per_phit",
           {{"1 cycle", "1000000 cycles", "1.000001 cycles"}, {"0.999999 cycles", "0 cycles", "1000001 cycles"}}},
          {"link.bandwidth", {{"40 MB/s", "40 B/s", "2.8 MB/s"}, {"40.1 MB/s", "39 B/s", "0 B/s"}}},
          {"router.route", some_cycles},
          {"router.buffer", {{"1 B", "1 MB"}, {"0 B", "1048577 B"}}},
          {"network.accept", some_cycles},
          {"network.setup", cycles},
          {"network.packet", {{"1 B", "1024 MB", "1 GB"}, {"0 B", "1073741825 B"}}},
          {"network.together", cycles},
          {"node.ports", {{"one", "n", "1", "20"}, {"0", "21", "two"}}},
          {"core.permute", per_byte},
          {"core.permute_tuned", per_byte},
          {"core.combine", per_item},
          {"core.combine_tuned", per_item},
          {"core.copy", per_byte},
          {"core.copy_tuned", per_byte},
          {"memory.bus", bus},
          {"memory.transfer", cycles},
          {"memory.line", bus},
          {"memory.page_miss", cycles},
          {"library.send", cycles},
          {"library.send_zero", cycles},
          {"library.receive", cycles},
          {"library.receive_zero", cycles},
          {"library.control_send", cycles},
          {"library.control_receive", cycles},
          {"library.signal_send", cycles},
          {"library.signal_receive", cycles},
          {"library.forward", cycles},
          {"library.call", cycles},
          {"library.call_byte", per_byte},
          {"library.threshold", {{"0 B", "1000000000 B"}, {"1000000001 B", "-1 B"}}},
          {"library.buffer", {{"0 B", "64000000000 B"}, {"64000000001 B"}}},
          {"library.slack", cycles}};
}

/// Of detailed nodes only.
std::map<std::string, Ends> detailed_numbers() {
  const Ends address{.taken = {"0 B", "1048576 MB", "32 KB"}, .refused = {"1099511627777 B", "-1 B"}};
  const Ends up_to_64{.taken = {"1", "64"}, .refused = {"0", "65", "x"}};
  return {{"memory.page", {{"256 B", "1 MB", "4 KB"}, {"255 B", "128 B", "2 MB", "3 KB"}}},
          {"cache.size", {{"64 B", "16 MB", "8 KB"}, {"63 B", "32 B", "32 MB", "12 KB"}}},
          {"cache.ways", up_to_64},
          {"tlb.entries", {{"0", "65536", "64"}, {"65537", "-1"}}},
          {"tlb.ways", up_to_64},
          {"tlb.page", {{"256 B", "16 MB", "4 KB"}, {"255 B", "128 B", "32 MB", "5 KB"}}},
          {"buffers.writes", up_to_64},
          {"fifo.size", {{"1 B", "1 MB"}, {"0 B", "1048577 B"}}},
          {"layout.source", address},
          {"layout.target", address},
          {"layout.operand", address},
          {"layout.system", address},
          {"layout.frame", address},
          {"layout.padding", {{"0 B", "1 MB"}, {"1048577 B"}}},
          {"loops.element", {{"1 B", "2 B", "4 B", "8 B"}, {"0 B", "3 B", "16 B"}}},
          {"loops.unroll", up_to_64},
          {"loops.tile", {{"1", "1024"}, {"0", "1025", "x"}}},
          {"library.lines", {{"0", "100000"}, {"100001"}}}};
}

std::map<std::string, std::vector<std::string>> detailed_words() {
  return {{"node.coherence", {"uncached", "flush", "snoop"}},
          {"cache.allocate", {"read", "write"}},
          {"cache.write", {"back", "through"}},
          {"cache.replacement", {"random", "lru"}},
          {"loops.variables", {"memory", "registers"}},
          {"loops.loads", {"cached", "pipelined"}}};
}

Machine of_detailed_nodes() {
  Machine machine;
  machine.node.model = NodeModel::detailed;
  return machine;
}

std::map<std::string, std::vector<std::string>> words() {
  return {{"node.model", {"rates", "detailed"}},
          {"network.distance", {"real", "fixed"}},
          {"network.switching", {"circuit", "store-and-forward", "wormhole"}},
          {"network.duplex", {"full", "together"}},
          {"node.startups", {"queued", "overlapped"}},
          {"node.transfer", {"dma", "programmed"}},
          {"node.overlap", {"on", "off"}},
          {"core.loops", {"compiled", "tuned"}},
          {"library.combining", {"received", "arriving"}},
          {"library.protocol", {"none", "forced", "unforced"}},
          {"library.barrier", {"none", "phase", "step", "clock"}},
          {"library.identity_shuffle", {"charge", "skip"}}};
}

bool takes(const std::string& key, const std::string& value) {
  const Option* const option = find_option(key);
  Machine machine;
  return option != nullptr && !option->read(*option, value, machine);
}

TEST(OptionRanges, TakeTheirEndsAndNothingBeyond) {
  for (const auto& [key, ends] : numbers()) {
    for (const std::string& value : ends.taken) EXPECT_TRUE(takes(key, value)) << key << " = " << value;
    for (const std::string& value : ends.refused) EXPECT_FALSE(takes(key, value)) << key << " = " << value;
  }
  for (const auto& [key, ends] : detailed_numbers()) {
    for (const std::string& value : ends.taken) EXPECT_TRUE(takes(key, value)) << key << " = " << value;
    for (const std::string& value : ends.refused) EXPECT_FALSE(takes(key, value)) << key << " = " << value;
  }
}

void expect_words(const Machine& plain, const std::map<std::string, std::vector<std::string>>& of_keys) {
  for (const auto& [key, all] : of_keys) {
    const Option* const option = find_option(key);
    ASSERT_NE(option, nullptr) << key;
    std::set<std::string> written;
    for (const std::string& word : all) {
      Machine machine = plain;
      EXPECT_FALSE(option->read(*option, word, machine)) << key << " = " << word;
      EXPECT_EQ(option->write(*option, machine), word) << key;
      written.insert(machine_as_toml(machine));
      EXPECT_FALSE(takes(key, word + "x")) << key;
      EXPECT_FALSE(takes(key, word.substr(1))) << key;
    }
    EXPECT_EQ(written.size(), all.size()) << key;
  }
}

TEST(OptionRanges, OfWordsAreTheseWordsAndEachIsAnotherValue) {
  expect_words(Machine{}, words());
  expect_words(of_detailed_nodes(), detailed_words());
}

TEST(OptionRanges, AreThoseOfEveryOption) {
  for (const Option& option : options()) {
    const std::string key(option.key);
    EXPECT_EQ(numbers().count(key) + words().count(key) + detailed_numbers().count(key) + detailed_words().count(key),
              1U)
        << key;
  }
  EXPECT_EQ(options().size(), numbers().size() + words().size() + detailed_numbers().size() + detailed_words().size());
}

/// Each parameter is a field of its own: one that is set changes its own line of the file and no other; the clock and
/// the bandwidth are known to change two.
void expect_own_fields(const Machine& plain, const std::map<std::string, Ends>& of_keys) {
  const auto lines = [](const Machine& machine) {
    std::istringstream text(machine_as_toml(machine));
    std::set<std::string> all;
    for (std::string line; std::getline(text, line);) all.insert(line);
    return all;
  };
  const std::set<std::string> before = lines(plain);
  for (const auto& [key, ends] : of_keys) {
    for (const std::string& value : ends.taken) {
      Machine machine = plain;
      const Option* const option = find_option(key);
      ASSERT_FALSE(option->read(*option, value, machine));
      std::vector<std::string> changed;
      for (const std::string& line : lines(machine)) {
        if (before.count(line) == 0) changed.push_back(line.substr(0, line.find(' ')));
      }
      if (changed.empty()) continue;
      const std::vector<std::string> own = key == "clock"            ? std::vector<std::string>{"clock", "core.clock"}
                                           : key == "link.bandwidth" ? std::vector<std::string>{"link.cycles_per_phit"}
                                                                     : std::vector<std::string>{key};
      EXPECT_EQ(changed, own) << key << " = " << value;
    }
  }
}

TEST(OptionRanges, EachSetsAFieldOfItsOwn) {
  expect_own_fields(Machine{}, numbers());
  expect_own_fields(of_detailed_nodes(), detailed_numbers());
}

TEST(OptionRanges, OfABandwidthAreCyclesOfAPhit) {
  Machine machine;
  machine.link.phit_bytes = 4;
  const Option* const option = find_option("link.bandwidth");
  ASSERT_FALSE(option->read(*option, "2.8 MB/s", machine));
  EXPECT_EQ(machine.link.cycles_per_phit, (Ratio{400, 7}));     // 4 B at 40 MHz: 4 x 40 / 2.8
  const auto slow = option->read(*option, "100 B/s", machine);  // 1.6 million cycles
  ASSERT_TRUE(slow);
  EXPECT_HAS(slow->message, "more than 1000000 cycles");
  const auto fast = option->read(*option, "200 MB/s", machine);
  ASSERT_TRUE(fast);
  EXPECT_HAS(fast->hint, "link.phit");
}

TEST(OptionRanges, SayWhatIsAllowedWhereAValueIsRefused) {
  const auto problem = [](const std::string& key, const std::string& value) {
    Machine machine;
    const Option* const option = find_option(key);
    const std::optional<Problem> found = option->read(*option, value, machine);
    return found ? found->message + "|" + found->hint + "|" + found->valid : "";
  };
  EXPECT_EQ(problem("link.phit", "65537 B"), "is out of range||1 B to 64 KB");
  EXPECT_EQ(problem("node.ports", "21"), "is out of range||one, n or 1 to 20");
  EXPECT_EQ(problem("network.distance", "fixd"), "is unknown|did you mean 'fixed'?|real or fixed");
  EXPECT_EQ(problem("core.permute", "1000001 cycles/byte").substr(0, 3), "is ");
  EXPECT_EQ(range(*find_option("library.barrier")), "none, phase, step or clock");
  EXPECT_EQ(range(*find_option("core.combine")), "0 cycles/item to 1000000 cycles/item");
  EXPECT_EQ(range(*find_option("clock")), "1 kHz to 100 GHz");
  EXPECT_EQ(spelling(*find_option("node.ports")), "one, n or a number");
}

TEST(OptionRanges, AreAsDocumented) {
  std::ifstream file(ECUBE_ROOT "/models/machine/PARAMETERS.md");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  EXPECT_HAS(text.str(), options_as_markdown(resolve(preset_settings(preset("ipsc860")))));
}

TEST(OptionsAsText, AreFilledUpToTheWidthAndIndented) {
  std::istringstream text(options_as_text());
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_GT(lines.size(), options().size());
  EXPECT_EQ(lines[0], "key                       default           meaning; values");
  std::size_t keys = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const bool continued = lines[i][0] == ' ';
    keys += continued ? 0 : 1;
    EXPECT_EQ(lines[i].find_first_not_of(' ', 26 + 18), 26U + 18U) << lines[i];
    EXPECT_NE(lines[i].back(), ' ') << lines[i];
    if (!continued) {
      EXPECT_EQ(lines[i].substr(0, lines[i].find(' ')), options()[keys - 1].key);
      EXPECT_EQ(lines[i].find_first_not_of(' ', lines[i].find(' ')), 26U) << lines[i];
    } else {
      EXPECT_EQ(lines[i].find_first_not_of(' '), 44U);
      // The first word of a line had no room in the line before it.
      const std::string word = lines[i].substr(44, lines[i].find(' ', 44) - 44);
      EXPECT_GT(lines[i - 1].size() + 1 + word.size(), 120U) << lines[i];
    }
    EXPECT_LE(lines[i].size(), 120U);
  }
  EXPECT_EQ(keys, options().size());
}

}  // namespace
}  // namespace ecube::parameter_ranges_test
