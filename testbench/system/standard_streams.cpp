// SPDX-License-Identifier: Apache-2.0
#include "testbench/system/standard_streams.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "testbench/system/shown_text.h"

namespace ecube {

namespace {

/// False, with errno, when not all of the text could be written.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t more = write(descriptor, text.data(), text.size());
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(more));
  }
  return true;
}

ShownText& output_text() {
  static ShownText text;
  return text;
}

ssize_t write_output(void*, const char* text, std::size_t size) {
  return write_all(STDOUT_FILENO, output_text().next({text, size})) ? static_cast<ssize_t>(size) : 0;
}

/// Accepts all bytes, whether or not the disk or the terminal takes them.
ssize_t write_note(void*, const char* text, std::size_t size) {
  static ShownText notes;
  (void)write_all(STDERR_FILENO, notes.next({text, size}));
  return static_cast<ssize_t>(size);
}

/// A stream whose text goes through `write`; `instead_of` where there is no memory for it.
std::FILE* stream_through(cookie_write_function_t* write, std::FILE* instead_of) {
  std::FILE* const stream =
      fopencookie(nullptr, "w", {.read = nullptr, .write = write, .seek = nullptr, .close = nullptr});
  return stream == nullptr ? instead_of : stream;
}

bool reader_has_left() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

}  // namespace

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
  if (reader_has_left()) return status;
  fmt::print(stderr, "error: standard output could not be written, the output is incomplete{}\n",
             reason != 0 ? fmt::format(": {}", std::strerror(reason)) : "");
  return std::max(status, 1);
}

}  // namespace ecube
