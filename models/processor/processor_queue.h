// SPDX-License-Identifier: Apache-2.0
// Simultaneous messages of one node whose start-ups and receipts queue on its processor.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ecube {

/// Time of a node's processor for the start-up and for the receipt of one message (hw/README.md, sections 4 and 5). The
/// rest of the message's alpha is on the wire, where messages of different ports do not wait for each other.
struct ProcessorTimes {
  double startup_us = 0;
  double receipt_us = 0;
  double startup_zero_us = 0;  ///< of a message without bytes
  double receipt_zero_us = 0;
};

/// One of the messages that a node exchanges in a step, or only receives.
struct QueuedMessage {
  double startup_us = 0;
  double wire_us = 0;  ///< from the end of the start-up to the arrival
  double receipt_us = 0;
  bool sends = true;  ///< false: only received, from a node that starts nothing before it
};

/// Time from the edge at which all nodes ask for a step to its end. All start-ups are due at once, in the order of
/// `messages`; a receipt is due when its message arrives; the processor serves start-ups and receipts in the order in
/// which they are due. Partners do the same, so the incoming message of an exchange started when the outgoing one did.
///
/// For q equal exchanges with start-up L, wire time T and receipt R the time is
///
///   max(q L + q R, q L + T + R, L + T + q R)
///
/// in which the processor is never idle, or waits for the last message, or waits for the first one.
[[nodiscard]] double queued_step_us(std::span<const QueuedMessage> messages);

/// The same for `count` equal exchanges.
[[nodiscard]] double queued_exchanges_us(std::uint64_t count, const QueuedMessage& each);

/// One message or exchange of a node's step, as that node sees it.
struct MetMessage {
  std::uint32_t partner = 0;
  std::uint32_t type = 0;  ///< the k-th of a type with a partner meets the partner's k-th of that type
  double out_us = -1;      ///< wire time of the message sent; negative: none is sent
  double in_us = -1;       ///< wire time of the message received; negative: none is received
};

/// Step `number` of a node's program, appended to `messages`; false after the last one.
using MetSteps = std::function<bool(std::uint32_t node, std::uint64_t number, std::vector<MetMessage>& messages)>;

/// Time until the last of `nodes` nodes has done its program, where nodes have different numbers of messages in a step
/// and so do not end the step together. The rules are those of queued_step_us(). A message starts when both partners
/// have asked for it; a node goes on when all messages of its step are done: a sent message at the end of its wire
/// time, a received one at the end of its receipt. Throws std::logic_error if partners never meet.
[[nodiscard]] double met_steps_us(std::uint32_t nodes, const ProcessorTimes& processor, const MetSteps& steps);

}  // namespace ecube
