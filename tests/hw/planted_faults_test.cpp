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
#include "tests/hw/random_planes.h"
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

/// A fault of planted.txt.
struct PlantedFault {
  std::string name;
  RandomShape shape{.dim = 3};
  bool few_tags = false;
  bool fails = false;
  bool planes = false;
  unsigned programs = 400;  ///< at most, until it shows
  std::string shows{};      ///< of the event engine: what differs first
  friend std::ostream& operator<<(std::ostream& stream, const PlantedFault& fault) { return stream << fault.name; }
};

enum class Where : std::uint8_t { modules, event, planes };

std::vector<PlantedFault> planted_faults(Where wanted) {
  std::vector<PlantedFault> faults;
  for (const std::string& line : file_lines(in_tree("tests/hw/planted.txt"))) {
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

/// The difference in the first random program in which this fault shows; "" when it shows in none.
std::string found(BothEngines& engines, const PlantedFault& fault) {
  return first_found(engines, fault.programs, [&fault](std::uint64_t seed) {
    RandomProgram program = random_program(seed, fault.shape, 8, fault.few_tags);
    if (fault.fails) program.conditions.failures = random_failures(seed, program);
    return program;
  });
}

std::string name_of(const ::testing::TestParamInfo<PlantedFault>& fault) { return fault.param.name; }

class PlantedBreaches : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedBreaches, AreFoundByRandomPrograms) {
  const PlantedFault& fault = GetParam();
  BothEngines engines;
  planted_fault = fault.name;
  engines.elaborate(machine_of(fault.shape), fault.shape.dim, PartsOfNode1{});
  EXPECT_NE(found(engines, fault), "");
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedBreaches, ::testing::ValuesIn(planted_faults(Where::modules)), name_of);

TEST(NoPlantedBreach, IsFoundWhereThereIsNone) {
  BothEngines engines(Shapes{{.dim = 3}});
  EXPECT_EQ(found(engines, {.name = "none", .programs = 60}), "");
  EXPECT_EQ(found(engines, {.name = "none", .few_tags = true, .programs = 100}), "");
  EXPECT_EQ(found(engines, {.name = "none", .fails = true, .programs = 100}), "");
}

TEST(NoPlantedBreach, IsFoundOnOtherTopologiesEither) {
  const RandomShape shape{.dim = 3, .topology = "mesh:4x2"};
  BothEngines engines(Shapes{shape});
  EXPECT_EQ(found(engines, {.name = "none", .shape = shape, .programs = 100}), "");
}

/// The difference of the event engine, unobserved, from the clocked machine in the first of 200 random programs in
/// which a fault shows; "" when it shows in none.
std::string found_in_event(std::string_view fault) {
  BothEngines engines(Shapes{{1}, {2}, {3}, {4}});
  class : public Observer {
  } nobody;
  planted_fault = fault;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomProgram program = plain_program(seed);
    const Outcome clocked = engines.run_clocked(program, nobody);
    std::string differs = difference(clocked, run_known(engines.event(), program, nullptr));
    if (!differs.empty()) return differs;
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

std::string found_on_planes() {
  BothEngines engines;
  engines.elaborate(planes_machine(2), 2);
  return first_found(engines, 200, [](std::uint64_t seed) { return random_planes(seed, 2, 2); });
}

class PlantedPlanes : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PlantedPlanes, AreFoundByRandomTunings) {
  planted_fault = GetParam().name;
  EXPECT_NE(found_on_planes(), "");
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedPlanes, ::testing::ValuesIn(planted_faults(Where::planes)), name_of);

TEST(NoPlantedPlane, IsFoundWhereThereIsNone) { EXPECT_EQ(found_on_planes(), ""); }

}  // namespace
}  // namespace ecube::planted_faults_test
