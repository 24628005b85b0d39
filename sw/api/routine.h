// SPDX-License-Identifier: Apache-2.0
// What collective routines share: how neighbours prepare for each other's messages, and the operations that these
// messages are; the check words of messages without contents; the progress of all nodes, and their steps counted from
// the messages that arrive.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "models/machine/random.h"
#include "sw/api/node.h"

namespace ecube {

/// How neighbours in a collective routine exchange and send.
struct Handshake {
  /// Whether partners synchronise before an exchange or a message: on where this is free, and on machines that discard
  /// early messages.
  PairwiseSync sync = PairwiseSync::on;
  /// Whether a one-way message is an exchange with an empty half, which synchronises it where messages cannot wait.
  bool paired = false;
};

/// The handshake that a machine's message protocol needs: none where messages wait for their receives.
[[nodiscard]] inline Handshake handshake_of(const Machine& machine) {
  return {.sync = machine.library.protocol == Protocol::unforced ? PairwiseSync::off : PairwiseSync::on,
          .paired = machine.library.protocol == Protocol::forced};
}

/// Which halves of an exchange there are, and whether an exchange takes the place of a single half.
struct ExchangeHalves {
  bool paired = false;
  bool sends = false;
  bool receives = false;
};

/// `use` of the exchange `both`, or, where there is only one half of it, of that message or receive.
template <class Use>
auto as_message(const Exchange& both, const ExchangeHalves& halves, const Use& use) {
  if (halves.paired || (halves.sends && halves.receives)) return use(both);
  if (!halves.sends) {
    return use(
        Incoming{.from = both.with, .tag = both.tag, .bytes = both.room, .data = both.incoming, .sync = both.sync});
  }
  return use(Outgoing{.to = both.with,
                      .tag = both.tag,
                      .bytes = both.bytes,
                      .data = both.outgoing,
                      .check = both.check,
                      .port = both.port,
                      .phase = both.phase,
                      .sync = both.sync});
}

/// Check words drawn from a message's tag, source and destination, so that a misrouted message does not match; or all
/// 0, where check words are not used. In a folded run they name tag, source and destination, so that the machine can
/// translate them. Counts the messages that arrived with a wrong check word.
class CheckWords {
 public:
  explicit CheckWords(bool used, bool folded = false) : used_(used), folded_(folded) {}

  [[nodiscard]] std::uint64_t of(std::uint32_t tag, NodeId from, NodeId to) const {
    if (!used_) return 0;
    return folded_ ? name_of_pair(from, to, tag) : draw(tag, from, to);
  }
  /// The sum of the check words of one message from each of these.
  [[nodiscard]] std::uint64_t sum(std::uint32_t tag, std::span<const NodeId> sources, NodeId to) const {
    std::uint64_t sum = 0;
    for (const NodeId from : sources) sum += of(tag, from, to);
    return sum;
  }
  /// A message has been received with this check word.
  void check(std::uint64_t received, std::uint32_t tag, NodeId from, NodeId to) { expect(received, of(tag, from, to)); }
  /// Several have been received, whose check words have this sum.
  void expect(std::uint64_t received, std::uint64_t right) {
    if (received != right) ++wrong_;
  }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  bool used_;
  bool folded_;
  std::uint64_t wrong_ = 0;
};

/// When the last node ended each part of a routine: a phase, a stage, a step.
class Progress {
 public:
  explicit Progress(std::size_t parts) : ends_us_(parts, 0) {}

  /// The node has ended the part.
  void ended(std::size_t part, const Node& node) { ends_us_[part] = std::max(ends_us_[part], node.now_us()); }
  /// In us; 0 for a part that no node has ended.
  [[nodiscard]] const std::vector<double>& ends_us() const { return ends_us_; }

 private:
  std::vector<double> ends_us_;
};

/// Every node goes through the same steps, each at its own time. A step is as long as the longest message that any node
/// receives in it; a step without messages does not count.
class StepCounter {
 public:
  explicit StepCounter(unsigned dim) : step_(std::size_t{1} << dim, 0) {}

  /// The node begins its next step.
  void begin(NodeId node) { ++step_[node]; }
  /// The step that the node is in, from 1; 0 before the first.
  [[nodiscard]] std::uint32_t step_of(NodeId node) const { return step_[node]; }
  /// A message of so many elements has arrived at the node in its present step.
  void arrived(NodeId node, std::uint64_t elements) {
    const std::size_t step = step_[node];
    if (step > longest_.size()) longest_.resize(step, 0);
    longest_[step - 1] = std::max(longest_[step - 1], static_cast<std::uint32_t>(elements));
  }

  /// Steps with messages.
  [[nodiscard]] std::uint64_t messages_in_sequence() const {
    return longest_.size() - static_cast<std::size_t>(std::count(longest_.begin(), longest_.end(), 0U));
  }
  /// Elements of the longest message of each step, added up.
  [[nodiscard]] std::uint64_t elements_in_sequence() const {
    return std::accumulate(longest_.begin(), longest_.end(), std::uint64_t{0});
  }

 private:
  std::vector<std::uint32_t> step_;     ///< [node]
  std::vector<std::uint32_t> longest_;  ///< [step - 1]: elements
};

}  // namespace ecube
