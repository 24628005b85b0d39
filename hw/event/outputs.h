// SPDX-License-Identifier: Apache-2.0
// The outputs of all routers: their owners, the inputs that wait for them, and the counts of what they carried.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hw/event/circuits.h"
#include "hw/observed/circuit.h"
#include "models/machine/huge_pages.h"
#include "models/machine/topology.h"

namespace ecube::event {

/// One output of one router: a link, or an eject port. 32 bytes, half a cache line.
struct Output {
  /// Set in free_at while the owner's tail is not known yet; the other bits are then its grant edge.
  static constexpr Cycles held = Cycles{1} << 63;
  /// Bits of each count in low_counts, busy cycles and bytes. The bit above says that the count has outgrown them.
  static constexpr unsigned count_bits = 31;
  /// Inputs of a router of which each has a bit here.
  static constexpr unsigned most_inputs = 40;

  Cycles free_at = 0;  ///< first edge at which it can be granted, or held | grant edge
  CircuitId owner = no_circuit;
  std::uint32_t waiting_low = 0;  ///< inputs 0..31 that wait; where there are more than 40, how many inputs wait
  std::uint64_t low_counts = 0;   ///< busy cycles and, in the upper half, bytes carried; each modulo 2^31
  std::uint32_t circuits = 0;
  std::uint8_t waiting_high = 0;    ///< inputs 32..39
  std::uint8_t pointer = 0;         ///< 1 + the last owner's input: the input with the highest priority, cyclically
  std::uint8_t pointer_before = 0;  ///< the pointer before the owner's grant: ranks that edge's requests
  bool had_waited : 1 = false;      ///< the owner first asked before its grant edge
  std::uint8_t most_waiters : 7 = 0;

  /// Rule 2.4: grants the output at an edge. A better-ranked request of the same edge may still displace this one.
  void take(CircuitId circuit, unsigned input, Cycles edge) {
    free_at = held | edge;
    owner = circuit;
    ++circuits;
    pointer_before = pointer;
    pointer = static_cast<std::uint8_t>(input + 1);
  }
  /// The common case of Outputs::free_from(): returns false and does nothing if an input waits or a count outgrows its
  /// 31 bits. The output must have been held for less than 2^31 cycles, by less than 2^31 bytes.
  [[nodiscard]] bool free_from(auto has, Cycles at, std::uint32_t bytes) {
    // On a cube, a router with one port has at most 32 inputs.
    const bool many = has->several_ports || has->products;
    const std::uint32_t waiting = many ? waiting_low | waiting_high : waiting_low;
    constexpr std::uint64_t outgrown = std::uint64_t{1} << count_bits | std::uint64_t{1} << (32 + count_bits);
    const std::uint32_t busy = static_cast<std::uint32_t>(at - 1) - static_cast<std::uint32_t>(free_at);
    const std::uint64_t counts = low_counts + (busy | std::uint64_t{bytes} << 32);
    if (((counts & outgrown) | waiting) != 0) [[unlikely]]
      return false;
    free_at = at;
    low_counts = counts;
    return true;
  }
  [[nodiscard]] bool is_held() const { return (free_at & held) != 0; }
  [[nodiscard]] bool was_granted_at(Cycles edge) const { return free_at == (held | edge); }
  [[nodiscard]] unsigned owner_input() const { return pointer - 1U; }
  [[nodiscard]] std::uint32_t busy_low() const { return static_cast<std::uint32_t>(low_counts); }
  [[nodiscard]] std::uint32_t bytes_low() const { return static_cast<std::uint32_t>(low_counts >> 32); }
  [[nodiscard]] std::uint64_t waiting() const { return waiting_low | std::uint64_t{waiting_high} << 32; }
  [[nodiscard]] bool has_waiters() const { return (waiting_low | waiting_high) != 0; }
  void set_waiting(std::uint64_t inputs) {
    waiting_low = static_cast<std::uint32_t>(inputs);
    waiting_high = static_cast<std::uint8_t>(inputs >> 32);
  }
  /// Rule 2.3: the first input that waits at or after the pointer, cyclically. At least one input must wait.
  [[nodiscard]] unsigned first_waiting() const {
    const std::uint64_t from_pointer = waiting() >> pointer << pointer;
    return static_cast<unsigned>(std::countr_zero(from_pointer != 0 ? from_pointer : waiting()));
  }
};
static_assert(sizeof(Output) == 32);

/// All outputs, at their places: [output][router]. Inputs and outputs of a router are numbered alike: the links, then
/// the node's ports.
class Outputs {
 public:
  using Place = std::size_t;

