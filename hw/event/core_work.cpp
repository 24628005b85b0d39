// SPDX-License-Identifier: Apache-2.0
// Work by kind, and combining while messages arrive.
#include "hw/event/core_work.h"

#include <algorithm>

namespace ecube::event {

namespace {

/// Cycles of combining that are left when the messages have been received.
Cycles combining_left(const Operation& operation, const Machine& machine, NodeWork& work, const Processors& processors,
                      Cycles now) {
  const ArrivedItems& arrived = operation.arrived;
  const Cycles all = work.combine(operation.node, operation.amount, arrived.bytes);
  if (machine.library.combining == Combining::received || arrived.since == 0 || operation.amount == 0) return all;
  // The last phit of each message cannot be combined before it has arrived.
  const std::uint64_t item_bytes = arrived.bytes / operation.amount;
  const std::uint64_t items = (machine.link.phit_bytes + item_bytes - 1) / item_bytes * arrived.messages;
  const Cycles last = work.combine(operation.node, items, items * item_bytes);
  const Cycles done = processors.idle(operation.node, arrived.since, now);
  return std::min(all, std::max(last, all > done ? all - done : 0));
}

}  // namespace

Cycles cycles_of_work(const Operation& operation, const Machine& machine, NodeWork& work, const Processors& processors,
                      Cycles now) {
  switch (operation.work) {
    case Work::permute_bytes:
      return work.permute(operation);
    case Work::copy_bytes:
      return work.copy(operation.node, operation.amount);
    case Work::combine_items:
      return combining_left(operation, machine, work, processors, now);
    case Work::calls:
      return machine.call_cycles(operation.amount, operation.call_bytes);
    case Work::loop:
      return work.loop(operation.node, *operation.loop);
    case Work::cycles:
    case Work::until:
    case Work::tune:
      return operation.amount;
  }
  return 0;
}

}  // namespace ecube::event
