// SPDX-License-Identifier: Apache-2.0
// How many operations a node has issued, and how many of them take turns.
#pragma once

#include <cstdint>

namespace ecube::event {

/// A node's counts of its own operations. Kept apart from the data that messages read: issuing an operation touches
/// only these.
struct OperationCount {
  std::uint32_t issued = 0;
  std::uint32_t unfinished = 0;  ///< operations that take turns (all but receives) and are not yet done
};

}  // namespace ecube::event
