// SPDX-License-Identifier: Apache-2.0
// The tables of a store, and a row of its points.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ecube {

struct StoreTable {
  std::string_view name;
  std::string_view statement;
};

inline constexpr std::array<StoreTable, 3> store_tables{{
    {"meta", "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"},
    {"axes",
     "CREATE TABLE axes(place INTEGER PRIMARY KEY, key TEXT NOT NULL, unit TEXT NOT NULL, numeric INTEGER NOT NULL)"},
    {"points",
     "CREATE TABLE points(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL CHECK (status IN "
     "('done', 'failed')), error TEXT, axis TEXT NOT NULL, seed INTEGER NOT NULL, repetition INTEGER NOT NULL, "
     "arguments TEXT NOT NULL, wall_s REAL NOT NULL, result TEXT, checksum TEXT NOT NULL)"},
}};

struct StoredPoint {
  std::int64_t number = 0;
  std::string id{};
  std::string status{};                ///< done or failed
  std::optional<std::string> error{};  ///< of a failed one
  std::string axis{};                  ///< JSON: value by key
  std::int64_t seed = 0;
  std::int64_t repetition = 0;
  std::string arguments{};  ///< JSON
  double wall_s = 0;
  std::optional<std::string> result{};  ///< JSON, of a done one

  [[nodiscard]] bool done() const { return status == "done"; }
};

/// 32 hexadecimal digits, a hash of all columns of the row. The checksum finds bits that have changed by accident. It
/// does not find changes on purpose: anybody can compute it.
[[nodiscard]] std::string checksum(const StoredPoint& point);

}  // namespace ecube
