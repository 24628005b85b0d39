// SPDX-License-Identifier: Apache-2.0
// A store that is read.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "testbench/run/figures.h"
#include "testbench/sweep/store/results_view.h"
#include "testbench/sweep/store/store.h"
#include "testbench/sweep/store/store_database.h"
#include "testbench/sweep/store/store_file.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

Json value_of(const SQLite::Column& column) {
  if (column.isNull()) return nullptr;
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

}  // namespace

StoreReader::StoreReader(const std::string& path, bool quiet) : file_(store_file(path)) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file_, error) || !has_store(file_)) {
    throw InputError(fmt::format("there is no store {}", ecube::quoted(file_)))
        .hint("ecube sweep STUDY.toml -o DIR makes one, DIR/results.sqlite");
  }
  try {
    database_ = std::make_unique<StoreDatabase>(file_, StoreDatabase::Access::read, quiet);
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

std::vector<int> StoreReader::columns_with_values(SQLite::Statement& query) {
  std::vector<int> shown;
  std::vector<int> figures;
  for (int i = 0; i < query.getColumnCount(); ++i) {
    (figure_of(query.getColumnName(i)) == nullptr ? shown : figures).push_back(i);
  }
  while (!figures.empty() && database_->step(query)) {
    const auto found =
        std::stable_partition(figures.begin(), figures.end(), [&query](int i) { return query.getColumn(i).isNull(); });
    shown.insert(shown.end(), found, figures.end());
    figures.erase(found, figures.end());
  }
  query.reset();
  std::sort(shown.begin(), shown.end());
  return shown;
}

void StoreReader::results(const std::function<void(const std::vector<std::string>&)>& columns,
                          const std::function<void(const std::vector<Json>&)>& row) {
  const std::vector<DerivedColumn> derived = parse_derived(meta("study_text"), file_);
  const std::string query_text = results_query(axes(), derived) + " ORDER BY number";
  try {
    SQLite::Statement query(database_->sql(), query_text);
    const std::vector<int> shown = columns_with_values(query);
    std::vector<std::string> names;
    for (const int i : shown) names.emplace_back(query.getColumnName(i));
    columns(names);
    std::vector<Json> values(names.size());
    while (database_->step(query)) {
      std::transform(shown.begin(), shown.end(), values.begin(), [&](int i) { return value_of(query.getColumn(i)); });
      row(values);
    }
  } catch (const SQLite::Exception& problem) {
    throw InputError(fmt::format("the results of {} cannot be worked out: {}", ecube::quoted(file_), problem.what()))
        .hint("is the value of a derived column too large?");
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
