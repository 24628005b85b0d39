// SPDX-License-Identifier: Apache-2.0
// Parts of a router that do not depend on the way of switching: the wires before an edge, what happened at an edge, and
// the module around the registers.
#pragma once

#include <utility>
#include <vector>

#include "hw/clocked/broken.h"
#include "hw/clocked/router_pins.h"
#include "hw/clocked/routing.h"
#include "hw/clocked/wires/wire_signal.h"

namespace ecube::clocked {

/// The values that the neighbours and the interface drove before an edge.
struct RouterWires {
  Lines<Wire> wire;    ///< [input]
  LineMask words = 0;  ///< inputs whose word is not idle
  LineMask back = 0;   ///< outputs against whose link the acknowledge is driven, or of worms the stop

  explicit RouterWires(unsigned lines = max_lines) : wire(lines) {}
  /// The word at `input`, which may be idle.
  void come(unsigned input, const Wire& word) {
    wire[input] = word;
    words |= LineMask{word.kind != WireKind::idle} << input;
  }
};

/// What happened at an edge.
struct RouterEvents {
  LineMask granted = 0;   ///< outputs by which a probe left
  LineMask released = 0;  ///< outputs whose owner's tail was processed; of worms: those that can be granted again
  LineMask refused = 0;   ///< inputs that asked and were refused
  const char* broken = nullptr;  ///< the sentence of the specification that the edge contradicted
  Lines<LineMask> asking;        ///< [input] the output that its probe asks for, if it was refused

  explicit RouterEvents(unsigned lines) : asking(lines) {}
  void needed(CacheLines& lines) const { lines.add(this, &asking); }
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

/// Pins and registers of a router. State has RouterEvents `events`, Lines of outputs `out`, the inputs `back` whose
/// acknowledge, or stop, is driven, and adds what edges need of it.
template <typename Pins, typename State>
class RouterModule : public Pins, public ClockedByCall {
 public:
  RouterModule(const sc_core::sc_module_name& name, const Shape& shape) : Pins(name, shape), state_(shape.lines()) {}

  void clock_edge() override {
    if (*reset_) {
      state_ = State(this->shape().lines());
      route_delay_ = this->route_delay_i.read();
    } else {
      after(state_, read_wires());
      report_broken(*this, state_.events.broken);
    }
    drive_pins();
  }
  void needed(CacheLines& lines) const override {
    lines.add(static_cast<const ClockedByCall*>(this), &changed_bits + 1);
    lines.add(&reset_, &state_);
    state_.needed(lines);
    lines.add(words_.data(), words_.data() + words_.size());
    writers_.needed(lines);
    for (const Wire* const word : words_) lines.add(word, word + 1);
  }

 protected:
  /// Takes the registers over an edge. A different design overrides this.
  virtual void after(State& state, const RouterWires& wires) const = 0;
  [[nodiscard]] Cycles route_delay() const { return route_delay_; }

 private:
  void end_of_elaboration() override {
    for (unsigned i = 0; i < this->shape().lines(); ++i) {
      words_.push_back(&this->wire_i[i]->read());
      writers_.add(this->wire_o[i]);
    }
    reset_ = &this->rst_i->read();
    if (by_call) return;
    SC_HAS_PROCESS(RouterModule);
    SC_METHOD(clock_edge);
    this->sensitive << this->clk_i.pos();
    this->dont_initialize();
  }

  [[nodiscard]] RouterWires read_wires() {
    const LineMask all = ~LineMask{0} >> (max_lines - words_.size());
    RouterWires wires(this->shape().lines());
    for_each_bit(told ? word_bits : all, [&](unsigned i) { wires.come(i, *words_[i]); });
    // What has not changed is known from the edge before.
    for_each_bit(told ? std::exchange(changed_bits, 0) & all : all, [&](unsigned o) {
      const LineMask line = LineMask{1} << o;
      back_ = this->acknowledge_i[o].read() ? back_ | line : back_ & ~line;
    });
    wires.back = back_;
    return wires;
  }

  /// Pins that keep their values are not written, because most do at most edges.
  void drive_pins() {
    LineMask words = 0;
    for (unsigned o = 0; o < words_.size(); ++o) words |= LineMask{state_.out[o].drive.kind != WireKind::idle} << o;
    writers_.write_each(words | std::exchange(driven_.words, words),
                        [&](unsigned o) -> const Wire& { return state_.out[o].drive; });
    for_each_bit(state_.back ^ driven_.back,
                 [&](unsigned i) { this->acknowledge_o[i].write((state_.back >> i & 1U) != 0); });
    driven_.back = state_.back;
    const RouterEvents& events = state_.events;
    if (events.granted != 0) {
      LineMatrix owners;
      for_each_bit(events.granted, [&](unsigned o) { owners.rows[o] = LineMask{1} << state_.out[o].owner; });
      this->owners_o.write(owners);
    }
    if (events.refused != 0) {
      LineMatrix asking;
      for_each_bit(events.refused, [&](unsigned i) { asking.rows[i] = events.asking[i]; });
      this->asking_o.write(asking);
    }
    drive(this->granted_o, events.granted, driven_.granted);
    drive(this->released_o, events.released, driven_.released);
    drive(this->refused_o, events.refused, driven_.refused);
    drive(this->moving_o, words != 0 || moving(state_, this->shape()), driven_.moves);
  }
  template <typename T>
  void drive(sc_core::sc_out<T>& pin, T value, T& driven) {
    if (value != std::exchange(driven, value) || *reset_) pin.write(value);
  }

  const bool* reset_ = nullptr;     ///< the value of rst_i
  std::vector<const Wire*> words_;  ///< [input] the values of the signals
  WireWriters writers_;             ///< [output]
  Cycles route_delay_ = 1;
  LineMask back_ = 0;
  /// What the pins have been driven to.
  struct {
    LineMask words = 0;  ///< outputs whose word is not idle
    LineMask back = 0;
    LineMask granted = 0;
    LineMask released = 0;
    LineMask refused = 0;
    bool moves = false;
  } driven_;
  State state_;
};

}  // namespace ecube::clocked
