// SPDX-License-Identifier: Apache-2.0
// Errors in user input: the text of the message.
#include "models/machine/error.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "models/machine/character.h"

namespace ecube {
namespace {

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
