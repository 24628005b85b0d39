// SPDX-License-Identifier: Apache-2.0
// How far a command is, on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "testbench/system/process.h"

namespace ecube {

/// One redrawn line on a terminal, as wide as the terminal; elsewhere a line now and then.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// True when it is time for another line: 0.2 s after the last time on a terminal, where a step is shown at once,
  /// else 10 s.
  [[nodiscard]] bool due(bool step = false) const;
  void show(std::string text);
  void clear();
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

/// What a command does one after the other: so many things that are counted, or steps, which have names.
class CountProgress {
 public:
  CountProgress(std::uint64_t all, std::string_view what, bool quiet) : all_(all), what_(what), line_(quiet) {}

  /// The next one begins. Throws Interrupted instead when a signal has come.
  void next(std::string_view step = {});
  void clear() { line_.clear(); }

 private:
  Interruptible interruptible_;
  std::uint64_t begun_ = 0;
  std::uint64_t all_;
  std::string what_;
  ProgressLine line_;
};

}  // namespace ecube
