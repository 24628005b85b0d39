// SPDX-License-Identifier: Apache-2.0
// Results of a study, in SQLite. Its directory and the file in it, on any file system: how they are locked, opened,
// copied, made and merged, the tables, and how a file from a stranger is read safely. The columns of results: values of
// axes as numbers in one unit, figures, and derived columns with what their expressions may contain.
#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <SQLiteCpp/VariadicBind.h>

#include <array>

#include "testbench/sweep/study.h"
#include "testbench/system/open_files.h"
#include "testbench/text/json_text.h"

namespace ecube {

class ProgressLine;

/// A key of an axis, and the kind of its column: numbers in a unit, plain numbers (unit empty), or text.
struct AxisScale {
  std::string key;
  bool numeric = false;
  std::string unit{};  ///< cycles, us, B, MHz, MB/s, cycles/byte, us/byte, cycles/item, us/item
  friend bool operator==(const AxisScale&, const AxisScale&) = default;
};

/// A number without a unit, or with one that is converted to the unit of its kind: "95 us" and "0.095 ms" are 95 us.
struct ScaledValue {
  double number = 0;
  std::string_view unit;
};
[[nodiscard]] std::optional<ScaledValue> scaled(std::string_view text);

/// The scales of all keys, in the order of the axes. A key is numeric when all its values are, in one unit.
[[nodiscard]] std::vector<AxisScale> axis_scales(const Study& study);

inline constexpr std::array<std::string_view, 38> derived_functions{
    "abs",   "acos",  "asin",   "atan",   "atan2",  "ceil",   "ceiling", "coalesce", "cos",   "cosh",
    "exp",   "floor", "ifnull", "iif",    "instr",  "length", "ln",      "log",      "log10", "log2",
    "lower", "max",   "min",    "mod",    "nullif", "pi",     "pow",     "power",    "round", "sign",
    "sin",   "sinh",  "sqrt",   "substr", "tan",    "tanh",   "trunc",   "upper"};

/// InputError, with the place, unless every derived column has a name of its own and is one expression of `columns`,
/// numbers, texts, operators and derived_functions. Such an expression reads its own row and nothing else, cannot end
/// the surrounding SQL, and takes a bounded number of steps. Studies and stores may come from strangers: SQLite
/// compiles every expression under an authorizer first, in a database of one table with no rows.
void check_derived(const std::vector<DerivedColumn>& derived, const std::vector<std::string>& columns);

[[nodiscard]] std::vector<std::string> result_columns(const std::vector<AxisScale>& axes);

/// The query that gives the rows. InputError when a derived column is not one harmless expression of the others.
[[nodiscard]] std::string results_query(const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived);

/// The version of the tables; a store of another version is refused.
inline constexpr int store_schema = 2;

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
  std::string status{};  ///< done or failed
  std::string axis{};    ///< JSON: value by key
  std::int64_t seed = 0;
  std::int64_t repetition = 0;
  std::string arguments{};  ///< JSON
  double wall_s = 0;
  std::string outcome{};  ///< JSON, the result of a done one; else the error

  [[nodiscard]] bool done() const { return status == "done"; }
};

/// A connection to a store. The file may come from a stranger: nothing in it is executed. Views and triggers are
/// switched off, the schema is not trusted, statements have limits on steps, memory and the size of values, and check()
/// accepts exactly the three tables that make_tables() makes. Errors of SQLite are SQLite::Exceptions; unreadable()
/// turns them into InputErrors.
class StoreDatabase {
 public:
  /// `file` names the store in errors.
  explicit StoreDatabase(SQLite::Database database, std::string file = {}, bool quiet = false);
  StoreDatabase(StoreDatabase&&) = delete;  // nor copied

  [[nodiscard]] SQLite::Database& sql() { return database_; }
  bool step(SQLite::Statement& statement) {
    allowance_ = most_steps / steps_between;
    return statement.executeStep();
  }

  /// Called before the first change of a file that check() has accepted. Network file systems do not support a
  /// write-ahead log, which earlier versions left behind when they were ended.
  void begin_changes() { database_.exec("PRAGMA journal_mode = DELETE"); }

