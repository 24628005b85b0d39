// SPDX-License-Identifier: Apache-2.0
// Random programs on machines for which the event engine has its short way, run with and without an observer.
#pragma once

#include <optional>
#include <string>

#include "hw/cube.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/random_program.h"

namespace ecube {

/// A program for a machine on which messages go the short way through the event engine, where nobody observes it.
inline RandomProgram plain_program(std::uint64_t seed) {
  RandomProgram program = random_program(seed, {.dim = static_cast<unsigned>(1 + seed % 4)}, 8, seed % 4 == 0);
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

/// All that a run of a plain program shows.
struct PlainRun {
  RunResult result;
  std::string links;
  std::string statistics;
  std::uint64_t wrong = 0;  ///< messages that a node did not expect
};

/// Runs `program`, unobserved if `observer` is null: then its messages go the short way.
inline PlainRun run_plain(Cube& cube, const RandomProgram& program, Observer* observer) {
  RandomFirmware firmware(program);
  cube.reset(program.machine, program.dim, program.conditions);
  cube.observe(observer);
  EXPECT_EQ(cube.engine().plain(), observer == nullptr);
  PlainRun run;
  run.result = cube.run(firmware.program());
  run.links = all_links(cube);
  run.statistics = counted(cube.engine().statistics());
  run.wrong = firmware.wrong();
  cube.observe(nullptr);
  cube.unload();
  return run;
}

/// What the short way does otherwise than the observed one, or nothing.
inline std::optional<std::string> difference(const PlainRun& observed, const PlainRun& plain) {
  const auto differ = [](const std::string& what, const auto& expected, const auto& found) {
    return what + " " + ::testing::PrintToString(found) + ", observed " + ::testing::PrintToString(expected);
  };
  if (observed.result.status != plain.result.status)
    return differ("status", static_cast<int>(observed.result.status), static_cast<int>(plain.result.status));
  if (observed.result.fault != plain.result.fault) return differ("fault", observed.result.fault, plain.result.fault);
  if (observed.result.cycles != plain.result.cycles)
    return differ("cycles", observed.result.cycles, plain.result.cycles);
  if (observed.links != plain.links) return differ("links", observed.links, plain.links);
  if (observed.statistics != plain.statistics) return differ("counts", observed.statistics, plain.statistics);
  if (observed.wrong != plain.wrong) return differ("wrong messages", observed.wrong, plain.wrong);
  return std::nullopt;
}

}  // namespace ecube
