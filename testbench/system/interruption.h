// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the program always ends with status 130 and says what was done.
#pragma once

#include <stdexcept>
#include <string>

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
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// Thrown by work that has obeyed a signal; what() says what was done.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const std::string& done) : std::runtime_error("interrupted " + done) {}
};

}  // namespace ecube
