// SPDX-License-Identifier: Apache-2.0
// Senders and receivers of one router.
#include "testbench/router/neighbours.h"

#include <algorithm>

#include "models/machine/random.h"

namespace ecube {

using clocked::Wire;
using clocked::WireKind;

PinProgram::PinProgram(std::uint64_t seed) {
  std::mt19937_64 random(mix(seed));
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  gated = pick(1) == 1;
  resets = pick(1) == 1;
  edges = 500 + pick(2000);
  route_delay = 1 + pick(1) * pick(11);
  phit_cycles = 2 + pick(1) * pick(6);
  switch (seed % 25) {
    case 8:  // a register ends somewhere between the smallest count and the largest: what is cut off asks too early
    case 16: {
      const auto wide = [&pick] { return (std::uint64_t{1} << (4 + pick(27))) + 1 + pick(4); };
      route_delay = pick(1) == 1 ? wide() : route_delay;
      phit_cycles = wide();
      edges = 600;
      break;
    }
    case 12:  // counts that users run, to their end
      route_delay = 1 + logarithmic(random(), 14);
      phit_cycles = 2 + logarithmic(random(), 10);
      edges = 4 * route_delay + 20 * phit_cycles + 1000;
      break;
    case 24:  // hundreds of grants of each output
      resets = false;
      edges = 20'000;
      route_delay = 1;
      break;
    default:
      break;
  }
}

void Neighbours::draw_mood() {
  const clocked::LineMask all = (clocked::LineMask{1} << shape_.lines()) - 1;
  const auto one = [&] { return clocked::LineMask{1} << pick(shape_.lines() - 1); };
  const std::uint64_t senders = pick(4);
  mood_.edges = std::uint64_t{32} << pick(6);
  mood_.sending = senders == 0   ? one()
                  : senders == 1 ? one() | one()
                  : senders == 2 ? static_cast<clocked::LineMask>(random_()) & all
                                 : all;
  mood_.output = static_cast<unsigned>(pick(std::uint64_t{2} * shape_.lines()));
  const auto bits = [&](unsigned most) { return static_cast<unsigned>(pick(1) * pick(most)); };
  mood_.idle = bits(7);
  mood_.gap = bits(4);
  mood_.length = bits(5);
  mood_.answer = bits(7);
  mood_.alike = pick(3) == 0;
  mood_.probe = {.kind = WireKind::probe,
                 .port = static_cast<std::uint8_t>(pick(shape_.ports - 1)),
                 .source = static_cast<clocked::Label>(pick((1U << shape_.dim) - 1)),
                 .route = static_cast<clocked::RouteWord>(random_()),
                 .sequence = static_cast<std::uint16_t>(random_())};
}

Wire Neighbours::probe(unsigned input) {
  const std::uint64_t route = random_();
  Wire probe = mood_.probe;
  if (!mood_.alike) {
    probe.source = static_cast<clocked::Label>(pick((1U << shape_.dim) - 1));
    probe.port = static_cast<std::uint8_t>(pick(shape_.ports - 1));
    probe.sequence = static_cast<std::uint16_t>(random_());
    probe.route = static_cast<clocked::RouteWord>(route >> 32);
  }
  // 2.4: what has come by a dimension has gone through it, and through those below.
  const unsigned all = (1U << shape_.dim) - 1;
  unsigned ahead = input < shape_.dim ? all & ~((2U << input) - 1) : all;
  if (mood_.output < shape_.dim && (ahead >> mood_.output & 1U) != 0) {
    ahead &= ~((1U << mood_.output) - 1);
    probe.route |= static_cast<clocked::RouteWord>(1U << mood_.output);
  } else if (mood_.output < shape_.lines() || route % 4 == 0) {
    ahead = 0;
  }
  probe.route &= static_cast<clocked::RouteWord>(ahead);
  return probe;
}

Wire Neighbours::phit(Sender& sender) {
  Wire phit{.kind = --sender.left == 0 ? WireKind::tail : WireKind::phit, .sequence = sender.number++};
  if (shape_.worms) return phit;
  // 3.6: whatever a phit has beside its number, a router for circuits leads it on.
  phit.port = static_cast<std::uint8_t>(pick(7));
  phit.source = static_cast<clocked::Label>(pick((1U << shape_.dim) - 1));
  phit.route = static_cast<clocked::RouteWord>(pick((1U << shape_.dim) - 1));
  return phit;
}

/// `back`: the router acknowledges, or stops, what comes by this input.
Wire Neighbours::word(unsigned input, bool back) {
  using State = Sender::State;
  Sender& sender = senders_[input];
  if (sender.pace > 0) --sender.pace;
  if (sender.state == State::seeking && back) {
    sender.state = State::sending;
    sender.wait = of_bits(mood_.gap);
  }
  if (sender.wait > 0) {
    --sender.wait;
    return {};
  }
  if (shape_.worms && (back || sender.pace > 0)) return {};
  Wire word{};
  if (sender.state == State::idle && (mood_.sending >> input & 1U) != 0) {
    word = probe(input);
    sender.left = 1 + of_bits(mood_.length);
    sender.number = 0;
    sender.state = shape_.worms ? State::sending : State::seeking;
  } else if (sender.state == State::sending) {
    word = phit(sender);
    if (word.kind == WireKind::tail) sender.state = State::idle;
  }
  if (word.kind == WireKind::idle || !shape_.worms) {
    if (sender.state != State::seeking) sender.wait = of_bits(sender.state == State::idle ? mood_.idle : mood_.gap);
    return word;
  }
  // A router keeps the pace of its own links also when words come faster.
  sender.pace = 2 + (pick(1) == 1 ? std::min<Cycles>(program_.phit_cycles, 8) - 2 : 0);
  sender.wait = of_bits(mood_.gap);
  return word;
}

/// An acknowledge, or a stop, at this edge.
bool Neighbours::answers(unsigned output, bool granted) {
  Receiver& receiver = receivers_[output];
  if (shape_.worms) {
    if (receiver.wait > 0) {
      --receiver.wait;
    } else {
      receiver.stops = mood_.answer > 0 && pick(2) == 0;
      receiver.wait = of_bits(mood_.answer);
    }
    return receiver.stops;
  }
  if (granted) receiver.wait = 1 + of_bits(mood_.answer);
  return receiver.wait > 0 && --receiver.wait == 0;
}

clocked::RouterWires Neighbours::after(const LoneRouter::Outputs& router) {
  if (mood_.edges-- == 0) draw_mood();
  clocked::RouterWires wires{clocked::Lines<Wire>(shape_.lines())};
  for (unsigned i = 0; i < shape_.lines(); ++i) {
    wires.wire[i] = word(i, (router.back >> i & 1U) != 0);
    if (answers(i, (router.granted >> i & 1U) != 0)) wires.back |= clocked::LineMask{1} << i;
  }
  return wires;
}

}  // namespace ecube
