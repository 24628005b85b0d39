// SPDX-License-Identifier: Apache-2.0
// Signals, memory and standard streams.
#include "testbench/system/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <new>
#include <random>

#include "models/machine/error.h"
#include "testbench/system/open_files.h"

namespace ecube {

namespace {

constexpr unsigned most_seconds = 20;  ///< for saving results
constexpr int bad_input = 2;           ///< the exit status

volatile std::sig_atomic_t interruptible = 0;
volatile std::sig_atomic_t signalled = 0;

/// Calls only functions that a signal handler may call.
void end_at_once() {
  constexpr std::string_view text = "\ninterrupted; nothing more was written\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(interrupted_status);
}

void on_signal(int signal) {
  if (interruptible == 0 || signalled != 0 || signal == SIGALRM) end_at_once();
  signalled = 1;
  alarm(most_seconds);
}

constexpr std::array<std::string_view, 5> sequences{"\033[0m", "\033[31m", "\033[32m", "\033[33m", "\r\033[K"};

/// The marks are characters from here on: of plane 15, which Unicode leaves to private use.
std::uint32_t first_mark() {
  constexpr std::uint32_t begin = 0xF0000;
  constexpr std::uint32_t places = 0xFFF0;
  static const std::uint32_t first = begin + std::random_device()() % places;
  return first;
}

std::string spelled_out(std::uint32_t code) {
  if (code <= 0xFFFF) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;  // a pair, as JSON has it
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

bool is_plain(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; }

// Never destroyed, as the static objects of a user's program may print when they are.
ShownText& output_text() {
  static auto* const text = new ShownText;
  return *text;
}

ssize_t write_output(void*, const char* text, std::size_t size) {
  return write_all(STDOUT_FILENO, output_text().next({text, size})) ? static_cast<ssize_t>(size) : 0;
}

/// Accepts all bytes, whether or not the disk or the terminal takes them.
ssize_t write_note(void*, const char* text, std::size_t size) {
  static auto* const notes = new ShownText;  // as above
  (void)write_all(STDERR_FILENO, notes->next({text, size}));
  return static_cast<ssize_t>(size);
}

/// A stream whose text goes through `write`; `instead_of` where there is no memory for it.
std::FILE* stream_through(cookie_write_function_t* write, std::FILE* instead_of) {
  std::FILE* const stream =
      fopencookie(nullptr, "w", {.read = nullptr, .write = write, .seek = nullptr, .close = nullptr});
  return stream == nullptr ? instead_of : stream;
}

}  // namespace

void obey_interrupts() {
  for (const int signal : {SIGINT, SIGTERM, SIGALRM}) (void)std::signal(signal, on_signal);
}

bool interrupt_wanted() { return signalled != 0; }

Interruptible::Interruptible() { interruptible = interruptible + 1; }
Interruptible::~Interruptible() { interruptible = interruptible - 1; }

void end_without_memory() {
  std::set_new_handler([] {
    constexpr std::string_view text =
        "error: this takes more memory than there is\n"
        "  give a smaller problem (--dim, --bytes, --elements, --items, --messages), or --payload none\n";
    (void)!write(STDERR_FILENO, text.data(), text.size());
    _exit(bad_input);
  });
}

std::uint64_t available_memory() {
  const auto pages = std::max(sysconf(_SC_AVPHYS_PAGES), sysconf(_SC_PHYS_PAGES) / 2);  // cached files can be given up
  std::uint64_t bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::uint64_t>(bytes, address_space.rlim_cur);
  }
  // Of a container; the file has the word "max" where there is no limit.
  std::ifstream container("/sys/fs/cgroup/memory.max");
  if (std::uint64_t most = 0; container >> most) bytes = std::min(bytes, most);
  return bytes;
}

void require_memory(std::uint64_t bytes, std::string_view what, std::string_view valid) {
  const std::uint64_t available = available_memory();
  if (bytes <= available) return;
  throw InputError(
      fmt::format("{} {} MiB of memory, of which {} MiB are available", what, bytes >> 20, available >> 20))
      .valid(valid);
}

int take_stack() {
  constexpr rlim_t wanted = rlim_t{8} << 20;
  constexpr rlim_t needed = rlim_t{1} << 20;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY || stack.rlim_cur >= wanted) return 0;
  // The stack of the first thread grows up to the limit at the time, so that raising it now has an effect.
  rlimit raised = stack;
  raised.rlim_cur = std::min(wanted, stack.rlim_max);
  if (setrlimit(RLIMIT_STACK, &raised) == 0) stack = raised;
  if (stack.rlim_cur >= needed) return 0;
  fmt::print(stderr,
             "error: the stack of a program may have {} KiB here, and ecube needs {}\n"
             "  raise the limit: ulimit -s {}\n",
             stack.rlim_cur >> 10, needed >> 10, wanted >> 10);
  return bad_input;
}

std::string ShownText::next(std::string_view piece) {
  held_ += piece;
  const std::string_view text = held_;
  std::string shown;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t plain = at;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    shown.append(text, at, plain - at);
    at = plain;
    if (at == text.size()) break;
    const Character character = character_at(text.substr(at));
    if (character.kind == Character::Kind::incomplete) break;
    const std::uint32_t mark = character.code - first_mark();
    if (mark < sequences.size()) {
      shown += sequences[mark];
    } else if (character.kind == Character::Kind::shown) {
      shown.append(text, at, character.bytes);
    } else {
      shown += character.kind == Character::Kind::broken ? fmt::format("\\x{:02x}", character.code)
                                                         : spelled_out(character.code);
    }
    at += character.bytes;
  }
  held_.erase(0, at);
  return shown;
}

std::string ShownText::end() {
  std::string shown;
  for (const char byte : held_) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  held_.clear();
  return shown;
}

std::string terminal_mark(TerminalAction action) {
  const std::uint32_t code = first_mark() + static_cast<std::uint32_t>(action);
  std::string mark;
  for (const auto& [shift, bits] : {std::pair(18U, 0xF0U), {12U, 0x80U}, {6U, 0x80U}, {0U, 0x80U}}) {
    mark += static_cast<char>(bits | (code >> shift & 0x3FU));
  }
  return mark;
}

void prepare_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free number is the stream's. Standard output is opened for reading, so that writing fails.
    (void)!open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  // Who started this program may have ignored it; then nobody could tell how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  // Both are variables in the GNU C library.
  stdout = stream_through(write_output, stdout);
  if (isatty(STDOUT_FILENO) == 1) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  stderr = stream_through(write_note, stderr);
  std::setvbuf(stderr, nullptr, _IONBF, 0);
}

bool standard_output_failed() { return std::ferror(stdout) != 0; }

int finish_standard_output(int status) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0 && write_all(STDOUT_FILENO, output_text().end());
  const int reason = errno;
  if (flushed && std::ferror(stdout) == 0) return status;
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0) return status;  // the reader has left
  fmt::print(stderr, "error: standard output could not be written, the output is incomplete{}\n",
             reason != 0 ? fmt::format(": {}", std::strerror(reason)) : "");
  return std::max(status, 1);
}

}  // namespace ecube
