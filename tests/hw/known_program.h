// SPDX-License-Identifier: Apache-2.0
// Random programs on machines whose features the compiler knows: the event engine's ways for them against the way that
// asks about each feature, with and without an observer.
#pragma once

#include "hw/cube.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/random_program.h"
#include "tests/test.h"

namespace ecube {

/// A program for the plainest machine. Of more than 256 nodes, the engine fetches data ahead.
inline RandomProgram plain_program(std::uint64_t seed, unsigned dim) {
  RandomProgram program = random_program(seed, {.dim = dim}, 8, seed % 4 == 0);
  program.machine.network.switching = Switching::circuit;
  program.machine.network.distance = Distance::real;
  program.machine.network.duplex = Duplex::full;
  program.machine.node.startups = Startups::overlapped;
  program.machine.node.overlap = Overlap::on;
  program.machine.library.protocol = Protocol::none;
  program.conditions.jitter = 0;
  program.conditions.failures.clear();
  return program;
}

inline RandomProgram plain_program(std::uint64_t seed) {
  return plain_program(seed, static_cast<unsigned>(1 + seed % 4));
}

/// A program for a machine with the features of the preset ipsc860.
inline RandomProgram ipsc860_program(std::uint64_t seed, unsigned dim) {
  RandomProgram program = plain_program(seed, dim);
  program.machine.network.duplex = Duplex::together;
  program.machine.network.together_cycles = seed % 50;
  program.machine.node.startups = Startups::queued;
  program.machine.node.overlap = Overlap::off;
  program.machine.library.protocol = Protocol::forced;
  return program;
}

/// Runs `program`, unobserved if `observer` is null. With `ask`, every question about features is asked at run time.
inline Outcome run_known(Cube& cube, const RandomProgram& program, Observer* observer, bool ask = false) {
  RandomFirmware firmware(program);
  cube.ask_features(ask);
  cube.reset(program.machine, program.dim, program.conditions);
  cube.observe(observer);
  // Of watched machines, the compiler knows the plainest.
  const bool plain = !cube.engine().features().protocol;
  EXPECT_EQ(cube.engine().knows_features(), !ask && (observer == nullptr || plain));
  RunResult result = cube.run(firmware.program());
  cube.observe(nullptr);
  cube.unload();
  return outcome_of(cube, std::move(result), firmware.wrong());
}

}  // namespace ecube
