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

namespace ecube {

namespace {

/// Accepts all bytes, whether or not the disk or the terminal takes them.
ssize_t write_note(void*, const char* text, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t more = write(STDERR_FILENO, text + sent, size - sent);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    sent += static_cast<std::size_t>(more);
  }
  return static_cast<ssize_t>(size);
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
  std::FILE* const notes =
      fopencookie(nullptr, "w", {.read = nullptr, .write = write_note, .seek = nullptr, .close = nullptr});
  if (notes != nullptr) {
    std::setvbuf(notes, nullptr, _IONBF, 0);
    stderr = notes;  // a variable in the GNU C library
  }
}

bool standard_output_failed() { return std::ferror(stdout) != 0; }

int finish_standard_output(int status) {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if (flushed && std::ferror(stdout) == 0) return status;
  if (reader_has_left()) return status;
  fmt::print(stderr, "error: standard output could not be written, the output is incomplete{}\n",
             reason != 0 ? fmt::format(": {}", std::strerror(reason)) : "");
  return std::max(status, 1);
}

}  // namespace ecube
