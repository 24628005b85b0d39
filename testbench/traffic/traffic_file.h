// SPDX-License-Identifier: Apache-2.0
// A text file of messages: "source destination bytes cycle", one a line, '#' begins a comment.
#pragma once

#include <string>
#include <vector>

#include "sw/traffic/traffic_plan.h"

namespace ecube {

/// InputError, with the line and its mistake, when the file cannot be read or names nodes that a cube of `dim` does not
/// have.
[[nodiscard]] std::vector<TrafficMessage> read_traffic(const std::string& file, unsigned dim);

}  // namespace ecube
