// SPDX-License-Identifier: Apache-2.0
// Several stores into one.
#include <fmt/core.h>

#include "testbench/run/progress_line.h"
#include "testbench/sweep/store/store.h"

namespace ecube {

namespace {

struct FirstStore {
  std::vector<std::pair<std::string, std::string>> meta{};
  std::vector<AxisScale> axes{};
  std::string text{};
  std::uint64_t points = 0;  ///< of all of the stores
};

/// Reads every row of all stores. InputError when one is damaged or no store, or when they are of different studies.
FirstStore check(const std::vector<std::string>& from, bool quiet) {
  FirstStore origin;
  CountProgress progress(from.size(), "stores read", quiet);
  for (const std::string& source : from) {
    progress.next();
    StoreReader reader(source, quiet);
    FirstStore own{.axes = reader.axes(), .text = reader.meta("study_text")};
    for (const char* const key : {"study", "study_hash", "points", "program_version"}) {
      own.meta.emplace_back(key, reader.meta(key));
    }
    if (origin.meta.empty()) {
      reader.results([](const auto&) {}, [](const auto&) {});
      origin = std::move(own);
    } else if (own.meta[1] != origin.meta[1] || own.axes != origin.axes) {
      throw InputError(
          fmt::format("{} and {} are of different studies", ecube::quoted(from.front()), ecube::quoted(source)))
          .hint("merge shards of one study, all of them made before it was changed, or all after");
    }
    origin.points += reader.count("done") + reader.count("failed");
    reader.points([&reader](const StoredPoint& point) { (void)reader.json(point); });
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
    if (point.done()) query.bind(2, point.outcome);
    const bool there = merged.step(query);
    const bool done = there && query.getColumn(0).getString() == "done";
    if (done && point.done() && query.getColumn(1).getInt() != 0) ++disagreeing;
    if (!there || (!done && point.done())) merged.put(point);
  });
  return disagreeing;
}

}  // namespace

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
      StoreDatabase database(open_store(file), file, quiet);
      database.check();
      if (database.meta("study_hash") != origin.meta[1].second) {
        throw InputError(fmt::format("{} has the results of another study than {}", ecube::quoted(file),
                                     ecube::quoted(from.front())))
            .hint("give another directory");
      }
      database.begin_changes();
      SQLite::Transaction whole(database.sql());
      fill(database);
      whole.commit();
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
