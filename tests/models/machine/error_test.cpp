// SPDX-License-Identifier: Apache-2.0
// Messages of errors, letter by letter, and the nearest spelling by a search over edits.
#include "models/machine/error.h"

#include "models/machine/equation_parameters.h"
#include "models/machine/hierarchy_names.h"
#include "models/machine/huge_pages.h"
#include "models/machine/spelling.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::error_test {
namespace {

std::string marked(const Place& place, const std::string& hint = "") {
  return InputError("bad").at(place, hint).what();
}

TEST(ErrorTexts, MarkTheColumnsOfALine) {
  EXPECT_EQ(marked({.where = "f.toml", .line = 12, .column = 3, .length = 2, .text = "abcde"}, "why"),
            "bad\n  --> f.toml:12:3\n12 | abcde\n   |   ^^ why");
  EXPECT_EQ(marked({.where = "f.toml", .line = 1, .column = 1, .length = 0, .text = "abc"}),
            "bad\n  --> f.toml:1:1\n1 | abc\n  | ^");
  // A mark ends with the line, and stands behind it where the column is beyond.
  EXPECT_EQ(marked({.where = "f", .line = 1, .column = 2, .length = 9, .text = "abc"}),
            "bad\n  --> f:1:2\n1 | abc\n  |  ^^");
  EXPECT_EQ(marked({.where = "f", .line = 1, .column = 9, .length = 1, .text = "abc"}),
            "bad\n  --> f:1:9\n1 | abc\n  |    ^");
  EXPECT_EQ(marked({.where = "f", .line = 4, .column = 0, .text = "abc"}, "why"), "bad\n  --> f:4\n  why");
  EXPECT_EQ(marked({.where = "--set a=b", .text = ""}, "why"), "bad\n  --> --set a=b\n  why");
  EXPECT_EQ(marked({}, "why"), "bad\n  why");
  EXPECT_EQ(std::string(InputError("bad").hint("").valid("").what()), "bad");
  EXPECT_EQ(std::string(InputError("bad").hint("so").valid("1 to 2").what()), "bad\n  so\n  valid: 1 to 2");
}

TEST(ErrorTexts, ShowAHundredColumnsAroundTheMark) {
  std::string line;
  for (int i = 0; i < 300; ++i) line += static_cast<char>('a' + i % 26);
  const auto shown = [&](std::uint32_t column) {
    const std::string text = marked({.where = "f", .line = 1, .column = column, .text = line});
    const std::size_t begin = text.find("1 | ") + 4;
    const std::size_t end = text.find('\n', begin);
    const std::size_t mark = text.find('^') - (end + 1) - 4;
    // The marked letter is the one in that column.
    EXPECT_EQ(text[begin + mark], line[column - 1]) << column;
    return text.substr(begin, end - begin);
  };
  EXPECT_EQ(shown(1), line.substr(0, 100) + "...");
  EXPECT_EQ(shown(51), line.substr(0, 100) + "...");
  EXPECT_EQ(shown(52), "..." + line.substr(1, 100) + "...");
  EXPECT_EQ(shown(250), "..." + line.substr(199, 100) + "...");
  EXPECT_EQ(shown(251), "..." + line.substr(200, 100));
  line.resize(100);
  EXPECT_EQ(shown(100), line);
  line += "z";
  EXPECT_EQ(shown(50), line.substr(0, 100) + "...");
}

/// Well-formed UTF-8 by its definition: a number of 21 bits, written with the fewest bytes, that is no half of a pair.
std::string encoded(std::uint32_t point) {
  std::string text;
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  int tails = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::array<std::uint32_t, 4> leads = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(leads[static_cast<std::size_t>(tails)] | point >> 6 * tails);
  while (tails-- > 0) text += static_cast<char>(0x80 | (point >> 6 * tails & 0x3F));
  return text;
}

std::string cleaned(const std::string& text) {
  const std::string line = marked({.where = text, .text = ""});
  return line.substr(line.find("--> ") + 4);
}

TEST(ErrorTexts, KeepTextAndNothingThatDrivesATerminal) {
  for (const std::uint32_t point : {0x20U, 0x7EU, 0xA0U, 0xE9U, 0x7FFU, 0x800U, 0xFFFU, 0x1000U, 0xD7FFU, 0xE000U,
                                    0xFFFDU, 0x10000U, 0x1F600U, 0x3FFFFU, 0x40000U, 0xFFFFFU, 0x100000U, 0x10FFFFU}) {
    EXPECT_EQ(cleaned(encoded(point)), encoded(point)) << std::hex << point;
    EXPECT_EQ(cleaned("a" + encoded(point) + "b"), "a" + encoded(point) + "b") << std::hex << point;
  }
  for (const std::uint32_t point : {0x1FU, 0x7FU, 0x1BU, 0x80U, 0x9BU, 0x9FU, 0x61CU, 0x200BU, 0x200FU, 0x2028U,
                                    0x202EU, 0x2060U, 0x206FU, 0xFEFFU, 0xFFF9U, 0xFFFBU, 0xE0000U, 0xE007FU}) {
    EXPECT_EQ(cleaned("a" + encoded(point) + "b"), "a?b") << std::hex << point;
  }
  // Beside them.
  for (const std::uint32_t point :
       {0x61BU, 0x61DU, 0x200AU, 0x2010U, 0x2027U, 0x202FU, 0x205FU, 0x2070U, 0xFFFCU, 0xE0080U}) {
    EXPECT_EQ(cleaned(encoded(point)), encoded(point)) << std::hex << point;
  }
  // No characters: each byte is shown as one.
  for (const std::uint32_t point : {0xD800U, 0xDFFFU, 0x110000U}) {
    EXPECT_EQ(cleaned(encoded(point)), std::string(encoded(point).size(), '?')) << std::hex << point;
  }
  EXPECT_EQ(cleaned("a\tb"), "a b");
  // More bytes than needed, a lead without its tails, a tail without a lead.
  EXPECT_EQ(cleaned("\xC0\x80"), std::string(2, '?'));
  EXPECT_EQ(cleaned("\xC1\xBF"), std::string(2, '?'));
  EXPECT_EQ(cleaned("\xE0\x9F\xBF"), "???");
  EXPECT_EQ(cleaned("\xF0\x8F\xBF\xBF"), "????");
  EXPECT_EQ(cleaned("\xF5\x80\x80\x80"), "????");
  EXPECT_EQ(cleaned("\xE2\x82z"), "??z");
  EXPECT_EQ(cleaned("\xF0\x9F\x98z"), "???z");
  EXPECT_EQ(cleaned("\xC3"), "?");
  EXPECT_EQ(cleaned("\xBFz"), "?z");
}

TEST(Quoted, CutsLongWordsAndShowsNoControls) {
  EXPECT_EQ(quoted("a b~"), "'a b~'");
  EXPECT_EQ(quoted("a\x1f\x7f\xc3\xa9"),
            "'a?"
            "?"
            "?"
            "?'");
  EXPECT_EQ(ecube::quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(ecube::quoted(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Trimmed, LosesBlanksAtBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed("a"), "a");
}

/// Distances by breadth-first search over all words of two letters.
std::size_t searched(const std::string& from, const std::string& to) {
  std::set<std::string> seen = {from};
  std::queue<std::pair<std::string, std::size_t>> open;
  open.emplace(from, 0);
  while (!open.empty()) {
    const auto [word, distance] = open.front();
    open.pop();
    if (word == to) return distance;
    std::vector<std::string> next;
    for (std::size_t i = 0; i <= word.size(); ++i) {
      for (const char letter : {'a', 'b'}) {
        if (word.size() < 8) next.push_back(word.substr(0, i) + letter + word.substr(i));
        if (i < word.size()) next.push_back(word.substr(0, i) + letter + word.substr(i + 1));
      }
      if (i < word.size()) next.push_back(word.substr(0, i) + word.substr(i + 1));
    }
    for (const std::string& other : next) {
      if (seen.insert(other).second) open.emplace(other, distance + 1);
    }
  }
  return ~std::size_t{0};
}

TEST(Nearest, AllowsAThirdOfTheLettersToDiffer) {
  std::mt19937 random(2);
  const auto word = [&random] {
    std::string text;
    for (auto letters = 1 + random() % 7; letters > 0; --letters) text += random() % 2 == 0 ? 'a' : 'b';
    return text;
  };
  for (int draw = 0; draw < 300; ++draw) {
    const std::string typed = word();
    const std::string meant = word();
    const std::vector<std::string_view> candidates = {meant};
    const std::size_t distance = searched(typed, meant);
    const std::size_t allowed = std::max<std::size_t>(1, std::min(typed.size(), meant.size()) / 3);
    const bool near = nearest(typed, candidates).has_value();
    // A swap of neighbours, which the search takes for two edits, counts once.
    if (distance <= allowed && distance < std::max(typed.size(), meant.size())) {
      EXPECT_TRUE(near) << typed << " " << meant;
    }
    if (distance > 2 * allowed) {
      EXPECT_FALSE(near) << typed << " " << meant;
    }
  }
}

TEST(Nearest, CountsEditsAsWrittenDown) {
  const auto near = [](std::string_view typed, std::vector<std::string_view> meant) {
    return nearest(typed, meant).value_or("-");
  };
  EXPECT_EQ(near("partitoin", {"partition"}), "partition");   // one swap
  EXPECT_EQ(near("abdc", {"abcd"}), "abcd");                  // one swap of at most one
  EXPECT_EQ(near("badc", {"abcd"}), "-");                     // two swaps
  EXPECT_EQ(near("abcd", {"abce", "abcf"}), "abce");          // the first of equals
  EXPECT_EQ(near("abcdef", {"abcxyf", "abcdxf"}), "abcdxf");  // the nearer one
  EXPECT_EQ(near("abcdef", {"abcxyf"}), "abcxyf");            // two of six
  EXPECT_EQ(near("abcde", {"abxye"}), "-");                   // two of five
  EXPECT_EQ(near("ABC", {"abd"}), "abd");                     // capitals do not count
  EXPECT_EQ(near("Zebra", {"zEBRA"}), "zEBRA");
  EXPECT_EQ(near("ZAZAZ", {"zazaz"}), "zazaz");
  EXPECT_EQ(near("[@[@", {"{`{`"}), "-");
  EXPECT_EQ(near("@@@", {"```"}), "-");
  EXPECT_EQ(near("a", {"b"}), "-");  // no letter in common
  EXPECT_EQ(near("ab", {"b"}), "b");
  EXPECT_EQ(near("", {"a"}), "-");
  EXPECT_EQ(near("a", {"", "ab"}), "ab");
  EXPECT_EQ(
      near(std::string(64, 'a'),
           {"b", std::string_view("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab").substr(0, 64)}),
      std::string(64, 'a'));
  const std::string longer(65, 'a');
  EXPECT_EQ(near(longer, {longer}), "-");
  EXPECT_EQ(near(std::string(64, 'a'), {longer}), "-");
  EXPECT_EQ(did_you_mean("abd", std::vector<std::string_view>{"abc"}), "did you mean 'abc'?");
  EXPECT_EQ(did_you_mean("xyz", std::vector<std::string_view>{"abc"}), "");
}

TEST(HierarchyNames, NameLinksAndEjectsAndReadBack) {
  const HierarchyNames names;
  EXPECT_EQ(names.cube(), "cube");
  EXPECT_EQ(names.node(5), "cube.node5");
  EXPECT_EQ(names.program(5), "cube.node5.program");
  EXPECT_EQ(names.router(5), "cube.node5.router");
  EXPECT_EQ(names.output(5, 2, 3), "cube.node5.router.link2");
  EXPECT_EQ(names.output(5, 3, 3), "cube.node5.router.eject0");
  EXPECT_EQ(names.output(5, 4, 3), "cube.node5.router.eject1");
  EXPECT_EQ(names.link(names.output(7, 12, 20), 20), (LinkId{7, 12}));
  for (const char* const name : {"cube.node5.router.eject1", "cube.node5.router.link", "cube.node5.router.linkx",
                                 "cube.node5.router.link1x", "cube.node5.router.link99999999999"}) {
    EXPECT_FALSE(names.link(name, 20)) << name;
  }
}

TEST(HugePages, AreZeroAlignedAndReleasedWhole) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{4097}, huge_page / 2 - 1,
                                  huge_page / 2, huge_page, huge_page + 1, 5 * huge_page / 2, 3 * huge_page}) {
    auto* const memory = static_cast<std::byte*>(allocate_pages(bytes));
    for (std::size_t at = 0; at < bytes; at += 1021) EXPECT_EQ(memory[at], std::byte{0});
    memory[0] = memory[bytes - 1] = std::byte{1};
    if (is_large(bytes)) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % huge_page, 0U) << bytes;
    }
    release_pages(memory, bytes);
  }
  EXPECT_FALSE(is_large(huge_page / 2 - 1));
  EXPECT_TRUE(is_large(huge_page / 2));
  EXPECT_EQ(huge_page, 2U * 1024 * 1024);
  Table<std::uint64_t> table(300'000, 7);
  table.resize(700'000, 8);
  EXPECT_EQ(table[299'999], 7U);
  EXPECT_EQ(table[300'000], 8U);
}

TEST(HugePages, ThatAreNotThereEndAsOperatorNewDoes) {
  constexpr std::size_t more_than_any_machine_has = std::size_t{1} << 60;
  EXPECT_THROW((void)allocate_pages(more_than_any_machine_has), std::bad_alloc);
  std::set_new_handler([] { throw InputError("told"); });
  EXPECT_THROW((void)allocate_pages(more_than_any_machine_has), InputError);
  std::set_new_handler(nullptr);
}

TEST(ParameterLists, AreReadOrRefusedWithTheReason) {
  double lambda = 0;
  double tau = 0;
  const ParameterList::Key keys[] = {{"lambda", true, &lambda}, {"tau", false, &tau}};
  const ParameterList list{.keys = keys, .valid = "lambda, tau", .example = "write lambda=1"};
  const auto refused = [&](std::string_view text) -> std::string {
    return thrown<InputError>([&] { return parse_parameters(text, list); });
  };
  EXPECT_EQ(parse_parameters(" lambda = 1.5 ,tau=2e3", list), std::vector<bool>({true, true}));
  EXPECT_EQ(lambda, 1.5);
  EXPECT_EQ(tau, 2000.0);
  EXPECT_EQ(parse_parameters("lambda=0", list), std::vector<bool>({true, false}));
  EXPECT_EQ(parse_parameters("tau=1,lambda=3", list), std::vector<bool>({true, true}));
  EXPECT_EQ(lambda, 3.0);
  EXPECT_EQ(refused(" "), "--params is empty\n  write lambda=1");
  EXPECT_EQ(refused("tau=1"), "--params lacks 'lambda'\n  write lambda=1\n  valid: lambda, tau");
  EXPECT_EQ(refused("lambda=1,lambda=2"), "--params names 'lambda' twice");
  EXPECT_EQ(refused("lambda=1,"), "'' in --params is not KEY=NUMBER\n  write lambda=1");
  EXPECT_EQ(refused("lamda=1"),
            "unknown parameter 'lamda' in --params\n  did you mean 'lambda'?\n  valid: lambda, tau");
  EXPECT_EQ(refused("lambda=1x"), "--params lambda='1x' is not a number\n  write lambda=1");
  EXPECT_EQ(refused("lambda="), "--params lambda='' is not a number\n  write lambda=1");
  EXPECT_EQ(refused("lambda=-1"), "--params lambda='-1' is negative\n  write lambda=1");
  EXPECT_EQ(refused("lambda=inf"), "--params lambda='inf' is not a finite number\n  write lambda=1");
  EXPECT_EQ(refused("lambda=1e999"),
            "--params lambda='1e999' is too large or too small for a number\n  write lambda=1");
}

TEST(ErrorTexts, OfAnEquationSayHowLongItsTimeIs) {
  EXPECT_EQ(thrown<InputError>([] { require_no_negative_time(-1e-7, "the shuffle"); }), "") << "rounding";
  EXPECT_HAS(thrown<InputError>([] { require_no_negative_time(-2.5, "the shuffle"); }),
             "the equation gives the shuffle a negative time, -2.500000 us: a phit");
}

TEST(Settings, HaveNamesOf64Letters) {
  EXPECT_EQ(resolve({parse_set("name=" + std::string(64, 'x'))}).name, std::string(64, 'x'));
  EXPECT_EQ(resolve({parse_set("name= a b~ ")}).name, "a b~");
  for (const std::string& name : {std::string(65, 'x'), std::string(), std::string("a\"b"), std::string("a\\b"),
                                  std::string("a\x1f"), std::string("a\x7f")}) {
    EXPECT_HAS(refusal({parse_set("name=" + name)}), "is no name for a machine") << name;
  }
}

TEST(Settings, LoseOnePairOfQuotes) {
  EXPECT_EQ(parse_set("a=\"b\"").value, "b");
  EXPECT_EQ(parse_set("a=\"\"").value, "");
  EXPECT_EQ(parse_set("a=\"").value, "\"");
  EXPECT_EQ(parse_set("a=\"b").value, "\"b");
  EXPECT_EQ(parse_set("a=b\"").value, "b\"");
  EXPECT_EQ(parse_set("a=b=c").value, "b=c");
}

}  // namespace
}  // namespace ecube::error_test
