// SPDX-License-Identifier: Apache-2.0
// The cycles of a processor.
#include "hw/clocked/processor.h"

#include <algorithm>

namespace ecube::clocked {

void Processor::reset(const Machine& machine) {
  *this = {};
  exclusive = machine.node.overlap == Overlap::off;
  while_arriving = machine.library.combining == Combining::arriving;
}

/// Accounts for the cycles up to `until` - 1. Phits passed either in all of these cycles or in none.
void Processor::account_alike(Cycles until, bool excluded) {
  if (until <= accounted) return;
  const Cycles own_from = std::max(accounted, std::min(library_until, until));
  const Cycles own = excluded ? 0 : until - own_from;
  accounted = until;
  if (work.empty()) {
    idle += own;
  } else {
    Work& first = work.front();
    first.had += own;
    if (!first.loop) first.left -= std::min(own, first.left);
  }
}

/// Rule 5.1.
void Processor::account(Cycles now, const Phits& phits) {
  if (now > 0) {
    account_alike(now - 1, exclusive && passing != 0);
    account_alike(now, exclusive && (passing | phits.begun) != 0);
  }
  passing = (passing | phits.begun) & ~phits.ended;
  if (phits.first_arrived && while_arriving) idle_before[now] = idle;
}

/// Rule 5.1.
Cycles Processor::expected_end() const {
  if (work.empty() || (exclusive && passing != 0)) return never;
  return std::max(accounted, library_until) + (work.front().loop ? 1 : work.front().left);
}

/// Rule 4.4: whatever became due before is served before.
Cycles Processor::library_work(Cycles now, Cycles length) {
  library_until = std::max(library_until, now) + length;
  return library_until;
}

/// Rule 5.3: idle cycles since the first phit have combined what had come, but for the last phit of each message.
Cycles Processor::combining_left(const Operation& combine, const Setting& setting, NodeId node) const {
  const ArrivedItems& came = combine.arrived;
  const Cycles whole = setting.work->combine(node, combine.amount, came.bytes);
  if (!while_arriving || came.since == 0 || combine.amount == 0) return whole;
  const auto first_phit = idle_before.find(came.since);
  if (first_phit == idle_before.end()) return whole;
  const Cycles idle_since = idle - first_phit->second;
  const Bytes item = came.bytes / combine.amount;
  const Bytes phit = setting.machine.link.phit_bytes;
  const std::uint64_t items = came.messages * (phit / item + (phit % item != 0));
  const Cycles after_the_last = setting.work->combine(node, items, items * item);
  if (whole <= after_the_last) return whole;
  return idle_since < whole - after_the_last ? whole - idle_since : after_the_last;
}

}  // namespace ecube::clocked
