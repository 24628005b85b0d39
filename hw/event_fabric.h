// SPDX-License-Identifier: Apache-2.0
// Routers and links advanced by events, cycle for cycle as hw/README.md sections 2 and 3 demand.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/event_wheel.h"
#include "hw/fabric.h"

namespace ecube {

/// Only first requests and releases that somebody waits for are events; everything after the acknowledge is arithmetic.
class EventFabric final : public Fabric {
 public:
  EventFabric(Circuits& circuits, FabricClient& client) : circuits_(circuits), client_(client) {}

  void reset(const Machine& machine, unsigned dim) override;
  void inject(CircuitId id) override;
  void accept(CircuitId id, Cycles at) override;
  [[nodiscard]] Cycles next_cycle() const override { return wheel_.next_cycle(); }
  void advance(Cycles now) override;
  void observe(Observer* observer) override { observer_ = observer; }
  [[nodiscard]] LinkStatistics statistics(LinkId link) const override;
  [[nodiscard]] std::vector<WaitingCircuit> waiting() const override;
  [[nodiscard]] std::size_t memory_bytes() const override;

 private:
  /// Set in Output::free_at while the owner's tail is not known yet; the other bits are then its grant edge.
  static constexpr Cycles held = Cycles{1} << 63;
  static constexpr std::uint8_t nobody = 0xFF;

  /// One output of one router: a link, or an eject port. 32 bytes.
  struct Output {
    Cycles free_at = 0;  ///< first edge at which it can be granted, or held | grant edge
    Cycles busy = 0;
    CircuitId owner = no_circuit;
    std::uint32_t waiting_low = 0;  ///< inputs 0..31 that wait
    std::uint32_t circuits = 0;
    std::uint8_t waiting_high = 0;    ///< inputs 32..39: dim + ports <= 40
    std::uint8_t pointer = 0;         ///< input with the highest priority
    std::uint8_t candidate = nobody;  ///< best request of the edge being decided
    std::uint8_t unused = 0;

    [[nodiscard]] std::uint64_t waiting() const { return waiting_low | std::uint64_t{waiting_high} << 32; }
    [[nodiscard]] bool has_waiters() const { return (waiting_low | waiting_high) != 0; }
    void set_waiting(std::uint64_t mask) {
      waiting_low = static_cast<std::uint32_t>(mask);
      waiting_high = static_cast<std::uint8_t>(mask >> 32);
    }
  };
  static_assert(sizeof(Output) == 32);

  /// Waits for an output; touched only when somebody waits.
  struct Waits {
    Cycles blocked = 0;
    std::uint32_t most = 0;
  };

  enum class Kind : std::uint8_t { request, release, decided };
  struct Event {
    NodeId router = 0;
    CircuitId circuit = no_circuit;
    NodeId remaining = 0;  ///< source XOR destination still to travel; of a release, unused
    Kind kind = Kind::request;
    std::uint8_t input = 0;
    std::uint8_t output = 0;
    std::uint8_t unused = 0;
  };
  static_assert(sizeof(Event) == 16);

  /// A worm by its probe: with wormhole switching everything else follows from when the probe left each stage.
  struct Worm {
    std::uint64_t phits = 1;
    /// Edge at which the probe left each stage: the source's interface, the routers, the destination's interface.
    std::array<Cycles, max_simulated_dim + 3> probe{};
    Route route{0, 0};      ///< from the first router whose output has not been released
    unsigned released = 0;  ///< routers whose outputs are known to be free
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

  [[nodiscard]] std::size_t index(unsigned output, NodeId router) const {
    return (static_cast<std::size_t>(output) << dim_) + router;
  }
  [[nodiscard]] unsigned eject_output(unsigned input) const {
    if (ports_ == 1) return dim_;
    return input < dim_ ? dim_ + input : input;
  }
  void compete(Output& output, unsigned input) const;
  void collect(Event& event, Cycles now);
  void commit(const Event& event, Cycles now);
  void wait(Output& output, std::size_t output_index, const Event& event, Cycles now);
  void grant(Output& output, const Event& event, Cycles asked, Cycles now);
  void grant_waiter(Output& output, const Event& release, Cycles now);
  void free_from(std::size_t output_index, NodeId router, unsigned output_number, Cycles at, Bytes bytes);
  [[nodiscard]] CircuitId circuit_at(NodeId router, unsigned input) const;

  Circuits& circuits_;
  FabricClient& client_;
  Observer* observer_ = nullptr;
  Machine machine_;
  unsigned dim_ = 0;
  unsigned ports_ = 1;
  unsigned inputs_ = 0;
  Ratio phit_cycles_{1, 1};
  Bytes last_bytes_ = 0;  ///< of the message accepted last, and its cycles from first phit to tail
  Cycles last_data_cycles_ = 0;
  bool wormhole_ = false;
  std::uint64_t buffer_phits_ = 1;  ///< B
  Cycles pace_ = 1;                 ///< c, of a worm's phits on every link
  Cycles hop_ = 2;                  ///< grant at one router to first request at the next
  EventWheel<Event> wheel_;
  std::vector<Output> outputs_;       ///< [output][router]
  std::vector<Bytes> bytes_;          ///< [dimension][router]
  std::vector<Waits> waits_;          ///< [output][router], allocated with the first wait
  std::vector<Worm> worms_;           ///< by CircuitId, wormhole_ only
  std::vector<CircuitId> injecting_;  ///< [port][router]: the circuit at that inject port
};

}  // namespace ecube
