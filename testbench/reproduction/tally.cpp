// SPDX-License-Identifier: Apache-2.0
// Statements from their table.
#include "testbench/reproduction/tally.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/reproduction/claims.h"

namespace ecube {

extern const char* const statements_table;

Tallies::Tallies(std::string_view part) {
  static const std::vector<std::vector<std::string>> rows = table_rows(statements_table, 4);
  for (const std::vector<std::string>& row : rows) {
    if (row[0] == part) all_.push_back({{}, row[2] == "print" ? print : ours, row[3], row[1]});
  }
}

Tally& Tallies::operator[](std::string_view name) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Stated& one) { return one.name == name; });
  if (found == all_.end()) throw std::logic_error("statements.tsv has no " + std::string(name));
  return found->points;
}

}  // namespace ecube
