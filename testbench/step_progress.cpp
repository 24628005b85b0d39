// SPDX-License-Identifier: Apache-2.0
// One line, redrawn or now and then.
#include "testbench/step_progress.h"

#include <fmt/core.h>
#include <unistd.h>

namespace ecube {

StepProgress::StepProgress(std::size_t steps, bool quiet)
    : steps_(steps), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

void StepProgress::begin(std::string_view name) {
  ++step_;
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}/{} {}  {:.0f} s", step_, steps_, name, seconds);
    std::fflush(stderr);
    line_shown_ = true;
  } else if (now - shown_ >= std::chrono::seconds(10)) {
    fmt::print(stderr, "{}/{} {}  {:.0f} s\n", step_, steps_, name, seconds);
    shown_ = now;
  }
}

void StepProgress::clear() {
  if (line_shown_) fmt::print(stderr, "\r\033[K");
  line_shown_ = false;
}

}  // namespace ecube
