// SPDX-License-Identifier: Apache-2.0
// What the system gives a process. Ctrl-C: the program always ends with status 130 and says what was done. How much
// memory a run may take. Standard output that is whole or an error, and standard error that never stops a run.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ecube {

inline constexpr int interrupted_status = 130;  ///< 128 + SIGINT, as shells count

/// Called first in main(). SIGINT and SIGTERM end the program with status 130: at once, or, while an Interruptible
/// exists, when the work has saved its results. A second signal, or twenty seconds, end it at once.
void obey_interrupts();

/// True when a signal has come while an Interruptible existed.
[[nodiscard]] bool interrupt_wanted();

/// While one exists, a first signal is only noted; the work under way asks interrupt_wanted() now and then.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(Interruptible&&) = delete;  // nor copied
};

/// Thrown by work that has obeyed a signal; what() says what was done.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const std::string& done) : std::runtime_error("interrupted " + done) {}
};

/// Bytes that this program may take, within the limits of the machine, the process (ulimit -v) and its container.
[[nodiscard]] std::uint64_t available_memory();

/// Called first in main(). Where no memory is left, the program ends with status 2 and a message, whatever it is doing:
/// libraries allocate in destructors too, where std::bad_alloc would be a crash.
void end_without_memory();

/// InputError when `what` needs more than that; `valid` says what would need less.
void require_memory(std::uint64_t bytes, std::string_view what, std::string_view valid);

/// Called first in main(). Raises the limit of the stack to 8 MiB where that is allowed. Gives the exit status 2, with
/// a message, where less than 1 MiB is allowed, else 0.
[[nodiscard]] int take_stack();

/// A text as it may reach a terminal. Lines and tabs stay; whatever else a terminal would obey is spelled out as in
/// JSON (`\u001b`), which keeps JSON's meaning, and bytes that are no UTF-8 as `\xff`. The text may come in pieces.
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
