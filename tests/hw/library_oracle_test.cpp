// SPDX-License-Identifier: Apache-2.0
// The message library of the event engine against the clocked reference: random programs of sends, receives and
// exchanges, forced and unforced; the same edge for every circuit, control circuits included.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "hw/observed/observer.h"
#include "sw/firmware.h"
#include "testbench/test_bench.h"
#include "tests/effort.h"
#include "tests/oracle/clocked_library.h"

namespace ecube {
namespace {

using oracle::CircuitRole;
using oracle::CircuitTimes;
using oracle::LibraryOperation;
using oracle::LibraryStep;

struct RandomRun {
  unsigned dim = 1;
  Machine machine;
  std::vector<LibraryOperation> operations;
  std::vector<std::vector<LibraryStep>> scripts;
};

/// Edges of all circuits by operation and role.
class Recorder final : public Observer {
 public:
  explicit Recorder(std::size_t operations) : circuits(operations * oracle::roles) {}
  CircuitTimes& of(const CircuitRecord& circuit) {
    static constexpr std::array role{CircuitRole::data, CircuitRole::data, CircuitRole::synchronisation,
                                     CircuitRole::reservation, CircuitRole::grant};
    return circuits[oracle::circuit_of(circuit.tag, role[static_cast<std::size_t>(circuit.kind)])];
  }
  void injected(CircuitId, const CircuitRecord& circuit) override { of(circuit).probe = circuit.probe; }
  void granted(CircuitId, const CircuitRecord& circuit, NodeId, unsigned, Cycles asked, Cycles at) override {
    of(circuit).requests.push_back(asked);
    of(circuit).grants.push_back(at);
  }
  void established(CircuitId, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    of(circuit).acknowledge_T0 = edges.data;
    of(circuit).tail_Tt = edges.tail;
    of(circuit).sender_ready = edges.sender_ready;
    of(circuit).receiver_ready = edges.receiver_ready;
  }
  std::vector<CircuitTimes> circuits;
};

Task<> interpret(Node& node, const RandomRun& run) {
  std::vector<std::optional<Pending>> pending(run.operations.size());
  for (const LibraryStep& step : run.scripts[node.id()]) {
    const LibraryOperation& op = run.operations[step.operation];
    if (step.waits) {
      Pending& message = *pending[step.operation];
      co_await message;
      continue;
    }
    switch (op.kind) {
      case LibraryOperation::Kind::send:
        pending[step.operation].emplace(
            node.start_send({.to = op.peer, .type = op.type, .bytes = op.bytes, .tag = step.operation}));
        break;
      case LibraryOperation::Kind::receive:
        pending[step.operation].emplace(node.start_receive({.from = op.peer, .type = op.type, .bytes = op.bytes}));
        break;
      case LibraryOperation::Kind::exchange:
        pending[step.operation].emplace(
            node.start_exchange({.with = op.peer,
                                 .type = op.type,
                                 .bytes = op.bytes,
                                 .room = 60,
                                 .tag = step.operation,
                                 .sync = op.synchronised ? PairwiseSync::on : PairwiseSync::off}));
        break;
    }
  }
}

RandomRun random_run(std::uint64_t seed, Protocol protocol, std::uint32_t engines) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](std::uint64_t most) { return random() % (most + 1); };
  RandomRun run;
  run.dim = static_cast<unsigned>(1 + pick(3));
  Machine& machine = run.machine;
  machine.node.ports.engines = engines;
  machine.node.startups = Startups::queued;
  machine.router.route_cycles = 1 + pick(5);
  machine.network.accept_cycles = 1 + pick(2);
  machine.link.phit_bytes = 1 + static_cast<std::uint32_t>(pick(3));
  const std::uint64_t den = 1 + pick(4);
  machine.link.cycles_per_phit = {den + pick(3 * den), den};
  machine.network.duplex = pick(1) == 0 ? Duplex::full : Duplex::together;
  machine.network.together_cycles = pick(40);
  machine.core.copy.compiled = {1 + pick(2), 1};
  Machine::Library& library = machine.library;
  for (Cycles* path : {&library.send_cycles, &library.send_zero_cycles, &library.receive_cycles,
                       &library.receive_zero_cycles, &library.control_send_cycles, &library.control_receive_cycles}) {
    *path = 1 + pick(15);
  }
  library.protocol = protocol;
  library.threshold_bytes = 20;
  library.buffer_bytes = 60 + pick(100);
  const NodeId nodes = NodeId{1} << run.dim;
  run.scripts.resize(nodes);
  std::vector<std::vector<std::size_t>> receives(nodes);
  std::vector<std::vector<std::size_t>> others(nodes);
  const auto add = [&](const LibraryOperation& op) {
    run.operations.push_back(op);
    (op.kind == LibraryOperation::Kind::receive ? receives : others)[op.node].push_back(run.operations.size() - 1);
  };
  for (std::uint32_t type = 0; type < 6 * nodes; ++type) {
    const auto source = static_cast<NodeId>(pick(nodes - 1));
    const auto destination = static_cast<NodeId>((source + 1 + pick(nodes - 2)) % nodes);
    const auto length = [&pick] { return pick(3) == 0 ? Bytes{0} : pick(59) + 1; };
    const Bytes bytes = length();
    if (pick(2) == 0) {
      const bool synchronised = protocol == Protocol::forced || pick(1) == 0;
      add({LibraryOperation::Kind::exchange, source, destination, type, bytes, synchronised});
      add({LibraryOperation::Kind::exchange, destination, source, type, length(), synchronised});
    } else {
      add({LibraryOperation::Kind::send, source, destination, type, bytes});
      add({LibraryOperation::Kind::receive, destination, source, type, bytes});
    }
  }
  for (NodeId node = 0; node < nodes; ++node) {
    // Sends and exchanges stand in one order for all nodes, or ports would wait for each other in rings.
    std::vector<std::size_t> order = others[node];
    std::vector<LibraryStep>& script = run.scripts[node];
    if (protocol == Protocol::forced) {
      // Posted before everything else, so that nothing is lost.
      for (const std::size_t operation : receives[node]) script.push_back({false, operation});
    } else {
      for (const std::size_t operation : receives[node]) {
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(pick(order.size())), operation);
      }
    }
    std::vector<std::size_t> open;
    for (const std::size_t operation : order) {
      script.push_back({false, operation});
      open.push_back(operation);
      if (pick(3) != 0) continue;
      const std::size_t which = pick(open.size() - 1);
      script.push_back({true, open[which]});
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
    }
    for (const std::size_t operation : open) script.push_back({true, operation});
    if (protocol == Protocol::forced) {
      for (const std::size_t operation : receives[node]) script.push_back({true, operation});
    }
  }
  return run;
}

