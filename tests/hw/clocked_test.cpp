// SPDX-License-Identifier: Apache-2.0
// The clocked engine against the event engine: random programs on random machines of every mode; the same edge for
// every step of every circuit, the same figures for every link.
#include "models/machine/machine_parameters.h"
#include "tests/hw/both_engines.h"
#include "tests/hw/known_program.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::clocked_test {
namespace {

/// Products of complete graphs, lines, both, and complete graphs without their longest jump: of even and odd radices,
/// with and without radices 2.
Shapes shapes_of_products(const std::vector<std::string>& names) {
  Shapes shapes;
  for (const std::string& name : names) {
    const auto dim = (*Topology::parse(name)).label_bits();
    for (const std::uint32_t engines : {1U, std::uint32_t{Ports::n}, 2U})
      for (const unsigned buffer : {0U, 0U, 1U, 2U}) shapes.push_back({dim, engines, buffer, name});
  }
  return shapes;
}

/// One to four channels of the links of cubes, lines and complete graphs.
Shapes shapes_of_channels() {
  Shapes shapes{{3, Ports::n, 0, "generalised:5", 4}};  // all 32 inputs that a router can have
  const auto add = [&shapes](unsigned dim, const std::string& name, std::uint32_t channels) {
    for (const std::uint32_t engines : {std::uint32_t{Ports::n}, 2U})
      for (const unsigned buffer : {0U, 1U}) shapes.push_back({dim, engines, buffer, name, channels});
  };
  for (std::uint32_t channels = 1; channels <= 4; ++channels) add(2, "", channels);
  add(3, "", 2);
  add(2, "mesh:3", 3);
  add(2, "generalised:3", 2);
  return shapes;
}

void compare(std::size_t wanted, const Shapes& shapes, bool fail = false) {
  BothEngines engines(shapes);
  const Compared all =
      compare_random_programs(engines, shapes, given("ECUBE_CASES", wanted), given("ECUBE_SEED", 1), fail);
  EXPECT_LE(all.stalled, all.programs * 2 / 3) << "most programs wait for each other";
}

TEST(Clocked, NoEdgeOfRandomProgramsDiffersFromTheEventEngine) {
  compare(all_cases ? 200'000 : std::max<std::size_t>(random_cases(20'000), 4000), shapes_of({1, 2, 3, 4}));
}

/// Products of one kind. A process elaborates once, so each kind is a test of its own.
class ClockedProducts : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ClockedProducts, NoEdgeDiffersFromTheEventEngine) {
  // Of fewer, too few meet each other
  compare(all_cases ? 100'000 : 4'000, shapes_of_products(GetParam()), true);
}
INSTANTIATE_TEST_SUITE_P(Generalised, ClockedProducts,
                         ::testing::Values(std::vector<std::string>{"generalised:5x2", "generalised:3x3",
                                                                    "generalised:4x2"}));
INSTANTIATE_TEST_SUITE_P(Mesh, ClockedProducts,
                         ::testing::Values(std::vector<std::string>{"mesh:3x3", "mesh:5", "mesh:4x2x2"}));
INSTANTIATE_TEST_SUITE_P(Nearly, ClockedProducts,
                         ::testing::Values(std::vector<std::string>{"nearly:6", "nearly:6x2", "mesh:3+nearly:6"}));
INSTANTIATE_TEST_SUITE_P(Mixed, ClockedProducts,
                         ::testing::Values(std::vector<std::string>{"generalised:4+mesh:3", "mesh:3+generalised:2x3",
                                                                    "mesh:2x3+generalised:4"}));

TEST(Clocked, NoEdgeOfSeveralChannelsDiffersFromTheEventEngine) {
  compare(all_cases ? 100'000 : 4'000, shapes_of_channels(), true);
}

