// SPDX-License-Identifier: Apache-2.0
// Machines that break one rule of hw/README.md (planted.txt): random programs find every one of them.
#include "hw/clocked/interface_port.h"
#include "hw/clocked/node_parts.h"
#include "hw/clocked/router.h"
#include "hw/clocked/worm_port.h"
#include "hw/clocked/worm_router.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/known_program.h"
#include "tests/hw/planted.h"
#include "tests/hw/random_failures.h"
#include "tests/hw/random_planes.h"
#include "tests/hw/random_program.h"
#include "tests/test.h"

namespace ecube::planted_faults_test {
namespace {

template <typename Module>
class InNode1 final : public Module {
 public:
  using Module::Module;
  void clock_edge() override {
    planted_here = true;
    Module::clock_edge();
    planted_here = false;
  }
};

class PartsOfNode1 final : public clocked::NodeParts {
 public:
  std::unique_ptr<clocked::RouterPins> make_router(const char* name, NodeId node,
                                                   const clocked::Shape& shape) const override {
    if (node != 1) return NodeParts::make_router(name, node, shape);
    if (shape.buffer > 0) return std::make_unique<InNode1<clocked::WormRouter>>(name, shape);
    return std::make_unique<InNode1<clocked::Router>>(name, shape);
  }
  std::unique_ptr<clocked::InterfacePortPins> make_port(const char* name, NodeId node, unsigned number,
                                                        const clocked::Shape& shape) const override {
    if (node != 1) return NodeParts::make_port(name, node, number, shape);
    if (shape.buffer > 0) return std::make_unique<InNode1<clocked::WormPort>>(name, node, number, shape.buffer);
    return std::make_unique<InNode1<clocked::InterfacePort>>(name, node, number, shape);
  }
};

/// The difference in the first of `programs` random programs in which a fault shows; nothing when it shows in none.
std::string found(BothEngines& engines, const RandomShape& shape, std::uint64_t programs, bool few_tags = false,
                  bool fails = false) {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    RandomProgram program = random_program(seed, shape, 8, few_tags);
    if (fails) program.conditions.failures = random_failures(seed, Topology::cube(shape.dim));
    CircuitRecorder event;
    CircuitRecorder clocked;
    RandomFirmware on_event(program);
    RandomFirmware on_clocked(program);
    engines.run_event(on_event.program(), program.machine, program.dim, program.conditions, event);
    const RunResult result =
        engines.run_clocked(on_clocked.program(), program.machine, program.dim, program.conditions, clocked);
    if (!result.fault.empty()) return result.fault;
    if (const auto difference = first_difference(event, clocked, "clocked"); difference) return *difference;
    const ClockedCube& cube = *engines.find(program.machine, program.dim);
    if (all_links(cube) != all_links(engines.event())) return "figures of links";
    const RunStatistics& expected = engines.event().engine().statistics();
    if (counted(cube.statistics()) != counted(expected)) return counted(cube.statistics()) + "\n" + counted(expected);
  }
  return "";
}

/// A fault of planted.txt.
struct PlantedFault {
  std::string name;
  RandomShape shape{.dim = 3};
  bool few_tags = false;
  bool fails = false;
  bool planes = false;
  unsigned programs = 400;  ///< at most, until it shows
  std::string shows;        ///< of the event engine: what differs first
  friend std::ostream& operator<<(std::ostream& stream, const PlantedFault& fault) { return stream << fault.name; }
};

enum class Where : std::uint8_t { modules, event, planes };

std::vector<PlantedFault> planted_faults(Where wanted) {
  std::vector<PlantedFault> faults;
  for (const std::string& line : file_lines(ECUBE_ROOT "/tests/hw/planted.txt")) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "fault") words >> faults.emplace_back().name;
    if (first == "shows") std::getline(words >> std::ws, faults.back().shows);
    if (first != "on") continue;
    PlantedFault& fault = faults.back();
    for (std::string word; words >> word;) {
      const std::string value = word.substr(word.find('=') + 1);
      fault.few_tags |= word == "few_tags";
      fault.fails |= word == "fails";
      fault.planes |= word == "planes";
      const auto number = [&] { return static_cast<unsigned>(std::stoul(value)); };
      if (word.starts_with("engines=")) fault.shape.engines = value == "n" ? Ports::n : number();
      if (word.starts_with("channels=")) fault.shape.channels = number();
      if (word.starts_with("programs=")) fault.programs = number();
      if (word.starts_with("buffer=")) fault.shape.buffer = number();
      if (word.starts_with("topology=")) fault.shape.topology = value;
    }
  }
  std::erase_if(faults, [&](const PlantedFault& fault) {
    return wanted != (fault.planes ? Where::planes : fault.shows.empty() ? Where::modules : Where::event);
  });
  return faults;
}

