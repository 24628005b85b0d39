// SPDX-License-Identifier: Apache-2.0
#include "testbench/system/memory.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>

#include "models/machine/error.h"

namespace ecube {

void end_without_memory() {
  std::set_new_handler([] {
    constexpr std::string_view text =
        "error: this takes more memory than there is\n"
        "  give a smaller problem (--dim, --bytes, --elements, --items, --messages), or --payload none\n";
    constexpr int bad_input = 2;
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
  constexpr int bad_input = 2;
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

}  // namespace ecube
