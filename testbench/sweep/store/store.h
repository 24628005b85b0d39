// SPDX-License-Identifier: Apache-2.0
// Results of a study, in SQLite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbench/sweep/store/store_database.h"

namespace ecube {

struct PointResult {
  bool done = false;  ///< else failed
  double wall_s = 0;
  std::string outcome{};  ///< the JSON object of the run; of a failed point its error
};

/// A study's directory while results are added: results.sqlite in it, study.toml, and a lock that one process holds.
///
/// Tables: meta(key, value); axes(place, key, unit, numeric); points(number, id, status, error, axis, seed, repetition,
/// arguments, wall_s, result, checksum), a row for each point that has ended, axis, arguments and result as JSON. View
/// results, for other programs: a row for each point that is done, with a column for each axis, for each figure of
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
void check_columns(const Study& study);

[[nodiscard]] std::string study_hash(const Study& study);

}  // namespace ecube
