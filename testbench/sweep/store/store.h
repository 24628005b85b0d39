// SPDX-License-Identifier: Apache-2.0
// Results of a study, in SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "testbench/sweep/store/result_columns.h"
#include "testbench/sweep/study.h"

namespace ecube {

class DirectoryLock;
class StoreDatabase;
struct StoredPoint;

/// The version of the tables; a store of another version is refused.
inline constexpr int store_schema = 2;

struct PointResult {
  bool done = false;    ///< else failed
  std::string error{};  ///< of a failed point
  double wall_s = 0;
  std::string result{};  ///< the JSON object of the run; empty when failed
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
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Sets in [number] the points that have ended; failed ones count as ended unless `again`.
  void ended(std::vector<bool>& points, bool again);
  void add(const StudyPoint& point, const PointResult& result);
  /// Puts the added rows on the disk. False when another program is reading the file, or writing; they stay in memory.
  [[nodiscard]] bool commit();

  [[nodiscard]] std::uint64_t done();
  [[nodiscard]] std::uint64_t failed();
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  void open(const Study& study, bool quiet);
  void make_tables(StoreDatabase& database, const Study& study) const;
  [[nodiscard]] bool has_all_points(const Study& study);
  void grow(const Study& study);
  [[nodiscard]] std::string axis_text(const StudyPoint& point) const;

  std::string directory_;
  std::string file_;
  std::vector<AxisScale> scales_;
  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<StoreDatabase> database_;
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
