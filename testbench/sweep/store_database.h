// SPDX-License-Identifier: Apache-2.0
// The SQLite file of a store: its tables, and how it is opened when anybody may have written it.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/error.h"
#include "testbench/sweep/axis_scale.h"
#include "testbench/sweep/study.h"

namespace ecube {

/// A row of the table points.
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

/// 32 hexadecimal digits, a hash of all columns of the row. It finds bits that have changed by accident; whoever
/// changes a row on purpose can work it out as well.
[[nodiscard]] std::string checksum(const StoredPoint& point);

/// A connection to a store. The file may come from a stranger: nothing in it is executed. Views and triggers are
/// switched off, the schema is not trusted, statements have limits on steps, memory and the size of values, and check()
/// accepts the three tables that make_tables() makes and nothing that only looks like them. Errors of SQLite are
/// SQLite::Exceptions; unreadable() turns them into InputErrors.
class StoreDatabase {
 public:
  enum class Access : std::uint8_t { read, write };

  /// Empty tables in memory.
  StoreDatabase();
  /// Opens a file; for writing it is made when it is not there. Reading works in a directory that cannot be written.
  /// InputError for a symbolic link, or a journal that names other files, when it is to be written.
  StoreDatabase(const std::string& file, Access access);
  StoreDatabase(const StoreDatabase&) = delete;
  StoreDatabase& operator=(const StoreDatabase&) = delete;

  [[nodiscard]] SQLite::Database& sql() { return database_; }
  /// Executes the next step of a statement with a new allowance of steps; false at its end.
  bool step(SQLite::Statement& statement);

  /// Changes go to a log beside the file, which readers need not wait for.
  void begin_changes();
  /// Makes it one file again, which can be read from a directory that cannot be written; unless somebody reads it now.
  void end_changes() noexcept;

  /// True for a file that was made by a process that was ended before the tables were there, too.
  [[nodiscard]] bool empty();
  /// Tables and axes of a study, and what the table meta says of it; in a transaction of the caller's.
  void make_tables(const std::vector<std::pair<std::string, std::string>>& meta, const std::vector<AxisScale>& axes);
  /// Sets the study's text, and the view of its results; in a transaction of the caller's.
  void set_study_text(const std::string& text);
  /// InputError when the file is no store, is of another schema, or holds what no store holds; when pages, meta or axes
  /// or a point are damaged, which the message names. Reads the whole file.
  void check();
  /// From now on only SELECT of the tables, and the functions of derived columns.
  void only_read();

  [[nodiscard]] std::string meta(const std::string& key);
  [[nodiscard]] std::vector<AxisScale> axes();
  /// Of those check() has seen.
  [[nodiscard]] std::uint64_t done() const { return done_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  /// Of the study, as meta has it.
  [[nodiscard]] std::uint64_t points_of_study();
  /// All rows in the order of their numbers. InputError for a damaged one.
  void points(const std::function<void(StoredPoint&)>& take);
  /// Rows of a status, now.
  [[nodiscard]] std::uint64_t count(const std::string& status);
  /// Sets in [number] the points that have ended; failed ones count as ended unless `again`.
  void mark_ended(std::vector<bool>& points, bool again);
  /// A text of a row. InputError when it is no JSON.
  [[nodiscard]] nlohmann::ordered_json json(const std::string& text) const;
  /// Adds a row, or replaces that of the same number.
  void put(const StoredPoint& point);

 private:
  StoreDatabase(const std::string& file, int flags);
  void harden();
  void check_meta_table();
  void check_tables();
  void check_pages();
  void check_meta();
  [[nodiscard]] std::string checksum_of_meta();
  void set_meta(const std::string& key, const std::string& value);
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const;

  std::string file_;
  std::uint64_t allowance_ = 0;
  SQLite::Database database_;
  std::optional<SQLite::Statement> put_;
  std::uint64_t done_ = 0;
  std::uint64_t failed_ = 0;
};

[[nodiscard]] InputError unreadable(const std::string& file, const SQLite::Exception& problem);

/// The file in a directory, or the file itself.
[[nodiscard]] std::string store_file(const std::string& path);

}  // namespace ecube
