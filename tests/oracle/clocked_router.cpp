// SPDX-License-Identifier: Apache-2.0
// One router of the clocked reference: its registers and their next value (hw/README.md section 2).
#include "tests/oracle/clocked_router.h"

#include <bit>

namespace ecube::oracle {
namespace {

constexpr std::size_t nobody = RouterState::Output::nobody;

/// Takes a probe off the wire, or counts its route delay down.
RouterState::Input next_input(const RouterState::Input& now, const Forward& wire, Cycles route_cycles) {
  RouterState::Input next = now;
  if (wire.word == Word::probe) {
    require(!now.occupied, "a link carries one circuit at a time");
    next = {.occupied = true, .wait = route_cycles - 1, .remaining = wire.remaining, .message = wire.message};
  } else if (now.occupied && now.wait > 0) {
    --next.wait;
  }
  return next;
}

}  // namespace

std::size_t wanted_output(const Shape& shape, std::size_t input, NodeId remaining) {
  if (remaining != 0) return static_cast<std::size_t>(std::countr_zero(remaining));
  if (input >= shape.dim) return input;  // a message to itself: the eject port with the number of its inject port
  if (shape.node_ports == 1) return shape.dim;  // one-port: eject port 0
  return shape.dim + input;                     // n-port: the eject port of the dimension it arrived by
}

std::size_t arbitrate(const std::array<bool, max_router_ports>& requests, std::size_t pointer, std::size_t ports) {
  for (std::size_t step = 0; step < ports; ++step) {
    const std::size_t candidate = (pointer + step) % ports;
    if (requests[candidate]) return candidate;
  }
  return nobody;
}

RouterState next_router(const RouterState& now, const RouterWires& wires, const Shape& shape, Cycles route_cycles,
                        Cycles edge, std::span<CircuitTimes> record) {
  const std::size_t ports = shape.router_ports();
  RouterState next = now;
  next.forward = {};
  next.backward = {};

  std::array<std::array<bool, max_router_ports>, max_router_ports> requests{};  // [output][input]
  for (std::size_t i = 0; i < ports; ++i) {
    const RouterState::Input& input = now.inputs[i];
    next.inputs[i] = next_input(input, wires.forward[i], route_cycles);
    if (!input.occupied || input.wait > 0) continue;
    requests[wanted_output(shape, i, input.remaining)][i] = true;
    CircuitTimes& times = record[input.message];
    if (times.requests.size() == times.grants.size()) times.requests.push_back(edge);
  }

  for (std::size_t o = 0; o < ports; ++o) {
    const RouterState::Output& output = now.outputs[o];
    if (output.owner == nobody) {
      const std::size_t winner = arbitrate(requests[o], output.pointer, ports);
      if (winner == nobody) continue;
      const RouterState::Input& granted = now.inputs[winner];
      next.outputs[o] = {.owner = winner, .pointer = (winner + 1) % ports};
      next.inputs[winner] = {};
      const NodeId crossed = o < shape.dim ? NodeId{1} << o : 0;
      next.forward[o] = {.word = Word::probe, .remaining = granted.remaining & ~crossed, .message = granted.message};
      record[granted.message].grants.push_back(edge);
      continue;
    }
    const Forward& data = wires.forward[output.owner];
    require(data.word != Word::probe, "an output is owned until the tail of its circuit has passed");
    next.forward[o] = data;
    if (data.word == Word::tail) {
      next.outputs[o].owner = nobody;
      record[data.message].free_from.push_back(edge + 1);
    }
    if (wires.backward[o].acknowledge) next.backward[output.owner] = wires.backward[o];
  }

  for (std::size_t o = 0; o < ports; ++o)
    require(!wires.backward[o].acknowledge || now.outputs[o].owner != nobody, "an acknowledge follows its circuit");
  return next;
}

}  // namespace ecube::oracle
