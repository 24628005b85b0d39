// SPDX-License-Identifier: Apache-2.0
// Routers and links advanced by events, cycle for cycle as hw/README.md sections 2 and 3 demand.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "hw/event_wheel.h"
#include "hw/fabric_client.h"
#include "hw/observed/link.h"
#include "hw/observed/observer.h"
#include "models/huge_pages.h"

namespace ecube {

#ifdef ECUBE_UNCOUNTED
inline constexpr bool counts_links = false;  ///< benchmarks only: what the counts cost
#else
inline constexpr bool counts_links = true;
#endif

/// Only first requests and releases that somebody waits for are events; everything after the acknowledge is arithmetic.
class EventFabric final {
 public:
  EventFabric(Circuits& circuits, FabricClient& client) : circuits_(circuits), client_(client) {}

  /// Returns to cycle 0 with nothing on the wires.
  void reset(const Machine& machine, unsigned dim);
  /// The interface of circuits[id].source drives the probe at circuits[id].probe, which must not be in the past.
  void inject(CircuitId id);
  /// Acceptance of an arrived probe begins at edge `at`, not before it was seen. In answer to probe_arrived().
  void accept(CircuitId id, Cycles at);
  /// The next cycle in which there is work, or never.
  [[nodiscard]] Cycles next_cycle() const { return std::min(requests_.next_cycle(), releases_.next_cycle()); }
  /// Does the work of this cycle.
  void advance(Cycles now);
  /// Events processed since the reset.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  void observe(Observer* observer) { observer_ = observer; }
  [[nodiscard]] LinkStatistics statistics(LinkId link) const;
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Set in Output::free_at while the owner's tail is not known yet; the other bits are then its grant edge.
  static constexpr Cycles held = Cycles{1} << 63;
  /// Of a link's busy cycles and bytes in Output; the bit above says that a count has outgrown them.
  static constexpr unsigned count_bits = 31;

  /// One output of one router: a link, or an eject port. 32 bytes.
  struct Output {
    Cycles free_at = 0;  ///< first edge at which it can be granted, or held | grant edge
    CircuitId owner = no_circuit;
    std::uint32_t waiting_low = 0;  ///< inputs 0..31 that wait
    std::uint64_t low_counts = 0;   ///< busy cycles and, in the upper half, bytes carried; each modulo 2^31
    std::uint32_t circuits = 0;
    std::uint8_t waiting_high = 0;    ///< inputs 32..39: dim + ports <= 40
    std::uint8_t pointer = 0;         ///< 1 + the last owner's input: the input with the highest priority, cyclically
    std::uint8_t pointer_before = 0;  ///< the same before the owner was granted it, which decides its edge
    bool had_waited : 1 = false;      ///< at its grant edge: the owner did not ask at this edge for the first time
    std::uint8_t most_waiters : 7 = 0;

    /// Grants it; a circuit of the same edge that comes before this one may still take its place.
    void take(CircuitId circuit, unsigned input, Cycles granted) {
      free_at = granted;
      owner = circuit;
      if constexpr (counts_links) ++circuits;
      pointer_before = pointer;
      pointer = static_cast<std::uint8_t>(input + 1);
    }
    /// What EventFabric::free_from() does, where that is all: false, and nothing done, if somebody waits or a count
    /// outgrows its 31 bits. It was held for less than 2^31 cycles, and by less than 2^31 bytes.
    [[nodiscard]] bool free_from(Cycles at, std::uint32_t bytes) {
      if constexpr (!counts_links) {
        if (has_waiters()) return false;
        free_at = at;
        return true;
      }
      constexpr std::uint64_t outgrown = std::uint64_t{1} << count_bits | std::uint64_t{1} << (32 + count_bits);
      const std::uint32_t busy = static_cast<std::uint32_t>(at - 1) - static_cast<std::uint32_t>(free_at);
      const std::uint64_t counts = low_counts + (busy | std::uint64_t{bytes} << 32);
      if (((counts & outgrown) | waiting_low | waiting_high) != 0) [[unlikely]]
        return false;
      free_at = at;
      low_counts = counts;
      return true;
    }
    [[nodiscard]] std::uint32_t busy_low() const { return static_cast<std::uint32_t>(low_counts); }
    [[nodiscard]] std::uint32_t bytes_low() const { return static_cast<std::uint32_t>(low_counts >> 32); }
    [[nodiscard]] std::uint64_t waiting() const { return waiting_low | std::uint64_t{waiting_high} << 32; }
    [[nodiscard]] bool has_waiters() const { return (waiting_low | waiting_high) != 0; }
    void set_waiting(std::uint64_t mask) {
      waiting_low = static_cast<std::uint32_t>(mask);
      waiting_high = static_cast<std::uint8_t>(mask >> 32);
    }
  };
  static_assert(sizeof(Output) == 32);

