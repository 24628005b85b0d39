// SPDX-License-Identifier: Apache-2.0
// Programs of users on both engines: contention that theory predicts, and programs with errors.
#include "testbench/machine/test_bench.h"

#include "hw/cube.h"
#include "models/machine/random.h"
#include "sw/api/firmware.h"
#include "sw/exchange/exchange.h"
#include "tests/test.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::test_bench_test {
namespace {

constexpr auto bench = shared_bench<4>;

const ExchangeParameters message_costs{
    .lambda_us = 4, .lambda0_us = 2, .tau_us_per_byte = 0.5, .delta_us = 0, .delta_hop_us = 1};

class OnEngine : public ::testing::TestWithParam<EngineChoice> {
 protected:
  RunMeasurement run(unsigned dim, const Firmware::Body& body, Machine machine = {}) {
    Firmware firmware(body);
    return bench().run({.machine = std::move(machine), .dim = dim, .conditions = {}, .engine = GetParam()}, firmware,
                       costs_);
  }
  IdealCosts costs_{.message = message_costs, .exchange = message_costs};
};

Task<> everyone_to_node_0(Node& node) {
  if (node.id() != 0) co_await node.send({.to = 0, .bytes = 8});
  for (NodeId i = 1; node.id() == 0 && i < node.size(); ++i) co_await node.receive({.bytes = 8});
}

TEST_P(OnEngine, AllToOneBlocksOnLinksWhereverThereAreAny) {
  const RunMeasurement m = run(4, everyone_to_node_0);
  EXPECT_EQ(m.result.status, RunResult::Status::finished);
  EXPECT_EQ(m.network.circuits, 15U);
  EXPECT_EQ(m.network.link_blocked.circuits > 0, GetParam() == EngineChoice::event);
}

Task<> receive_too_short(Node& node) {
  if (node.id() == 1) co_await node.send({.to = 2, .bytes = 100});
  if (node.id() == 2) co_await node.receive({.from = 1, .bytes = 99});
}

TEST_P(OnEngine, AMessageLongerThanItsReceiveStopsTheRunAndNamesBothNodes) {
  const RunMeasurement m = run(2, receive_too_short);
  EXPECT_EQ(m.result.status, RunResult::Status::fault);
  EXPECT_FALSE(m.escaped_error);
  EXPECT_HAS(m.result.fault, "100 bytes from node 1 is longer than the receive of 99 bytes at node 2");
}

Task<> wrong_tag(Node& node) {
  co_await node.compute(10);
  if (node.id() == 0) co_await node.send({.to = 1, .tag = 7});
  if (node.id() == 1) co_await node.receive({.from = 0, .tag = 8});
}

TEST_P(OnEngine, AReceiveOfAnotherTypeWaitsForEverAndSaysSo) {
  const RunMeasurement m = run(1, wrong_tag);
  EXPECT_EQ(m.result.status, RunResult::Status::stalled);
  EXPECT_EQ(m.unfinished, 1U);
  ASSERT_EQ(m.waiting.size(), 1U);
  EXPECT_EQ(m.waiting[0].node, 1U);
  EXPECT_EQ(m.waiting[0].waits_for, WaitingNode::For::message);
  EXPECT_EQ(m.waiting[0].peer, 0U);
  EXPECT_EQ(m.waiting[0].tag, 8U);
  EXPECT_EQ(m.waiting[0].since, 10U);
}

TEST(TooLongARun, IsBadInputAndLeavesTheBenchReadyForOthers) {
  const RunSetup setup{.machine = {}, .dim = 3, .conditions = {}, .engine = EngineChoice::event};
  const auto run = [&](Cycles computed) {
    Firmware firmware([computed](Node& node) -> Task<> {
      co_await node.compute(computed);
      co_await everyone_to_node_0(node);
    });
    return bench().run(setup, firmware, {}).result;
  };
  const RunResult before = run(10);
  ASSERT_EQ(before.status, RunResult::Status::finished);
  const Cycles last = setup.machine.last_counted_cycle();
  EXPECT_EQ(last, Cycles{9'000'000} * 40'000'000);
  for (const Cycles computed : {last, last + 1, endless}) {
    EXPECT_HAS(thrown<InputError>([&] { return run(computed); }), "360000000000000 cycles");
    const RunResult after = run(10);
    EXPECT_EQ(after.status, RunResult::Status::finished);
    EXPECT_EQ(after.cycles, before.cycles);
  }
}

Task<> lonely_exchange(Node& node) {
  if (node.id() == 3) co_await node.exchange({.with = 1, .bytes = 4});
}

TEST_P(OnEngine, AnExchangeWithoutAPartnerWaitsForIt) {
  const RunMeasurement m = run(2, lonely_exchange);
  EXPECT_EQ(m.result.status, RunResult::Status::stalled);
  ASSERT_EQ(m.waiting.size(), 1U);
  EXPECT_EQ(m.waiting[0].waits_for, WaitingNode::For::partner);
  EXPECT_EQ(m.waiting[0].peer, 1U);
}

TEST_P(OnEngine, ASynchronisedMessageLeavesWhenBothHaveAsked) {
  for (const NodeId late : {0U, 1U}) {
    const RunMeasurement m = run(1, [late](Node& node) -> Task<> {
      if (node.id() == late) co_await node.until(1000);
      if (node.id() == 0) co_await node.send({.to = 1, .bytes = 8, .sync = PairwiseSync::on});
      if (node.id() == 1) co_await node.receive({.from = 0, .bytes = 8, .sync = PairwiseSync::on});
    });
    EXPECT_EQ(m.result.status, RunResult::Status::finished);
    EXPECT_EQ(m.network.circuits, 1U);
    // Start-up 100, two routers of 4, interfaces 4, 7 further phits; or 1,000 cycles = 25 us, 4 + 8 x 0.5 + 1 us.
    EXPECT_EQ(m.result.cycles, GetParam() == EngineChoice::event ? 1000U + 100 + 8 + 4 + 7 : 1360U);
  }
}

TEST_P(OnEngine, ASynchronisedReceiveNamesItsSource) {
  const RunMeasurement m = run(1, [](Node& node) -> Task<> {
    if (node.id() == 0) co_await node.receive({.bytes = 8, .sync = PairwiseSync::on});
  });
  EXPECT_EQ(m.result.fault, "the program of node 0 failed: node 0 synchronises a receive, but names no source");
}

TEST_P(OnEngine, AMessageWithoutContentsLeavesThePlaceOfAnotherAlone) {
  std::array<std::byte, 8> place{};
  place.fill(std::byte{7});
  for (const Cycles wait : {Cycles{0}, Cycles{5000}}) {
    const RunMeasurement m = run(1, [&place, wait](Node& node) -> Task<> {
      if (node.id() == 0) co_await node.send({.to = 1, .bytes = 8});
      if (node.id() == 1) {
        co_await node.until(wait);
        co_await node.receive({.from = 0, .bytes = 8, .data = Region::contiguous(place.data(), 8)});
      }
    });
    EXPECT_EQ(m.result.status, RunResult::Status::finished);
    EXPECT_EQ(place.front(), std::byte{7});
  }
}

/// Two nodes exchange messages of different lengths between places in memory that may be the same, or overlap.
TEST_P(OnEngine, UnevenExchangesDeliverWhateverTheirPlaces) {
  constexpr std::size_t room = 24;
  for (unsigned trial = 0; trial < 3000; ++trial) {
    std::array<std::array<std::byte, room>, 2> memory{};
    std::array<Bytes, 2> bytes{};
    std::array<std::size_t, 2> from{};
    std::array<std::size_t, 2> to{};
    for (unsigned node = 0; node < 2; ++node) {
      const auto pick = [&](std::uint64_t what, std::uint64_t most) { return draw(trial, node, what) % (most + 1); };
      bytes[node] = pick(0, 3) == 0 ? 0 : pick(1, 8);
      from[node] = pick(2, room - 8);
      to[node] = pick(3, 2) == 0 ? from[node] : pick(4, room - 8);
      for (std::size_t i = 0; i < room; ++i) memory[node][i] = static_cast<std::byte>(pick(10 + i, 255));
    }
    auto expected = memory;
    for (unsigned node = 0; node < 2; ++node)
      for (Bytes i = 0; i < bytes[1 - node]; ++i) expected[node][to[node] + i] = memory[1 - node][from[1 - node] + i];
    const PairwiseSync sync = trial % 2 == 0 ? PairwiseSync::on : PairwiseSync::off;
    const RunMeasurement m = run(1, [&](Node& node) -> Task<> {
      const NodeId own = node.id();
      const NodeId other = own ^ 1U;
      co_await node.compute(draw(trial, own, 5) % 40);
      co_await node.exchange({.with = other,
                              .bytes = bytes[own],
                              .room = bytes[other],
                              .outgoing = Region::contiguous(memory[own].data() + from[own], bytes[own]),
                              .incoming = Region::contiguous(memory[own].data() + to[own], bytes[other]),
                              .sync = sync});
    });
    ASSERT_EQ(m.result.status, RunResult::Status::finished);
    ASSERT_EQ(memory, expected) << "trial " << trial;
  }
}

Task<> throws(Node& node) {
  co_await node.compute(5);
  if (node.id() == 2) throw std::runtime_error("no such luck");
}

TEST_P(OnEngine, AnEscapedErrorStopsTheRunAndNamesTheNode) {
  const RunMeasurement m = run(2, throws);
  EXPECT_EQ(m.result.status, RunResult::Status::fault);
  EXPECT_TRUE(m.escaped_error);
  EXPECT_EQ(m.result.fault, "the program of node 2 failed: no such luck");
}

/// On planes no message synchronises: all nodes of an exchange fail at one edge, whose operations end with the
/// functions that failed. Sanitizers see who touches them.
TEST(TestBench, OperationsOfManyProgramsThatFailAtOneEdgeAreNotTouched) {
  TestBench many(7);
  RunSetup setup{.machine = {}, .dim = 7, .conditions = {}, .engine = EngineChoice::clocked};
  setup.machine.network.planes = 1;
  setup.machine.node.ports = Ports{Ports::n};
  setup.machine.library.protocol = Protocol::forced;
  many.elaborate(setup);
  for (const EngineChoice engine : {EngineChoice::clocked, EngineChoice::event}) {
    setup.engine = engine;
    const ExchangeWorkload workload{.partition = Partition::direct(7), .bytes = 16, .payload = Payload::none};
    CompleteExchange exchange(workload, setup.topology());
    EXPECT_THROW((void)many.run(setup, exchange.program(), {}), InputError);
  }
}

Task<> to_nowhere(Node& node) {
  if (node.id() == 0) co_await node.send({.to = 4});
}

TEST_P(OnEngine, AMessageToANodeThatDoesNotExistIsAnError) {
  EXPECT_EQ(run(2, to_nowhere).result.fault, "the program of node 0 failed: node 0 names node 4 of a machine of 4");
}

Task<> computes_then_sends(Node& node) {
  if (node.id() == 0) {
    Pending first = node.start_send({.to = 1, .bytes = 10});
    Pending second = node.start_send({.to = 2, .bytes = 10});
    co_await first;
    co_await second;
  } else if (node.id() < 3) {
    co_await node.receive({.from = 0, .bytes = 10});
  }
}

TEST(IdealEngine, ServesThePortsOfTheMachine) {
  // Each message: lambda 4 + 10 x 0.5 + 1 hop = 10 us.
  const IdealCosts costs{.message = message_costs, .exchange = message_costs};
  const auto us = [&](std::uint32_t engines, Startups startups) {
    RunSetup setup{.machine = {}, .dim = 2, .conditions = {}, .engine = EngineChoice::ideal};
    setup.machine.node.ports.engines = engines;
    setup.machine.node.startups = startups;
    Firmware firmware(computes_then_sends);
    return bench().run(setup, firmware, costs).result.us;
  };
  EXPECT_EQ(us(1, Startups::overlapped), 20);
  EXPECT_EQ(us(Ports::n, Startups::overlapped), 10);
  EXPECT_EQ(us(Ports::n, Startups::queued), 14);  // the second start-up waits 4 us for the processor
}

Task<> sends_billions_of_bytes(Node& node) {
  for (const Bytes billions : {3U, 3U, 5U, 1U, 3U}) {
    const Bytes bytes = billions * 1'000'000'000;
    if (node.id() == 0) co_await node.send({.to = 1, .bytes = bytes});
    if (node.id() == 1) co_await node.receive({.from = 0, .bytes = bytes});
  }
}

TEST(EventEngine, CountsBytesAndCyclesOfALinkBeyond32Bits) {
  Firmware firmware(sends_billions_of_bytes);
  const RunMeasurement m = bench().run({.machine = {}, .dim = 1, .conditions = {}}, firmware);
  ASSERT_EQ(m.result.status, RunResult::Status::finished);
  const LinkStatistics link = bench().cube().engine().statistics({0, 0});
  EXPECT_EQ(link.circuits, 5U);
  EXPECT_EQ(link.bytes, 15'000'000'000U);
  // A link is granted at g, its data starts at g + 6 (r = A = h = 1) with a byte a cycle, and the tail passes router 0
  // one cycle after it was driven: n + 6 busy cycles, five times.
  EXPECT_EQ(link.busy, 15'000'000'000U + 30);
}

/// Node 0 drops what it has started while the start-up still goes on, and its buffer with it; node 1 asks at once, or
/// when the message has arrived.
TEST(EventEngine, FinishesADroppedOperationWithoutData) {
  for (const Switching switching : {Switching::circuit, Switching::store_and_forward})
    for (const Cycles wait : {Cycles{0}, Cycles{5000}})
      for (const bool exchanges : {false, true})
        for (const PairwiseSync sync : {PairwiseSync::on, PairwiseSync::off}) {
          std::array<std::array<std::byte, 8>, 2> memory{};
          memory[1].fill(std::byte{7});
          const auto before = memory;
          Firmware firmware([&](Node& node) -> Task<> {
            const Region own = Region::contiguous(memory[node.id()].data(), 8);
            const Exchange exchange{.with = node.id() ^ 1U, .bytes = 8, .outgoing = own, .incoming = own, .sync = sync};
            if (node.id() == 0) {
              Pending dropped = exchanges ? node.start_exchange(exchange)
                                          : node.start_send({.to = 1, .bytes = 8, .data = own, .sync = sync});
              co_await node.until(10);
            } else {
              co_await node.until(wait);
              if (exchanges) co_await node.exchange(exchange);
              if (!exchanges) co_await node.receive({.from = 0, .bytes = 8, .data = own, .sync = sync});
            }
          });
          RunSetup setup{.machine = {}, .dim = 1, .conditions = {}};
          setup.machine.network.switching = switching;
          EXPECT_EQ(bench().run(setup, firmware).result.status, RunResult::Status::finished);
          EXPECT_EQ(memory, before) << "wait " << wait << " exchanges " << exchanges;
        }
}

INSTANTIATE_TEST_SUITE_P(Engines, OnEngine, ::testing::Values(EngineChoice::event, EngineChoice::ideal),
                         [](const auto& test) { return test.param == EngineChoice::event ? "event" : "ideal"; });

}  // namespace
}  // namespace ecube::test_bench_test
