// SPDX-License-Identifier: Apache-2.0
// A store as an SQLite database: what SQL may do there, and its contents.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "testbench/run/figures.h"
#include "testbench/sweep/store/store.h"
#include "testbench/text/text_hash.h"

namespace ecube {

namespace {

constexpr std::int64_t most_heap = std::int64_t{512} << 20;  ///< bytes, of all memory of SQLite in this process
constexpr int most_value = 64 << 20;                         ///< bytes, of a text or a row
constexpr unsigned most_nested = 64;                         ///< in JSON; a run's object has less than ten

/// SQLite's own ends the query at the smallest number, which has no absolute value; this one gives NULL, as 1/0 does.
void absolute_value(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  const int type = sqlite3_value_type(arguments[0]);
  if (type == SQLITE_NULL) return;
  if (type != SQLITE_INTEGER) return sqlite3_result_double(context, std::abs(sqlite3_value_double(arguments[0])));
  const sqlite3_int64 value = sqlite3_value_int64(arguments[0]);
  if (value != std::numeric_limits<sqlite3_int64>::min()) sqlite3_result_int64(context, std::abs(value));
}

int spend(void* allowance) {
  std::uint64_t& left = *static_cast<std::uint64_t*>(allowance);
  if (left == 0) return 1;
  --left;
  return 0;
}

/// The depth of nested brackets, outside texts.
unsigned nested(std::string_view json) {
  unsigned depth = 0;
  unsigned most = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return most;
}

Json value_of(const SQLite::Column& column) {
  if (column.isNull()) return nullptr;
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

/// 32 hexadecimal digits, a hash of all columns of the row. The checksum finds bits that have changed by accident. It
/// does not find changes on purpose: anybody can compute it.
std::string checksum(const StoredPoint& point) {
  std::string all;
  fmt::format_to(std::back_inserter(all), "{} {} {} {:x} ", point.number, point.seed, point.repetition,
                 std::bit_cast<std::uint64_t>(point.wall_s));
  append_text(all, point.id);
  append_text(all, point.status);
  if (!point.done()) append_text(all, point.outcome);
  all += ';';
  append_text(all, point.axis);
  append_text(all, point.arguments);
  if (point.done()) append_text(all, point.outcome);
  all += ';';
  return hash_of(all);
}

/// The columns that a table of results has: figures only where some point has one.
std::vector<int> columns_with_values(StoreDatabase& database, SQLite::Statement& query) {
  std::vector<int> shown;
  std::vector<int> figures;
  for (int i = 0; i < query.getColumnCount(); ++i) {
    (figure_of(query.getColumnName(i)) == nullptr ? shown : figures).push_back(i);
  }
  while (!figures.empty() && database.step(query)) {
    const auto found =
        std::stable_partition(figures.begin(), figures.end(), [&query](int i) { return query.getColumn(i).isNull(); });
    shown.insert(shown.end(), found, figures.end());
    figures.erase(found, figures.end());
  }
  query.reset();
  std::sort(shown.begin(), shown.end());
  return shown;
}

}  // namespace

StoreDatabase::StoreDatabase(SQLite::Database database, std::string file, bool quiet)
    : file_(std::move(file)), quiet_(quiet), database_(std::move(database)) {
  sqlite3* const handle = database_.getHandle();
  sqlite3_hard_heap_limit64(most_heap);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL}) {
    sqlite3_db_config(handle, off, 0, nullptr);
  }
  static constexpr std::array<std::pair<int, int>, 8> limits{{{SQLITE_LIMIT_LENGTH, most_value},
                                                              {SQLITE_LIMIT_SQL_LENGTH, 1'000'000},
                                                              {SQLITE_LIMIT_EXPR_DEPTH, 200},
                                                              {SQLITE_LIMIT_COMPOUND_SELECT, 2},
                                                              {SQLITE_LIMIT_VDBE_OP, 1'000'000},
                                                              {SQLITE_LIMIT_ATTACHED, 0},
                                                              {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
                                                              {SQLITE_LIMIT_WORKER_THREADS, 0}}};
  for (const auto& [which, most] : limits) sqlite3_limit(handle, which, most);
  constexpr int plain_function = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  sqlite3_create_function(handle, "abs", 1, plain_function, nullptr, absolute_value, nullptr, nullptr);
  limit_steps();
}

void StoreDatabase::limit_steps() {
  sqlite3_progress_handler(database_.getHandle(), steps_between, spend, &allowance_);
  allowance_ = most_steps / steps_between;
}

void StoreDatabase::refuse(const std::string& what, const std::string& hint) const {
  throw InputError(fmt::format("{} {}", ecube::quoted(file_), what)).hint(hint);
}

void StoreDatabase::points(const std::function<void(StoredPoint&)>& take) {
  const auto most = static_cast<std::int64_t>(points_of_study());
  std::int64_t before = -1;
  SQLite::Statement query(database_, "SELECT * FROM points ORDER BY number");
  const auto text = [&query](int column) { return query.getColumn(column).getString(); };
  while (step(query)) {
    StoredPoint point{.number = query.getColumn(0).getInt64(),
                      .id = text(1),
                      .status = text(2),
                      .axis = text(4),
                      .seed = query.getColumn(5).getInt64(),
                      .repetition = query.getColumn(6).getInt64(),
                      .arguments = text(7),
                      .wall_s = query.getColumn(8).getDouble()};
    const int outcome = point.done() ? 9 : 3;
    const int no_outcome = point.done() ? 3 : 9;
    point.outcome = text(outcome);
    // json_extract does not take a blob of the same bytes for text.
    bool types = query.getColumn(8).isFloat() && query.getColumn(5).isInteger() && query.getColumn(6).isInteger();
    for (const int column : {1, 2, 3, 4, 7, 9, 10}) {
      types = types && (query.getColumn(column).isText() || query.getColumn(column).isNull());
    }
    const bool has_what_it_should = !query.isColumnNull(outcome) && query.isColumnNull(no_outcome);
    const bool whole = types && point.number > before && point.number < most && has_what_it_should &&
                       nested(point.axis) <= most_nested && nested(point.arguments) <= most_nested &&
                       (!point.done() || nested(point.outcome) <= most_nested) && text(10) == checksum(point);
    if (!whole) {
      refuse(fmt::format("is damaged: point {}, id {}, is not what was written", point.number, ecube::quoted(point.id)),
             fmt::format("take a copy that is whole; or have the point run again: sqlite3 FILE \"DELETE FROM points "
                         "WHERE number = {}\", then the sweep",
                         point.number));
    }
    before = point.number;
    take(point);
  }
}

void StoreDatabase::put(const StoredPoint& point) {
  if (!put_) {
    // An id that another number has already is an error, so that no point replaces another.
    put_.emplace(database_,
                 "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET"
                 " id = excluded.id, status = excluded.status, error = excluded.error, axis = excluded.axis,"
                 " seed = excluded.seed, repetition = excluded.repetition, arguments = excluded.arguments,"
                 " wall_s = excluded.wall_s, result = excluded.result, checksum = excluded.checksum");
  }
  SQLite::Statement& insert = *put_;
  insert.reset();
  insert.clearBindings();
  SQLite::bind(insert, point.number, point.id, point.status, point.outcome, point.axis, point.seed, point.repetition,
               point.arguments, point.wall_s, point.outcome, checksum(point));
  insert.bind(point.done() ? 4 : 10);  // NULL
  step(insert);
}

void StoreReader::results(const std::function<void(const std::vector<std::string>&)>& columns,
                          const std::function<void(const std::vector<Json>&)>& row) {
  const std::vector<DerivedColumn> derived = parse_derived(meta("study_text"), file());
  const std::string query_text = results_query(axes(), derived) + " ORDER BY number";
  try {
    SQLite::Statement query(sql(), query_text);
    const std::vector<int> shown = columns_with_values(*this, query);
    std::vector<std::string> names;
    for (const int i : shown) names.emplace_back(query.getColumnName(i));
    columns(names);
    std::vector<Json> values(names.size());
    while (step(query)) {
      std::transform(shown.begin(), shown.end(), values.begin(), [&](int i) { return value_of(query.getColumn(i)); });
      row(values);
    }
  } catch (const SQLite::Exception& problem) {
    throw InputError(fmt::format("the results of {} cannot be worked out: {}", ecube::quoted(file()), problem.what()))
        .hint("is the value of a derived column too large?");
  }
}

}  // namespace ecube
