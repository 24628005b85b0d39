// SPDX-License-Identifier: Apache-2.0
// The check words of a run's messages, which check messages without contents.
#pragma once

#include <cstdint>
#include <span>

#include "models/contract/node_ports.h"
#include "models/machine/cube.h"
#include "models/machine/random.h"

namespace ecube {

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

}  // namespace ecube
