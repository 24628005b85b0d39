// SPDX-License-Identifier: Apache-2.0
// A text file of messages: "source destination bytes cycle", one a line, '#' begins a comment.
#pragma once

#include <string>
#include <vector>

#include "sw/traffic/traffic.h"

namespace ecube {

/// More messages than this are refused; the machine keeps a receive for each.
inline constexpr std::uint64_t max_traffic_messages = 4'000'000;

/// InputError, with the line and its mistake, when the file cannot be read or names nodes that a cube of `dim` does not
/// have.
[[nodiscard]] std::vector<TrafficMessage> read_traffic(const std::string& file, unsigned dim);

}  // namespace ecube
