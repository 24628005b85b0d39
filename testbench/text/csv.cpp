// SPDX-License-Identifier: Apache-2.0
// Quotes, commas and tabs.
#include "testbench/text/csv.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "models/machine/error.h"
#include "models/machine/spelling.h"

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

std::vector<std::vector<std::string>> table_rows(std::string_view table, std::size_t fields) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : split(table, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string_view> row = split(line, '\t');
    const bool empty = std::any_of(row.begin(), row.end(), [](std::string_view one) { return one.empty(); });
    if (row.size() != fields || empty) {
      throw InputError("a row has " + std::to_string(fields) + " fields between tabs: " + std::string(line));
    }
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

}  // namespace ecube
