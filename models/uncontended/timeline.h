// SPDX-License-Identifier: Apache-2.0
// End times of nodes whose programs are known beforehand, step by step.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/uncontended/nodes.h"

namespace ecube {

using TimedCircuit = uncontended::Circuit<double>;

/// Time of a node's processor for the start-up and for the receipt of one message. The rest of the message's alpha is
/// on the wire, where messages of different ports do not wait for each other.
struct ProcessorTimes {
  double startup_us = 0;
  double receipt_us = 0;
  double startup_zero_us = 0;  ///< of a message without bytes
  double receipt_zero_us = 0;

  /// A message that takes `us` alone.
  [[nodiscard]] TimedCircuit circuit(double us, bool empty) const;
};

/// One message or exchange of a program's step, as that program sees it.
struct TimedMessage {
  std::uint32_t partner = 0;  ///< a program, or this program itself for an exchange with a node that does the same
  std::uint32_t tag = 0;      ///< the k-th of a tag with a partner meets the partner's k-th of that tag
  bool sends = true;
  bool receives = true;
  std::uint8_t arrives_in = 0;  ///< eject port of the message sent
  TimedCircuit circuit{};       ///< of the message sent
  /// Circuits of the message sent that follow the first. They stay where they are until the end.
  std::span<const TimedCircuit> more{};
};

struct TimedStep {
  std::vector<TimedMessage> messages;  ///< all at once
  double work_us = 0;                  ///< computation after them
};

/// Puts step `number` of a program into `step`, which is empty; false after the last step.
using TimedProgram = std::function<bool(std::uint32_t program, std::uint64_t number, TimedStep& step)>;

struct TimedNodes {
  std::uint32_t nodes = 1;
  std::uint32_t programs = 1;  ///< of each node, at the same time: program p is one of node p / programs
  uncontended::NodeLimits limits{.queued = true};
  bool in_step = false;  ///< all programs begin a step together, when all have ended the previous one
};

/// Time in us until the last program has ended. A message starts when both partners have asked for it. A sent message
/// is done when it has left, a received one at the end of its receipt; a program continues when all messages of its
/// step and its computation are done. Throws std::logic_error if partners never meet.
///
/// `Time` is double, microseconds, for messages without number and of any length, or Picoseconds, to which the times of
/// every message are rounded: then the order of a sum does not matter.
template <class Time>
[[nodiscard]] double timeline_us(const TimedNodes& nodes, const TimedProgram& program);

/// Time of one step of a node, from the edge at which all nodes ask for it. Partners do the same at the same time, but
/// partners that only send to the node start no other message before.
[[nodiscard]] double queued_step_us(std::span<const TimedMessage> messages);

/// The same for q equal exchanges of start-up L, transit T and receipt R:
///
///   max(q L + q R, q L + T + R, L + T + q R)
///
/// in which the processor is never idle, or waits for the last message, or waits for the first one.
[[nodiscard]] double queued_exchanges_us(std::uint64_t count, const TimedCircuit& each);

/// A difference of sums, with values below a picosecond, which are rounding, set to 0.
[[nodiscard]] constexpr double without_rounding(double us) { return us > -1e-6 && us < 1e-6 ? 0 : us; }

}  // namespace ecube
