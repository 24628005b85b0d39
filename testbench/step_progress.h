// SPDX-License-Identifier: Apache-2.0
// Progress of commands that run many experiments, on standard error.
#pragma once

#include <chrono>
#include <string_view>

namespace ecube {

/// Which step of how many a command is at: one redrawn line on a terminal, elsewhere a line when nothing has been said
/// for 10 seconds.
class StepProgress {
 public:
  StepProgress(std::size_t steps, bool quiet);
  ~StepProgress() { clear(); }
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  /// The next step begins.
  void begin(std::string_view name);
  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t steps_;
  std::size_t step_ = 0;
  bool quiet_;
  bool terminal_;
  bool line_shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
};

}  // namespace ecube