  Outputs() = default;
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  /// `topology` has to stay until the next reset.
  void reset(const Topology& topology, unsigned ports) {
    topology_ = &topology;
    links_ = topology.outputs();
    label_bits_ = topology.label_bits();
    count_ = links_ + ports;
    const std::size_t count = static_cast<std::size_t>(count_) << label_bits_;
    outputs_.assign(count, Output{});
    for (unsigned output = 0; output < count_; ++output) rows_[output] = &outputs_[place(output, 0)];
    carries_.clear();
    blocked_.clear();
    many_waiting_.clear();
    constexpr std::size_t in_cache = std::size_t{1} << 20;
    large_ = count * sizeof(Output) > in_cache;
  }

  /// Rule 2.1.
  [[nodiscard]] Place place(unsigned output, NodeId router) const {
    return (static_cast<std::size_t>(output) << label_bits_) + router;
  }
  [[nodiscard]] NodeId router_of(Place place) const {
    return static_cast<NodeId>(place) & ((NodeId{1} << label_bits_) - 1);
  }
  [[nodiscard]] unsigned number_of(Place place) const { return static_cast<unsigned>(place >> label_bits_); }
  [[nodiscard]] const Topology& topology() const { return *topology_; }
  /// Outputs of a router that are links, and all of them.
  [[nodiscard]] unsigned links() const { return links_; }
  [[nodiscard]] unsigned count() const { return count_; }
  [[nodiscard]] bool is_link(unsigned output) const { return output < links_; }
  [[nodiscard]] Output& operator[](Place place) { return outputs_[place]; }
  [[nodiscard]] const Output& operator[](Place place) const { return outputs_[place]; }
  /// [output]: that output of router 0, which those of the other routers follow. Looking here takes half the
  /// instructions of computing a place.
  [[nodiscard]] Output* const* rows() const { return rows_.data(); }
  [[nodiscard]] Place place_of(const Output& output) const { return static_cast<Place>(&output - outputs_.data()); }
  /// The table is larger than the cache.
  [[nodiscard]] bool large() const { return large_; }

  /// Rules 1.4 and 14.1: calls action(LinkId) for each link on the path of a circuit, in order.
  void along_links(const Circuit& circuit, const auto& action) const {
    topology_->along(circuit.source, circuit.destination, circuit.inject_port, action);
  }
  /// Rule 2.7: calls action(place, router, output) for each output on the path of a circuit, in order. The eject port
  /// must be known.
  void along_path(const Circuit& circuit, const auto& action) const {
    along_links(circuit, [&](LinkId link) { action(place(link.output, link.node), link.node, link.output); });
    const unsigned eject = links_ + circuit.eject_port;
    action(place(eject, circuit.destination), circuit.destination, eject);
  }

