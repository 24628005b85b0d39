// SPDX-License-Identifier: Apache-2.0
// When the messages of a stage end if they share a node's processor or its engines.
#pragma once

#include <cstdint>
#include <vector>

namespace ecube {

/// A circuit of a message, in us: its start-up, the time from probe to arrival, and its receipt.
struct MessageLeg {
  double startup_us = 0;
  double transit_us = 0;
  double receipt_us = 0;
  double early_us = 0;  ///< by how much the sender's engine is free before the arrival
};

/// The message sent to one partner, and received from it at the same time: one circuit, or several in sequence.
struct TimedMessage {
  std::vector<MessageLeg> legs;
  unsigned arrives_in = 0;  ///< dimension of the eject port: receipts that are due together are served in this order
};

/// A part of the blocks in a stage: steps of one or two messages each, one step after the other.
class TimedPart {
 public:
  virtual ~TimedPart() = default;
  [[nodiscard]] virtual std::uint64_t steps() const = 0;
  /// Puts the messages of a step into `messages`, which is empty.
  virtual void step(std::uint64_t number, std::vector<const TimedMessage*>& messages) const = 0;
};

struct NodeLimits {
  bool queued = false;        ///< the processor serves start-ups and receipts one after the other
  std::uint32_t engines = 0;  ///< messages that can be under way at a time; 0: any number
};

/// Time from the begin of a stage to the end of its last part, in us, on one node of a machine on which all nodes do
/// the same at the same time: a node receives messages as it sends them. hw/README.md, sections 4 and 5:
///
///   - a start-up is served by the processor in the order in which it became due; so is the receipt, due at the arrival
///     (together: receipts by eject port first, then start-ups in the order of the parts);
///   - a circuit takes one of the engines before its start-up, and gives it back when its tail has left; circuits that
///     go on with a message go first, then those of messages in the order of issue;
///   - the next step of a part begins when all messages of the one before are received.
///
/// With `in_step` all parts begin their steps together, when all have ended the one before.
///
/// Where start-ups do not queue and engines are enough, each part takes the sum of its longest messages.
[[nodiscard]] double node_timeline_us(const std::vector<const TimedPart*>& parts, const NodeLimits& limits,
                                      bool in_step);

}  // namespace ecube
