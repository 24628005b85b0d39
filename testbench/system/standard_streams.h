// SPDX-License-Identifier: Apache-2.0
// Standard output that is whole or an error, and standard error that never stops a run.
#pragma once

#include <string>
#include <string_view>

namespace ecube {

/// A text as it may reach a terminal. Lines and tabs stay; whatever else a terminal would obey is spelled out as in
/// JSON
/// (`\u001b`), which keeps JSON's meaning, and bytes that are no UTF-8 as `\xff`. The text may come in pieces.
class ShownText {
 public:
  [[nodiscard]] std::string next(std::string_view piece);
  [[nodiscard]] std::string end();

 private:
  std::string held_;
};

/// What the program itself may make a terminal do.
enum class TerminalAction : unsigned char { end_of_colour, red, green, yellow, begin_line_anew };

/// A text that ShownText replaces by the terminal's sequence for this action. It differs from process to process, so
/// that nothing from elsewhere can contain it but by chance.
[[nodiscard]] std::string terminal_mark(TerminalAction action);

/// Called first in main(). A closed standard stream is replaced, so that no file takes its number; notes that standard
/// error does not take are dropped; writing to a pipe that nobody reads, or beyond ulimit -f, is an error of that write
/// and not a signal. Both streams write as ShownText says.
void prepare_standard_streams();

/// Called last. Writes what standard output still holds; gives the exit status, at least 1, with a message, when not
/// everything could be written. A reader that has left (`| head`) is no error.
[[nodiscard]] int finish_standard_output(int status);

/// True when standard output has failed: an exception thrown afterwards comes from that failure.
[[nodiscard]] bool standard_output_failed();

}  // namespace ecube
