// SPDX-License-Identifier: Apache-2.0
// Numbers and emphasis.
#include "testbench/text/text.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "models/machine/error.h"

namespace ecube {

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:%@";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  bool all_shown = true;
  std::string in_quotes;
  std::string in_dollar_quotes;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(std::string_view(text).substr(at));
    const std::string bytes = text.substr(at, character.bytes);
    at += character.bytes;
    const bool shown = character.kind == Character::Kind::shown;
    all_shown = all_shown && shown;
    in_quotes += bytes == "'" ? "'\\''" : bytes;
    if (shown && bytes != "'" && bytes != "\\") {
      in_dollar_quotes += bytes;
    } else {
      for (const char byte : bytes) in_dollar_quotes += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return all_shown ? "'" + in_quotes + "'" : "$'" + in_dollar_quotes + "'";
}

std::string html_text(std::string_view text) {
  using Escape = std::pair<char, std::string_view>;
  static constexpr std::array<Escape, 4> escapes{{{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}}};
  std::string result;
  for (const char letter : text) {
    const auto* const escape = std::ranges::find(escapes, letter, &Escape::first);
    result += escape == escapes.end() ? std::string_view(&letter, 1) : escape->second;
  }
  return result;
}

std::string duration_text(double seconds) {
  constexpr double minute = 60;
  constexpr double hour = 3600;
  if (seconds < 0.1) return fmt::format("{:.2g} ms", seconds * 1e3);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 1.5 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 1.5 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.1f} h", seconds / hour);
}

std::string bytes_text(double bytes) {
  for (const char* const unit : {"B", "kB", "MB", "GB"}) {
    if (bytes < 999.5)
      return bytes < 9.95 && *unit != 'B' ? fmt::format("{:.1f} {}", bytes, unit)
                                          : fmt::format("{:.0f} {}", bytes, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.1f} TB", bytes);
}

std::string percent(double value) {
  if (!std::isfinite(value)) return "-";
  return std::abs(value) < 0.0005 ? "0.000%" : fmt::format("{:+.3f}%", value);
}

Style::Style(int descriptor, bool wanted)
    : on_(wanted && std::getenv("NO_COLOR") == nullptr && isatty(descriptor) == 1) {}

std::string Style::in(TerminalAction colour, std::string_view text) const {
  return on_ ? fmt::format("{}{}{}", terminal_mark(colour), text, terminal_mark(TerminalAction::end_of_colour))
             : std::string(text);
}

unsigned terminal_columns(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace ecube
