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
  throw ErrorText(fmt::format("{} {} MiB of memory, of which {} MiB are available", what, bytes >> 20, available >> 20))
      .valid(valid)
      .error();
}

}  // namespace ecube
