// SPDX-License-Identifier: Apache-2.0
#include "testbench/system/stack.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>

namespace ecube {

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
