// SPDX-License-Identifier: Apache-2.0
// Making a store in its directory, which one process holds; adding to it while a study runs; several stores into one.
#include "testbench/sweep/store/store.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <set>

#include "testbench/machine/machine_file.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

namespace fs = std::filesystem;

std::string axis_text(const StudyPoint& point, const std::vector<AxisScale>& scales) {
  Json axis = Json::object();
  for (std::size_t i = 0; i < point.axis.size(); ++i) {
    const std::string& text = point.axis[i].value;
    const std::optional<ScaledValue> number = scales[i].numeric ? scaled(text) : std::nullopt;
    Json& value = axis[point.axis[i].key] = text;
    if (!number) continue;
    value = number->number;
    constexpr double exact = 9007199254740992;  // 2^53
    const bool whole = std::abs(number->number) < exact && number->number == std::floor(number->number);
    if (whole) value = static_cast<std::int64_t>(number->number);
  }
  return axis.dump();
}

void make_tables(StoreDatabase& database, const Study& study) {
  database.make_tables({{"study", study.name},
                        {"study_hash", study_hash(study)},
                        {"points", std::to_string(count_points(study))},
                        {"program_version", program_version}},
                       axis_scales(study));
}

bool has_all_points(StoreDatabase& database, const Study& study) {
  std::set<std::string> ids;
  database.points([&ids](const StoredPoint& point) { ids.insert(point.id); });
  if (ids.empty()) return false;
  for_each_point(study, [&ids](const StudyPoint& point) {
    ids.erase(point.id);
    return !ids.empty();
  });
  return ids.empty();
}