  /// What has outgrown the counts in Output, in units of 2^31: kept apart, so that an output is half a cache line.
  struct Carries {
    std::uint64_t busy = 0;
    std::uint64_t bytes = 0;
  };

  /// An eject port granted, and the circuit that got it first.
  struct Ejecting {
    std::size_t output_index;
    CircuitId first;
  };

  /// A circuit asks for an output. Two words, since the next request of a circuit differs from the last one in a few
  /// bits.
  class Request {
   public:
    Request() = default;
    Request(NodeId router, CircuitId circuit, NodeId remaining, unsigned input)
        : who_(router | std::uint64_t{circuit} << 32), what_(remaining | std::uint64_t{input} << 32) {}
    /// The request that follows this one, across `dimension`: the lowest that is left, or, where none is, any.
    [[nodiscard]] Request onward(unsigned dimension) const {
      const NodeId bit = NodeId{1} << dimension;
      return {who_ ^ bit, (remaining() ^ bit) | std::uint64_t{dimension} << 32};
    }
    [[nodiscard]] NodeId router() const { return static_cast<NodeId>(who_); }
    [[nodiscard]] CircuitId circuit() const { return static_cast<CircuitId>(who_ >> 32); }
    /// Source XOR destination still to travel.
    [[nodiscard]] NodeId remaining() const { return static_cast<NodeId>(what_); }
    [[nodiscard]] unsigned input() const { return static_cast<unsigned>(what_ >> 32); }

   private:
    Request(std::uint64_t who, std::uint64_t what) : who_(who), what_(what) {}
    std::uint64_t who_ = 0;
    std::uint64_t what_ = 0;
  };
  static_assert(sizeof(Request) == 16);

  /// An output that somebody waits for can be granted again.
  struct Release {
    NodeId router;
    unsigned output;
  };

  /// A worm by its probe: with wormhole switching everything else follows from when the probe left each stage.
  struct Worm {
    std::uint64_t phits = 1;
    /// Edge at which the probe left each stage: the source's interface, the routers, the destination's interface.
    std::array<Cycles, max_simulated_dim + 3> probe{};
    Route route{0, 0};        ///< from the first router whose output has not been released
    unsigned released = 0;    ///< routers whose outputs are known to be free
    bool first_told = false;  ///< when its first phit leaves
    bool tail_told = false;   ///< when its tail does
    bool sent = false;
    Cycles sender_ready = 0;
  };

  // wormhole.cpp
  void begin_worm(CircuitId id);
  /// The probe left `stage` at edge `at`: tells what has become known by it.
  void probe_moved(CircuitId id, unsigned stage, Cycles at);
  void accept_worm(CircuitId id, Cycles at);
  [[nodiscard]] Cycles tail_leaves(const Worm& worm, unsigned hop_count, unsigned stage) const;
  [[nodiscard]] Cycles first_phit(const Worm& worm) const;
  void tell_phits(CircuitId id, unsigned stage);

  [[nodiscard]] std::size_t index(unsigned output, NodeId router) const {
    return (static_cast<std::size_t>(output) << dim_) + router;
  }
  [[nodiscard]] unsigned eject_output(unsigned input) const {
    if (ports_ == 1) return dim_;
    return input < dim_ ? dim_ + input : input;
  }
  /// The link that a circuit has crossed before `request`.
  [[nodiscard]] std::size_t crossed(const Request& request) const {
    return index(request.input(), neighbour(request.router(), request.input()));
  }
  /// An input's place behind `pointer`.
  [[nodiscard]] unsigned rank(unsigned input, unsigned pointer) const {
    return input >= pointer ? input - pointer : input + inputs_ - pointer;
  }
  [[nodiscard]] NodeId router_of(std::size_t output_index) const {
    return static_cast<NodeId>(output_index) & ((NodeId{1} << dim_) - 1);
  }
  [[nodiscard]] unsigned output_of(std::size_t output_index) const {
    return static_cast<unsigned>(output_index >> dim_);
  }

