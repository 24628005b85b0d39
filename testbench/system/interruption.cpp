// SPDX-License-Identifier: Apache-2.0
#include "testbench/system/interruption.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace ecube {

namespace {

constexpr unsigned most_seconds = 20;  ///< for saving results

volatile std::sig_atomic_t interruptible = 0;
volatile std::sig_atomic_t wanted = 0;

/// Calls only functions that a signal handler may call.
void end_at_once() {
  constexpr std::string_view text = "\ninterrupted; nothing more was written\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(interrupted_status);
}

void on_signal(int signal) {
  if (interruptible == 0 || wanted != 0 || signal == SIGALRM) end_at_once();
  wanted = 1;
  alarm(most_seconds);
}

}  // namespace

void obey_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGALRM}) sigaction(signal, &action, nullptr);
}

bool interrupt_wanted() { return wanted != 0; }

Interruptible::Interruptible() { interruptible = interruptible + 1; }
Interruptible::~Interruptible() { interruptible = interruptible - 1; }

}  // namespace ecube
