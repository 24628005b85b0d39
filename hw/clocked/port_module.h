// SPDX-License-Identifier: Apache-2.0
// Parts of interface ports that do not depend on the way of switching: the inputs before an edge, the module around the
// registers, and the receive engines that the ports of a node share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <systemc>

#include "hw/clocked/broken.h"
#include "hw/clocked/interface_port_pins.h"
#include "hw/clocked/wires/wire_signal.h"

namespace ecube::clocked {

/// The inputs of an interface port before an edge.
struct PortWires {
  Wire wire{};
  bool back = false;  ///< the acknowledge, or the stop of worms
  bool engine = true;
  bool start = false;  ///< its probe was driven at the edge before
  RouteWord route = 0;
  unsigned hops = 0;  ///< of the route; circuits only
  std::uint64_t phits = 1;
  PortMask sending_ports = 0;
  PortMask late_ports = 0;
};

/// Registers of every port. Those of what happened at the last edge have the names of the pins.
struct PortState {
  enum class Sending : std::uint8_t {
    idle,
    waiting,  ///< for the acknowledge, and on fixed-distance machines for the end of the set-up time
    moving,   ///< phits, until the tail
    closing   ///< of a worm: the tail is on the wire, or in the buffer behind
  };
  Sending sending = Sending::idle;
  std::uint64_t phits_left = 0;
  std::uint16_t sent_phits = 0;
  Wire drive{};

  enum class Receiving : std::uint8_t {
    idle,
    waiting,    ///< for own sends to end, or for a receive engine
    accepting,  ///< counts A
    moving      ///< phits, until the tail
  };
  Receiving receiving = Receiving::idle;
  Cycles until_accepted = 0;
  std::uint16_t received_phits = 0;  ///< modulo 2^16
  bool first_taken = false;
  Wire probe{};
  bool back = false;  ///< the acknowledge, or the stop of worms, is driven

  bool sent_first = false;
  bool sent_tail = false;
  bool probe_seen = false;
  bool accepted = false;  ///< the acknowledge was driven, or the worm's probe taken
  bool received_first = false;
  bool received_tail = false;

  const char* broken = nullptr;  ///< the sentence of the specification that the last edge contradicted

  void begin_sending(Sending as, std::uint64_t phits) {
    sending = as;
    phits_left = phits;
    sent_phits = 0;
  }
  /// True for the tail.
  bool drive_phit() {
    sent_tail = phits_left-- == 1;
    drive = {.kind = sent_tail ? WireKind::tail : WireKind::phit, .sequence = sent_phits++};
    return sent_tail;
  }
  void see(const Wire& wire) {
    if (receiving != Receiving::idle) broken = "an eject port has one message at a time";
    probe = wire;
    receiving = Receiving::waiting;
    received_phits = 0;
    first_taken = false;
  }
  void count_phit(const Wire& phit) {
    if (phit.sequence != received_phits++) broken = "phits come in order";
  }
  [[nodiscard]] bool happened() const {
    return sent_first || sent_tail || probe_seen || accepted || received_first || received_tail;
  }
};

/// True when the port reports an event of the last edge, or a probe waits to be accepted.
[[nodiscard]] inline bool reports(const PortState& state) {
  return state.happened() || state.receiving == PortState::Receiving::waiting ||
         state.receiving == PortState::Receiving::accepting;
}

/// Pins and registers of a port.
template <typename Pins, typename State, typename Parameters>
class PortModule : public Pins, public ClockedByCall {
 public:
  template <typename... Arguments>
  explicit PortModule(const sc_core::sc_module_name& name, const Arguments&... arguments) : Pins(name, arguments...) {
    SC_HAS_PROCESS(PortModule);
    SC_METHOD(drive_probe);
    this->sensitive << this->start_i;
    this->dont_initialize();
  }

  void clock_edge() override {
    if (*reset_) parameters_ = read_parameters();
    read_pins();
    if (*reset_) {
      state_ = {};
      reported_ = true;
    } else {
      state_ = after(state_, wires_, parameters_);
      report_broken(*this, state_.broken);
    }
    drive_pins();
  }
  void needed(CacheLines& lines) const override {
    lines.add(static_cast<const ClockedByCall*>(this), &changed_bits + 1);
    lines.add(&state_, &writers_ + 1);
    lines.add(word_, word_ + 1);
    writers_.needed(lines);
  }

 protected:
  /// The registers after an edge. A different design overrides this.
  [[nodiscard]] virtual State after(const State& now, const PortWires& wires, const Parameters& parameters) const {
    return next(now, wires, parameters);
  }
  /// The constants of a run.
  [[nodiscard]] virtual Parameters read_parameters() const = 0;
  /// Inputs that only ports of this kind have.
  virtual void read_own_pins(PortWires& /*wires*/) const {}
  /// Pins that mean something else in each kind of port; those of the report only if it `reports`.
  virtual void drive_own_pins(bool reports) = 0;
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] bool resets() const { return *reset_; }

 private:
  void end_of_elaboration() override {
    word_ = &this->wire_i->read();
    writers_.add(this->wire_o);
    reset_ = &this->rst_i->read();
    if (by_call) return;
    SC_HAS_PROCESS(PortModule);
    SC_METHOD(clock_edge);
    this->sensitive << this->clk_i.pos();
    this->dont_initialize();
  }

  /// Rule 4.3: the probe is driven while the message library asks for it.
  void drive_probe() {
    writers_.write(0, this->start_i.read() ? this->probe_to_send() : state_.drive);
    driving_ = true;
  }

  void read_pins() {
    wires_.wire = *word_;
    if (changed_bits != 0) {
      wires_.back = this->acknowledge_i.read();
      wires_.engine = this->engine_i.read();
      wires_.start = this->start_i.read();
      wires_.route = this->route_i.read();
      wires_.phits = this->phits_i.read();
    }
    read_own_pins(wires_);
  }

