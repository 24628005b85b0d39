// SPDX-License-Identifier: Apache-2.0
// One line, redrawn or now and then.
#include "testbench/run/progress_line.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "testbench/text/text.h"

namespace ecube {

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

bool ProgressLine::due(bool step) const {
  if (quiet_ || (step && terminal_)) return !quiet_;
  return Clock::now() - last_ >= (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10));
}

void ProgressLine::show(std::string text) {
  if (quiet_) return;
  last_ = Clock::now();
  if (!terminal_) {
    fmt::print(stderr, "{}\n", text);
    return;
  }
  text.resize(std::min<std::size_t>(text.size(), terminal_columns(STDERR_FILENO) - 1));
  fmt::print(stderr, "{}{}", terminal_mark(TerminalAction::begin_line_anew), text);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "{}", terminal_mark(TerminalAction::begin_line_anew));
  shown_ = false;
}

void CountProgress::next(std::string_view step) {
  const bool named = !step.empty();
  const auto number = [named](std::uint64_t count) { return named ? std::to_string(count) : grouped(count); };
  if (interrupt_wanted()) {
    line_.clear();
    throw Interrupted(fmt::format("after {} of {} {}{}{}; nothing was written", number(begun_), number(all_), what_,
                                  named ? ", before " : "", step));
  }
  if (line_.due(named)) {
    line_.show(named ? fmt::format("{}/{} {}  {:.0f} s", begun_ + 1, all_, step, line_.seconds())
                     : fmt::format("{} of {} {}  {:.0f} s", number(begun_), number(all_), what_, line_.seconds()));
  }
  ++begun_;
}

}  // namespace ecube
