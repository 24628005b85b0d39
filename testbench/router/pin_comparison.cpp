// SPDX-License-Identifier: Apache-2.0
// One program of random neighbours; edge by edge, the first difference between two runs.
#include "testbench/router/pin_comparison.h"

#include <fmt/core.h>

#include <bit>
#include <random>
#include <stdexcept>

#include "hw/clocked/router.h"
#include "hw/clocked/router_module.h"
#include "hw/clocked/worm_router.h"
#include "hw/rtl/words.h"
#include "models/machine/random.h"

namespace ecube {

namespace {

using clocked::LineMask;
using clocked::RouterState;
using clocked::RouterWires;
using clocked::Shape;
using clocked::Wire;
using clocked::WireKind;
using clocked::WormRouterState;

/// What a program draws; constant between two resets.
struct PinProgram {
  std::uint64_t edges = 0;
  bool gated = false;  ///< no edge while nothing moves and nothing comes
  bool resets = false;
  Cycles route_delay = 1;
  Cycles phit_cycles = 2;
  /// Each draw has the same probability in a million programs; a program of a seed stays the same.
  explicit PinProgram(std::uint64_t seed) {
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
};

class Neighbours {
 public:
  Neighbours(const Shape& shape, const PinProgram& program, std::uint64_t seed)
      : shape_(shape), program_(program), random_(seed) {}

  /// What they drive at an edge, before which they saw `router`.
  [[nodiscard]] RouterWires after(const LoneRouter::Outputs& router) {
    if (mood_.edges-- == 0) draw_mood();
    RouterWires wires(shape_.lines());
    for (unsigned i = 0; i < shape_.lines(); ++i) {
      wires.come(i, word(i, (router.back >> i & 1U) != 0));
      if (answers(i, (router.granted >> i & 1U) != 0)) wires.back |= LineMask{1} << i;
    }
    return wires;
  }

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
    LineMask sending = 0;
    unsigned output = 0;  ///< that probes ask for, if they can; a number beyond the outputs: any
    unsigned idle = 0;    ///< bits of the edges between messages
    unsigned gap = 0;     ///< bits of the edges between phits
    unsigned length = 0;  ///< bits of the phits of a message
    unsigned answer = 0;  ///< bits of the edges to an acknowledge, or between two changes of a stop
    bool alike = false;   ///< all probes have the same source, port and number
    Wire probe{};
  };

  std::uint64_t pick(std::uint64_t most) { return random_() % (most + 1); }
  std::uint64_t of_bits(unsigned bits) { return bits == 0 ? 0 : pick((std::uint64_t{1} << pick(bits)) - 1); }

