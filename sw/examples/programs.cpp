// SPDX-License-Identifier: Apache-2.0
// The table of programs.
#include "sw/examples/programs.h"

namespace ecube::programs {

Task<> deadlock(Node& node) { co_await node.receive({.from = node.id() ^ 1U, .bytes = 8}); }

std::span<const Entry> all() {
  static constexpr Entry entries[] = {
      {"ring", "every node's number travels once around the ring", &ring},
      {"deadlock", "every node waits for a message that nobody sends", &deadlock},
  };
  return entries;
}

}  // namespace ecube::programs
