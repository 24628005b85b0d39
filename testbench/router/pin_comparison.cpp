// SPDX-License-Identifier: Apache-2.0
// One program of random neighbours.
#include "testbench/router/pin_comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "hw/clocked/router.h"
#include "hw/clocked/worm_router.h"
#include "hw/rtl/words.h"
#include "models/machine/random.h"
#include "testbench/router/neighbours.h"

namespace ecube {

namespace {

using clocked::LineMask;
using clocked::RouterState;
using clocked::RouterWires;
using clocked::Shape;
using clocked::Wire;
using clocked::WireKind;
using clocked::WormRouterState;

std::string text_of(const Wire& wire) {
  const std::string_view kind = clocked::wire_kind_names[static_cast<std::size_t>(wire.kind)];
  if (wire.kind == WireKind::idle) return "idle";
  return fmt::format("{} with number {}, port {}, source {}, route {}", kind, wire.sequence, wire.port, wire.source,
                     wire.route);
}

RouterState next(const RouterState& now, const RouterWires& wires, const Shape& shape, const PinProgram& program) {
  return clocked::next(now, wires, shape, program.route_delay);
}
WormRouterState next(const WormRouterState& now, const RouterWires& wires, const Shape& shape,
                     const PinProgram& program) {
  return clocked::next(now, wires, shape, program.route_delay, program.phit_cycles);
}

/// The outputs that input `i` asks for at the next edge.
LineMask asked(const RouterState& state, const Shape& shape, unsigned i) {
  const RouterState::In& in = state.in[i];
  if (in.state != RouterState::Input::seeking || in.delay > 1) return 0;
  return LineMask{1} << wanted_output(shape, in.probe.route, i);
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

  std::optional<std::string> run(PinsTried& tried) {
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
    if (difference_.empty()) return std::nullopt;
    return difference_;
  }

 private:
  void one_edge() {
    clocked_ = !program_.gated || inputs_.reset || moving_ || comes_;
    state_ = inputs_.reset ? State(shape_.lines()) : next(state_, wires_, shape_, program_);
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

std::optional<std::string> pin_difference(MakeLoneRouter& make, const Shape& shape, std::uint64_t seed,
                                          const std::string& name, PinsTried& tried) {
  if (shape.worms) return PinRun<WormRouterState>(make, shape, seed, name).run(tried);
  return PinRun<RouterState>(make, shape, seed, name).run(tried);
}

}  // namespace ecube
