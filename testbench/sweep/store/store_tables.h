// SPDX-License-Identifier: Apache-2.0
// The tables of a store.
#pragma once

#include <array>
#include <string_view>

namespace ecube {

/// A table and, to the letter, the statement that has made it.
struct StoreTable {
  std::string_view name;
  std::string_view statement;
};

inline constexpr std::array<StoreTable, 3> store_tables{{
    {"meta", "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"},
    {"axes",
     "CREATE TABLE axes(place INTEGER PRIMARY KEY, key TEXT NOT NULL, unit TEXT NOT NULL, numeric INTEGER NOT NULL)"},
    {"points",
     "CREATE TABLE points(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
     " status TEXT NOT NULL CHECK (status IN ('done', 'failed')), error TEXT, axis TEXT NOT NULL,"
     " seed INTEGER NOT NULL, repetition INTEGER NOT NULL, arguments TEXT NOT NULL, wall_s REAL NOT NULL,"
     " result TEXT, checksum TEXT NOT NULL)"},
}};

}  // namespace ecube
