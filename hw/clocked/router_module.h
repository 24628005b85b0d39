// SPDX-License-Identifier: Apache-2.0
// Parts of a router that do not depend on the way of switching: the wires before an edge, what happened at an edge, and
// the module around the registers.
#pragma once

#include <vector>

#include "hw/clocked/broken.h"
#include "hw/clocked/router_pins.h"
#include "hw/clocked/routing.h"
#include "hw/clocked/wires/wire_signal.h"

namespace ecube::clocked {

/// The values that the neighbours and the interface drove before an edge.
struct RouterWires {
  Lines<Wire> wire{};  ///< [input]
  LineMask back = 0;   ///< outputs against whose link the acknowledge is driven, or of worms the stop
};

/// What happened at an edge.
struct RouterEvents {
  LineMask granted = 0;  ///< outputs by which a probe left
  LineMask released =
      0;                 ///< circuits: outputs whose owner's tail was processed; worms: those that can be granted again
  LineMask refused = 0;  ///< inputs that asked and were refused
  Lines<LineMask> asking;  ///< [input] the output that its probe asks for, if it was refused

  const char* broken = nullptr;  ///< the sentence of the specification that the edge contradicted

  explicit RouterEvents(unsigned lines) : asking(lines) {}
  /// Nothing has happened yet at the next edge.
  void clear() { granted = released = refused = 0; }
  void ask(unsigned input, unsigned output) {
    refused |= LineMask{1} << input;  // unless it is granted at this edge
    asking[input] = LineMask{1} << output;
  }
  void grant(unsigned input, unsigned output) {
    granted |= LineMask{1} << output;
    refused &= ~(LineMask{1} << input);
  }
};

/// An output's registers.
struct RouterOutput {
  std::uint8_t owner = nobody;  ///< the input whose circuit, or worm, has the output
  std::uint8_t pointer = 0;     ///< the input that arbitration looks at first
  Wire drive{};

  /// Rule 2.3: the output goes to the first of `requests` at or after the pointer, which moves behind the winner.
  [[nodiscard]] bool arbitrate(LineMask requests, unsigned lines) {
    const std::uint8_t input = winner(requests, pointer);
    if (input == nobody) return false;
    owner = input;
    pointer = static_cast<std::uint8_t>((input + 1U) % lines);
    return true;
  }
};

/// Pins and registers of a router. State has RouterEvents `events`, Lines of outputs `out`, and the inputs `back` whose
/// acknowledge, or stop, is driven.
template <typename Pins, typename State>
class RouterModule : public Pins, public ClockedByCall {
 public:
  RouterModule(const sc_core::sc_module_name& name, const Shape& shape)
      : Pins(name, shape), state_(shape.lines()), wires_{Lines<Wire>(shape.lines())} {}

  void clock_edge() override {
    read_wires();
    if (*reset_) {
      drive_pins(State(this->shape().lines()));
    } else {
      drive_pins(after(state_, wires_));
      report_broken(*this, state_.events.broken);
    }
  }

 protected:
  /// The registers after an edge. A different design overrides this.
  [[nodiscard]] virtual State after(const State& now, const RouterWires& wires) const = 0;

 private:
  void end_of_elaboration() override {
    for (unsigned i = 0; i < this->shape().lines(); ++i) {
      words_.push_back(&this->wire_i[i]->read());
      writers_.emplace_back(this->wire_o[i]);
    }
    reset_ = &this->rst_i->read();
    if (by_call) return;
    SC_HAS_PROCESS(RouterModule);
    SC_METHOD(clock_edge);
    this->sensitive << this->clk_i.pos();
    this->dont_initialize();
  }

  /// What has not changed is known from the edge before.
  void read_wires() {
    const LineMask all = ~LineMask{0} >> (max_lines - this->shape().lines());
    for_each_bit(changed_words & all, [&](unsigned i) { wires_.wire[i] = *words_[i]; });
    for_each_bit(changed_bits & all, [&](unsigned o) {
      const LineMask line = LineMask{1} << o;
      wires_.back = this->acknowledge_i[o].read() ? wires_.back | line : wires_.back & ~line;
    });
    if (told) changed_words = changed_bits = 0;
  }

  /// Pins that keep their values are not written, because most do at most edges.
  void drive_pins(const State& next) {
    for (unsigned i = 0; i < this->shape().lines(); ++i) {
      const Wire& drive = next.out[i].drive;
      if (drive != state_.out[i].drive) writers_[i].write(drive);
    }
    for_each_bit(next.back ^ state_.back,
                 [&](unsigned i) { this->acknowledge_o[i].write((next.back >> i & 1U) != 0); });
    const RouterEvents& events = next.events;
    if (events.granted != 0) {
      LineMatrix owners;
      for_each_bit(events.granted, [&](unsigned o) { owners.rows[o] = LineMask{1} << next.out[o].owner; });
      this->owners_o.write(owners);
    }
    if (events.refused != 0) {
      LineMatrix asking;
      for_each_bit(events.refused, [&](unsigned i) { asking.rows[i] = events.asking[i]; });
      this->asking_o.write(asking);
    }
    if (events.granted != state_.events.granted) this->granted_o.write(events.granted);
    if (events.released != state_.events.released) this->released_o.write(events.released);
    if (events.refused != state_.events.refused) this->refused_o.write(events.refused);
    if (const bool moves = moving(next, this->shape()); moves != moves_ || *reset_) {
      this->moving_o.write(moves);
      moves_ = moves;
    }
    state_ = next;
  }

  State state_;
  RouterWires wires_;
  bool moves_ = false;               ///< driven
  const bool* reset_ = nullptr;      ///< the value of rst_i
  std::vector<const Wire*> words_;   ///< [input] the values of the signals
  std::vector<WireWriter> writers_;  ///< [output]
};

}  // namespace ecube::clocked
