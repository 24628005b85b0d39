// SPDX-License-Identifier: Apache-2.0
// Quotes and commas.
#include "testbench/text/csv.h"

#include <charconv>
#include <system_error>

namespace ecube {

namespace {

bool is_number(std::string_view text) {
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !(plus && text.starts_with('-'));
}

std::string harmless(std::string_view text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  return (formula && !is_number(text) ? "'" : "") + std::string(text);
}

}  // namespace

std::string csv_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : harmless(text)) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string csv_field(std::string_view text) {
  return text.find_first_of(",\"\r\n") == std::string_view::npos ? harmless(text) : csv_quoted(text);
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      result.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      result.emplace_back();
    } else if (c != '\r') {
      result.back() += c;
    }
  }
  return result;
}

}  // namespace ecube
