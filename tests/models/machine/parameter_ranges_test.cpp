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

std::vector<std::string> list(const std::string& text) {
  static const std::regex comma(", ");
  if (text.empty()) return {};
  return {std::sregex_token_iterator(text.begin(), text.end(), comma, -1), std::sregex_token_iterator()};
}

/// A part of parameter_ranges.txt.
std::map<std::string, Ends> rows(const std::string& part) {
  const std::regex form("([a-z_.]+): ([^!]*?)(?: ! (.*))?");
  std::map<std::string, Ends> all;
  std::string at;
  for (const std::string& line : file_lines(in_tree("tests/models/machine/parameter_ranges.txt"))) {
    std::smatch row;
    if (line.starts_with("[")) at = line.substr(1, line.size() - 2);
    if (at == part && std::regex_match(line, row, form)) all[row[1]] = {list(row[2]), list(row[3])};
  }
  return all;
}

Machine of_detailed_nodes() {
  Machine machine;
  machine.node.model = NodeModel::detailed;
  return machine;
}

bool takes(const std::string& key, const std::string& value) {
  const Option* const option = find_option(key);
  Machine machine;
  return option != nullptr && !option->read(*option, value, machine);
}

TEST(OptionRanges, TakeTheirEndsAndNothingBeyond) {
  for (const char* const part : {"numbers", "detailed_numbers"})
    for (const auto& [key, ends] : rows(part)) {
      for (const std::string& value : ends.taken) EXPECT_TRUE(takes(key, value)) << key << " = " << value;
      for (const std::string& value : ends.refused) EXPECT_FALSE(takes(key, value)) << key << " = " << value;
    }
}

void expect_words(const Machine& plain, const std::map<std::string, Ends>& of_keys) {
  for (const auto& [key, ends] : of_keys) {
    const Option* const option = find_option(key);
    ASSERT_NE(option, nullptr) << key;
    std::set<std::string> written;
    for (const std::string& word : ends.taken) {
      Machine machine = plain;
      EXPECT_FALSE(option->read(*option, word, machine)) << key << " = " << word;
      EXPECT_EQ(option->write(*option, machine), word) << key;
      written.insert(machine_as_toml(machine));
      EXPECT_FALSE(takes(key, word + "x")) << key;
      EXPECT_FALSE(takes(key, word.substr(1))) << key;
    }
    EXPECT_EQ(written.size(), ends.taken.size()) << key;
  }
}

TEST(OptionRanges, OfWordsAreTheseWordsAndEachIsAnotherValue) {
  expect_words(Machine{}, rows("words"));
  expect_words(of_detailed_nodes(), rows("detailed_words"));
}

TEST(OptionRanges, AreThoseOfEveryOption) {
  std::vector<std::string> keys;
  for (const char* const part : {"numbers", "words", "detailed_numbers", "detailed_words"})
    for (const auto& [key, ends] : rows(part)) keys.push_back(key);
  EXPECT_EQ(keys.size(), options().size());
  for (const Option& option : options()) EXPECT_EQ(std::count(keys.begin(), keys.end(), option.key), 1) << option.key;
}

/// Each parameter is a field of its own: one that is set changes its own line of the file and no other; the clock and
/// the bandwidth are known to change two.
void expect_own_fields(const Machine& plain, const std::map<std::string, Ends>& of_keys) {
  const auto lines = [](const Machine& machine) {
    const std::vector<std::string> all = lines_in(machine_as_toml(machine));
    return std::set(all.begin(), all.end());
  };
  const std::set<std::string> before = lines(plain);
  for (const auto& [key, ends] : of_keys)
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

TEST(OptionRanges, EachSetsAFieldOfItsOwn) {
  expect_own_fields(Machine{}, rows("numbers"));
  expect_own_fields(of_detailed_nodes(), rows("detailed_numbers"));
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

TEST(OptionRanges, SayWhatIsAllowed) {
  EXPECT_EQ(range(*find_option("library.barrier")), "none, phase, step or clock");
  EXPECT_EQ(range(*find_option("core.combine")), "0 cycles/item to 1000000 cycles/item");
  EXPECT_EQ(range(*find_option("clock")), "1 kHz to 100 GHz");
  EXPECT_EQ(spelling(*find_option("node.ports")), "one, n or a number");
}

/// The tables of PARAMETERS.md: a heading for each part of the machine, with the values of a machine beside the
/// defaults.
std::string options_as_markdown(const Machine& example) {
  std::string text;
  std::string_view part;
  for (const Option& option : options()) {
    const std::string_view own = option.key.substr(0, std::min(option.key.find('.'), option.key.size()));
    if (own != part) {
      part = own;
      text += (text.empty() ? "## " : "\n## ") + std::string(part) + "\n\n| key | default | " + example.name +
              " | values | spelled | meaning |\n|---|---|---|---|---|---|\n";
    }
    const std::string value = option.write(option, example);
    text += "| `" + std::string(option.key) + "` | " + default_value(option) + " | " + (value.empty() ? "-" : value) +
            " | " + range(option) + " | " + spelling(option) + " | " + meaning_of(option) + " |\n";
  }
  return text;
}

TEST(OptionRanges, AreAsDocumented) {
  const std::string file = in_tree("models/machine/PARAMETERS.md");
  const std::string page = file_text(file);
  const std::string tables = options_as_markdown(resolve(preset_settings(preset("ipsc860"))));
  const std::string text = page.substr(0, page.find("## ")) + tables;
  if (std::getenv("ECUBE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  EXPECT_EQ(page, text) << "run this test with ECUBE_UPDATE_GOLDEN=1";
}

TEST(OptionsAsText, AreFilledUpToTheWidthAndIndented) {
  const std::vector<std::string> lines = lines_in(options_as_text());
  ASSERT_GT(lines.size(), options().size());
  EXPECT_EQ(lines[0], "key                       default           meaning; values");
  EXPECT_HAS(options_as_text(), "cycles of this clock; 1 kHz to 100 GHz, as \"40 MHz\"\n");
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