  void make_tables(const std::vector<std::pair<std::string, std::string>>& meta, const std::vector<AxisScale>& axes) {
    for (const StoreTable& table : store_tables) database_.exec(std::string(table.statement));
    set_meta("schema", std::to_string(store_schema));
    for (const auto& [key, value] : meta) set_meta(key, value);
    for (std::size_t place = 0; place < axes.size(); ++place) {
      SQLite::Statement insert(database_, "INSERT INTO axes VALUES (?, ?, ?, ?)");
      SQLite::bind(insert, static_cast<std::int64_t>(place), axes[place].key, axes[place].unit,
                   axes[place].numeric ? 1 : 0);
      step(insert);
    }
  }
  /// The points by their ids; the tables go.
  [[nodiscard]] std::map<std::string, StoredPoint> remove_points() {
    std::map<std::string, StoredPoint> all;
    points([&all](StoredPoint& point) { std::swap(all[point.id], point); });
    put_.reset();
    database_.exec("DROP VIEW IF EXISTS results");
    for (const StoreTable& table : store_tables) database_.exec("DROP TABLE " + std::string(table.name));
    return all;
  }
  [[nodiscard]] bool has_study_text(const std::string& text) {
    SQLite::Statement query(database_, "SELECT sql FROM sqlite_master WHERE name = 'results'");
    return step(query) && query.getColumn(0).getString() == view_of(text) && meta("study_text") == text;
  }
  void set_study_text(const std::string& text) {
    const std::string view = view_of(text);
    database_.exec("DROP VIEW IF EXISTS results");
    database_.exec(view);
    set_meta("study_text", text);
    set_meta("checksum", checksum_of_meta());
  }
  /// InputError when the file is no store, is of another schema, or has objects that no store has; also when pages,
  /// meta, axes or a point are damaged, and the message names the damaged part. Reads the whole file, with progress.
  void check();

  [[nodiscard]] const std::string& file() const { return file_; }
  /// The value of a key, empty when there is none: schema, study, study_hash, study_text, points, program_version.
  [[nodiscard]] std::string meta(const std::string& key) {
    SQLite::Statement query(database_, "SELECT value FROM meta WHERE key = ?");
    query.bind(1, key);
    return step(query) ? query.getColumn(0).getString() : std::string();
  }
  [[nodiscard]] std::vector<AxisScale> axes() {
    std::vector<AxisScale> result;
    SQLite::Statement query(database_, "SELECT key, numeric, unit FROM axes ORDER BY place");
    while (step(query)) {
      result.push_back(
          {query.getColumn(0).getString(), query.getColumn(1).getInt() != 0, query.getColumn(2).getString()});
    }
    return result;
  }
  [[nodiscard]] std::uint64_t points_of_study();
  void points(const std::function<void(StoredPoint&)>& take);
  [[nodiscard]] std::uint64_t count(const std::string& status) {
    SQLite::Statement query(database_, "SELECT count(*) FROM points WHERE status = ?");
    query.bind(1, status);
    step(query);
    return static_cast<std::uint64_t>(query.getColumn(0).getInt64());
  }
  /// Sets in [number] the points that have ended; failed ones count as ended unless `again`.
  void mark_ended(std::vector<bool>& points, bool again) {
    SQLite::Statement query(database_,
                            again ? "SELECT number FROM points WHERE status = 'done'" : "SELECT number FROM points");
    while (step(query)) {
      const auto number = static_cast<std::uint64_t>(query.getColumn(0).getInt64());
      if (number < points.size()) points[number] = true;
    }
  }
  [[nodiscard]] Json json(const std::string& text) const {
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) refuse("is damaged: the result of a point is not JSON", "take a copy that is whole");
    return value;
  }
  [[nodiscard]] Json json(const StoredPoint& point) const {
    Json told = {{"number", point.number},
                 {"id", point.id},
                 {"status", point.status},
                 {"axis", json(point.axis)},
                 {"seed", point.seed},
                 {"repetition", point.repetition},
                 {"arguments", json(point.arguments)},
                 {"wall_s", point.wall_s}};
    told[point.done() ? "result" : "error"] = point.done() ? json(point.outcome) : Json(point.outcome);
    return told;
  }
  void put(const StoredPoint& point);
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const;

 private:
  static constexpr std::uint64_t most_steps = 100'000'000;  ///< of SQLite, for one row
  static constexpr int steps_between = 10'000;              ///< from one call of its handler to the next

  void check_meta_table();
  void check_tables();
  void limit_steps();
  void check_pages(ProgressLine& line);
  void check_meta();
  [[nodiscard]] std::string checksum_of_meta();
  [[nodiscard]] std::string view_of(const std::string& text) {
    return "CREATE VIEW results AS " + results_query(axes(), parse_derived(text, "study.toml"));
  }
  void set_meta(const std::string& key, const std::string& value) {
    SQLite::Statement insert(database_, "INSERT OR REPLACE INTO meta VALUES (?, ?)");
    SQLite::bind(insert, key, value);
    step(insert);
  }

  std::string file_;
  bool quiet_ = false;
  std::uint64_t allowance_ = 0;
  SQLite::Database database_;
  std::optional<SQLite::Statement> put_;
};

