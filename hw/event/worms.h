// SPDX-License-Identifier: Apache-2.0
// Worms: when phits follow their probe, and when links are free again (hw/README.md section 10).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/event/routers.h"

namespace ecube::event {

/// Gets the edges of worms that network interfaces need. An edge is reported as soon as it is known, and may lie in the
/// future.
class WormClient {
 public:
  /// The source drives the first phit at edge `first_phit`; its inject port is free from edge `at`, which may be before
  /// the probe arrives.
  virtual void worm_sent(CircuitId circuit, Cycles first_phit, Cycles at) = 0;
  /// The destination has the first phit at edge `first_phit` and all of them at edge `at`.
  virtual void worm_received(CircuitId circuit, Cycles first_phit, Cycles at) = 0;
  /// The interface of `node` moves phits of a worm in the cycles `from` .. `until` - 1. Told before the first of these
  /// cycles or, when that is not possible, one cycle later. With until = never, worm_stops() will tell how long.
  virtual void moves(NodeId node, Cycles from, Cycles until) = 0;
  virtual void worm_stops(NodeId node, Cycles from, Cycles until) = 0;
  /// The next phits of a worm pass the interface at one of its ends in the cycles `at`: told in the order of phits,
  /// each before its cycle or one cycle later.
  virtual void worm_phits(CircuitId circuit, bool arrives, std::span<const Cycles> at) = 0;
  /// The probe is at the destination, but the tail will never be: a dead link has cut the worm.
  virtual void worm_cut(CircuitId circuit) = 0;

 protected:
  ~WormClient() = default;
};

/// With wormhole switching every edge follows from the edges at which the probe left each stage.
class Worms {
 public:
  Worms(const Circuits& circuits, Routers& routers, WormClient& client, const Failures& failures)
      : circuits_(circuits), routers_(routers), client_(client), failures_(failures) {}

  void reset(const Machine& machine);
  void observe(Observer* observer) { observer_ = observer; }
  /// The probe leaves the source's interface.
  void begin(CircuitId id);
  /// Router k on the circuit's path has granted the circuit an output at edge `at`.
  void probe_left(CircuitId id, unsigned k, Cycles at) { moved(id, k + 1, at); }
  /// The destination begins to accept the probe at edge `at`.
  void accept(CircuitId id, Cycles at);
  /// The latest edge of a failure that stops a worm. It may be to come.
  [[nodiscard]] Cycles last_stopped() const { return last_stopped_; }

  /// The passage of a worm's probe, and what has been told of the worm.
  struct Worm {
    std::uint64_t phits = 1;
    /// Edge at which the probe left each stage: the source's interface, the routers, the destination's interface.
    std::vector<Cycles> probe{};
    unsigned hops = 0;
    NodeId router = 0;               ///< the first whose output has not been released
    unsigned released = 0;           ///< routers whose outputs are known to be free
    bool first_told = false;         ///< the edge of the first phit has been told
    bool tail_told = false;          ///< the edge at which the tail leaves has been told
    Cycles sender_ready = 0;         ///< once it is known
    std::uint64_t left_told = 0;     ///< phits whose cycle at the source has been told
    std::uint64_t arrived_told = 0;  ///< the same at the destination
  };
  /// Rules 10.1 and 10.2: the edge at which a flit of the worm, 0 the probe, 1 the first phit, leaves `stage`, 0 the
  /// source's interface, on links that pace phits by `pace` cycles, through buffers of `buffer` flits. The worm's probe
  /// must have left all stages that this edge depends on.
  [[nodiscard]] static Cycles flit_leaves(const Worm& worm, std::uint64_t flit, unsigned stage, Cycles pace,
                                          std::uint64_t buffer);

 private:
  [[nodiscard]] bool leaves_at_all(const Circuit& circuit, const Worm& worm, std::uint64_t flit, unsigned stage);
  void moved(CircuitId id, unsigned stage, Cycles at);
  [[nodiscard]] Cycles tail_leaves(const Worm& worm, unsigned stage) const {
    return flit_leaves(worm, worm.phits, stage, pace_, buffer_);
  }
  [[nodiscard]] Cycles first_phit(const Worm& worm) const;
  [[nodiscard]] const Topology& topology() const { return routers_.outputs().topology(); }
  void tell_phits(CircuitId id, unsigned stage);
  void tell_each_phit(CircuitId id, unsigned stage, bool arrives);
  /// The edge of the dead link that keeps a flit from leaving a stage, or never.
  [[nodiscard]] Cycles stopped_by(const Circuit& circuit, const Worm& worm, std::uint64_t flit, unsigned stage) const;

  const Circuits& circuits_;
  Routers& routers_;
  WormClient& client_;
  const Failures& failures_;
  Observer* observer_ = nullptr;
  Machine::Link link_;
  Cycles accept_cycles_ = 1;  ///< A
  Cycles pace_ = 2;           ///< c
  std::uint64_t buffer_ = 1;  ///< B
  bool exclusive_ = false;    ///< nodes compute only while their interfaces move no phits
  bool shares_ = false;       ///< messages share the bus of nodes with loops
  Cycles last_stopped_ = 0;
  std::vector<Worm> worms_;  ///< by CircuitId
};

}  // namespace ecube::event
