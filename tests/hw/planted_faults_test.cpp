// SPDX-License-Identifier: Apache-2.0
// Modules that break one rule of hw/README.md: random programs find every one of them.
#include <gtest/gtest.h>

#include <bit>

#include "hw/clocked/interface_port.h"
#include "hw/clocked/router.h"
#include "hw/clocked/worm_port.h"
#include "hw/clocked/worm_router.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/planted.h"
#include "tests/hw/random_failures.h"
#include "tests/hw/random_planes.h"
#include "tests/hw/random_program.h"

namespace ecube::planted_faults_test {
namespace {

using namespace clocked;

/// One rule broken, in a module of one kind.
struct Planted {
  const char* name;
  void (*router)(const RouterState& now, const RouterWires& wires, RouterState& after) = nullptr;
  void (*port)(InterfacePortParameters& parameters) = nullptr;
  void (*port_after)(InterfacePortState& after) = nullptr;
  void (*worm_router)(const WormRouterState& now, WormRouterState& after) = nullptr;
  void (*worm_port)(WormPortParameters& parameters) = nullptr;

  [[nodiscard]] bool of_worms() const { return worm_router != nullptr || worm_port != nullptr; }
  friend std::ostream& operator<<(std::ostream& stream, const Planted& fault) { return stream << fault.name; }
};

class WrongRouter final : public Router {
 public:
  WrongRouter(const char* name, const Shape& shape, const Planted& fault) : Router(name, shape), fault_(fault) {}

 protected:
  RouterState after(const RouterState& now, const RouterWires& wires) const override {
    RouterState state = Router::after(now, wires);
    fault_.router(now, wires, state);
    return state;
  }

 private:
  const Planted& fault_;
};

class WrongPort final : public InterfacePort {
 public:
  WrongPort(const char* name, NodeId node, unsigned number, const Shape& shape, const Planted& fault)
      : InterfacePort(name, node, number, shape), fault_(fault) {}

 protected:
  InterfacePortState after(const InterfacePortState& now, const PortWires& wires,
                           const InterfacePortParameters& parameters) const override {
    InterfacePortParameters wrong = parameters;
    if (fault_.port != nullptr) fault_.port(wrong);
    InterfacePortState state = InterfacePort::after(now, wires, wrong);
    if (fault_.port_after != nullptr) fault_.port_after(state);
    return state;
  }

 private:
  const Planted& fault_;
};

class WrongWormRouter final : public WormRouter {
 public:
  WrongWormRouter(const char* name, const Shape& shape, const Planted& fault)
      : WormRouter(name, shape), fault_(fault) {}

 protected:
  WormRouterState after(const WormRouterState& now, const RouterWires& wires) const override {
    WormRouterState state = WormRouter::after(now, wires);
    fault_.worm_router(now, state);
    return state;
  }

 private:
  const Planted& fault_;
};

class WrongWormPort final : public WormPort {
 public:
  WrongWormPort(const char* name, NodeId node, unsigned number, std::uint64_t buffer, const Planted& fault)
      : WormPort(name, node, number, buffer), fault_(fault) {}

 protected:
  WormPortState after(const WormPortState& now, const PortWires& wires,
                      const WormPortParameters& parameters) const override {
    WormPortParameters wrong = parameters;
    fault_.worm_port(wrong);
    return WormPort::after(now, wires, wrong);
  }

 private:
  const Planted& fault_;
};

/// Node 1 of the cube has the fault.
class WrongParts final : public NodeParts {
 public:
  explicit WrongParts(const Planted& fault) : fault_(fault) {}
  std::unique_ptr<RouterPins> make_router(const char* name, NodeId node, const Shape& shape) const override {
    if (node == 1 && fault_.router != nullptr) return std::make_unique<WrongRouter>(name, shape, fault_);
    if (node == 1 && fault_.worm_router != nullptr) return std::make_unique<WrongWormRouter>(name, shape, fault_);
    return NodeParts::make_router(name, node, shape);
  }
  std::unique_ptr<InterfacePortPins> make_port(const char* name, NodeId node, unsigned number,
                                               const Shape& shape) const override {
    if (node == 1 && (fault_.port != nullptr || fault_.port_after != nullptr)) {
      return std::make_unique<WrongPort>(name, node, number, shape, fault_);
    }
    if (node == 1 && fault_.worm_port != nullptr) {
      return std::make_unique<WrongWormPort>(name, node, number, shape.buffer, fault_);
    }
    return NodeParts::make_port(name, node, number, shape);
  }

