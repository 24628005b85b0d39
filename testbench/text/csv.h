// SPDX-License-Identifier: Apache-2.0
// Fields of CSV files (RFC 4180), which all tables that this program writes are, and rows of its own tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// A text as a field, quoted where it has to be. An apostrophe comes before a text that begins with = + - @ and is no
/// number, because a spreadsheet would take such a text for a formula.
[[nodiscard]] std::string csv_field(std::string_view text);
[[nodiscard]] std::string csv_quoted(std::string_view text);
/// The fields of a line, without their quotes; no field may contain a line end.
[[nodiscard]] inline std::vector<std::string> csv_fields(std::string_view line) {
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
/// The rows of a table with so many fields between tabs, none empty. InputError with the row that has others.
[[nodiscard]] std::vector<std::vector<std::string>> table_rows(std::string_view table, std::size_t fields);

}  // namespace ecube
