// SPDX-License-Identifier: Apache-2.0
// The programs that `ecube run program NAME` knows. Add your function here, and to the table in programs.cpp.
#pragma once

#include <span>
#include <string_view>

#include "sw/api/node.h"

namespace ecube::programs {

/// Every node's number travels once around the ring.
Task<> ring(Node& node);
/// Every node waits for a message that is never sent: an example of the report of a stalled machine.
Task<> deadlock(Node& node);

struct Entry {
  std::string_view name;
  std::string_view help;
  Task<> (*body)(Node&);
};

[[nodiscard]] std::span<const Entry> all();

}  // namespace ecube::programs