/// A study that has grown keeps the points that ran, under their new numbers.
void grow(StoreDatabase& database, const Study& study) {
  std::map<std::string, StoredPoint> earlier = database.remove_points();
  make_tables(database, study);
  const std::vector<AxisScale> scales = axis_scales(study);
  for_each_point(study, [&](const StudyPoint& point) {
    if (const auto found = earlier.find(point.id); found != earlier.end()) {
      StoredPoint& row = found->second;
      row.number = static_cast<std::int64_t>(point.number);
      row.repetition = point.repetition;
      row.axis = axis_text(point, scales);
      database.put(row);
    }
    return true;
  });
}

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
    if (origin.meta.empty()) {
      for (const char* const key : {"study", "study_hash", "points", "program_version"}) {
        origin.meta.emplace_back(key, reader.meta(key));
      }
      origin.axes = reader.axes();
      origin.text = reader.meta("study_text");
      reader.results([](const auto&) {}, [](const auto&) {});
    } else if (reader.meta("study_hash") != origin.meta[1].second || reader.axes() != origin.axes) {
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

void remove_with_journals(const std::string& file) {
  std::error_code ignored;
  for (const char* const ending : {"", "-journal", "-wal", "-shm"}) fs::remove(file + ending, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

void take_away(const std::vector<std::string>& made) {
  std::error_code none;
  for (const std::string& path : made) fs::remove(path, none);
}

/// Makes a store whole or not at all.
void make_store(const std::string& file, const std::function<void(StoreDatabase&)>& fill) {
  const std::string part = file + ".part";
  remove_with_journals(part);
  try {
    StoreDatabase database(open_store(part), part);
    SQLite::Transaction whole(database.sql());
    fill(database);
    whole.commit();
  } catch (...) {
    remove_with_journals(part);
    throw;
  }
  // SQLite would take the journal of an earlier file of this name for one of the new file.
  remove_with_journals(file);
  const OpenDirectory directory(fs::absolute(file).parent_path().string());
  const std::string name = fs::path(file).filename().string();
  directory.move(name + ".part", directory, name);
  directory.sync();
}

/// Replaces the copy of a study beside its store. std::system_error when it cannot be written.
void write_study_text(const std::string& directory, const std::string& text) {
  // Writes a new file and moves it, because study.toml may be a link to another place.
  const std::string aside = ".study.toml";
  const OpenDirectory place(directory);
  place.remove(aside);
  try {
    place.make_file(aside, text);
    place.sync(aside);
    place.move(aside, place, "study.toml");
  } catch (...) {
    place.remove(aside);
    throw;
  }
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) {
  const std::string lock = directory + "/.lock";
  for (fs::path path(directory); !path.empty() && !is_there(path); path = path.parent_path()) {
    made_.push_back(path.string());
  }
  std::error_code error;
  fs::create_directories(directory, error);
  const bool locked = is_there(lock);
  for (;;) {
    lock_.emplace(directory);
    if (lock_->error() != 0) {
      const std::string why = error ? error.message() : std::strerror(lock_->error());
      take_away(made_);
      throw InputError(fmt::format("cannot write into {}: {}", ecube::quoted(directory), why))
          .hint("give a directory that can be made or written with -o");
    }
    const LockState state = lock_->take();
    if (state == LockState::held_by_another) {
      throw InputError(fmt::format("another sweep is running in {}", ecube::quoted(directory)))
          .hint("wait for it, or give another directory with -o; shards of one study have directories of their own");
    }
    if (state == LockState::unavailable) {
      fmt::print(stderr, "note: the file system of {} has no locks: let one sweep at a time write into it\n",
                 ecube::quoted(directory));
    }
    if (lock_->is_at_its_path()) break;
  }
  // Only now: until here another process may have written its own.
  if (!locked) made_.insert(made_.begin(), lock);
  if (std::string study = directory + "/study.toml"; !is_there(study)) made_.insert(made_.begin(), std::move(study));
}

DirectoryLock::~DirectoryLock() { take_away(made_); }

std::string study_hash(const Study& study) {
  std::string text = study.run + "\n";
  for (const Setting& setting : load_machine(study.machine)) text += setting.key + "=" + setting.value + "\n";
  for (const StudyValue& fixed : study.fixed) text += fixed.key + "=" + study.identity_of(fixed) + "\n";
  for (const StudyAxis& axis : study.axes) {
    fmt::format_to(std::back_inserter(text), "axis {}", static_cast<int>(axis.kind));
    for (const std::string& key : axis.keys) text += " " + key;
    for (const auto& place : axis.values) {
      for (std::size_t i = 0; i < place.size(); ++i) text += "\n" + study.identity_of({axis.keys[i], place[i]});
    }
    text += "\n";
  }
  fmt::format_to(std::back_inserter(text), "{} {}\n", study.seed, study.repetitions);
  return digest_of(text);
}

Store::Store(const std::string& directory, const Study& study, bool quiet) : scales_(axis_scales(study)) {
  check_columns(study);
  lock_.emplace(directory);
  const std::string file = directory + "/results.sqlite";
  try {
    if (!has_store(file)) {
      make_store(file, [&](StoreDatabase& made) {
        make_tables(made, study);
        made.set_study_text(study.text);
      });
    }
    database_.emplace(open_store(file), file, quiet);
    database_->check();
    const bool grown = database_->meta("study_hash") != study_hash(study);
    if (grown && !has_all_points(*database_, study)) {
      throw InputError(
          fmt::format("{} has the results of another study, of this one before it was changed, or of an earlier ecube",
                      ecube::quoted(file)))
          .hint("its points have other ids; give another directory with -o. What ran is in its study.toml")
          .hint("a study may grow: values may be added to its axes where all of its earlier points stay");
    }
    if (const std::string version = database_->meta("program_version"); version != program_version) {
      database_->refuse(
          fmt::format("has the results of ecube {}, and this is {}", ecube::quoted(version), program_version),
          "other versions may take other cycles; give another directory with -o");
    }
    database_->begin_changes();
    // Derived columns may have changed since the last sweep; they are no part of the points.
    if (grown || !database_->has_study_text(study.text)) {
      SQLite::Transaction whole(database_->sql());
      if (grown) grow(*database_, study);
      database_->set_study_text(study.text);
      whole.commit();
    }
    constexpr int patience_ms = 100;
    database_->sql().setBusyTimeout(patience_ms);
    write_study_text(directory, study.text);
  } catch (const SQLite::Exception& problem) {
    throw unreadable(file, problem);
  }
  lock_->keep();
}

void Store::add(const StudyPoint& point, const PointResult& result) {
  added_.push_back({.number = static_cast<std::int64_t>(point.number),
                    .id = point.id,
                    .status = result.done ? "done" : "failed",
                    .axis = axis_text(point, scales_),
                    .seed = static_cast<std::int64_t>(point.seed),
                    .repetition = point.repetition,
                    .arguments = Json(point.arguments).dump(),
                    .wall_s = result.wall_s,
                    .outcome = result.outcome});
}

bool Store::commit() {
  if (added_.empty()) return true;
  try {
    SQLite::Transaction whole(database_->sql(), SQLite::TransactionBehavior::IMMEDIATE);
    for (const StoredPoint& point : added_) database_->put(point);
    whole.commit();
  } catch (const SQLite::Exception& problem) {
    if (problem.getErrorCode() == SQLITE_BUSY) return false;
    throw unreadable(database_->file(), problem);
  }
  added_.clear();
  return true;
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
      StoreDatabase database(open_store(file), file, quiet);
      database.check();
      if (database.meta("study_hash") != origin.meta[1].second) {
        database.refuse(fmt::format("has the results of another study than {}", ecube::quoted(from.front())),
                        "give another directory");
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
