// SPDX-License-Identifier: Apache-2.0
// Signals of the processor and of a clock of processor time, and a jump out of the program that caused them.
#include <fmt/core.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <vector>

#include "testbench/program/program_library.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// Signal handlers have no arguments of their own, so what they need is here.
struct GuardState {
  const NodePorts* volatile ports = nullptr;
  sigjmp_buf back{};
  volatile sig_atomic_t armed = 0;  ///< a run is under way, and has not crashed
  pthread_t thread{};               ///< of the run
  // Of the crash.
  volatile int signal = 0;
  void* volatile address = nullptr;
  volatile NodeId node = any_node;
  volatile Cycles cycle = 0;
  // Of the clock: how many of its ticks in a row have found the same program at the same cycle.
  volatile NodeId last_node = any_node;
  volatile Cycles last_cycle = 0;
  volatile int ticks = 0;
  volatile int most_ticks = 0;
  volatile sig_atomic_t before_nodes = 0;  ///< the program's own code runs though no node has started
};
GuardState watched;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

constexpr int ticks_a_second = 10;
constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = 65'536;

[[noreturn]] void leave(int signal, void* address) {
  watched.armed = 0;
  watched.signal = signal;
  watched.address = address;
  watched.node = watched.ports == nullptr ? any_node : watched.ports->running();
  watched.cycle = watched.ports == nullptr ? 0 : watched.ports->now();
  siglongjmp(watched.back, 1);  // NOLINT(cert-err52-cpp): no exception can leave a signal handler
}

/// A second fault comes from what the first has left behind, so nothing but this can be told any more.
void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  if (watched.armed == 0) {
    constexpr std::string_view text = "error: a program crashed and has damaged the memory of ecube\n";
    (void)!write(STDERR_FILENO, text.data(), text.size());
    _exit(1);
  }
  leave(signal, info->si_addr);
}

void on_tick(int signal, siginfo_t* /*info*/, void* /*context*/) {
  if (watched.armed == 0 || (watched.ports == nullptr && watched.before_nodes == 0)) return;
  if (pthread_equal(pthread_self(), watched.thread) == 0) {
    pthread_kill(watched.thread, signal);
    return;
  }
  const NodeId node = watched.ports == nullptr ? any_node : watched.ports->running();
  const Cycles cycle = watched.ports == nullptr ? 0 : watched.ports->now();
  if (node != watched.last_node || cycle != watched.last_cycle) watched.ticks = 0;
  watched.last_node = node;
  watched.last_cycle = cycle;
  watched.ticks = watched.ticks + 1;
  if (watched.ticks > watched.most_ticks) leave(signal, nullptr);
}

std::string text_of(int signal, const void* address) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return fmt::format("it read or wrote address {:#x}, which is not its memory",
                         reinterpret_cast<std::uintptr_t>(address));
    case SIGFPE:
      return "it divided a whole number by zero";
    case SIGILL:
      return "it came to an instruction that is none: a function without a return, or __builtin_unreachable";
    default:
      return "it called abort()";
  }
}

/// Handlers on a stack of their own, because that of the program may be full; and the clock.
class Handlers {
 public:
  /// Sanitizers have handlers of their own for faults, which say more.
  explicit Handlers(MemoryChecks checks) : stack_(stack_bytes), faults_(checks == MemoryChecks::none) {
    stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
    sigaltstack(&stack, &stack_before_);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; faults_ && i < faults.size(); ++i) sigaction(faults[i], &action, &before_[i]);
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGVTALRM, &action, &tick_before_);
    tick(1'000'000 / ticks_a_second);
  }
  /// After a run without a crash. After a crash the handlers stay.
  ~Handlers() {
    tick(0);
    sigaction(SIGVTALRM, &tick_before_, nullptr);
    for (std::size_t i = 0; faults_ && i < faults.size(); ++i) sigaction(faults[i], &before_[i], nullptr);
    sigaltstack(&stack_before_, nullptr);
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  static void tick(suseconds_t microseconds) {
    const itimerval timer{.it_interval = {.tv_sec = 0, .tv_usec = microseconds},
                          .it_value = {.tv_sec = 0, .tv_usec = microseconds}};
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  }

 private:
  std::vector<char> stack_;
  bool faults_;
  stack_t stack_before_{};
  std::array<struct sigaction, faults.size()> before_{};
  struct sigaction tick_before_ {};
};

}  // namespace

void ProgramGuard::watch(const NodePorts& ports) { watched.ports = &ports; }

void ProgramGuard::run(const std::function<void()>& run) const { this->run(run, false); }

void ProgramGuard::run_before_nodes(const std::function<void()>& run) const { this->run(run, true); }

void ProgramGuard::run(const std::function<void()>& run, bool before_nodes) const {
  watched.ports = nullptr;
  watched.before_nodes = before_nodes ? 1 : 0;
  watched.thread = pthread_self();
  watched.ticks = 0;
  watched.most_ticks = static_cast<int>(seconds_ * ticks_a_second);
  // Not destroyed when the jump comes back: the handlers are needed until the process ends.
  auto* const handlers = new Handlers(checks_);
  if (sigsetjmp(watched.back, 1) == 0) {  // NOLINT(cert-err52-cpp): the way back from a signal handler
    watched.armed = 1;
    try {
      run();
    } catch (...) {
      watched.armed = 0;
      delete handlers;
      throw;
    }
    watched.armed = 0;
    delete handlers;
    return;
  }
  Handlers::tick(0);
  const std::string where = watched.node == any_node
                                ? "before its first node started"
                                : fmt::format("on node {} at cycle {}", watched.node, grouped(watched.cycle));
  if (watched.signal == SIGVTALRM) {
    throw ProgramCrash(
        fmt::format("program {} runs {} for more than {:.6g} s{}: a loop that does not end?\n"
                    "  --step-limit SECONDS lets it work for longer from one co_await to the next",
                    program_, where, seconds_, watched.node == any_node ? "" : " without waiting"));
  }
  throw ProgramCrash(
      fmt::format("program {} crashed {}: {}", program_, where, text_of(watched.signal, watched.address)));
}

}  // namespace ecube
