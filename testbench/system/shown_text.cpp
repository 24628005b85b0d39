// SPDX-License-Identifier: Apache-2.0
// Spelling out, and marks.
#include "testbench/system/shown_text.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "models/machine/character.h"

namespace ecube {

namespace {

constexpr std::array<std::string_view, 5> sequences{"\033[0m", "\033[31m", "\033[32m", "\033[33m", "\r\033[K"};

/// The marks are characters from here on: of plane 15, which Unicode leaves to private use.
std::uint32_t first_mark() {
  static const std::uint32_t first = [] {
    constexpr std::uint32_t begin = 0xF0000;
    constexpr std::uint32_t places = 0xFFF0;
    return begin + std::random_device()() % places;
  }();
  return first;
}

std::string spelled_out(std::uint32_t code) {
  if (code <= 0xFFFF) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;  // a pair, as JSON has it
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

bool is_plain(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

}  // namespace

std::string ShownText::next(std::string_view piece) {
  held_ += piece;
  const std::string_view text = held_;
  std::string shown;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t plain = at;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    shown.append(text, at, plain - at);
    at = plain;
    if (at == text.size()) break;
    const Character character = character_at(text.substr(at));
    if (character.kind == Character::Kind::incomplete) break;
    const std::uint32_t mark = character.code - first_mark();
    if (mark < sequences.size()) {
      shown += sequences[mark];
    } else if (character.kind == Character::Kind::shown) {
      shown.append(text, at, character.bytes);
    } else {
      shown += character.kind == Character::Kind::broken ? fmt::format("\\x{:02x}", character.code)
                                                         : spelled_out(character.code);
    }
    at += character.bytes;
  }
  held_.erase(0, at);
  return shown;
}

std::string ShownText::end() {
  std::string shown;
  for (const char byte : held_) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  held_.clear();
  return shown;
}

std::string terminal_mark(TerminalAction action) {
  const std::uint32_t code = first_mark() + static_cast<std::uint32_t>(action);
  std::string mark;
  for (const auto& [shift, bits] : {std::pair(18U, 0xF0U), {12U, 0x80U}, {6U, 0x80U}, {0U, 0x80U}}) {
    mark += static_cast<char>(bits | (code >> shift & 0x3FU));
  }
  return mark;
}

}  // namespace ecube