 private:
  const Planted& fault_;
};

class PlantedFaults : public ::testing::TestWithParam<Planted> {};

/// The difference in the first of `programs` random programs in which a fault shows; nothing when it shows in none.
std::string found(BothEngines& engines, const RandomShape& shape, std::uint64_t programs, bool few_types = false,
                  bool fails = false) {
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    RandomProgram program = random_program(seed, shape, 8, few_types);
    if (fails) program.conditions.failures = random_failures(seed, shape.dim);
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

std::string found(const Planted& fault, std::uint64_t programs) {
  const RandomShape shape{.dim = 3, .engines = 1, .buffer = fault.of_worms() ? 2U : 0U};
  BothEngines engines;
  engines.elaborate(machine_of(shape), shape.dim, WrongParts(fault));
  return found(engines, shape, programs);
}

TEST_P(PlantedFaults, AreFoundByRandomPrograms) { EXPECT_NE(found(GetParam(), 60), ""); }

TEST(NoPlantedFault, IsFoundWhereThereIsNone) { EXPECT_EQ(found({.name = "None"}, 60), ""); }

template <typename State>
void stuck_pointers(State& after) {
  for (auto& out : after.out) out.pointer = 0;
}

const Planted faults[] = {
    {.name = "PointersOfArbitrationStandStill",
     .router = [](const RouterState&, const RouterWires&, RouterState& after) { stuck_pointers(after); }},
    {.name = "PointersMoveInCompetitionOnly",
     .router =
         [](const RouterState& now, const RouterWires&, RouterState& after) {
           if (after.events.refused != 0) return;
           for (unsigned o = 0; o < after.out.size(); ++o) after.out[o].pointer = now.out[o].pointer;
         }},
    {.name = "AProbeWaitsACycleMore",
     .router =
         [](const RouterState&, const RouterWires& wires, RouterState& after) {
           for (unsigned i = 0; i < after.in.size(); ++i) {
             if (wires.wire[i].kind == WireKind::probe) ++after.in[i].delay;
           }
         }},
    {.name = "TheHighestDimensionFirst",
     .router =
         [](const RouterState&, const RouterWires& wires, RouterState& after) {
           for (unsigned i = 0; i < after.in.size(); ++i) {
             auto& route = after.in[i].probe.route;
             if (wires.wire[i].kind == WireKind::probe) route = std::bit_floor(route);
           }
         }},
    {.name = "AcknowledgesOfOneInputGetLost",
     .router = [](const RouterState&, const RouterWires&, RouterState& after) { after.back &= ~LineMask{4}; }},
    {.name = "AnOutputIsFreeACycleLate",
     .router =
         [](const RouterState& now, const RouterWires&, RouterState& after) {
           for (unsigned o = 0; o < after.out.size(); ++o) {
             if ((now.events.released >> o & 1U) != 0 && (after.events.granted >> o & 1U) != 0) {
               const std::uint8_t input = after.out[o].owner;
               after.out[o] = now.out[o];
               after.out[o].drive = {};
               after.in[input] = now.in[input];
               after.events.granted &= ~(1U << o);
               after.events.refused |= 1U << input;
             }
           }
         }},
    {.name = "AnOutputGetsASecondOwner",
     .router =
         [](const RouterState& now, const RouterWires&, RouterState& after) {
           for (unsigned i = 0; i < after.in.size(); ++i) {
             if ((after.events.refused >> i & 1U) == 0) continue;
             const auto o = static_cast<unsigned>(std::countr_zero(after.events.asking[i]));
             if (now.out[o].owner == nobody || after.out[o].drive.kind != WireKind::idle) continue;
             after.out[o].owner = static_cast<std::uint8_t>(i);
             after.out[o].drive = onward({}, now.in[i].probe);
             after.in[i].state = RouterState::Input::held;
             after.events.granted |= 1U << o;
             after.events.refused &= ~(1U << i);
           }
         }},
    {.name = "AnOutputIsLetGoBeforeTheTail",
     .router =
         [](const RouterState&, const RouterWires&, RouterState& after) {
           for (auto& out : after.out) {
             if (out.drive.kind == WireKind::phit && out.drive.sequence == 2) out.owner = nobody;
           }
         }},
    {.name = "ALinkForgetsAPhit",
     .router =
         [](const RouterState&, const RouterWires&, RouterState& after) {
           if (after.out[0].drive.kind == WireKind::phit && after.out[0].drive.sequence == 3) after.out[0].drive = {};
         }},
    {.name = "AcceptanceTakesACycleMore", .port = [](InterfacePortParameters& wrong) { ++wrong.accept_delay; }},
    {.name = "TheTailIsNotReported", .port_after = [](InterfacePortState& after) { after.sent_tail = false; }},
    {.name = "PhitsLeaveAtWholeCycles", .port = [](InterfacePortParameters& wrong) { wrong.extra_num = 0; }},
    {.name = "TheSetUpTimeIsLonger", .port = [](InterfacePortParameters& wrong) { wrong.setup += wrong.setup > 0; }},
    {.name = "OwnSendsAreIgnored", .port = [](InterfacePortParameters& wrong) { wrong.together_only = false; }},
    {.name = "SendsAreLateACycleSooner",
     .port = [](InterfacePortParameters& wrong) { wrong.together -= wrong.together > 0; }},
    {.name = "PointersOfWormsStandStill",
     .worm_router = [](const WormRouterState&, WormRouterState& after) { stuck_pointers(after); }},
    {.name = "AProbeOfWormsWaitsACycleMore",
     .worm_router =
         [](const WormRouterState& now, WormRouterState& after) {
           for (unsigned i = 0; i < after.in.size(); ++i) {
             after.in[i].delay += now.in[i].delay == 0 && after.in[i].delay > 0 ? 1 : 0;
           }
         }},
    {.name = "BuffersAreAWordSmaller",
     .worm_router =
         [](const WormRouterState&, WormRouterState& after) {
           for (unsigned i = 0; i < after.in.size(); ++i) after.back |= LineMask{after.in[i].buffer.words == 1} << i;
         }},
    {.name = "ALinkOfWormsTakesACycleMore",
     .worm_router =
         [](const WormRouterState&, WormRouterState& after) {
           for (auto& out : after.out) out.pace += out.drive.kind == WireKind::phit;
         }},
    {.name = "AStopComesACycleLate",
     .worm_router = [](const WormRouterState& now, WormRouterState& after) { after.back &= now.back; }},
    {.name = "AnOutputOfWormsIsFreeBeforeTheBufferBehind",
     .worm_router =
         [](const WormRouterState&, WormRouterState& after) {
           for (unsigned o = 0; o < after.out.size(); ++o) {
             if (!after.out[o].closing || after.out[o].pace > 0) continue;
             after.out[o].closing = false;
             after.events.released |= 1U << o;
           }
         }},
    {.name = "AWormIsTakenACycleLate", .worm_port = [](WormPortParameters& wrong) { ++wrong.accept_delay; }},
    {.name = "AWormsPhitsAreDrivenACycleApartMore",
     .worm_port = [](WormPortParameters& wrong) { ++wrong.phit_cycles; }},
};

/// A fault of planted.txt in libraries, cores or receive engines, on machines that have the rule that it breaks.
struct PlantedBreach {
  const char* name;
  std::uint32_t engines = 1;
  bool few_types = false;  ///< otherwise every message has a type of its own, and the order of matching does not matter
  bool fails = false;      ///< links and nodes fail
  unsigned buffer = 0;     ///< of worms
  const char* topology = "";
  friend std::ostream& operator<<(std::ostream& stream, const PlantedBreach& fault) { return stream << fault.name; }
};

class PlantedBreaches : public ::testing::TestWithParam<PlantedBreach> {};

TEST_P(PlantedBreaches, AreFoundByRandomPrograms) {
  const RandomShape shape{
      .dim = 3, .engines = GetParam().engines, .buffer = GetParam().buffer, .topology = GetParam().topology};
  BothEngines engines;
  planted_fault = GetParam().name;
  engines.elaborate(machine_of(shape), shape.dim);
  EXPECT_NE(found(engines, shape, 400, GetParam().few_types, GetParam().fails), "");
}

TEST(NoPlantedBreach, IsFoundWhereThereIsNone) {
  const RandomShape shape{.dim = 3, .engines = 1, .buffer = 0};
  BothEngines engines;
  engines.elaborate(machine_of(shape), shape.dim);
  EXPECT_EQ(found(engines, shape, 100, true), "");
  EXPECT_EQ(found(engines, shape, 100, false, true), "");
}

TEST(NoPlantedBreach, IsFoundOnOtherTopologiesEither) {
  const RandomShape shape{.dim = 3, .topology = "mesh:4x2"};
  BothEngines engines;
  engines.elaborate(machine_of(shape), shape.dim);
  EXPECT_EQ(found(engines, shape, 100), "");
}

const PlantedBreach breaches[] = {
    {"LinksArriveFromTheOtherSide", 1, false, false, 0, "generalised:5"},
    {"OutputsOfLinesChangePlaces", 1, false, false, 0, "mesh:3x2"},
    {"AWayBackIsALinkShorter", 1, false, false, 0, "mesh:4x2"},
    {"ZeroBytesAreTwoPhits"},
    {"SendsLeaveByTheHighestDimension", Ports::n},
    {"SendsLeaveByTheLastIssued"},
    {"SendsGoBeforeReadyCircuits"},
    {"SendsBeginAmidOthers"},
    {"StartUpsTakeACycleMore"},
    {"ANodeHasASendEngineMore", 2},
    {"ANodeHasAReceiveEngineMore", 2},
    {"MessagesAreMatchedWithTheLastReceive", 1, true},
    {"ReceivesAreMatchedWithTheLastMessage", 1, true},
    {"ProgramsStartAtOnce"},
    {"StartUpsHaveNoJitter"},
    {"StartUpsOverlap"},
    {"StartUpsAlwaysQueue"},
    {"ReceiptsTakeACycleMore"},
    {"ExchangesDoNotMeet"},
    {"MessagesDoNotMeet"},
    {"ComputationIsDoneByTheLastIssued"},
    {"ComputationGoesOnWhilePhitsMove"},
    {"WaitsUntilACycleLater"},
    {"LoopsTakeACycleMore"},
    {"CombiningBeginsWhenAllIsReceived"},
    {"ZeroBytesStartAsOthers"},
    {"ZeroBytesEndAsOthers"},
    {"DataComesBeforeSynchronisation"},
    {"NothingIsLost"},
    {"MoreIsKeptThanThereIsRoom"},
    {"CopiesCostNothing"},
    {"TheThresholdReserves"},
    {"PromisesAreForgotten"},
    {"PacketsAreAByteShorter"},
    {"SignalsAreMessages"},
    {"ForwardingTakesAStartUp"},
    {"TheTurnaroundIsBusy"},
    {"WaitsCountFromTheNextEdge"},
    {"WaitsForPortsAreWaitsForLinks"},
    {"WaitsForEnginesAreNotCounted", 2},
    {"WinnersCountAsWaiting"},
    {"SerialisedCircuitsAreNotCounted"},
    {"ControlCircuitsAreNotCounted"},
    {"ArrivalsComeBeforeDepartures"},
    {"ProgramsContinueACycleLater"},
    {"SendsComeBeforeReservations"},
    {"MessagesAreLostAtOnce"},
    {"LinksDieACycleLate", 1, false, true},
    {"ProgramsOfDeadNodesGoOn", 1, false, true},
    {"AcknowledgesCrossDeadLinks", 1, false, true},
    {"DeadLinksOfWormsStopACycleLate", 1, false, true, 2},
    {"CutCircuitsAreNotCounted", 1, false, true},
};

/// A fault of planted.txt in planes or in the ports that they tune.
struct PlantedInPlanes {
  const char* name;
  friend std::ostream& operator<<(std::ostream& stream, const PlantedInPlanes& fault) { return stream << fault.name; }
};

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

class PlantedPlanes : public ::testing::TestWithParam<PlantedInPlanes> {};

TEST_P(PlantedPlanes, AreFoundByRandomTunings) {
  planted_fault = GetParam().name;
  EXPECT_NE(found_on_planes(200), 0U);
}

TEST(NoPlantedPlane, IsFoundWhereThereIsNone) { EXPECT_EQ(found_on_planes(200), 0U); }

const PlantedInPlanes in_planes[] = {
    {"PlanesJoinOtherNodes"},
    {"TunesDoNotWaitForCircuits"},
    {"SendsOvertakeTunes"},
    {"LinksCloseAtOneEnd"},
    {"PlanesAreDarkACycleLess"},
    {"LinksComeUpWithTheEarlierEnd"},
    {"WaitsForPlanesAreACycleShorter"},
};

INSTANTIATE_TEST_SUITE_P(Rules, PlantedPlanes, ::testing::ValuesIn(in_planes),
                         [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Rules, PlantedBreaches, ::testing::ValuesIn(breaches),
                         [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Rules, PlantedFaults, ::testing::ValuesIn(faults),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ecube::planted_faults_test
