// SPDX-License-Identifier: Apache-2.0
// A text file of messages: "source destination bytes cycle", one a line, '#' begins a comment. A message may have a
// name ("as reply") and wait for others ("after request"): its cycle is then a delay.
#pragma once

#include <string>
#include <vector>

#include "sw/traffic/traffic_plan.h"

namespace ecube {

struct TrafficList {
  std::vector<TrafficMessage> messages;         ///< in the order of the file
  std::vector<TrafficDependency> dependencies;  ///< between messages by their numbers in the file
};

/// InputError, with the line and its mistake, when the file cannot be read, names nodes that the topology does not
/// have, or has a message that can never be sent: it waits for one that is not there, that its node neither sends nor
/// receives, or that waits for it.
[[nodiscard]] TrafficList read_traffic(const std::string& file, const Topology& topology);

}  // namespace ecube