/// Two messages of one tag leave node 1 together, the longer one on the first channel or plane.
TEST(Clocked, AMessageOnAnotherChannelOrPlaneOvertakes) {
  Machine channels = machine_of({1, Ports::n, 0, "", 2});
  Machine planes = machine_of({1, Ports::n});
  planes.network.planes = 2;
  BothEngines engines;
  for (Machine* const machine : {&channels, &planes}) {
    machine->node.startups = Startups::overlapped;  // at each port at once
    engines.elaborate(*machine, 1);
  }
  for (const Machine* const machine : {&channels, &planes}) {
    const auto received = [&](auto run) {
      std::vector<Bytes> bytes;
      Firmware firmware([&](Node& node) -> Task<> {
        for (std::uint8_t plane = 0; plane < machine->network.planes; ++plane) co_await node.tune(plane, 1);
        if (node.id() == 1) {
          Pending longer = node.start_send({.to = 0, .tag = 3, .bytes = 40, .port = 0});
          Pending shorter = node.start_send({.to = 0, .tag = 3, .bytes = 4, .port = 1});
          co_await node.all(longer, shorter);
        } else {
          Pending first = node.start_receive({.from = 1, .tag = 3, .bytes = 40});
          Pending second = node.start_receive({.from = 1, .tag = 3, .bytes = 40});
          co_await node.all(first, second);
          bytes = {first.received().bytes, second.received().bytes};
        }
      });
      CircuitRecorder recorder;
      const RunResult result = run(firmware, recorder);
      EXPECT_EQ(result.status, RunResult::Status::finished) << result.fault;
      return bytes;
    };
    // 4.11: messages are matched in the order in which they arrive.
    EXPECT_EQ(
        received([&](auto& program, auto& recorder) { return engines.run_event(program, *machine, 1, {}, recorder); }),
        (std::vector<Bytes>{4, 40}));
    EXPECT_EQ(received([&](auto& program, auto& recorder) {
                return engines.run_clocked(program, *machine, 1, {}, recorder);
              }),
              (std::vector<Bytes>{4, 40}));
  }
}

TEST(Clocked, ClockingEveryNodeAtEveryEdgeChangesNothing) {
  const Shapes shapes = shapes_of({2, 3});
  BothEngines engines(shapes);
  std::size_t compared = 0;
  std::uint64_t saved = 0;
  for (std::uint64_t seed = 1; compared < 1000; ++seed) {
    const RandomProgram program =
        random_program(seed, shapes[mix(seed) % shapes.size()], static_cast<unsigned>(3 + seed % 5));
    ClockedCube& cube = *engines.find(program.machine, program.dim);
    const auto run = [&](bool all, CircuitRecorder& recorder) {
      cube.clock_all(all);
      Outcome outcome = engines.run_clocked(program, recorder);
      cube.clock_all(false);
      return outcome;
    };
    CircuitRecorder gated;
    CircuitRecorder ungated;
    const Outcome expected = run(true, ungated);
    const std::uint64_t edges_of_all = cube.events();
    const Outcome found = run(false, gated);
    EXPECT_EQ(found.result.cycles, expected.result.cycles) << "ECUBE_SEED=" << seed;
    EXPECT_EQ(difference(expected, found), "") << "ECUBE_SEED=" << seed;
    EXPECT_EQ(first_difference(ungated, gated, "gated"), "") << "ECUBE_SEED=" << seed;
    compared += gated.circuits();
    saved += edges_of_all - cube.events();
  }
  EXPECT_GT(saved, 0U) << "nothing was ever idle";
}

/// Of very many nodes some wait for ever, and where messages are forced, many of a random program are lost.
constexpr std::size_t any_wait = 0;

/// What is observed is what happens unobserved, and what the compiler knows of a machine changes nothing. Compares
/// until `wanted` circuits have been, on cubes of each of `dims` in turn; of the runs, one of `one_of` has to finish.
void compare_known(std::size_t wanted, const std::vector<unsigned>& dims,
                   RandomProgram (*program_of)(std::uint64_t, unsigned), std::size_t one_of) {
  Cube cube("cube", *std::max_element(dims.begin(), dims.end()), Hierarchy::flat);
  std::size_t compared = 0;
  std::uint64_t blocked = 0;
  std::size_t finished = 0;
  std::size_t runs = 0;
  for (std::uint64_t seed = 1; compared < wanted; ++seed, ++runs) {
    SCOPED_TRACE("ECUBE_SEED=" + std::to_string(seed));
    const RandomProgram program = program_of(seed, dims[seed % dims.size()]);
    CircuitRecorder tested;
    const Outcome all_tested = run_known(cube, program, &tested, true);
    compared += tested.circuits();
    blocked += cube.engine().statistics().link_blocked.circuits + cube.engine().statistics().port_blocked.circuits;
    finished += all_tested.result.status == RunResult::Status::finished ? 1 : 0;
    CircuitRecorder known;
    ASSERT_EQ(difference(all_tested, run_known(cube, program, &known)), "");
    ASSERT_EQ(first_difference(tested, known, "known"), "");
    for (const bool ask : {false, true}) {
      ASSERT_EQ(difference(all_tested, run_known(cube, program, nullptr, ask)), "");
    }
  }
  EXPECT_GT(blocked, compared / 20) << "the programs are hardly contended";
  if (one_of == any_wait) return;
  EXPECT_GT(finished * one_of, runs) << "most programs wait, for each other or for lost messages";
}

