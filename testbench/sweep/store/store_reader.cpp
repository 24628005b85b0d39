// SPDX-License-Identifier: Apache-2.0
// Reading a store, and several into one.
#include "testbench/sweep/store/store_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "testbench/run/figures.h"
#include "testbench/run/progress_line.h"
#include "testbench/sweep/store/derived_columns.h"
#include "testbench/sweep/store/store.h"
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

std::string existing_store(const std::string& path) {
  std::string file = store_file(path);
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error) && has_store(file)) return file;
  throw InputError(fmt::format("there is no store {}", ecube::quoted(file)))
      .hint("ecube sweep STUDY.toml -o DIR makes one, DIR/results.sqlite");
}

struct FirstStore {
  std::vector<std::pair<std::string, std::string>> meta{};
  std::vector<AxisScale> axes{};
  std::string text{};
  std::uint64_t points = 0;  ///< of all of the stores
};

FirstStore origin_of(StoreReader& first) {
  FirstStore origin{.axes = first.axes(), .text = first.meta("study_text")};
  for (const char* const key : {"study", "study_hash", "points", "program_version"}) {
    origin.meta.emplace_back(key, first.meta(key));
  }
  return origin;
}

/// Reads every row of all stores. InputError when one is damaged or no store, or when they are of different studies.
FirstStore check(const std::vector<std::string>& from, bool quiet) {
  FirstStore origin;
  CountProgress progress(from.size(), "stores read", quiet);
  for (const std::string& source : from) {
    progress.next();
    StoreReader reader(source, quiet);
    FirstStore own = origin_of(reader);
    if (origin.meta.empty()) {
      reader.results([](const auto&) {}, [](const auto&) {});
      origin = std::move(own);
    } else if (reader.meta("study_hash") != origin.meta[1].second || own.axes != origin.axes) {
      throw InputError(
          fmt::format("{} and {} are of different studies", ecube::quoted(from.front()), ecube::quoted(source)))
          .hint("merge shards of one study, all of them made before it was changed, or all after");
    }
    origin.points += reader.count("done") + reader.count("failed");
    reader.StoreDatabase::points([&reader](const StoredPoint& point) {
      for (const std::string* const text : {&point.axis, &point.arguments, point.result ? &*point.result : nullptr}) {
        if (text != nullptr) (void)reader.json(*text);
      }
    });
  }
  return origin;
}

std::uint64_t add(StoreDatabase& merged, StoreDatabase& other, CountProgress& progress) {
  std::uint64_t disagreeing = 0;
  SQLite::Statement query(merged.sql(),
                          "SELECT status, json_extract(result, '$.measured.cycles') IS NOT"
                          " json_extract(?2, '$.measured.cycles') FROM points WHERE number = ?1");
  other.points([&](const StoredPoint& point) {
    progress.next();
    query.reset();
    query.clearBindings();
    query.bind(1, point.number);
    if (point.result) query.bind(2, *point.result);
    const bool there = merged.step(query);
    const bool done = there && query.getColumn(0).getString() == "done";
    if (done && point.done() && query.getColumn(1).getInt() != 0) ++disagreeing;
    if (!there || (!done && point.done())) merged.put(point);
  });
  return disagreeing;
}

void change_store(const std::string& file, const FirstStore& origin, const std::string& first,
                  const std::function<void(StoreDatabase&)>& fill, bool quiet) {
  StoreDatabase database(file, StoreDatabase::Access::write, quiet);
  database.check();
  if (database.meta("study_hash") != origin.meta[1].second) {
    throw InputError(
        fmt::format("{} has the results of another study than {}", ecube::quoted(file), ecube::quoted(first)))
        .hint("give another directory");
  }
  database.begin_changes();
  SQLite::Transaction whole(database.sql());
  fill(database);
  whole.commit();
}

}  // namespace

StoreReader::StoreReader(const std::string& path, bool quiet) try
    : StoreDatabase(existing_store(path), Access::read, quiet) {
  check();
  only_read();
} catch (const SQLite::Exception& problem) {
  throw unreadable(store_file(path), problem);
}

std::vector<int> StoreReader::columns_with_values(SQLite::Statement& query) {
  std::vector<int> shown;
  std::vector<int> figures;
  for (int i = 0; i < query.getColumnCount(); ++i) {
    (figure_of(query.getColumnName(i)) == nullptr ? shown : figures).push_back(i);
  }
  while (!figures.empty() && step(query)) {
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
  const std::vector<DerivedColumn> derived = parse_derived(meta("study_text"), file());
  const std::string query_text = results_query(axes(), derived) + " ORDER BY number";
  try {
    SQLite::Statement query(sql(), query_text);
    const std::vector<int> shown = columns_with_values(query);
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

void StoreReader::failures(std::size_t most, const std::function<void(const Json&)>& take) {
  std::size_t taken = 0;
  StoreDatabase::points([&](const StoredPoint& point) {
    if (point.done() || taken == most) return;
    ++taken;
    take({{"number", point.number}, {"axis", json(point.axis)}, {"error", *point.error}});
  });
}

void StoreReader::points(const std::function<void(const Json&)>& take) {
  StoreDatabase::points([&](const StoredPoint& point) {
    Json told = {{"number", point.number},
                 {"id", point.id},
                 {"status", point.status},
                 {"axis", json(point.axis)},
                 {"seed", point.seed},
                 {"repetition", point.repetition},
                 {"arguments", json(point.arguments)},
                 {"wall_s", point.wall_s}};
    if (point.error) told["error"] = *point.error;
    if (point.result) told["result"] = json(*point.result);
    take(told);
  });
}

MergeOutcome merge_stores(const std::string& directory, const std::vector<std::string>& from, bool quiet) {
  const std::string file = directory + "/results.sqlite";
  const FirstStore origin = check(from, quiet);
  DirectoryLock lock(directory);
  MergeOutcome outcome;
  std::string text;
  const auto fill = [&](StoreDatabase& database) {
    CountProgress progress(origin.points, "points merged", quiet);
    for (const std::string& source : from) {
      StoreReader reader(source, quiet);
      outcome.disagreeing += add(database, reader, progress);
    }
    outcome.points = database.points_of_study();
    outcome.done = database.count("done");
    outcome.failed = database.count("failed");
    text = database.meta("study_text");
  };
  try {
    if (has_store(file)) {
      change_store(file, origin, from.front(), fill, quiet);
    } else {
      make_store(file, [&](StoreDatabase& database) {
        database.make_tables(origin.meta, origin.axes);
        database.set_study_text(origin.text);
        fill(database);
      });
    }
    write_study_text(directory, text);
  } catch (const SQLite::Exception& problem) {
    throw unreadable(file, problem);
  }
  lock.keep();
  return outcome;
}

}  // namespace ecube
