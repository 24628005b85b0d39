// SPDX-License-Identifier: Apache-2.0
// Options as rows: what command lines, checks and recommended commands take from them.
#include "testbench/command_line/option_row.h"

#include "testbench/text/json_text.h"
#include "tests/test.h"

namespace option_row_test {
namespace {

using namespace ecube;

enum class Colour : std::uint8_t { red, green };
constexpr Word<Colour> colours[] = {{"red", Colour::red}, {"green", Colour::green}};

struct Rows {
  NumberOption size{"--block-size", "Bytes of a block", group::common, 16, {0, 4096}, NumberOption::Unit::bytes};
  NumberOption node{"-n,--node", "Whose", group::own, 0, {0, 7}};
  WordOption<Colour> colour{"--colour", "Of the block: {}", group::own, Colour::red, colours};
  ListOption cycles{"--cycle", "Repeatable", group::own};
  TextOption name{"--name", "Of the run", group::own};

  explicit Rows(const std::vector<std::string>& words) {
    Command command("test", "");
    declare_options(command, {&size, &node, &colour, &cycles, &name});
    command.run(words);
    text = command.text();
  }
  CommandText text;
};

TEST(OptionRow, HasItsDefaultUntilAValueIsGiven) {
  Rows rows({});
  EXPECT_FALSE(rows.size.given());
  EXPECT_EQ(rows.size.value(), 16U);
  EXPECT_EQ(rows.colour.value(), Colour::red);
  EXPECT_EQ(given_words({&rows.size, &rows.colour, &rows.cycles, &rows.name}), "");
  EXPECT_EQ(ignored({{rows.colour, false, "nothing is painted"}}), "");
  rows.size.initially(32);
  EXPECT_EQ(rows.size.value(), 32U);
}

TEST(OptionRow, KnowsThatAValueWasGivenWhichIsTheDefault) {
  const Rows rows({"--colour", "red"});
  EXPECT_TRUE(rows.colour.given());
  EXPECT_EQ(ignored({{rows.colour, false, "nothing is painted"}}), "--colour red: no effect, nothing is painted\n");
}

TEST(OptionRow, GivesTheWordsOfACommand) {
  const Rows rows(
      {"--block-size", "2KB", "-n", "3", "--colour", "green", "--cycle", "p1,p0", "--cycle", "s0", "--name", "a b"});
  EXPECT_EQ(given_words({&rows.size, &rows.node, &rows.colour, &rows.cycles, &rows.name}),
            " --block-size 2048 --node 3 --colour green --cycle p1,p0 --cycle s0 --name 'a b'");
}

TEST(OptionRow, IsAMemberOfJsonByItsNameAndValue) {
  const Rows rows({"--block-size", "2KB", "--colour", "green"});
  EXPECT_EQ(options_json({&rows.size, &rows.node, &rows.colour}).dump(),
            R"({"block_size":2048,"node":0,"colour":"green"})");
}

TEST(OptionRow, IsReadFromARecordedCommandBesideWordsThatNobodyKnows) {
  Rows rows({});
  Command command("test", "");
  declare_options(command, {&rows.node, &rows.colour});
  const std::vector<std::string> words{"ecube", "run", "--help", "all", "--old", "-x4", "--colour=green", "--", "-o"};
  testing::internal::CaptureStdout();
  command.read(words);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(rows.colour.value(), Colour::green);
  EXPECT_FALSE(rows.node.given());
  EXPECT_HAS(thrown<InputError>([&] { command.read(std::vector<std::string>{"--node", "x"}); }), "--node");
}

TEST(OptionRow, RefusesWhatIsOutOfItsRangeOrNoneOfItsWords) {
  const Rows rows({"--node", "8", "--colour", "gren"});
  EXPECT_HAS(thrown<OutOfRange>([&] { return rows.node.value(); }), "0 .. 7");
  EXPECT_EQ(rows.node.within(0, 8), 8U);
  EXPECT_HAS(thrown<InputError>([&] { return rows.colour.value(); }), "did you mean 'green'?");
}

TEST(OptionRow, IsShownInHelpWithItsWordsAndDefault) {
  const Rows rows({});
  const auto shown = [&](const std::string& name) {
    for (const OptionText& option : rows.text.options) {
      if (option.names.back() == name) return option;
    }
    return OptionText{};
  };
  EXPECT_EQ(shown("--colour").description, "Of the block: red or green");
  EXPECT_EQ(shown("--colour").initial, "red");
  EXPECT_EQ(shown("--colour").words, (std::vector<std::string_view>{"red", "green"}));
  EXPECT_EQ(shown("--block-size").initial, "16");
  EXPECT_EQ(shown("--name").initial, "");
}

}  // namespace
}  // namespace option_row_test
