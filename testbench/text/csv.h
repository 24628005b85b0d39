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
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line);
/// The rows of a table with so many fields between tabs, none empty. InputError with the row that has others.
[[nodiscard]] std::vector<std::vector<std::string>> table_rows(std::string_view table, std::size_t fields);

}  // namespace ecube
