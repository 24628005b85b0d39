// SPDX-License-Identifier: Apache-2.0
// What reaches a terminal, and words of a shell.
#include <nlohmann/json.hpp>

#include "testbench/system/process.h"
#include "testbench/text/text.h"
#include "tests/test.h"

namespace ecube::shown_text_test {

namespace {

std::string shown(const std::string& text) {
  ShownText all;
  std::string result = all.next(text);
  return result + all.end();
}

TEST(ShownText, KeepsTextLinesAndTabs) {
  const std::string text = "links 4:1\tgrün · ░▒▓█ 日本 \U0001F600 \\ \"\n";
  EXPECT_EQ(shown(text), text);
}

TEST(ShownText, SpellsOutWhatATerminalObeysAndWhatIsNoText) {
  EXPECT_EQ(shown("\x1b]0;title\x07\r\b\x7f"), "\\u001b]0;title\\u0007\\u000d\\u0008\\u007f");
  EXPECT_EQ(shown(std::string("\0", 1)), "\\u0000");
  EXPECT_EQ(shown("\xc2\x9b"
                  "31m"),
            "\\u009b31m");
  EXPECT_EQ(shown("\u202eabc\u2066\ufeff"), "\\u202eabc\\u2066\\ufeff");
  EXPECT_EQ(shown("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82");
}

TEST(ShownText, HasTheMeaningOfJsonAsItWas) {
  const nlohmann::json json = "a\x7f\u0085\u202e\U000E0041 \x1b é";
  EXPECT_EQ(nlohmann::json::parse(shown(json.dump())), json);
}

TEST(ShownText, OfPiecesIsThatOfTheWhole) {
  const std::string text = "é\u202e\U0001F600\xff\xe2\x82z\u0085" + terminal_mark(TerminalAction::red) + "\xc3";
  const std::string whole = shown(text);
  for (std::size_t size = 1; size < text.size(); ++size) {
    ShownText pieces;
    std::string all;
    for (std::size_t at = 0; at < text.size(); at += size) all += pieces.next(text.substr(at, size));
    EXPECT_EQ(all + pieces.end(), whole) << size;
  }
}

TEST(ShownText, HasTheProgramsOwnColours) {
  EXPECT_EQ(shown(terminal_mark(TerminalAction::red) + "x" + terminal_mark(TerminalAction::end_of_colour)),
            "\x1b[31mx\x1b[0m");
  EXPECT_EQ(shown(terminal_mark(TerminalAction::begin_line_anew)), "\r\x1b[K");
}

/// What a line of bash prints.
std::string printed_by(const std::string& line) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("bash <<'EOF'\n" + line + "\nEOF\n").c_str(), "r"), pclose);
  std::string output;
  std::array<char, 256> piece{};
  while (pipe && std::fgets(piece.data(), piece.size(), pipe.get()) != nullptr) output += piece.data();
  return output;
}

TEST(ShellWord, IsOneWordWithTheseBytes) {
  for (const std::string text : {"plain-1.2", "", "a b", "it's", "$(touch x)`y`", "a\\b", "*?[~", "grün",
                                 "a\nb\x1b[31m", "'\\\n\"", "\xff\xfe", "\u202e'\\"}) {
    const std::string word = shell_word(text);
    EXPECT_EQ(shown(word), word) << "a terminal would not show the word as it is";
    std::string bytes;
    for (const char c : text) {
      constexpr const char* digits = "0123456789abcdef";
      bytes += {digits[static_cast<unsigned char>(c) >> 4U], digits[static_cast<unsigned char>(c) & 15U]};
    }
    EXPECT_EQ(printed_by("printf %s " + word + " | od -An -v -tx1 | tr -d ' \\n'"), bytes) << word;
  }
}

}  // namespace

}  // namespace ecube::shown_text_test