/// A copy of a store, which another process may be writing: all reads see the store as it was at the beginning. The
/// file may come from a stranger: none of its views or SQL is executed, and the columns of results are made from the
/// study's text. Statements may only SELECT from the tables and call the functions of derived columns.
class StoreReader : public StoreDatabase {
 public:
  /// `path`: results.sqlite or its directory. InputError when there is none, or it is damaged or of another schema.
  explicit StoreReader(const std::string& path, bool quiet = false);

  /// The names of the columns, then each row, as JSON numbers, texts or null. Figures that no point has have no column.
  /// InputError when a derived column is not a valid expression, or its value is too large.
  void results(const std::function<void(const std::vector<std::string>&)>& columns,
               const std::function<void(const std::vector<Json>&)>& row);
};

/// Holds a directory for one process, until the process ends in whatever way; makes the directory if there is none.
/// Where the file system has no locks, a note on standard error says so. Unless keep() is called, the destructor
/// removes the directories, lock and study.toml that did not exist before.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  void keep() { made_.clear(); }

 private:
  std::optional<FileLock> lock_;
  std::vector<std::string> made_;  ///< files and directories that were not there, the innermost first
};

/// Makes an empty file if there is none. InputError for a symbolic link, or a journal that names other files.
[[nodiscard]] SQLite::Database open_store(const std::string& file);

/// False when there is no file, or one without tables: what a process leaves that is ended at its beginning.
[[nodiscard]] bool has_store(const std::string& file);

/// What is wrong with a store's file. std::runtime_error instead where the disk is to blame.
[[nodiscard]] InputError unreadable(const std::string& file, const SQLite::Exception& problem);

struct PointResult {
  bool done = false;  ///< else failed
  double wall_s = 0;
  std::string outcome{};  ///< the JSON object of the run; of a failed point its error
};

/// A study's directory while results are added: results.sqlite in it, study.toml, and a lock that one process holds.
///
/// The tables are store_tables; points has a row for each point that has ended, axis, arguments and result as JSON.
/// View results, for other programs: a row for each point that is done, with a column for each axis, for each figure of
/// testbench/run/figures.h, and for each derived column.
class Store {
 public:
  /// Opens the store of a study, and makes it if there is none. InputError when another process holds it, when it is of
  /// another schema or study, damaged or no store, or cannot be made; then nothing is left behind.
  Store(const std::string& directory, const Study& study, bool quiet = false);

  /// With what has been put on the disk.
  [[nodiscard]] StoreDatabase& database() { return *database_; }
  void add(const StudyPoint& point, const PointResult& result);
  /// Puts the added rows on the disk. False when another program is reading the file, or writing; they stay in memory.
  [[nodiscard]] bool commit();

 private:
  std::vector<AxisScale> scales_;
  std::optional<DirectoryLock> lock_;
  std::optional<StoreDatabase> database_;
  std::vector<StoredPoint> added_;
};

struct MergeOutcome {
  std::uint64_t points = 0;       ///< of the study
  std::uint64_t done = 0;         ///< in the merged store
  std::uint64_t failed = 0;       ///< likewise
  std::uint64_t disagreeing = 0;  ///< points that two stores have with different cycles
};

/// Adds the ended points of the stores `from` to the store in `directory`, in one transaction, or makes that store
/// whole if there is none. Done points replace failed ones; no done point is replaced. Only the tables of the stores
/// `from` are read; the view is made from the study's text. InputError when a store is of another study or schema,
/// damaged or no store: all stores are read before the first change, so nothing is left behind.
[[nodiscard]] MergeOutcome merge_stores(const std::string& directory, const std::vector<std::string>& from,
                                        bool quiet = false);

/// InputError when a derived column is no expression of the others, or has the name of one. Writes nothing.
inline void check_columns(const Study& study) { (void)results_query(axis_scales(study), study.derived); }

[[nodiscard]] std::string study_hash(const Study& study);

}  // namespace ecube
