// SPDX-License-Identifier: Apache-2.0
// A store that is only read.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/sweep/store/store_database.h"

namespace ecube {

/// A copy of a store, which another process may be writing: all reads see the store as it was at the beginning. The
/// file may come from a stranger: none of its views or SQL is executed, and the columns of results are made from the
/// study's text.
class StoreReader : public StoreDatabase {
 public:
  /// `path`: results.sqlite or its directory. InputError when there is none, or it is damaged or of another schema.
  explicit StoreReader(const std::string& path, bool quiet = false);

  /// The names of the columns, then each row, as JSON numbers, texts or null. Figures that no point has have no column.
  /// InputError when a derived column is not a valid expression, or its value is too large.
  void results(const std::function<void(const std::vector<std::string>&)>& columns,
               const std::function<void(const std::vector<nlohmann::ordered_json>&)>& row);
  void failures(std::size_t most, const std::function<void(const nlohmann::ordered_json&)>& take);
  void points(const std::function<void(const nlohmann::ordered_json&)>& take);

 private:
  [[nodiscard]] std::vector<int> columns_with_values(SQLite::Statement& query);
};

}  // namespace ecube
