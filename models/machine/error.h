// SPDX-License-Identifier: Apache-2.0
// Errors in user input: the place of the error and its cause; the spelling that was probably meant, "did you mean
// 'x'?", and other work on words. Characters of texts from outside, and their effect on a terminal.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// Where a piece of user input stands: a part of one line of a file, or a command line argument.
struct Place {
  std::string where;         ///< file name, or the argument as typed ("--set link.phit=4"); empty = nowhere
  std::uint32_t line = 0;    ///< counted from 1; 0 = not in a file
  std::uint32_t column = 0;  ///< in code points, counted from 1
  std::uint32_t length = 1;  ///< marked code points
  std::string text{};        ///< the whole line, without its end
};

/// Bad user input; the program ends with status 2 and has written nothing. what() is the whole text shown after "error:
/// ", several lines without a final newline. Its lines are added one by one: each comes back as a temporary, to be
/// thrown at once.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string_view message) : std::runtime_error(std::string(message)) {}

  /// "  --> file:line:column", the source line and a ^^^^ mark with `hint` beside it; for a command line argument the
  /// argument with `hint` below it.
  InputError&& at(const Place& place, std::string_view hint = {});
  /// "  words"
  InputError&& hint(std::string_view words);
  /// "  valid: values"
  InputError&& valid(std::string_view values);

 private:
  InputError&& add(const std::string& text);
};

/// `text` without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// `word` in single quotes, fit for a terminal: bytes that are not printable ASCII become '?', long words are cut.
[[nodiscard]] std::string quoted(std::string_view word);

/// The candidate spelled most like `word`, if one is reasonably near: at most a third of its letters differ (a swap of
/// neighbours counts once, capitals do not count). The first of equals.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// "did you mean 'x'?", or nothing when no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// The parts of a list, without the separators between them; one empty part of an empty text.
[[nodiscard]] std::vector<std::string_view> split(std::string_view list, char separator);

/// The number that decimal digits are; none of other texts and of numbers beyond 64 bits.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view digits);

/// The words with `between` between them: "a | b | c"; before the last one with `last`, if it is given: "a, b or c".
template <class Words>
requires requires(const Words& words) { std::string_view(*std::begin(words)); }
[[nodiscard]] std::string joined(const Words& words, std::string_view between = " | ", std::string_view last = "") {
  std::string text;
  std::size_t left = std::size(words);
  for (const auto& word : words) {
    if (!text.empty()) text.append(left == 1 && !last.empty() ? last : between);
    text.append(word);
    --left;
  }
  return text;
}

/// A character of a text in UTF-8.
struct Character {
  enum class Kind : std::uint8_t {
    shown,
    obeyed,      ///< changes the terminal or other characters: controls, C1 included, directions, joiners, marks
    broken,      ///< a byte that belongs to no character
    incomplete,  ///< the text ends within it
  };
  std::uint32_t code;  ///< of Unicode; of a broken or an incomplete character its first byte
  unsigned bytes;
  Kind kind;
};

/// The character at the beginning of a text that is not empty.
[[nodiscard]] Character character_at(std::string_view text);

}  // namespace ecube