TEST(KnownMachine, ThePlainestDoesTheSameWatchedAndWithEveryFeatureTested) {
  compare_known(random_cases(15'000), {1, 2, 3, 4}, plain_program, 3);
}

TEST(KnownMachine, TheIpsc860DoesTheSameWatchedAndWithEveryFeatureTested) {
  compare_known(random_cases(10'000), {1, 2, 3, 4}, ipsc860_program, any_wait);
}

TEST(KnownMachine, OfManyNodesDoesTheSame) { compare_known(random_cases(10'000), {9}, plain_program, any_wait); }

TEST(KnownMachine, OfTheIpsc860OfManyNodesDoesTheSame) {
  compare_known(random_cases(10'000), {9}, ipsc860_program, any_wait);
}

TEST(KnownMachine, IsTheSameWhateverItsCubeIsCalled) {
  Cube cube("cube", 3, Hierarchy::flat);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomProgram program = plain_program(seed, 3);
    CircuitRecorder expected;
    const Outcome as_ever = run_known(cube, program, &expected);
    for (const std::string name : {"cube:3", "mesh:2x2x2", "generalised:2x2x2"}) {
      program.machine.network.topology = *Topology::parse(name);
      for (const bool ask : {false, true}) {
        CircuitRecorder found;
        ASSERT_EQ(difference(as_ever, run_known(cube, program, &found, ask)), "") << name;
        ASSERT_EQ(first_difference(expected, found, name), "") << name;
      }
      EXPECT_EQ(cube.topology().output_name(5, 2), "dim 2");
    }
  }
}

TEST(KnownMachine, IsThatOfThePresetsThatAreRunMost) {
  Cube cube("cube", 3, Hierarchy::flat);
  for (const char* const name : {"ideal", "ipsc860"}) {
    cube.reset(preset_machine(name), 3);
    EXPECT_TRUE(cube.engine().knows_features()) << name;
  }
}

/// Rule 4.11: a receive of one message from each of three nodes gets the three that arrive first, here two of one node.
/// The long one of node 1 is accepted before the second one of node 2, and arrives behind it.
TEST(Clocked, AReceiveOfSeveralMessagesGetsThoseThatArriveFirst) {
  using Kind = ProgramStep::Kind;
  const RandomShape shape{.dim = 2, .engines = Ports::n};
  const auto send = [](Bytes bytes, std::uint64_t number) {
    return ProgramStep{.kind = Kind::send, .peer = 0, .tag = 1, .bytes = bytes, .number = number};
  };
  const ProgramStep ends{.kind = Kind::wait, .number = 0};
  RandomProgram program{
      .dim = shape.dim, .machine = machine_of(shape), .conditions = {}, .few_tags = true, .steps = {}};
  program.machine.library.send_cycles = 0;
  program.steps = {{{.kind = Kind::receive_each, .tag = 1, .sources = {.low = 0, .dim = 2}},
                    {.kind = Kind::receive_any, .tag = 1, .number = 1},
                    ends,
                    {.kind = Kind::wait, .number = 1}},
                   {send(60, 1), ends},
                   {send(1, 2), ends, send(1, 4), {.kind = Kind::wait, .number = 2}},
                   {send(1, 8), ends}};
  BothEngines engines(Shapes{shape});
  CircuitRecorder event;
  CircuitRecorder clocked;
  const auto make = [&] { return firmware_of(program); };
  EXPECT_EQ(engines.difference(program.machine, program.dim, program.conditions, make, event, clocked), "");
  const auto says = [&event](const std::string& what) {
    const std::vector<RecordedEdge> edges = event.edges();
    return std::any_of(edges.begin(), edges.end(), [&what](const RecordedEdge& edge) { return edge.what == what; });
  };
  EXPECT_TRUE(says("receive of each, operation 0, is complete, received check words 14"));
  EXPECT_TRUE(says("receive, operation 0, is complete, received 60 bytes with check word 1 from 1"));
}

TEST(Clocked, AResetChangesAllButTheShape) {
  ClockedCube cube("cube", machine_of({.dim = 2, .engines = 1}), 2);
  Machine other = machine_of({.dim = 2, .engines = 1});
  other.router.route_cycles = 7;
  other.library.protocol = Protocol::forced;
  EXPECT_NO_THROW(cube.reset(other));
  EXPECT_THROW(cube.reset(machine_of({.dim = 2, .engines = Ports::n})), std::invalid_argument);
  EXPECT_THROW(cube.reset(machine_of({.dim = 2, .engines = 1, .buffer = 1})), std::invalid_argument);
  Machine detailed = other;
  detailed.node.model = NodeModel::detailed;
  EXPECT_THROW(cube.reset(detailed), std::invalid_argument);
  EXPECT_NO_THROW(cube.reset(other)) << "a refused reset changes nothing";
}

TEST(Clocked, NoCubeIsLargerThanItsWiresHaveRoomFor) {
  EXPECT_THROW(ClockedCube("cube", Machine{}, clocked::max_dim + 1), std::invalid_argument);
  EXPECT_THROW(ClockedCube("none", Machine{}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace ecube::clocked_test
