// SPDX-License-Identifier: Apache-2.0
// What the equations of exchange, combine and shuffle leave out, as `validate` finds it.
#include "models/equation_gaps.h"

namespace ecube {

namespace {

/// What the mechanisms of a machine depend on.
struct GapMachine {
  const Machine& machine;
  unsigned dim;

  [[nodiscard]] bool several() const { return machine.node.ports != Ports{} && dim > 1; }
  [[nodiscard]] bool has_protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool cuts(Bytes longest) const {
    return machine.network.switching == Switching::store_and_forward && longest > machine.network.packet_bytes;
  }
};

/// Cycles by which partners differ after a step in which one has an item more than the other: it takes that item longer
/// to send and to combine.
Cycles item_lag(const Machine& machine) {
  const Ratio phit = machine.phit_cycles();
  return phit.ceil_of(machine.phits(Machine::item_bytes)) + machine.combine_cycles(1, Machine::item_bytes) +
         machine.call_cycles(0, 2 * Machine::item_bytes);
}

constexpr const char* packet_gap = "a start-up for every packet of a message longer than network.packet";

}  // namespace

std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes longest) {
  const GapMachine of{machine, dim};
  std::vector<std::string> gaps;
  if (of.cuts(longest)) gaps.emplace_back(packet_gap);
  if (of.several() && machine.network.duplex == Duplex::together) {
    gaps.emplace_back("two directions of a link that begin more than network.together apart run one after the other");
  }
  return gaps;
}

std::vector<std::string> combine_gaps(const Machine& machine, unsigned dim, Bytes longest) {
  const GapMachine of{machine, dim};
  std::vector<std::string> gaps;
  if (of.cuts(longest)) gaps.emplace_back(packet_gap);
  if (of.has_protocol() && machine.network.duplex == Duplex::together &&
      machine.network.together_cycles < dim * item_lag(machine)) {
    gaps.emplace_back("halves that differ by an item begin more than network.together apart and do not run together");
  }
  if (of.several() && (machine.library.call_cycles > 0 || machine.library.call_per_byte.num > 0)) {
    gaps.emplace_back("library.call is paid by one processor for every message of a step");
  }
  if (of.several() && of.has_protocol()) {
    gaps.emplace_back("messages of the protocol share the processor with those of the step");
  }
  return gaps;
}

std::vector<std::string> shuffle_gaps(const Machine& machine, unsigned dim) {
  const GapMachine of{machine, dim};
  std::vector<std::string> gaps;
  if (machine.library.protocol == Protocol::unforced) {
    gaps.emplace_back("unforced messages one way do not wait for their receivers, and reservations take the processor");
  }
  if (of.several() && machine.library.protocol == Protocol::forced) {
    gaps.emplace_back("empty messages that synchronise partners share the processor with those of the step");
  }
  return gaps;
}

}  // namespace ecube
