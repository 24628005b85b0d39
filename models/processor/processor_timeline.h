// SPDX-License-Identifier: Apache-2.0
// When nodes end their programs if start-ups and receipts queue, where every node may do something different.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ecube {

/// One message or exchange of a node's step, as that node sees it.
struct TimelineMessage {
  std::uint32_t partner = 0;
  std::uint32_t type = 0;  ///< the k-th of a type with a partner meets the partner's k-th of that type
  bool sends = true;
  bool receives = true;
  double startup_us = 0;  ///< of the message sent
  double wire_us = 0;     ///< of the message sent, from the end of its start-up to its arrival
  double receipt_us = 0;  ///< of the message received
};

struct TimelineStep {
  std::vector<TimelineMessage> messages;  ///< all at once
  double work_us = 0;                     ///< computation after them
};

/// Puts step `number` of a node's program into `step`, which is empty; false after the last step.
using TimelineProgram = std::function<bool(std::uint32_t node, std::uint64_t number, TimelineStep& step)>;

/// Time until the last of `nodes` nodes has ended. A message starts when both partners have asked for it; a node's
/// processor serves start-ups and receipts in the order in which they are due, receipts first, then start-ups in the
/// order of the program (hw/README.md, sections 4 and 5). A sent message is done when it has arrived, a received one at
/// the end of its receipt. The node goes on when all messages of its step and its computation are done. Throws
/// std::logic_error if partners never meet.
[[nodiscard]] double timeline_us(std::uint32_t nodes, const TimelineProgram& program);

/// A difference of sums, with values below a picosecond, which are rounding, set to 0.
[[nodiscard]] constexpr double without_rounding(double us) { return us > -1e-6 && us < 1e-6 ? 0 : us; }

}  // namespace ecube
