// SPDX-License-Identifier: Apache-2.0
// How many operations a node has issued, and how many of them take turns.
#pragma once

#include <cstdint>

namespace ecube::event {

/// What a node counts of its own operations. Apart from what messages look at: what it does itself needs no more.
struct OperationCount {
  std::uint32_t issued = 0;
  std::uint32_t unfinished = 0;  ///< of those that take turns, not yet done
};

}  // namespace ecube::event
