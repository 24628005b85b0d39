// SPDX-License-Identifier: Apache-2.0
// Numbers and their places.
#include "testbench/text/number_line.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/machine/spelling.h"

namespace ecube {

NumberLine::NumberLine(std::string_view text, Place place, std::string_view format)
    : rest_(text.substr(0, text.find('#'))), place_(std::move(place)), format_(format) {}

bool NumberLine::blank() {
  skip();
  return rest_.empty();
}

std::uint64_t NumberLine::number(std::string_view what, std::uint64_t most) {
  const std::string_view word = this->word();
  if (word.empty()) refuse(fmt::format("no {}", what), fmt::format("a line has {}", format_));
  const auto value = whole_number(word);
  if (!value || *value > most) {
    refuse(fmt::format("{} is no {}", ecube::quoted(word), what), fmt::format("0 .. {}", most));
  }
  return *value;
}

std::string_view NumberLine::word() {
  skip();
  const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
  mark(word.size());
  column_ += word.size();
  rest_.remove_prefix(word.size());
  return word;
}

void NumberLine::end(std::string_view numbers) {
  if (blank()) return;
  mark(rest_.size());
  refuse(fmt::format("more than {} numbers: {}", numbers, ecube::quoted(rest_)), fmt::format("a line has {}", format_));
}

void NumberLine::skip() {
  const std::size_t blanks = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
  column_ += blanks;
  rest_.remove_prefix(blanks);
}

void NumberLine::mark(std::size_t length) {
  place_.column = static_cast<std::uint32_t>(column_ + 1);
  place_.length = static_cast<std::uint32_t>(std::max<std::size_t>(length, 1));
}

void NumberLine::refuse(const std::string& what, const std::string& valid) const {
  throw ContentError(InputError(what).at(place_, valid),
                     fmt::format("{} cannot be read: its line {}, column {}, does not have what a line has, {}",
                                 ecube::quoted(place_.where), place_.line, place_.column, format_));
}

std::string numbers_of(const std::string& file, std::string_view what, std::string_view valid) {
  // A message or a circuit takes about 40 bytes: this is room for the largest accepted number, and for comments.
  constexpr std::uint64_t max_bytes = 256'000'000;
  return read_text(file, what, max_bytes, valid);
}

}  // namespace ecube
