// SPDX-License-Identifier: Apache-2.0
// Errors in user input: the place of the error and its cause. Characters of texts from outside, and their effect on a
// terminal.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

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
