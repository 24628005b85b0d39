// SPDX-License-Identifier: Apache-2.0
// Schedules in GOAL's text: compiled once, and kept.
#pragma once

#include "sw/goal/goal.h"

namespace ecube {

inline constexpr std::uint64_t most_schedule_text = std::uint64_t{4} << 30;

/// What a schedule has of each; the head of a compiled one.
struct GoalCounts {
  std::uint64_t ranks = 0;
  std::uint64_t operations = 0;
  std::uint64_t dependents = 0;
  std::uint64_t messages = 0;
  std::uint64_t other_processors = 0;  ///< operations that name a cpu other than 0
  std::uint64_t interfaces = 0;        ///< operations that name a nic other than 0
};

/// A schedule as its text says it.
struct GoalText {
  GoalCounts counts;
  std::vector<GoalOperation> operations;
  std::vector<std::uint32_t> dependents;
  std::vector<std::uint32_t> first;  ///< [rank], and one more
};

/// Reads a schedule; `where` is its file's name in errors. ContentError, with file and line, for whatever is wrong: a
/// line that is none, a label that is not there, a dependency that closes a cycle, a rank that the file does not have,
/// a message without its partner. Shows progress unless `quiet`; Interrupted when a signal has come.
[[nodiscard]] GoalText parse_goal(const std::string& text, const std::string& where, bool quiet = true);

/// A compiled schedule in memory, which a run changes.
class GoalFile {
 public:
  /// Compiles `file` unless that was done before for the same contents. Errors as of parse_goal() and cache_folder();
  /// InputError also when there is too little memory.
  explicit GoalFile(const std::string& file, bool quiet = true);

  [[nodiscard]] GoalSchedule schedule();
  [[nodiscard]] const GoalCounts& counts() const;
  /// SHA-256 of the file.
  [[nodiscard]] const std::string& hash() const { return hash_; }

 private:
  std::string hash_;
  std::string contents_;
};

}  // namespace ecube