/// The last messages may still be on their way when the programs have ended: then the reference has not seen them all.
bool same(const CircuitTimes& expected, const CircuitTimes& found) {
  return expected.probe == found.probe && expected.requests == found.requests && expected.grants == found.grants &&
         expected.acknowledge_T0 == found.acknowledge_T0 && expected.tail_Tt == found.tail_Tt &&
         expected.sender_ready == found.sender_ready &&
         (expected.receiver_ready == oracle::never || expected.receiver_ready == found.receiver_ready);
}

std::string text_of(const CircuitTimes& times) {
  const auto edge = [](Cycles at) { return at == oracle::never ? std::string("never") : std::to_string(at); };
  std::string text = "probe " + edge(times.probe) + " grants";
  for (const Cycles grant : times.grants) text += " " + edge(grant);
  return text + " T0 " + edge(times.acknowledge_T0) + " Tt " + edge(times.tail_Tt) + " arrives " +
         edge(times.receiver_ready);
}

struct Mode {
  Protocol protocol;
  std::uint32_t engines;
};

class LibraryOracle : public ::testing::TestWithParam<Mode> {};

/// Compares random runs, from the one with seed `first` on, until `circuits` circuits have been compared.
void compare(const Mode& mode, std::uint64_t first_seed, std::size_t circuits) {
  static TestBench bench(4);
  std::size_t compared = 0;
  std::size_t stalled = 0;
  for (std::uint64_t seed = first_seed; compared < circuits; ++seed) {
    const RandomRun run = random_run(seed, mode.protocol, mode.engines);
    Recorder recorder(run.operations.size());
    bench.observe(&recorder);
    Firmware firmware([&run](Node& node) { return interpret(node, run); });
    const RunMeasurement m = bench.run({.machine = run.machine, .dim = run.dim, .conditions = {}}, firmware);
    bench.observe(nullptr);
    // Random programs may wait for each other, or overflow a buffer: then the reference would not end either.
    if (m.result.status == RunResult::Status::stalled) {
      ASSERT_LT(++stalled, 2 * seed / 3 + 20);
      continue;
    }
    ASSERT_EQ(m.result.status, RunResult::Status::finished) << m.result.fault << " seed " << seed;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const oracle::LibraryRun reference =
        oracle::run_clocked_library(run.machine, run.dim, run.operations, run.scripts, m.result.cycles + 1000);
    const auto beginning = [&](std::size_t i) {
      return std::min(reference.circuits[i].probe, recorder.circuits[i].probe);
    };
    // One difference brings about others: the circuit that differs first is the one to look at.
    std::size_t first = reference.circuits.size();
    for (std::size_t i = 0; i < reference.circuits.size(); ++i) {
      const CircuitTimes& expected = reference.circuits[i];
      const CircuitTimes& found = recorder.circuits[i];
      if (!same(expected, found) && (first == reference.circuits.size() || beginning(i) < beginning(first))) first = i;
      compared += expected.probe != oracle::never ? 1 : 0;
    }
    if (first < reference.circuits.size()) {
      const LibraryOperation& op = run.operations[first / oracle::roles];
      FAIL() << "dim " << run.dim << " operation " << first / oracle::roles << " of node " << op.node << " with "
             << op.peer << ", " << op.bytes << " bytes, role " << first % oracle::roles << "\n  clocked "
             << text_of(reference.circuits[first]) << "\n  event   " << text_of(recorder.circuits[first]);
    }
  }
}

#ifdef ECUBE_LONG
TEST_P(LibraryOracle, NoEdgeOfAnyCircuitDiffersInALongRun) { compare(GetParam(), 1, 1'000'000); }
#else
TEST_P(LibraryOracle, NoEdgeOfAnyCircuitDiffers) { compare(GetParam(), 1, random_cases(20'000)); }

TEST(LibraryOracleSeed, AGrantIsNotForgottenBehindTheDataOfASendUnderWay) {
  compare({Protocol::unforced, Ports::n}, 929, 1);
}

TEST(LibraryOracleSeed, PortsThatBecomeFreeTogetherServeWhatBecameReadyFirst) {
  compare({Protocol::unforced, Ports::n}, 339, 1);
}
#endif

INSTANTIATE_TEST_SUITE_P(Modes, LibraryOracle,
                         ::testing::Values(Mode{Protocol::forced, 1}, Mode{Protocol::unforced, 1},
                                           Mode{Protocol::forced, Ports::n}, Mode{Protocol::unforced, Ports::n}),
                         [](const auto& test) {
                           return std::string(test.param.protocol == Protocol::forced ? "forced" : "unforced") +
                                  (test.param.engines == 1 ? "_one_port" : "_n_port");
                         });

}  // namespace
}  // namespace ecube