  // One edge (event_fabric.cpp). An output goes to the first that asks, and on to a better one as they come: the last
  // to have it is the one that the pointer before the edge prefers, in whatever order they came.
  void release(Release event, Cycles now);
  /// Leaves the next requests of circuits that were granted links in the place of those they come from.
  template <bool large, bool one_port>
  void decide(EventWheel<Request>::Chunk& chunk, Cycles now);
  void fetch_path(const Circuit& circuit) const;
  [[nodiscard]] Request after_link(NodeId router, unsigned dimension, CircuitId id) const;
  void compete(std::size_t output_index, CircuitId circuit, unsigned input, Cycles now);
  void wait(std::size_t output_index, CircuitId circuit, unsigned input, Cycles now);
  void settle(EventWheel<Request>::Chunk* chunks, Cycles now);
  void accept_arrived(Cycles now);
  void tell_granted(std::size_t output_index, Cycles now);
  /// The tail's passage through an output is known: it can be granted again at edge `at`.
  void free_from(std::size_t output_index, Cycles at, Bytes bytes) {
    Output& output = outputs_[output_index];
    const Cycles busy = output.busy_low() + (at - 1 - (output.free_at & ~held));
    const Bytes carried = output.bytes_low() + bytes;
    output.free_at = at;
    constexpr std::uint64_t low = (std::uint64_t{1} << count_bits) - 1;
    output.low_counts = (busy & low) | (carried & low) << 32;
    if (((busy | carried) >> count_bits) != 0) [[unlikely]]
      carry(output_index, busy >> count_bits, carried >> count_bits);
    if (output.has_waiters()) [[unlikely]]
      announce_release(output_index, at);
  }
  void carry(std::size_t output_index, std::uint64_t busy, std::uint64_t bytes);
  void announce_release(std::size_t output_index, Cycles at);
  void tell_established(CircuitId id, const CircuitEdges& edges, Cycles first_phit) const;
  [[nodiscard]] CircuitId circuit_at(NodeId router, unsigned input) const;

  Circuits& circuits_;
  FabricClient& client_;
  ObserverPointer observer_{};
  Machine machine_;
  unsigned dim_ = 0;
  unsigned ports_ = 1;
  unsigned inputs_ = 0;
  Ratio phit_cycles_{1, 1};
  std::uint64_t events_ = 0;
  Bytes last_bytes_ = 0;  ///< of the message accepted last, and its cycles from first phit to tail
  Cycles last_data_cycles_ = 0;
  bool wormhole_ = false;
  bool exclusive_ = false;          ///< nodes compute only while their interfaces move no phits
  bool large_ = false;              ///< more outputs than the cache holds: fetched before they are decided
  std::uint64_t buffer_phits_ = 1;  ///< B
  Cycles pace_ = 1;                 ///< c, of a worm's phits on every link
  Cycles hop_ = 2;                  ///< grant at one router to first request at the next
  EventWheel<Request> requests_;
  EventWheel<Release> releases_;
  Table<Output> outputs_;             ///< [output][router]
  std::vector<Carries> carries_;      ///< [output][router], allocated with the first carry
  std::vector<Cycles> blocked_;       ///< [output][router], allocated with the first wait
  std::vector<Worm> worms_;           ///< by CircuitId, wormhole_ only
  std::vector<CircuitId> injecting_;  ///< [port][router]: the circuit at that inject port
  // Of the edge being decided:
  std::vector<Request> passed_on_;       ///< next requests of circuits that had waited for links
  std::vector<Ejecting> ejecting_;       ///< eject ports granted
  std::vector<std::size_t> served_;      ///< outputs that somebody who had waited was granted, at least for a while
  std::vector<std::size_t> waited_for_;  ///< outputs with a new waiter
  bool accepts_at_once_ = false;         ///< interfaces never let a probe wait: they need not be asked
  bool outdone_ = false;                 ///< a link did not stay with the first to which it was granted
};

}  // namespace ecube
