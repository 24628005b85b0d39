// SPDX-License-Identifier: Apache-2.0
// The checks of a store before its contents are used.
#include <fmt/core.h>
#include <sqlite3.h>

#include <algorithm>
#include <set>

#include "models/machine/spelling.h"
#include "testbench/run/progress_line.h"
#include "testbench/sweep/store/store.h"
#include "testbench/text/text.h"
#include "testbench/text/text_hash.h"
#include "testbench/text/toml_text.h"

namespace ecube {

void StoreDatabase::check() {
  check_meta_table();
  const std::string schema = meta("schema");
  if (schema != std::to_string(store_schema)) {
    const bool number = !schema.empty() && schema.size() < 10 && schema.find_first_not_of("0123456789") == schema.npos;
    refuse(fmt::format("has schema {}, and this program has {}", number ? schema : ecube::quoted(schema), store_schema),
           "read it with the version that wrote it, or give another directory with -o");
  }
  check_tables();
  ProgressLine line(quiet_);
  check_pages(line);
  check_meta();
  std::uint64_t checked = 0;
  points([&](const StoredPoint&) {
    ++checked;
    if (line.due()) line.show(fmt::format("{} points checked  {:.0f} s", grouped(checked), line.seconds()));
  });
}

/// Stores of all schemas have this table.
void StoreDatabase::check_meta_table() {
  SQLite::Statement query(database_, "SELECT type, sql FROM sqlite_master WHERE name = 'meta'");
  if (!step(query)) refuse("is a database of something else", "a store is DIR/results.sqlite, which ecube sweep makes");
  if (query.getColumn(0).getString() == "table" && query.getColumn(1).getString() == store_tables[0].statement) return;
  refuse("is no store: its meta is not the table that a store has", "give another directory with -o");
}

/// Views are never read, so further views of the user do no harm.
void StoreDatabase::check_tables() {
  SQLite::Statement query(database_, "SELECT type, name, sql FROM sqlite_master");
  std::size_t found = 0;
  while (step(query)) {
    const std::string type = query.getColumn(0).getString();
    const std::string name = query.getColumn(1).getString();
    const std::string statement = query.getColumn(2).getString();
    const auto* const table = std::ranges::find(store_tables, std::string_view(name), &StoreTable::name);
    if (type == "table" && table != store_tables.end() && statement == table->statement) {
      ++found;
      continue;
    }
    const bool own_index = type == "index" && query.getColumn(2).isNull() && name.starts_with("sqlite_autoindex_");
    if (own_index || (type == "view" && table == store_tables.end())) continue;
    refuse(fmt::format("holds the {} {}, which no store has", ecube::quoted(type), ecube::quoted(name)),
           "somebody has changed it: use it with another program, or give another directory with -o");
  }
  if (found != store_tables.size()) {
    refuse("is no store: it lacks one of the tables meta, axes and points", "give another directory with -o");
  }
}

/// Without a limit of steps: the check reads every page and every row once.
void StoreDatabase::check_pages(ProgressLine& line) {
  const auto tell = [](void* of_check) {
    ProgressLine& shown = *static_cast<ProgressLine*>(of_check);
    if (shown.due()) shown.show(fmt::format("pages of the store checked  {:.0f} s", shown.seconds()));
    return 0;
  };
  SQLite::Statement query(database_, "PRAGMA quick_check(1)");
  sqlite3_progress_handler(database_.getHandle(), steps_between, tell, &line);
  const bool told = query.executeStep();
  limit_steps();
  const std::string found = told ? query.getColumn(0).getString() : "nothing";
  if (found == "ok") return;
  refuse(fmt::format("is damaged: {}", ecube::quoted(found)), "take a copy that is whole, or run the study again");
}

void StoreDatabase::check_meta() {
  if (meta("checksum") != checksum_of_meta()) {
    refuse("is damaged: what it says of its study is not what was written",
           "take a copy that is whole, or run the study again");
  }
  if (meta("study_text").size() > max_toml_bytes) refuse("has a study of more than 1 MB", "no study has that much");
  (void)points_of_study();
  // Keys become names of columns, and parts of paths in JSON.
  constexpr std::string_view in_keys = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
  constexpr std::size_t most_axes = 100;
  const std::vector<AxisScale> all = axes();
  std::set<std::string> names;
  for (const std::string& name : result_columns({})) names.insert(name);
  for (const AxisScale& axis : all) {
    const bool plain = !axis.key.empty() && axis.key.find_first_not_of(in_keys) == std::string::npos;
    if (!plain || !names.insert(axis.key).second || all.size() > most_axes) {
      refuse(fmt::format("has an axis {}, which no study has", ecube::quoted(axis.key)), "it is no store of ecube");
    }
  }
}

std::uint64_t StoreDatabase::points_of_study() {
  const std::string text = meta("points");
  const auto points = whole_number(text);
  if (!points || *points > max_study_points) {
    refuse(fmt::format("is of a study of {} points, which no study has", ecube::quoted(text)),
           "it is no store of ecube");
  }
  return *points;
}

std::string StoreDatabase::checksum_of_meta() {
  // A text and a blob of the same bytes look alike here, but are different keys.
  std::string all;
  const auto append_column = [&all](const SQLite::Column& column) {
    append_text(all, std::to_string(column.getType()));
    append_text(all, column.getString());
  };
  SQLite::Statement meta_rows(database_, "SELECT key, value FROM meta WHERE key <> 'checksum' ORDER BY key");
  while (step(meta_rows)) {
    append_column(meta_rows.getColumn(0));
    append_column(meta_rows.getColumn(1));
  }
  all += ';';
  SQLite::Statement axis_rows(database_, "SELECT place, key, unit, numeric FROM axes ORDER BY place");
  while (step(axis_rows)) {
    for (int column = 0; column < 4; ++column) append_column(axis_rows.getColumn(column));
  }
  return hash_of(all);
}

}  // namespace ecube
