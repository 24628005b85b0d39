// SPDX-License-Identifier: Apache-2.0
// The mechanisms that the equations of exchange, combine and shuffle leave out, as `validate` finds them.
#include "models/fit/equation_gaps.h"

#include <initializer_list>
#include <utility>

#include "models/shuffle/shuffle_workload.h"

namespace ecube {

namespace {

/// The least threshold of unforced messages with enough lengths below it to fit their start-up.
constexpr Bytes least_fitted_threshold = 64;
/// The share of one phit in the time of a message to a neighbour above which a last phit that is not full matters.
constexpr double notable_phit_share = 0.025;

/// The properties of a machine on which its mechanisms depend.
struct GapMachine {
  const Machine& machine;
  unsigned dim;

  [[nodiscard]] bool several() const { return machine.node.ports != Ports{} && dim > 1; }
  [[nodiscard]] bool has_protocol() const { return machine.library.protocol != Protocol::none; }
  [[nodiscard]] bool together() const { return machine.network.duplex == Duplex::together; }
  [[nodiscard]] bool stores() const { return machine.network.switching == Switching::store_and_forward; }
  /// Start-up and receipt, in cycles of the machine.
  [[nodiscard]] Cycles of_message() const {
    return machine.from_core(machine.library.send_cycles) + machine.from_core(machine.library.receive_cycles);
  }
  [[nodiscard]] Cycles of_empty() const {
    return machine.from_core(machine.library.send_zero_cycles) + machine.from_core(machine.library.receive_zero_cycles);
  }
  /// Whether packets follow each other at the pace of their start-ups, not of the link.
  [[nodiscard]] bool packets_wait() const {
    return stores() && machine.phit_cycles().ceil_of(machine.phits(machine.network.packet_bytes)) < of_message();
  }
  /// Whether a last phit that is not full takes a notable share of a message of `unit` bytes.
  [[nodiscard]] bool coarse(Bytes unit) const {
    const double message = static_cast<double>(of_message() + machine.one_phit_cycles(1));
    return machine.link.phit_bytes > unit && machine.phit_cycles().value() > notable_phit_share * message;
  }
};

/// Cycles by which partners differ after a step in which one has an item more than the other: the time to send and
/// combine this item.
Cycles item_lag(const Machine& machine) {
  const Ratio phit = machine.phit_cycles();
  return phit.ceil_of(machine.phits(Machine::item_bytes)) + machine.combine_cycles(1, Machine::item_bytes) +
         machine.call_cycles(0, Bytes{2} * Machine::item_bytes);
}

constexpr const char* packet_gap =
    "every packet of a stored message has a start-up, on every node that sends it on: times are stairs, not lines";
constexpr const char* loop_gap =
    "loops of a detailed node take more for each byte where blocks are short or vectors leave the cache";
constexpr const char* phit_gap = "a last phit that is not full takes as long as a full one";
constexpr const char* together_gap =
    "two directions of a link that begin more than network.together apart run one after the other";

/// The sentences of the mechanisms that there are.
std::vector<std::string> where_true(std::initializer_list<std::pair<bool, const char*>> mechanisms) {
  std::vector<std::string> gaps;
  for (const auto& [is_there, gap] : mechanisms) {
    if (is_there) gaps.emplace_back(gap);
  }
  return gaps;
}

}  // namespace

std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes longest) {
  const GapMachine of{machine, dim};
  std::vector<std::string> gaps = where_true({{machine.node.model == NodeModel::detailed, loop_gap},
                                              {of.several() && of.together(), together_gap},
                                              {longest == 0 && of.of_empty() != of.of_message(),
                                               "messages of zero bytes have a start-up and a receipt of their own"}});
  for (std::string& gap : message_gaps(machine, dim)) gaps.push_back(std::move(gap));
  return gaps;
}

std::vector<std::string> message_gaps(const Machine& machine, unsigned dim) {
  const GapMachine of{machine, dim};
  const Machine::Library& library = machine.library;
  return where_true({{of.stores(), packet_gap},
                     {library.protocol == Protocol::unforced && library.threshold_bytes < least_fitted_threshold,
                      "messages up to library.threshold have a start-up of their own, but too few lengths to fit it"},
                     {of.coarse(1), phit_gap}});
}

std::vector<std::string> combine_gaps(const Machine& machine, unsigned dim, double waiting_us) {
  const GapMachine of{machine, dim};
  const bool calls = machine.library.call_cycles > 0 || machine.library.call_per_byte.num > 0;
  const bool halves_apart =
      !of.several() && of.has_protocol() && of.together() && machine.network.together_cycles < dim * item_lag(machine);
  return where_true(
      {{waiting_us > 0, shared_links_gap},
       {machine.node.model == NodeModel::detailed, loop_gap},
       {of.stores(), packet_gap},
       {of.several() && of.together(), together_gap},
       {halves_apart, "halves that differ by an item begin more than network.together apart and do not run together"},
       {of.several() && calls, "library.call is paid by one processor for every message of a step"},
       {of.several() && of.has_protocol(), "messages of the protocol share the processor with those of the step"},
       {of.of_empty() > of.of_message(),
        "an empty part of a vector takes longer to send and receive than one with items"},
       {of.coarse(Machine::item_bytes), phit_gap}});
}

std::vector<std::string> shuffle_gaps(const Machine& machine, unsigned dim) {
  const GapMachine of{machine, dim};
  return where_true({{machine.node.model == NodeModel::detailed, loop_gap},
                     {machine.library.protocol == Protocol::unforced,
                      "unforced messages one way do not wait for their receivers, and reservations take the processor"},
                     {of.several() && machine.library.protocol == Protocol::forced,
                      "empty messages that synchronise partners share the processor with those of the step"},
                     {of.packets_wait(), packet_gap},
                     {of.coarse(element_bytes), phit_gap}});
}

}  // namespace ecube
