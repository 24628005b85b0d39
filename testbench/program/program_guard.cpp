// SPDX-License-Identifier: Apache-2.0
// Programs of users in a child process, which signals of the processor end, or a clock of processor time.
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include "testbench/program/program_library.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// What a child leaves in memory that it shares with its parent.
struct Crash {
  int signal = 0;
  const void* address = nullptr;
  NodeId node = any_node;
  Cycles cycle = 0;
};

/// Signal handlers have no arguments of their own, so what they need is here.
struct GuardState {
  const NodePorts* volatile ports = nullptr;
  Crash* crash = nullptr;
  // Of the clock: how many of its ticks in a row have found the same program at the same cycle.
  NodeId last_node = any_node;
  Cycles last_cycle = 0;
  int ticks = 0;
  int most_ticks = 0;
  bool before_nodes = false;  ///< the program's own code runs though no node has started
};
GuardState watched;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

constexpr int ticks_a_second = 10;
constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_bytes = 65'536;

NodeId running_node() { return watched.ports == nullptr ? any_node : watched.ports->running(); }
Cycles present_cycle() { return watched.ports == nullptr ? 0 : watched.ports->now(); }

void on_fault(int signal, siginfo_t* info, void* /*context*/) {
  *watched.crash = {signal, info->si_addr, running_node(), present_cycle()};
  _exit(1);
}

void on_tick(int signal, siginfo_t* info, void* context) {
  if (watched.ports == nullptr && !watched.before_nodes) return;
  const NodeId node = running_node();
  const Cycles cycle = present_cycle();
  if (node != watched.last_node || cycle != watched.last_cycle) watched.ticks = 0;
  watched.last_node = node;
  watched.last_cycle = cycle;
  if (++watched.ticks > watched.most_ticks) on_fault(signal, info, context);
}

std::string text_of(const Crash& crash) {
  switch (crash.signal) {
    case SIGSEGV:
    case SIGBUS:
      return fmt::format("it read or wrote address {:#x}, which is not its memory",
                         reinterpret_cast<std::uintptr_t>(crash.address));
    case SIGFPE:
      return "it divided a whole number by zero";
    case SIGILL:
      return "it reached an invalid instruction: a function without a return, or __builtin_unreachable";
    default:
      return "it called abort()";
  }
}

/// Handlers on a stack of their own, because that of the program may be full; and the clock.
class Handlers {
 public:
  /// Sanitizers have handlers of their own for faults, which say more.
  explicit Handlers(MemoryChecks checks) : stack_(stack_bytes), faults_(checks == MemoryChecks::none) {
    const stack_t stack{.ss_sp = stack_.data(), .ss_flags = 0, .ss_size = stack_.size()};
    sigaltstack(&stack, nullptr);
    handle(on_fault, on_tick);
    tick(1'000'000 / ticks_a_second);
  }
  ~Handlers() {
    tick(0);
    handle(nullptr, nullptr);
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }
  Handlers(Handlers&&) = delete;  // nor copied

 private:
  using Handler = void (*)(int, siginfo_t*, void*);

  /// Null: what the system does by itself.
  void handle(Handler of_faults, Handler of_ticks) const {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    action.sa_sigaction = of_ticks;
    sigaction(SIGVTALRM, &action, nullptr);
    action.sa_sigaction = of_faults;
    for (const int fault : faults) {
      if (faults_) sigaction(fault, &action, nullptr);
    }
  }
  static void tick(suseconds_t microseconds) {
    const itimerval timer{.it_interval = {.tv_sec = 0, .tv_usec = microseconds},
                          .it_value = {.tv_sec = 0, .tv_usec = microseconds}};
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  }

  std::vector<char> stack_;
  bool faults_;
};

/// Signals that wait for wait_for(): those of the child's end, and those that end this process.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(HeldSignals&&) = delete;  // nor copied

  /// The child's status. Those of a terminal reach the child by themselves, others are handed on.
  [[nodiscard]] int wait_for(pid_t child) const {
    for (int status = 0;;) {
      siginfo_t info{};
      const int signal = sigwaitinfo(&held_, &info);
      if (signal == SIGCHLD && waitpid(child, &status, WNOHANG) == child) return status;
      if (signal > 0 && signal != SIGCHLD && info.si_code <= 0) kill(child, signal);
    }
  }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

/// Returns in a child, which goes on as this process. This one waits, ends as the child does, and returns only to tell
/// of a crash: what the program has damaged was the child's.
[[nodiscard]] bool went_on_in_child() {
  constexpr int access = PROT_READ | PROT_WRITE;
  void* const shared = mmap(nullptr, sizeof(Crash), access, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "no memory to share with a child");
  watched = {.crash = new (shared) Crash};
  (void)std::fflush(nullptr);  // else both would write it
  int status = 0;
  {
    const HeldSignals held;
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "a program cannot begin");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return true;
    }
    status = held.wait_for(child);
  }
  if (watched.crash->signal != 0) return false;
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  (void)std::signal(WTERMSIG(status), SIG_DFL);
  (void)raise(WTERMSIG(status));
  _exit(1);
}

}  // namespace

void ProgramGuard::watch(const NodePorts& ports) { watched.ports = &ports; }

void ProgramGuard::run(const std::function<void()>& run, Counts counts) const {
  if (went_on_in_child()) {
    watched.before_nodes = counts == Counts::all_time;
    watched.most_ticks = static_cast<int>(seconds_ * ticks_a_second);
    const Handlers handlers(checks_);
    return run();
  }
  const Crash& crash = *watched.crash;
  const std::string where = crash.node == any_node
                                ? "before its first node started"
                                : fmt::format("on node {} at cycle {}", crash.node, grouped(crash.cycle));
  if (crash.signal == SIGVTALRM) {
    throw ProgramCrash(
        fmt::format("program {} runs {} for more than {:.6g} s{}: a loop that does not end?\n"
                    "  --step-limit SECONDS lets it work for longer from one co_await to the next",
                    program_, where, seconds_, crash.node == any_node ? "" : " without waiting"));
  }
  throw ProgramCrash(fmt::format("program {} crashed {}: {}", program_, where, text_of(crash)));
}

}  // namespace ecube
