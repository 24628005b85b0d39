// SPDX-License-Identifier: Apache-2.0
// How numbers and emphasis are written for people.
#pragma once

#include <algorithm>

#include "testbench/system/process.h"

namespace ecube {

/// 16492 -> "16,492".
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}
/// "1 point", "1,001 points"
[[nodiscard]] inline std::string counted(std::uint64_t number, const std::string& thing) {
  return grouped(number) + " " + thing + (number == 1 ? "" : "s");
}
/// "a, b and 3 more": at most `most` of the elements, by the names that `name_of` gives them.
template <class Elements, class NameOf>
[[nodiscard]] std::string listed(const Elements& elements, std::size_t most, const NameOf& name_of) {
  std::string text;
  for (std::size_t i = 0; i < std::min(elements.size(), most); ++i) text += (i > 0 ? ", " : "") + name_of(elements[i]);
  return elements.size() > most ? text + " and " + std::to_string(elements.size() - most) + " more" : text;
}
/// "0.33 ms", "12 s", "90 min", "3.0 h".
[[nodiscard]] std::string duration_text(double seconds);
[[nodiscard]] std::string html_text(std::string_view text);
/// One word for a shell, in quotes where it needs them; bash's `$'...'` for what no terminal shows.
[[nodiscard]] std::string shell_word(const std::string& text);
/// 1234567 -> "1.2 MB"; thousands, not 1,024s.
[[nodiscard]] std::string bytes_text(double bytes);
/// A deviation with its sign, "+0.250%"; "0.000%" when the value rounds to nothing, "-" when the value is not a number.
[[nodiscard]] std::string percent(double value);

/// Emphasis on a terminal, nothing elsewhere, or when the user does not want it (--no-color, NO_COLOR).
class Style {
 public:
  Style(int descriptor, bool wanted);
  [[nodiscard]] std::string bad(std::string_view text) const { return in(TerminalAction::red, text); }
  [[nodiscard]] std::string warn(std::string_view text) const { return in(TerminalAction::yellow, text); }
  [[nodiscard]] std::string good(std::string_view text) const { return in(TerminalAction::green, text); }

 private:
  [[nodiscard]] std::string in(TerminalAction colour, std::string_view text) const;
  bool on_;
};

/// Columns of the terminal behind `descriptor`; 80 when there is no terminal.
[[nodiscard]] unsigned terminal_columns(int descriptor);

}  // namespace ecube
