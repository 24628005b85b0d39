// SPDX-License-Identifier: Apache-2.0
// Errors in user input: the text of the message.
#include "models/machine/error.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ecube {
namespace {

constexpr std::size_t shown_columns = 100;
constexpr std::size_t shown_word = 60;

bool printable(char c) { return c >= ' ' && c <= '~'; }

/// Bytes of the code point that begins at `at`, 0 when it is not well-formed UTF-8 or a control character: a terminal
/// must not be driven by the contents of a broken file.
std::size_t code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(at);
  const unsigned next = byte(at + 1);
  if (lead < 0x80) return printable(text[at]) ? 1 : 0;
  if (!tail(at + 1)) return 0;
  if (lead >= 0xC2 && lead <= 0xDF) return lead == 0xC2 && next < 0xA0 ? 0 : 2;
  if (!tail(at + 2)) return 0;
  if (lead >= 0xE0 && lead <= 0xEF) return (lead == 0xE0 && next < 0xA0) || (lead == 0xED && next >= 0xA0) ? 0 : 3;
  if (!tail(at + 3) || lead < 0xF0 || lead > 0xF4) return 0;
  return (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next >= 0x90) ? 0 : 4;
}

/// The line as one string per column, so that the mark stands below the marked code points.
std::vector<std::string> columns_of(std::string_view text) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t bytes = code_point(text, i);
    columns.emplace_back(bytes != 0 ? std::string(text.substr(i, bytes)) : std::string(text[i] == '\t' ? " " : "?"));
    i += std::max<std::size_t>(bytes, 1);
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

ErrorText::ErrorText(std::string_view message) : text_(message) {}

ErrorText& ErrorText::at(const Place& place, std::string_view hint) {
  if (place.where.empty()) return this->hint(hint);
  text_ += "\n  --> " + cleaned(place.where);
  if (place.line == 0) return this->hint(hint);
  const std::string line = std::to_string(place.line);
  text_ += ":" + line;
  if (place.column == 0) return this->hint(hint);
  const Excerpt shown = excerpt(place);
  text_ += ":" + std::to_string(place.column) + "\n" + line + " | " + shown.text + "\n" +
           std::string(line.size(), ' ') + " | " + std::string(shown.mark, ' ') + std::string(shown.length, '^');
  if (!hint.empty()) text_ += " " + std::string(hint);
  return *this;
}

ErrorText& ErrorText::hint(std::string_view words) {
  if (!words.empty()) text_ += "\n  " + std::string(words);
  return *this;
}

ErrorText& ErrorText::valid(std::string_view values) {
  if (!values.empty()) text_ += "\n  valid: " + std::string(values);
  return *this;
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
