// SPDX-License-Identifier: Apache-2.0
// Schedules in GOAL's text: compiled once, kept, and mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sw/goal/goal.h"

namespace ecube {

/// Longer texts of schedules are refused.
inline constexpr std::uint64_t most_schedule_text = std::uint64_t{4} << 30;

/// A schedule as its text says it.
struct GoalText {
  std::vector<GoalOperation> operations;
  std::vector<std::uint32_t> dependents;
  std::vector<std::uint32_t> first;    ///< [rank], and one more
  std::uint64_t other_processors = 0;  ///< operations that name a cpu other than 0
  std::uint64_t interfaces = 0;        ///< operations that name a nic other than 0
};

/// Reads a schedule; `where` is its file's name in errors. ContentError, with file and line, for whatever is wrong: a
/// line that is none, a label that is not there, a dependency that closes a cycle, a rank that the file does not have,
/// a message without its partner. Shows progress unless `quiet`; Interrupted when a signal has come.
[[nodiscard]] GoalText parse_goal(const std::string& text, const std::string& where, bool quiet = true);

/// A compiled schedule, mapped privately: a run's changes stay in memory.
class GoalFile {
 public:
  /// Compiles `file` unless that was done before for the same contents. Errors as of parse_goal(); InputError also when
  /// there is too little memory.
  explicit GoalFile(const std::string& file, bool quiet = true);
  ~GoalFile();
  GoalFile(const GoalFile&) = delete;
  GoalFile& operator=(const GoalFile&) = delete;

  [[nodiscard]] GoalSchedule schedule() const;
  [[nodiscard]] std::uint64_t operations() const;
  [[nodiscard]] std::uint64_t messages() const;
  [[nodiscard]] std::uint64_t other_processors() const;
  [[nodiscard]] std::uint64_t interfaces() const;
  /// Bytes of the compiled file.
  [[nodiscard]] std::uint64_t bytes() const { return size_; }
  /// A hash of the contents.
  [[nodiscard]] const std::string& hash() const { return hash_; }

 private:
  std::string hash_;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ecube
