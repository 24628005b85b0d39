// SPDX-License-Identifier: Apache-2.0
// What is around a router: routers and interfaces that drive its wires by the rules, and at random otherwise.
#pragma once

#include <random>

#include "hw/clocked/router_module.h"
#include "hw/rtl/lone_router.h"

namespace ecube {

/// What a program draws; constant between two resets.
struct PinProgram {
  std::uint64_t edges = 0;
  bool gated = false;  ///< no edge while nothing moves and nothing comes
  bool resets = false;
  Cycles route_delay = 1;
  Cycles phit_cycles = 2;
  /// Each draw has the same probability in a million programs; a program of a seed stays the same.
  explicit PinProgram(std::uint64_t seed);
};

class Neighbours {
 public:
  Neighbours(const clocked::Shape& shape, const PinProgram& program, std::uint64_t seed)
      : shape_(shape), program_(program), random_(seed) {}

  /// What they drive at an edge, before which they saw `router`.
  [[nodiscard]] clocked::RouterWires after(const LoneRouter::Outputs& router);

 private:
  /// At the other end of an input's link.
  struct Sender {
    enum class State : std::uint8_t { idle, seeking, sending };
    State state = State::idle;
    Cycles wait = 0;
    Cycles pace = 0;  ///< of worms: edges until the link can take another word
    std::uint64_t left = 0;
    std::uint16_t number = 0;
  };
  /// At the other end of an output's link.
  struct Receiver {
    Cycles wait = 0;  ///< edges until it acknowledges; of worms, until it may change its stop
    bool stops = false;
  };
  /// How they behave for a while.
  struct Mood {
    std::uint64_t edges = 0;
    clocked::LineMask sending = 0;
    unsigned output = 0;  ///< that probes ask for, if they can; a number beyond the outputs: any
    unsigned idle = 0;    ///< bits of the edges between messages
    unsigned gap = 0;     ///< bits of the edges between phits
    unsigned length = 0;  ///< bits of the phits of a message
    unsigned answer = 0;  ///< bits of the edges to an acknowledge, or between two changes of a stop
    bool alike = false;   ///< all probes have the same source, port and number
    clocked::Wire probe{};
  };

  std::uint64_t pick(std::uint64_t most) { return random_() % (most + 1); }
  std::uint64_t of_bits(unsigned bits) { return bits == 0 ? 0 : pick((std::uint64_t{1} << pick(bits)) - 1); }
  void draw_mood();
  [[nodiscard]] clocked::Wire probe(unsigned input);
  [[nodiscard]] clocked::Wire phit(Sender& sender);
  [[nodiscard]] clocked::Wire word(unsigned input, bool back);
  [[nodiscard]] bool answers(unsigned output, bool granted);

  clocked::Shape shape_;
  PinProgram program_;
  std::mt19937_64 random_;
  Mood mood_;
  clocked::Lines<Sender> senders_{};
  clocked::Lines<Receiver> receivers_{};
};

}  // namespace ecube
