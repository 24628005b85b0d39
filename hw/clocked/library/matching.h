// SPDX-License-Identifier: Apache-2.0
// Posted receives and arrived messages of a node (hw/README.md, rule 4.11).
#pragma once

#include <deque>
#include <vector>

#include "hw/clocked/library/message_table.h"

namespace ecube::clocked {

/// A message that has no receive yet.
struct Arrived {
  Envelope envelope;
  Cycles first_phit = 0;
  Cycles arrived_at = 0;
  Cycles received_at = 0;  ///< end of its receipt
  bool buffered = false;   ///< in the system buffer
};

class Matching {
 public:
  void reset() { arrived_.clear(); }
  /// Forgets the requests of a program that has been ended.
  void abandon() { receives_.clear(); }

  /// The first posted receive that takes the message; null if none does.
  [[nodiscard]] Request* take_posted(const Message& message);
  /// The messages that have arrived and that a receive takes now, in order of arrival. It stays posted for those that
  /// are missing.
  [[nodiscard]] std::vector<Arrived> post(Request& receive);
  /// A message for which no receive is posted waits for one.
  void keep(Arrived message) { arrived_.push_back(std::move(message)); }
  /// True if the receive was still posted.
  bool withdraw(const Request& receive) { return std::erase(receives_, &receive) > 0; }
  /// The receive posted first; null if there is none.
  [[nodiscard]] const Request* first_posted() const { return receives_.empty() ? nullptr : receives_.front(); }
  /// Messages without a receive, in order of arrival.
  [[nodiscard]] std::deque<Arrived>& arrived() { return arrived_; }

 private:
  std::vector<Request*> receives_;  ///< in the order in which they were posted
  std::deque<Arrived> arrived_;
};

}  // namespace ecube::clocked
