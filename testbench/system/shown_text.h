// SPDX-License-Identifier: Apache-2.0
// What is printed has no effect on a terminal beyond being shown, whatever names and files it comes from.
#pragma once

#include <string>
#include <string_view>

namespace ecube {

/// A text as it may reach a terminal. Lines and tabs stay; whatever else a terminal would obey is spelled out as in
/// JSON
/// (`\u001b`), which keeps JSON's meaning, and bytes that are no UTF-8 as `\xff`. The text may come in pieces.
class ShownText {
 public:
  /// What is to be written for this piece. Holds a character back that the piece ends within.
  [[nodiscard]] std::string next(std::string_view piece);
  /// What was held back at the end of the text.
  [[nodiscard]] std::string end();

 private:
  std::string held_;
};

/// What the program itself may make a terminal do.
enum class TerminalAction : unsigned char { end_of_colour, red, green, yellow, begin_line_anew };

/// A text that ShownText replaces by the terminal's sequence for this action. It differs from process to process, so
/// that nothing from elsewhere can contain it but by chance.
[[nodiscard]] std::string terminal_mark(TerminalAction action);

}  // namespace ecube