std::string name_of(const ::testing::TestParamInfo<PlantedFault>& fault) { return fault.param.name; }

class PlantedBreaches : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedBreaches, AreFoundByRandomPrograms) {
  const PlantedFault& fault = GetParam();
  BothEngines engines;
  planted_fault = fault.name;
  engines.elaborate(machine_of(fault.shape), fault.shape.dim, PartsOfNode1{});
  EXPECT_NE(found(engines, fault.shape, fault.programs, fault.few_tags, fault.fails), "");
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedBreaches, ::testing::ValuesIn(planted_faults(Where::modules)), name_of);

TEST(NoPlantedBreach, IsFoundWhereThereIsNone) {
  const RandomShape shape{.dim = 3};
  BothEngines engines;
  engines.elaborate(machine_of(shape), shape.dim);
  EXPECT_EQ(found(engines, shape, 60), "");
  EXPECT_EQ(found(engines, shape, 100, true), "");
  EXPECT_EQ(found(engines, shape, 100, false, true), "");
}

TEST(NoPlantedBreach, IsFoundOnOtherTopologiesEither) {
  const RandomShape shape{.dim = 3, .topology = "mesh:4x2"};
  BothEngines engines;
  engines.elaborate(machine_of(shape), shape.dim);
  EXPECT_EQ(found(engines, shape, 100), "");
}

/// The difference of the event engine from the clocked machine in the first of 200 random programs in which a fault
/// shows; nothing when it shows in none.
std::string found_in_event(std::string_view fault) {
  BothEngines engines;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const RandomProgram program = plain_program(seed);
    engines.elaborate(machine_of({.dim = program.dim}), program.dim);
  }
  planted_fault = fault;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomProgram program = plain_program(seed);
    const KnownRun clocked = run_clocked(engines, program);
    if (const auto differs = difference(clocked, run_known(engines.event(), program, nullptr)); differs)
      return *differs;
  }
  return "";
}

class PlantedInThePlainMachine : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedInThePlainMachine, IsFoundByRandomPrograms) {
  const std::string difference = found_in_event(GetParam().name);
  EXPECT_TRUE(difference.starts_with(GetParam().shows)) << "found: '" << difference << "'";
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInThePlainMachine, ::testing::ValuesIn(planted_faults(Where::event)), name_of);

TEST(PlantedInThePlainMachine, IsFoundWhereThereIsNone) { EXPECT_EQ(found_in_event(""), ""); }

/// The seed of the first program in which both engines differ; 0 where none does.
std::uint64_t found_on_planes(std::uint64_t programs) {
  BothEngines engines;
  engines.elaborate(planes_machine(2), 2);
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const PlaneProgram program = random_planes(seed, 2, 2);
    const auto counts = [&](auto& cube, const RunResult& result, const CircuitRecorder& recorder) {
      return std::tuple(result.status, result.fault, result.status == RunResult::Status::finished ? result.cycles : 0,
                        counted(cube), recorder.circuits());
    };
    CircuitRecorder event;
    PlaneFirmware on_event(program);
    const RunResult event_result =
        engines.run_event(on_event.program(), program.machine, program.dim, program.conditions, event);
    CircuitRecorder clocked;
    PlaneFirmware on_clocked(program);
    const RunResult clocked_result =
        engines.run_clocked(on_clocked.program(), program.machine, program.dim, program.conditions, clocked);
    const PlaneStatistics of_event = engines.event().engine().plane_statistics();
    const PlaneStatistics of_clocked = engines.find(program.machine, program.dim)->plane_statistics();
    if (counts(of_event, event_result, event) != counts(of_clocked, clocked_result, clocked)) return seed;
    if (first_difference(event, clocked, "clocked")) return seed;
  }
  return 0;
}

class PlantedPlanes : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedPlanes, AreFoundByRandomTunings) {
  planted_fault = GetParam().name;
  EXPECT_NE(found_on_planes(200), 0U);
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedPlanes, ::testing::ValuesIn(planted_faults(Where::planes)), name_of);

TEST(NoPlantedPlane, IsFoundWhereThereIsNone) { EXPECT_EQ(found_on_planes(200), 0U); }

}  // namespace
}  // namespace ecube::planted_faults_test