  /// Rule 6.1: the tail's passage is known: the output can be granted again at edge `at`. True when an input waits for
  /// the output.
  [[nodiscard]] bool free_from(Place place, Cycles at, Bytes bytes) {
    Output& output = outputs_[place];
    const Cycles busy = output.busy_low() + (at - 1 - (output.free_at & ~Output::held));
    const Bytes carried = output.bytes_low() + bytes;
    output.free_at = at;
    constexpr std::uint64_t low = (std::uint64_t{1} << Output::count_bits) - 1;
    output.low_counts = (busy & low) | (carried & low) << 32;
    if (((busy | carried) >> Output::count_bits) != 0) [[unlikely]] {
      if (carries_.empty()) carries_.resize(outputs_.size());
      carries_[place].busy += busy >> Output::count_bits;
      carries_[place].bytes += carried >> Output::count_bits;
    }
    return output.has_waiters();
  }
  // Inputs that wait for an output, where there may be too many for a bit each in Output.
  void add_waiting(Place place, unsigned input) {
    Output& output = outputs_[place];
    if (!many_inputs()) return output.set_waiting(output.waiting() | std::uint64_t{1} << input);
    many_waiting_[place][input / word_bits] |= std::uint64_t{1} << input % word_bits;
    ++output.waiting_low;
  }
  void remove_waiting(Place place, unsigned input) {
    Output& output = outputs_[place];
    if (!many_inputs()) return output.set_waiting(output.waiting() & ~(std::uint64_t{1} << input));
    many_waiting_[place][input / word_bits] &= ~(std::uint64_t{1} << input % word_bits);
    if (--output.waiting_low == 0) many_waiting_.erase(place);
  }
  [[nodiscard]] unsigned waiting_inputs(Place place) const {
    const Output& output = outputs_[place];
    if (many_inputs()) return output.waiting_low;
    unsigned count = 0;  // few wait, and std::popcount() would be a call (models/machine/cube.h)
    for (std::uint64_t inputs = output.waiting(); inputs != 0; inputs &= inputs - 1) ++count;
    return count;
  }
  /// The first input that waits at or after the pointer, cyclically. At least one input must wait.
  [[nodiscard]] unsigned first_waiting(Place place) const {
    const Output& output = outputs_[place];
    if (!many_inputs()) return output.first_waiting();
    unsigned input = output.pointer == count_ ? 0 : output.pointer;
    while (!waits(place, input)) input = input + 1 == count_ ? 0 : input + 1;
    return input;
  }
  [[nodiscard]] bool waits(Place place, unsigned input) const {
    if (!many_inputs()) return (outputs_[place].waiting() >> input & 1) != 0;
    return outputs_[place].waiting_low != 0 &&
           (many_waiting_.at(place)[input / word_bits] >> input % word_bits & 1) != 0;
  }

  /// Rule 6.2: a circuit has waited for this output.
  void count_wait(Place place, Cycles cycles) {
    if (blocked_.empty()) blocked_.resize(outputs_.size() / blocked_together + 1);
    auto& some = blocked_[place / blocked_together];
    if (some == nullptr) some = std::make_unique<Blocked>();
    (*some)[place % blocked_together] += cycles;
  }

  [[nodiscard]] LinkStatistics statistics(LinkId link) const {
    const Place at = place(link.output, link.node);
    LinkStatistics result{.circuits = outputs_[at].circuits,
                          .most_waiters = outputs_[at].most_waiters,
                          .bytes = outputs_[at].bytes_low(),
                          .busy = outputs_[at].busy_low()};
    if (!carries_.empty()) {
      result.bytes += carries_[at].bytes << Output::count_bits;
      result.busy += carries_[at].busy << Output::count_bits;
    }
    if (!blocked_.empty() && blocked_[at / blocked_together] != nullptr) {
      result.blocked = (*blocked_[at / blocked_together])[at % blocked_together];
    }
    return result;
  }

 private:
  /// The parts of the counts beyond the 31 bits in Output, in units of 2^31: kept apart, so that an output is half a
  /// cache line.
  struct Carries {
    std::uint64_t busy = 0;
    std::uint64_t bytes = 0;
  };

  static constexpr unsigned word_bits = 64;
  using ManyInputs = std::array<std::uint64_t, Topology::max_inputs / word_bits>;
  [[nodiscard]] bool many_inputs() const { return count_ > Output::most_inputs; }

  const Topology* topology_ = nullptr;
  unsigned links_ = 0;
  unsigned label_bits_ = 0;
  unsigned count_ = 0;
  bool large_ = false;
  Table<Output> outputs_;
  std::array<Output*, Topology::max_inputs> rows_{};
  std::vector<Carries> carries_;  ///< allocated with the first carry
  /// Allocated with the first wait, and for neighbours with the first of theirs: of many outputs, few have waits.
  static constexpr std::size_t blocked_together = 32;
  using Blocked = std::array<Cycles, blocked_together>;
  std::vector<std::unique_ptr<Blocked>> blocked_;
  /// Of routers with many inputs, while some wait: a table of all outputs is half as large as the outputs themselves.
  std::unordered_map<Place, ManyInputs> many_waiting_;
};

}  // namespace ecube::event
