// SPDX-License-Identifier: Apache-2.0
// A store that is read.
#include <fmt/core.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "testbench/sweep/store/results_view.h"
#include "testbench/sweep/store/store.h"
#include "testbench/sweep/store/store_database.h"
#include "testbench/sweep/store/store_file.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

Json value_of(const SQLite::Column& column) {
  if (column.isNull()) return nullptr;
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

/// The rows of results, one after the other.
class ResultRows {
 public:
  ResultRows(StoreDatabase& database, const std::vector<AxisScale>& axes, const std::vector<DerivedColumn>& derived)
      : database_(database), axes_(axes), derived_(derived), whole_(database.sql(), text(derived)) {
    whole_.bind(1, after_);
  }
  ~ResultRows() {
    if (missing_ > 0) fmt::print(stderr, "note: {} without a value: {}\n", counted(missing_, "derived field"), first_);
  }
  ResultRows(const ResultRows&) = delete;
  ResultRows& operator=(const ResultRows&) = delete;

  [[nodiscard]] std::vector<std::string> names() {
    std::vector<std::string> names;
    for (int i = 0; i < whole_.getColumnCount(); ++i) names.emplace_back(whole_.getColumnName(i));
    return names;
  }
  /// False behind the last row.
  [[nodiscard]] bool next(std::vector<Json>& values) {
    values.clear();
    try {
      if (!database_.step(whole_)) return false;
      for (int i = 0; i < whole_.getColumnCount(); ++i) values.push_back(value_of(whole_.getColumn(i)));
    } catch (const SQLite::Exception& problem) {
      if (!is_of_a_value(problem)) throw;
      read_by_columns(values);
    }
    after_ = values[0].get<std::int64_t>();
    return true;
  }

 private:
  /// Whether SQLite could not work out a value, as abs() of the smallest number; it then gives no row.
  static bool is_of_a_value(const SQLite::Exception& problem) {
    return problem.getErrorCode() == SQLITE_ERROR || problem.getErrorCode() == SQLITE_TOOBIG;
  }
  [[nodiscard]] std::string text(const std::vector<DerivedColumn>& derived) const {
    return results_query(axes_, derived) + " WHERE number > ? ORDER BY number";
  }

  /// The next row, each derived value by itself: NULL, as 1/0 is, where it cannot be worked out.
  void read_by_columns(std::vector<Json>& values) {
    if (!plain_) {
      plain_.emplace(database_.sql(), text({}));
      for (const DerivedColumn& column : derived_) {
        by_column_.push_back(std::make_unique<SQLite::Statement>(database_.sql(), text({column})));
      }
    }
    begin(*plain_);
    (void)database_.step(*plain_);
    for (int i = 0; i < plain_->getColumnCount(); ++i) values.push_back(value_of(plain_->getColumn(i)));
    for (std::size_t i = 0; i < derived_.size(); ++i) {
      values.emplace_back(nullptr);
      try {
        begin(*by_column_[i]);
        (void)database_.step(*by_column_[i]);
        values.back() = value_of(by_column_[i]->getColumn(plain_->getColumnCount()));
      } catch (const SQLite::Exception& problem) {
        if (!is_of_a_value(problem)) throw;
        if (missing_++ == 0) {
          first_ = fmt::format("{} at point {}, {}", ecube::quoted(derived_[i].name), values[0].get<std::int64_t>(),
                               problem.what());
        }
      }
    }
    after_ = values[0].get<std::int64_t>();
    begin(whole_);
  }
  /// A statement that has failed reports its failure once more when it is reset.
  void begin(SQLite::Statement& statement) const {
    (void)statement.tryReset();
    statement.bind(1, after_);
  }

  StoreDatabase& database_;
  const std::vector<AxisScale>& axes_;
  const std::vector<DerivedColumn>& derived_;
  std::int64_t after_ = -1;
  SQLite::Statement whole_;
  std::optional<SQLite::Statement> plain_;
  std::vector<std::unique_ptr<SQLite::Statement>> by_column_;
  std::uint64_t missing_ = 0;
  std::string first_;
};

}  // namespace

StoreReader::StoreReader(const std::string& path) : file_(store_file(path)) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file_, error) || !has_store(file_)) {
    throw ErrorText(fmt::format("there is no store {}", ecube::quoted(file_)))
        .hint("ecube sweep STUDY.toml -o DIR makes one, DIR/results.sqlite")
        .error();
  }
  try {
    database_ = std::make_unique<StoreDatabase>(file_, StoreDatabase::Access::read);
    database_->check();
    database_->only_read();
  } catch (const SQLite::Exception& problem) {
    throw unreadable(file_, problem);
  }
}

StoreReader::~StoreReader() = default;

std::string StoreReader::meta(const std::string& key) { return database_->meta(key); }
std::vector<AxisScale> StoreReader::axes() { return database_->axes(); }

std::uint64_t StoreReader::count(const std::string& status) {
  return status == "done" ? database_->done() : database_->failed();
}

void StoreReader::ended(std::vector<bool>& points, bool again) { database_->mark_ended(points, again); }

void StoreReader::results(const std::function<void(const std::vector<std::string>&)>& columns,
                          const std::function<void(const std::vector<Json>&)>& row) {
  const std::vector<DerivedColumn> derived = parse_derived(meta("study_text"), file_);
  const std::vector<AxisScale> axes_of_study = axes();
  try {
    ResultRows rows(*database_, axes_of_study, derived);
    columns(rows.names());
    std::vector<Json> values;
    while (rows.next(values)) row(values);
  } catch (const SQLite::Exception& problem) {
    throw ErrorText(fmt::format("the results of {} cannot be worked out: {}", ecube::quoted(file_), problem.what()))
        .hint("does a derived column take too many steps, or too much memory?")
        .error();
  }
}

void StoreReader::failures(std::size_t most, const std::function<void(const Json&)>& take) {
  std::size_t taken = 0;
  database_->points([&](const StoredPoint& point) {
    if (point.done() || taken == most) return;
    ++taken;
    take({{"number", point.number}, {"axis", database_->json(point.axis)}, {"error", *point.error}});
  });
}

void StoreReader::points(const std::function<void(const Json&)>& take) {
  database_->points([&](const StoredPoint& point) {
    Json json = {{"number", point.number},
                 {"id", point.id},
                 {"status", point.status},
                 {"axis", database_->json(point.axis)},
                 {"seed", point.seed},
                 {"repetition", point.repetition},
                 {"arguments", database_->json(point.arguments)},
                 {"wall_s", point.wall_s}};
    if (point.error) json["error"] = *point.error;
    if (point.result) json["result"] = database_->json(*point.result);
    take(json);
  });
}

}  // namespace ecube
