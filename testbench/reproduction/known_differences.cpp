// SPDX-License-Identifier: Apache-2.0
// The table of known differences.
#include "testbench/reproduction/claims.h"
#include "testbench/reproduction/results.h"

namespace ecube {

extern const char* const known_differences_table;

std::span<const KnownDifference> known_differences() {
  // Item, check, printed, ours, reason; "-" is nothing, and "=" the reason of the row before.
  static const std::vector<std::vector<std::string>> rows = table_rows(known_differences_table, 5);
  static const std::vector<KnownDifference> file = [] {
    std::vector<KnownDifference> result;
    const auto text = [](const std::string& field) { return field == "-" ? std::string_view() : field; };
    for (const std::vector<std::string>& row : rows) {
      const std::string_view reason = row[4] == "=" ? result.back().reason : row[4];
      result.push_back({row[0], row[1], text(row[2]), text(row[3]), reason});
    }
    return result;
  }();
  return file;
}

}  // namespace ecube
