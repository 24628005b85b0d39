// SPDX-License-Identifier: Apache-2.0
// Random programs on machines of worms whose nodes accept late, so that words wait in the ports.
#pragma once

#include "models/machine/random.h"
#include "tests/hw/random_program.h"

namespace ecube {

/// Messages of a program from a node to itself that leave by another port than 0.
inline std::size_t self_messages_from_other_ports(const RandomProgram& program) {
  std::size_t found = 0;
  for (NodeId node = 0; node < program.steps.size(); ++node)
    for (const ProgramStep& step : program.steps[node]) {
      const bool to_itself = step.kind == ProgramStep::Kind::send && step.peer == node;
      if (to_itself && step.port != automatic_port && step.port != 0) ++found;
    }
  return found;
}

/// A random program whose machine accepts a worm more than c + 1 cycles after its probe (so that a second word is in
/// the port by then, or more), does not compute while phits move, and combines what has arrived. Where there are
/// several ports, messages of a node to itself leave by another one than 0.
inline RandomProgram late_worms(std::uint64_t seed, const RandomShape& shape, unsigned messages) {
  RandomProgram program = random_program(seed, shape, messages);
  Machine& machine = program.machine;
  std::mt19937_64 random(mix(seed));
  const Cycles c = machine.link.cycles_per_phit.num / machine.link.cycles_per_phit.den;
  machine.network.accept_cycles = c + 2 + random() % (40 - c - 1);
  machine.node.overlap = Overlap::off;
  machine.library.combining = Combining::arriving;
  const std::uint32_t ports = machine.node.ports.physical(shape.dim);
  if (ports == 1) return program;
  for (NodeId node = 0; node < program.steps.size(); ++node)
    for (ProgramStep& step : program.steps[node]) {
      if (step.kind != ProgramStep::Kind::send || step.peer != node) continue;
      step.port = static_cast<std::uint8_t>(1 + random() % (ports - 1));
    }
  return program;
}

}  // namespace ecube