  /// Most pins keep their values at most edges.
  void drive_pins() {
    const bool drives = state_.drive.kind != WireKind::idle;
    if (drives || driving_) writers_.write(0, state_.drive);
    driving_ = drives;
    const bool report = reports(state_);
    drive_own_pins(report || reported_);
    if (report || reported_) {
      this->sent_first_o.write(state_.sent_first);
      this->sent_tail_o.write(state_.sent_tail);
      this->probe_seen_o.write(state_.probe_seen);
      this->accepted_o.write(state_.accepted);
      this->acknowledge_o.write(state_.back);
      this->received_first_o.write(state_.received_first);
      this->received_tail_o.write(state_.received_tail);
      this->probe_o.write(state_.probe);
      reported_ = report;
    }
    const bool moves = state_.happened() || state_.drive.kind != WireKind::idle ||
                       state_.receiving == PortState::Receiving::accepting || moving(state_);
    if (moves != moves_ || *reset_) {
      this->moving_o.write(moves);
      moves_ = moves;
    }
  }

  State state_;
  PortWires wires_;
  Parameters parameters_;
  bool driving_ = true;          ///< the wire may carry a word
  bool reported_ = false;        ///< some pins of the report are high
  bool moves_ = false;           ///< driven
  const bool* reset_ = nullptr;  ///< the value of rst_i
  const Wire* word_ = nullptr;   ///< the value of the signal
  WireWriters writers_;
};

// --- The receive engines that the ports of a node share (hw/README.md section 4, K engines) ---

/// The receive engines taken, and the ports that wait for one.
struct ReceiveEnginesState {
  unsigned taken = 0;
  std::array<std::uint8_t, max_ports> waiting{};  ///< eject ports without a receive engine, in order of arrival
  unsigned waiters = 0;
  PortMask given = 0;  ///< ports that got a receive engine: in order of arrival, ties by number
};

/// The inputs of the receive engines before an edge.
struct ReceiveEnginesWires {
  PortMask probes = 0;  ///< ports at which a probe arrives at this edge
  PortMask tails = 0;   ///< ports that receive their tail at this edge
};

/// Rule 4.8: the registers after an edge. Of all waiting ports in order, those whose probe arrives now last, as many
/// get a receive engine as are free.
[[nodiscard]] inline ReceiveEnginesState next(const ReceiveEnginesState& now, const ReceiveEnginesWires& wires,
                                              unsigned engines) {
  ReceiveEnginesState all = now;
  all.taken -= static_cast<unsigned>(std::popcount(wires.tails));
  for (unsigned probes = wires.probes; probes != 0; probes &= probes - 1) {
    all.waiting[all.waiters++] = static_cast<std::uint8_t>(std::countr_zero(probes));
  }
  const unsigned first = std::min(all.waiters, engines - std::min(all.taken, engines));
  ReceiveEnginesState after;
  after.taken = all.taken + first;
  for (unsigned i = 0; i < first; ++i) after.given |= static_cast<PortMask>(1U << all.waiting[i]);
  for (unsigned i = first; i < all.waiters; ++i) after.waiting[after.waiters++] = all.waiting[i];
  return after;
}

class ReceiveEngines final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<bool> rst_i{"rst_i"};
  sc_core::sc_in<std::uint32_t> engines_i{"engines_i"};  ///< K, constant in a run
  sc_core::sc_vector<sc_core::sc_in<Wire>> wire_i;       ///< [eject port], as the port itself sees it
  sc_core::sc_vector<sc_core::sc_in<bool>> received_tail_i;
  sc_core::sc_vector<sc_core::sc_out<bool>> engine_o;  ///< to the port, before the edge at which it has one

  sc_core::sc_out<PortMask> waiting_o{"waiting_o"};  ///< for the monitor: ports without a receive engine

  ReceiveEngines(const sc_core::sc_module_name& name, unsigned ports)
      : sc_core::sc_module(name),
        wire_i("wire_i", ports),
        received_tail_i("received_tail_i", ports),
        engine_o("engine_o", ports) {
    SC_HAS_PROCESS(ReceiveEngines);
    SC_METHOD(act);
    sensitive << clk_i.pos();
    for (unsigned p = 0; p < ports; ++p) sensitive << wire_i[p] << received_tail_i[p];
    dont_initialize();
  }
  [[nodiscard]] const char* kind() const override { return "receive_engines"; }

 private:
  void act() {
    ReceiveEnginesWires wires;
    for (unsigned p = 0; p < wire_i.size(); ++p) {
      if (wire_i[p].read().kind == WireKind::probe) wires.probes |= static_cast<PortMask>(1U << p);
      if (received_tail_i[p].read()) wires.tails |= static_cast<PortMask>(1U << p);
    }
    const unsigned engines = engines_i.read();
    if (clk_i.posedge()) {
      // Probes from before the edge have been dealt with; probes after it start this process again.
      state_ = rst_i.read() ? ReceiveEnginesState{} : next(state_, wires, engines);
      for (unsigned p = 0; p < engine_o.size(); ++p) engine_o[p].write(false);
      PortMask waiting = 0;
      for (unsigned i = 0; i < state_.waiters; ++i) waiting |= static_cast<PortMask>(1U << state_.waiting[i]);
      waiting_o.write(waiting);
      return;
    }
    const PortMask ports = next(state_, wires, engines).given;
    for (unsigned p = 0; p < engine_o.size(); ++p) engine_o[p].write((ports >> p & 1U) != 0);
  }

  ReceiveEnginesState state_;
};

}  // namespace ecube::clocked
