// SPDX-License-Identifier: Apache-2.0
// Messages and receives find each other.
#include "hw/clocked/library/matching.h"

#include <algorithm>
#include <utility>

#include "models/contract/operations.h"

namespace ecube::clocked {

/// Rule 4.11.
Request* Matching::take_posted(const Message& message) {
  const auto fits = [&](const Request* receive) { return takes(*receive->operation, message.source, message.tag); };
  const auto found = std::find_if(receives_.begin(), receives_.end(), fits);
  if (found == receives_.end()) return nullptr;
  Request* const receive = *found;
  if (--receive->open == 0) receives_.erase(found);
  return receive;
}

/// Rule 4.11.
std::vector<Arrived> Matching::post(Request& receive) {
  std::vector<Arrived> taken;
  for (auto at = arrived_.begin(); at != arrived_.end() && receive.open > 0;) {
    const Message& message = *at->envelope.message;
    if (!takes(*receive.operation, message.source, message.tag)) {
      ++at;
      continue;
    }
    taken.push_back(std::move(*at));
    at = arrived_.erase(at);
    --receive.open;
  }
  if (receive.open > 0) receives_.push_back(&receive);
  return taken;
}

}  // namespace ecube::clocked
