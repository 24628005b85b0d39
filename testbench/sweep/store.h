// SPDX-License-Identifier: Apache-2.0
// Results of a study, in SQLite.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testbench/sweep/study.h"

namespace ecube {

/// Of the tables; a store of another one is refused.
inline constexpr int store_schema = 1;

/// What became of a point.
struct PointResult {
  std::uint64_t number = 0;
  std::string id{};
  bool done = false;    ///< else failed
  std::string error{};  ///< of a failed one
  double wall_s = 0;
  nlohmann::ordered_json result{};  ///< the JSON object of the run; null when failed
};

/// A study's directory: results.sqlite in it (write-ahead log), study.toml, and a lock that one manager holds.
///
/// Tables: meta(key, value); points(number, id, status, error, axis, seed, repetition, arguments, wall_s, result), a
/// row for each point that has ended, axis, arguments and result as JSON. View results: a row for each point that is
/// done, with a column for each axis, for what is asked most often, and for each derived column.
class Store {
 public:
  /// Opens the store of a study in `directory`, made when it is not there. InputError when another manager has it, it
  /// is of another schema or of another study, or cannot be made.
  Store(const std::string& directory, const Study& study);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// [number]: whether the point has ended; failed ones count as ended unless `again`.
  [[nodiscard]] std::vector<bool> ended(std::uint64_t points, bool again);
  /// Adds or replaces a point's row. Rows are on disk after commit().
  void add(const StudyPoint& point, const PointResult& result);
  void commit();

  [[nodiscard]] std::uint64_t done();
  [[nodiscard]] std::uint64_t failed();
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  void make(const Study& study);
  void make_view(const Study& study);

  std::string file_;
  int lock_ = -1;
  std::unique_ptr<SQLite::Database> database_;
  bool open_ = false;  ///< a transaction
};

/// Hash of what determines the points of a study.
[[nodiscard]] std::string study_hash(const Study& study);

}  // namespace ecube
