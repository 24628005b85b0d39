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

/// All that a run shows.
struct KnownRun {
  RunResult result;
  std::string links;
  std::string statistics;
  std::uint64_t wrong = 0;  ///< messages that a node did not expect
};

/// Runs `program`, unobserved if `observer` is null. With `ask`, every question about features is asked at run time.
inline KnownRun run_known(Cube& cube, const RandomProgram& program, Observer* observer, bool ask = false) {
  RandomFirmware firmware(program);
  cube.ask_features(ask);
  cube.reset(program.machine, program.dim, program.conditions);
  cube.observe(observer);
  // Of watched machines, the compiler knows the plainest.
  const bool plain = !cube.engine().features().protocol;
  EXPECT_EQ(cube.engine().knows_features(), !ask && (observer == nullptr || plain));
  KnownRun run;
  run.result = cube.run(firmware.program());
  run.links = all_links(cube);
  run.statistics = counted(cube.engine().statistics());
  run.wrong = firmware.wrong();
  cube.observe(nullptr);
  cube.unload();
  return run;
}

/// The same on the machine of modules, which has to be elaborated.
inline KnownRun run_clocked(BothEngines& engines, const RandomProgram& program) {
  RandomFirmware firmware(program);
  class : public Observer {
  } nobody;
  KnownRun run;
  run.result = engines.run_clocked(firmware.program(), program.machine, program.dim, program.conditions, nobody);
  const ClockedCube& cube = *engines.find(program.machine, program.dim);
  run.links = all_links(cube);
  run.statistics = counted(cube.statistics());
  run.wrong = firmware.wrong();
  return run;
}

/// What `other` does otherwise than `one`, or nothing.
inline std::optional<std::string> difference(const KnownRun& one, const KnownRun& other) {
  const auto differ = [](const std::string& what, const auto& expected, const auto& found) {
    return what + " " + ::testing::PrintToString(found) + ", otherwise " + ::testing::PrintToString(expected);
  };
  if (one.result.status != other.result.status)
    return differ("status", static_cast<int>(one.result.status), static_cast<int>(other.result.status));
  if (one.result.fault != other.result.fault) return differ("fault", one.result.fault, other.result.fault);
  // The clocked machine stops at another edge where programs wait for ever.
  if (one.result.status == RunResult::Status::finished && one.result.cycles != other.result.cycles)
    return differ("cycles", one.result.cycles, other.result.cycles);
  if (one.links != other.links) return differ("links", one.links, other.links);
  if (one.statistics != other.statistics) return differ("counts", one.statistics, other.statistics);
  if (one.wrong != other.wrong) return differ("wrong messages", one.wrong, other.wrong);
  return std::nullopt;
}

}  // namespace ecube
