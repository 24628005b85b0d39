// SPDX-License-Identifier: Apache-2.0
// A store while a study runs.
#include "testbench/sweep/store/store.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "testbench/machine/machine_file.h"
#include "testbench/text/text_hash.h"
#include "testbench/version.h"

namespace ecube {

namespace {

nlohmann::ordered_json number_json(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (std::abs(number) < exact && number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

std::string axis_text(const StudyPoint& point, const std::vector<AxisScale>& scales) {
  nlohmann::ordered_json axis = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < point.axis.size(); ++i) {
    const std::string& text = point.axis[i].value;
    const std::optional<ScaledValue> number = scales[i].numeric ? scaled(text) : std::nullopt;
    axis[point.axis[i].key] = number ? number_json(number->number) : nlohmann::ordered_json(text);
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

}  // namespace

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

void check_columns(const Study& study) { (void)results_query(axis_scales(study), study.derived); }

Store::Store(const std::string& directory, const Study& study, bool quiet) try : scales_(axis_scales(study)) {
  check_columns(study);
  lock_.emplace(directory);
  const std::string file = directory + "/results.sqlite";
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
    throw InputError(fmt::format("{} has the results of ecube {}, and this is {}", ecube::quoted(file),
                                 ecube::quoted(version), program_version))
        .hint("other versions may take other cycles; give another directory with -o");
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
  lock_->keep();
} catch (const SQLite::Exception& problem) {
  throw unreadable(directory + "/results.sqlite", problem);
}

void Store::add(const StudyPoint& point, const PointResult& result) {
  added_.push_back({.number = static_cast<std::int64_t>(point.number),
                    .id = point.id,
                    .status = result.done ? "done" : "failed",
                    .axis = axis_text(point, scales_),
                    .seed = static_cast<std::int64_t>(point.seed),
                    .repetition = point.repetition,
                    .arguments = nlohmann::ordered_json(point.arguments).dump(),
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

}  // namespace ecube