  void draw_mood() {
    const LineMask all = (LineMask{1} << shape_.lines()) - 1;
    const auto one = [&] { return LineMask{1} << pick(shape_.lines() - 1); };
    const std::uint64_t senders = pick(4);
    mood_.edges = std::uint64_t{32} << pick(6);
    mood_.sending = senders == 0   ? one()
                    : senders == 1 ? one() | one()
                    : senders == 2 ? static_cast<LineMask>(random_()) & all
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

  [[nodiscard]] Wire probe(unsigned input) {
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

  [[nodiscard]] Wire phit(Sender& sender) {
    Wire phit{.kind = --sender.left == 0 ? WireKind::tail : WireKind::phit, .sequence = sender.number++};
    if (shape_.worms) return phit;
    // 3.6: whatever a phit has beside its number, a router for circuits leads it on.
    phit.port = static_cast<std::uint8_t>(pick(7));
    phit.source = static_cast<clocked::Label>(pick((1U << shape_.dim) - 1));
    phit.route = static_cast<clocked::RouteWord>(pick((1U << shape_.dim) - 1));
    return phit;
  }

  /// `back`: the router acknowledges, or stops, what comes by this input.
  [[nodiscard]] Wire word(unsigned input, bool back) {
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
  [[nodiscard]] bool answers(unsigned output, bool granted) {
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

  Shape shape_;
  PinProgram program_;
  std::mt19937_64 random_;
  Mood mood_;
  clocked::Lines<Sender> senders_{};
  clocked::Lines<Receiver> receivers_{};
};

std::string text_of(const CircuitEdge& edge) {
  static constexpr std::array<std::string_view, 9> what{
      "its probe leaves",           "is granted",      "its destination accepts it",
      "its first phit leaves",      "its tail leaves", "its sender is ready",
      "its first phit has arrived", "lets go",         "its receiver is ready"};
  std::string text =
      fmt::format("cycle {}, node {}: {}", edge.cycle, edge.node, what[static_cast<std::size_t>(edge.kind)]);
  if (edge.kind == CircuitEdge::Kind::grant || edge.kind == CircuitEdge::Kind::release) {
    text += fmt::format(" output {}", edge.output);
  }
  return text;
}

std::string text_of(const Wire& wire) {
  const std::string_view kind = clocked::wire_kind_names[static_cast<std::size_t>(wire.kind)];
  if (wire.kind == WireKind::idle) return "idle";
  return fmt::format("{} with number {}, port {}, source {}, route {}", kind, wire.sequence, wire.port, wire.source,
                     wire.route);
}

void edge(RouterState& state, const RouterWires& wires, const Shape& shape, const PinProgram& program) {
  next(state, wires, shape, program.route_delay);
}
void edge(WormRouterState& state, const RouterWires& wires, const Shape& shape, const PinProgram& program) {
  next(state, wires, shape, program.route_delay, program.phit_cycles);
}

/// The outputs that input `i` asks for at the next edge.
LineMask asked(const RouterState& state, const Shape& shape, unsigned i) {
  const RouterState::Probe& probe = state.probe[i];
  if ((state.seeking >> i & 1U) == 0 || probe.delay > 1) return 0;
  return LineMask{1} << wanted_output(shape, probe.word.route, i);
}
LineMask asked(const WormRouterState& state, const Shape& shape, unsigned i) {
  const WormRouterState::In& in = state.in[i];
  if (in.buffer.front.kind != WireKind::probe || in.delay > 1) return 0;
  return LineMask{1} << wanted_output(shape, in.buffer.front.route, i);
}

template <typename State>
class PinRun {
 public:
  PinRun(MakeLoneRouter& make, const Shape& shape, std::uint64_t seed, const std::string& name)
      : shape_(shape),
        seed_(seed),
        name_(name),
        program_(seed),
        router_(make(1 + static_cast<int>(seed % 1'000'000))),
        neighbours_(shape, program_, mix(seed + 1)),
        state_(shape.lines()) {}

  std::string run(PinsTried& tried) {
    std::mt19937_64 random(mix(seed_ + 2));
    inputs_.route_delay = program_.route_delay;
    inputs_.phit_cycles = program_.phit_cycles;
    inputs_.reset = true;
    for (std::uint64_t& word : inputs_.wire) word = random() & ((std::uint64_t{1} << rtl::wire_bits(shape_.dim)) - 1);
    const std::uint64_t again = program_.resets ? 1 + random() % program_.edges : 0;
    for (; edge_ < program_.edges && difference_.empty(); ++edge_) {
      if (edge_ == again) inputs_.reset = true;
      one_edge();
      tried.grants += static_cast<unsigned>(std::popcount(state_.events.granted));
    }
    tried.edges += edge_;
    tried.route_delay = std::max<std::uint64_t>(tried.route_delay, program_.route_delay);
    return difference_;
  }

 private:
  void one_edge() {
    clocked_ = !program_.gated || inputs_.reset || moving_ || comes_;
    if (inputs_.reset) {
      state_ = State(shape_.lines());
    } else {
      edge(state_, wires_, shape_, program_);
    }
    if (state_.events.broken != nullptr) throw std::logic_error(state_.events.broken);  // by the neighbours
    if (clocked_) outputs_ = router_->rise(inputs_);
    compare("");
    if (inputs_.reset) neighbours_ = Neighbours(shape_, program_, mix(seed_ + 3 + edge_));
    const RouterWires driven = neighbours_.after(outputs_);
    comes_ = driven.back != wires_.back;
    for (unsigned i = 0; i < shape_.lines(); ++i) {
      comes_ = comes_ || driven.wire[i].kind != WireKind::idle;
      inputs_.wire[i] = rtl::packed(driven.wire[i], shape_.dim);
    }
    wires_ = driven;
    inputs_.back = driven.back;
    inputs_.reset = false;
    if (!clocked_) return;
    outputs_ = router_->fall(inputs_);
    moving_ = outputs_.moving;
    compare(", with the clock down and the next inputs");
    if (!router_->failed().empty() && difference_.empty()) {
      tell("assertions hold", fmt::format("{} does not", router_->failed()), "");
    }
  }

  void compare(std::string_view when) {
    if (!difference_.empty()) return;
    const clocked::RouterEvents& events = state_.events;
    const auto mask = [&](const char* pin, unsigned number, LineMask right, LineMask driven) {
      if (right != driven) tell(fmt::format("{} {} is {:#b}", pin, number, right), fmt::format("{:#b}", driven), when);
    };
    for (unsigned i = 0; i < shape_.lines(); ++i) {
      const Wire& right = state_.out[i].drive;
      const Wire driven = rtl::unpacked(outputs_.wire[i], shape_.dim);
      if (driven != right && (driven.kind != WireKind::idle || right.kind != WireKind::idle)) {
        tell(fmt::format("wire_o of output {} is {}", i, text_of(right)), text_of(driven), when);
      }
      mask("asking_o of input", i, asked(state_, shape_, i), outputs_.asking[i]);
      const unsigned owner = state_.out[i].owner;
      if (owner != clocked::nobody) mask("owners_o of output", i, LineMask{1} << owner, outputs_.owners[i]);
      const auto bit = [&](const char* pin, LineMask right, LineMask driven) {
        mask(pin, i, right >> i & 1U, driven >> i & 1U);
      };
      bit("acknowledge_o of input", state_.back, outputs_.back);
      bit("refused_o of input", events.refused, outputs_.refused);
      // What has been reported is down again only with the next edge that the router gets.
      if (clocked_ || events.granted != 0) bit("granted_o of output", events.granted, outputs_.granted);
      if (clocked_ || events.released != 0) bit("released_o of output", events.released, outputs_.released);
    }
  }

  void tell(const std::string& right, const std::string& driven, std::string_view when) {
    if (!difference_.empty()) return;
    difference_ = fmt::format("  edge {} of the router alone, r = {}{}{}{}\n  the rules:  {}\n  {}: {}\n", edge_,
                              program_.route_delay, shape_.worms ? fmt::format(", c = {}", program_.phit_cycles) : "",
                              clocked_ ? "" : ", which it has no clock for, as it said that nothing moves", when, right,
                              name_, driven);
  }

  Shape shape_;
  std::uint64_t seed_;
  std::string name_;
  PinProgram program_;
  std::unique_ptr<LoneRouter> router_;
  Neighbours neighbours_;
  State state_;
  RouterWires wires_{};
  LoneRouter::Inputs inputs_;
  LoneRouter::Outputs outputs_;
  std::uint64_t edge_ = 0;
  bool clocked_ = true;
  bool moving_ = true;
  bool comes_ = true;  ///< a word, or a change of an acknowledge or a stop
  std::string difference_;
};

}  // namespace

std::string first_difference(RecordedEdges& event, RecordedEdges& other, const std::string& name) {
  const std::vector<CircuitEdge>& a = event.sorted();
  const std::vector<CircuitEdge>& b = other.sorted();
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return {};
  // The earlier of the two edges is the one that the other run does not have.
  const bool missing = in_b == b.end() || (in_a != a.end() && *in_a < *in_b);
  const CircuitEdge& edge = missing ? *in_a : *in_b;
  // The next edge of the same message in the run that does not have this one.
  const auto& others = missing ? b : a;
  const auto next = std::find_if(missing ? in_b : in_a, others.end(), [&edge](const CircuitEdge& one) {
    return one.source == edge.source && one.probe == edge.probe && one.port == edge.port;
  });
  const std::string instead = next == others.end() ? "nothing more of this message" : text_of(*next);
  return fmt::format("  message {}->{} with its probe at cycle {}\n  the rules:  {}\n  {}: {}\n", edge.source,
                     edge.destination, edge.probe, missing ? text_of(edge) : instead, name,
                     missing ? instead : text_of(edge));
}

std::string pin_difference(MakeLoneRouter& make, const Shape& shape, std::uint64_t seed, const std::string& name,
                           PinsTried& tried) {
  if (shape.worms) return PinRun<WormRouterState>(make, shape, seed, name).run(tried);
  return PinRun<RouterState>(make, shape, seed, name).run(tried);
}

}  // namespace ecube
