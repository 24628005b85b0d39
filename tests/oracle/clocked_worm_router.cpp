// SPDX-License-Identifier: Apache-2.0
// One router of the clocked reference with wormhole switching: its registers and their next value (hw/README.md section
// 10).
#include <algorithm>

#include "tests/oracle/clocked_router.h"

namespace ecube::oracle {
namespace {

constexpr std::size_t nobody = RouterState::Output::nobody;

/// A buffer holds its sender off while it is full, and from a tail on until that has left.
bool stops(const std::deque<Forward>& buffer, std::uint64_t phits) {
  return buffer.size() >= phits || (!buffer.empty() && buffer.back().word == Word::tail);
}

}  // namespace

RouterState next_worm_router(const RouterState& now, const RouterWires& wires, const Shape& shape,
                             const Machine& machine, Cycles edge, std::span<CircuitTimes> record) {
  const std::size_t ports = shape.router_ports();
  const Cycles pace = machine.link.cycles_per_phit.num / machine.link.cycles_per_phit.den;
  const std::uint64_t phits = machine.buffer_phits();
  RouterState next = now;
  next.forward = {};
  next.backward = {};

  for (std::size_t i = 0; i < ports; ++i) {
    RouterState::Input& input = next.inputs[i];
    const Forward& wire = wires.forward[i];
    if (wire.word != Word::idle) {
      require(input.buffer.size() < phits, "a buffer has room for what comes");
      require((wire.word == Word::probe) == input.expects_probe, "phits follow a probe, a probe follows a tail");
      input.expects_probe = wire.word == Word::tail;
      input.buffer.push_back(wire);
    }
    if (wire.word == Word::probe) {
      require(input.buffer.size() == 1, "a buffer holds one worm");
      input.wait = machine.router.route_cycles;
    } else if (input.wait > 0) {
      --input.wait;
    }
  }

  std::array<std::array<bool, max_router_ports>, max_router_ports> requests{};  // [output][input]
  for (std::size_t i = 0; i < ports; ++i) {
    const RouterState::Input& input = next.inputs[i];
    if (input.buffer.empty() || input.buffer.front().word != Word::probe || input.wait > 0) continue;
    const Forward& probe = input.buffer.front();
    requests[wanted_output(shape, i, probe.remaining)][i] = true;
    CircuitTimes& times = record[probe.message];
    if (times.requests.size() == times.grants.size()) times.requests.push_back(edge);
  }

  for (std::size_t o = 0; o < ports; ++o) {
    RouterState::Output& output = next.outputs[o];
    if (output.pace_left > 0) --output.pace_left;
    if (output.pace_left > 0 || wires.backward[o].stop) continue;
    if (output.closing) {
      output.closing = false;
      record[output.closing_message].free_from.push_back(edge);
    }
    std::size_t from = output.owner;
    if (from == nobody) {
      from = arbitrate(requests[o], output.pointer, ports);
      if (from == nobody) continue;
      output.owner = from;
      output.pointer = (from + 1) % ports;
    }
    std::deque<Forward>& buffer = next.inputs[from].buffer;
    if (buffer.empty()) continue;
    Forward word = buffer.front();
    buffer.pop_front();
    if (word.word == Word::probe) {
      word.remaining &= ~(o < shape.dim ? NodeId{1} << o : 0);
      record[word.message].grants.push_back(edge);
    } else if (word.word == Word::tail) {
      output.owner = nobody;
      output.closing = true;
      output.closing_message = word.message;
    }
    next.forward[o] = word;
    output.pace_left = pace;
  }

  for (std::size_t i = 0; i < ports; ++i) next.backward[i].stop = stops(next.inputs[i].buffer, phits);
  return next;
}

}  // namespace ecube::oracle
