// SPDX-License-Identifier: Apache-2.0
// Fields of CSV files (RFC 4180), which all tables of this program are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ecube {

/// A text as a field, quoted where it has to be. A spreadsheet would take one that begins with = + - @ for a formula
/// and work it out: an apostrophe comes before those that are no numbers.
[[nodiscard]] std::string csv_field(std::string_view text);
/// The same, quoted in any case.
[[nodiscard]] std::string csv_quoted(std::string_view text);
/// The fields of a line, without their quotes; a line end within a field is not provided for.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view line);

}  // namespace ecube
