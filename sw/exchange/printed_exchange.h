// SPDX-License-Identifier: Apache-2.0
// The two exchanges that multiphase joins, each as its own pseudo-code has it (Bokhari 1993, sections 2.1 and 2.2).
#pragma once

#include <span>

#include "sw/api/node.h"

namespace ecube {

/// Block b of `blocks` is for node b, and after the exchange from node b. Messages of step j from the first have tag
/// j.
[[nodiscard]] Task<> standard_exchange(Node& node, std::span<std::byte> blocks);
/// The same; all messages have tag 0.
[[nodiscard]] Task<> direct_exchange(Node& node, std::span<std::byte> blocks);

}  // namespace ecube
