// SPDX-License-Identifier: Apache-2.0
// circuits.csv has its lines in order of receipt, in whatever order an engine reports the circuits.
#include "testbench/run/run_files.h"
#include "tests/test.h"

namespace ecube::circuit_log_test {
namespace {

/// A circuit from node 0 to node 1 with this tag.
CircuitRecord circuit(std::uint32_t tag, std::uint8_t eject_port) {
  return {.source = 0, .destination = 1, .tag = tag, .eject_port = eject_port};
}

TEST(CircuitLog, WritesALineWhenNoneToComeCanStandBeforeIt) {
  const Directory directory;
  CircuitLog log(directory / "circuits.csv", Topology::cube(3));
  const auto ejects = [&log](CircuitId id, Cycles at) {
    log.injected(id, circuit(id, 0));
    log.granted(id, circuit(id, 0), 0, 0, at - 2, at - 2);
    log.granted(id, circuit(id, 0), 1, 1, at, at);
  };
  const auto received = [&log](CircuitId id, Cycles at) {
    log.established(id, circuit(id, 0), {.sender_ready = at + 5, .receiver_ready = at});
  };
  ejects(0, 10);
  ejects(1, 20);
  received(1, 30);  // known first: the sender of the other one is ready late
  ejects(2, 40);
  received(0, 25);
  ejects(3, 50);
  received(2, 60);
  received(3, 55);
  log.finish();
  std::vector<std::string> types;
  for (const std::string& line : file_lines(directory / "circuits.csv")) {
    if (!line.starts_with("source")) types.push_back(line.substr(6, 1));
  }
  EXPECT_EQ(types, (std::vector<std::string>{"0", "1", "3", "2"}));
}

}  // namespace
}  // namespace ecube::circuit_log_test
