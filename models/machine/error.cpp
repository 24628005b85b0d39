// SPDX-License-Identifier: Apache-2.0
// Errors in user input: the text of the message. Decoding of UTF-8 (RFC 3629).
#include "models/machine/error.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace ecube {
namespace {

/// Besides the controls of ASCII: C1, marks and overrides of direction, joiners, separators, invisible operators,
/// annotations and tags.
constexpr std::pair<std::uint32_t, std::uint32_t> obeyed[] = {{0x80, 0x9F},     {0x61C, 0x61C},    {0x200B, 0x200F},
                                                              {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                                              {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

bool is_obeyed(std::uint32_t code) {
  return code < ' ' || code == 0x7F ||
         std::ranges::any_of(obeyed, [code](const auto& one) { return one.first <= code && code <= one.second; });
}

constexpr std::size_t shown_columns = 100;
constexpr std::size_t shown_word = 60;

bool printable(char c) { return c >= ' ' && c <= '~'; }

/// The line as one string per column, so that the mark stands below the marked code points.
std::vector<std::string> columns_of(std::string_view text) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < text.size();) {
    const Character character = character_at(text.substr(i));
    const bool shown = character.kind == Character::Kind::shown;
    columns.emplace_back(shown ? std::string(text.substr(i, character.bytes)) : text[i] == '\t' ? " " : "?");
    i += character.bytes;
  }
  return columns;
}

struct Excerpt {
  std::string text;
  std::size_t mark = 0;
  std::size_t length = 1;
};

Excerpt excerpt(const Place& place) {
  const std::vector<std::string> columns = columns_of(place.text);
  const std::size_t column = std::min<std::size_t>(place.column > 0 ? place.column - 1 : 0, columns.size());
  const std::size_t begin =
      columns.size() > shown_columns && column > shown_columns / 2 ? column - shown_columns / 2 : 0;
  const std::size_t end = std::min(columns.size(), begin + shown_columns);
  Excerpt result;
  if (begin > 0) result.text = "...";
  result.mark = result.text.size() + column - begin;
  result.length = std::clamp<std::size_t>(place.length, 1, std::max<std::size_t>(end - column, 1));
  for (std::size_t i = begin; i < end; ++i) result.text += columns[i];
  if (end < columns.size()) result.text += "...";
  return result;
}

std::string cleaned(std::string_view text) {
  std::string result;
  for (const std::string& column : columns_of(text)) result += column;
  return result;
}

}  // namespace

Character character_at(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const auto whole = [](std::uint32_t code, unsigned bytes) {
    return Character{code, bytes, is_obeyed(code) ? Character::Kind::obeyed : Character::Kind::shown};
  };
  if (lead < 0x80) return whole(lead, 1);
  const Character broken{lead, 1, Character::Kind::broken};
  if (lead < 0xC2 || lead > 0xF4) return broken;
  const unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  std::uint32_t code = lead & (0x7FU >> length);
  for (unsigned i = 1; i < length; ++i) {
    if (i == text.size()) return {lead, i, Character::Kind::incomplete};
    if ((byte(i) & 0xC0U) != 0x80) return broken;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  // Longer than needed, half of a pair, or beyond Unicode.
  constexpr std::array<std::uint32_t, 3> least{0x80, 0x800, 0x10000};
  if (code < least[length - 2] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return broken;
  return whole(code, length);
}

InputError&& InputError::add(const std::string& text) {
  *this = InputError(what() + text);
  return std::move(*this);
}

InputError&& InputError::at(const Place& place, std::string_view hint) {
  if (place.where.empty()) return this->hint(hint);
  const std::string where = "\n  --> " + cleaned(place.where);
  if (place.line == 0) return add(where).hint(hint);
  const std::string line = std::to_string(place.line);
  if (place.column == 0) return add(where + ":" + line).hint(hint);
  const Excerpt shown = excerpt(place);
  return add(where + ":" + line + ":" + std::to_string(place.column) + "\n" + line + " | " + shown.text + "\n" +
             std::string(line.size(), ' ') + " | " + std::string(shown.mark, ' ') + std::string(shown.length, '^') +
             (hint.empty() ? "" : " " + std::string(hint)));
}

InputError&& InputError::hint(std::string_view words) { return add(words.empty() ? "" : "\n  " + std::string(words)); }

InputError&& InputError::valid(std::string_view values) {
  return add(values.empty() ? "" : "\n  valid: " + std::string(values));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string quoted(std::string_view word) {
  std::string result = "'";
  for (const char c : word.substr(0, shown_word)) result += printable(c) ? c : '?';
  if (word.size() > shown_word) result += "...";
  return result + "'";
}

}  // namespace ecube
