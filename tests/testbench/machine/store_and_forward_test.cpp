// SPDX-License-Identifier: Apache-2.0
// Store and forward: cycles worked out by hand, data, and the equation.
#include "models/exchange/exchange_cost.h"
#include "models/machine/random.h"
#include "sw/api/firmware.h"
#include "testbench/machine/test_bench.h"
#include "tests/machines.h"
#include "tests/test.h"
#include "tests/testbench/exchange/exchange_of.h"

namespace ecube::store_and_forward_test {
namespace {

/// One byte a cycle, the least router, packets of 8 bytes; start-up 20 cycles, receipt 7, forwarding 15.
Machine small_packets(Startups startups) {
  Machine machine = preset_machine("ideal");
  machine.network.switching = Switching::store_and_forward;
  machine.network.packet_bytes = 8;
  machine.library.send_cycles = 20;
  machine.library.send_zero_cycles = 20;
  machine.library.receive_cycles = 7;
  machine.library.receive_zero_cycles = 7;
  machine.library.forward_cycles = 15;
  machine.node.startups = startups;
  return machine;
}

TestBench& bench() {
  struct WithRtl : TestBench {
    WithRtl() : TestBench(4) {
      elaborate({.machine = small_packets(Startups::queued), .dim = 3, .conditions = {}, .engine = EngineChoice::rtl});
    }
  };
  static WithRtl instance;
  return instance;
}

/// Cycles of one message from node 0, sent and received at once, and whether its bytes arrived.
Cycles one_message(const Machine& machine, NodeId to, Bytes bytes) {
  std::vector<std::byte> sent(bytes);
  for (Bytes i = 0; i < bytes; ++i) sent[i] = static_cast<std::byte>(i * 7 + 1);
  std::vector<std::byte> got(bytes);
  Firmware firmware([&](Node& node) -> Task<> {
    if (node.id() == 0) {
      co_await node.send({.to = to, .bytes = bytes, .data = Region::contiguous(sent.data(), bytes)});
      std::fill(sent.begin(), sent.end(), std::byte{0});  // messages under way no longer read the buffer
    }
    if (node.id() == to) {
      co_await node.receive({.from = 0, .bytes = bytes, .data = Region::contiguous(got.data(), bytes)});
    }
  });
  const RunResult result = bench().run({.machine = machine, .dim = 3, .conditions = {}}, firmware).result;
  EXPECT_EQ(result.status, RunResult::Status::finished);
  for (Bytes i = 0; i < bytes; ++i) EXPECT_EQ(got[i], static_cast<std::byte>(i * 7 + 1)) << i;
  return result.cycles;
}

TEST(StoreAndForward, TakesOneStartUpPerHop) {
  // A circuit over one link, probe to receiver ready: 2 (r + 3) + A + 3 + n - 1 = 12 + n - 1 cycles.
  for (const Startups startups : {Startups::queued, Startups::overlapped}) {
    const Machine machine = small_packets(startups);
    EXPECT_EQ(one_message(machine, 1, 8), 20U + 19 + 7);
    EXPECT_EQ(one_message(machine, 3, 8), 20U + 19 + 15 + 19 + 7);
    EXPECT_EQ(one_message(machine, 7, 8), 20U + 19 + 15 + 19 + 15 + 19 + 7);
    EXPECT_EQ(one_message(machine, 6, 1), 20U + 12 + 15 + 12 + 7);
    EXPECT_EQ(one_message(machine, 6, 0), 20U + 12 + 15 + 12 + 7);
  }
}

TEST(StoreAndForward, SendsTheNextPacketWhenItsPredecessorHasLeft) {
  // Over one link g_0 = probe + 2, g_1 = probe + 4, T0 = g_1 + A + h + 2 = probe + 8, and the port is free at T0 + n.
  // Packets of 8, 8 and 4 bytes: probes at 20, 56 and 92, received at 39, 75 and 107. On overlapped start-ups the
  // receipts of the first two do not delay the third's.
  const Machine machine = small_packets(Startups::overlapped);
  const Cycles leaves = 8 + 8;
  EXPECT_EQ(one_message(machine, 1, 20), Cycles{60} + 2 * leaves + 15 + 7);
  // On the way to node 3 the packets are sent on at 39 + 15, 75 + 15, 107 + 15.
  EXPECT_EQ(one_message(machine, 3, 20), Cycles{60} + 2 * leaves + 15 + 15 + 15 + 7);
}

TEST(StoreAndForward, CountsWhatNodesHold) {
  const RunSetup setup{.machine = small_packets(Startups::overlapped), .dim = 2, .conditions = {}};
  // Node 0 sends 24 bytes to 3 by way of 1: each packet leaves node 1 (at 15 + 17 after it came) before the next comes
  // 36 cycles later. Node 3 receives the message late: 24 bytes wait there.
  Firmware firmware([&](Node& node) -> Task<> {
    if (node.id() == 0) co_await node.send({.to = 3, .bytes = 24});
    if (node.id() == 3) {
      co_await node.compute(1000);
      co_await node.receive({.from = 0, .bytes = 24});
    }
  });
  EXPECT_EQ(bench().run(setup, firmware).network.most_stored, 24U);
  // The message received at once: one packet on the way at a time.
  Firmware at_once([&](Node& node) -> Task<> {
    if (node.id() == 0) co_await node.send({.to = 3, .bytes = 24});
    if (node.id() == 3) co_await node.receive({.from = 0, .bytes = 24});
  });
  const RunMeasurement m = bench().run(setup, at_once);
  EXPECT_EQ(m.network.most_stored, 8U);
  EXPECT_EQ(m.network.most_packets, 3U);
  EXPECT_EQ(m.network.circuits, 6U);
  EXPECT_EQ(m.network.payload_bytes, 24U);
}

/// Every node sends messages of random lengths to random nodes; every receiver knows the messages that will come.
struct RandomMessages {
  struct Message {
    NodeId from, to;
    std::vector<std::byte> bytes;
    std::vector<std::byte> got;
  };
  std::vector<Message> messages;

  RandomMessages(std::uint64_t seed, unsigned dim, unsigned each) {
    const NodeId nodes = NodeId{1} << dim;
    for (NodeId from = 0; from < nodes; ++from)
      for (unsigned i = 0; i < each; ++i) {
        Message& message = messages.emplace_back();
        message.from = from;
        message.to = static_cast<NodeId>(below(draw(seed, from, std::uint64_t{3} * i), nodes));
        message.bytes.resize(below(draw(seed, from, std::uint64_t{3} * i + 1), 30));
        for (std::size_t b = 0; b < message.bytes.size(); ++b) {
          message.bytes[b] = static_cast<std::byte>(draw(seed, from, std::uint64_t{1000} * i + b));
        }
        message.got.resize(message.bytes.size());
      }
  }
  /// On this machine, each with its bytes.
  RunMeasurement run_on(const RunSetup& setup, const std::string& what) {
    Firmware firmware([this](Node& node) { return run(node); });
    RunMeasurement m = bench().run(setup, firmware);
    EXPECT_EQ(m.result.status, RunResult::Status::finished) << what;
    for (const Message& message : messages) EXPECT_EQ(message.bytes, message.got) << what;
    return m;
  }

  Task<> run(Node& node) {
    std::vector<Pending> pending;
    for (Message& message : messages) {
      const Bytes bytes = message.bytes.size();
      if (message.from == node.id()) {
        pending.push_back(node.start_send(
            {.to = message.to, .bytes = bytes, .data = Region::contiguous(message.bytes.data(), bytes)}));
      }
    }
    co_await node.compute(Cycles{100} * node.id());
    for (Message& message : messages) {
      const Bytes bytes = message.bytes.size();
      if (message.to == node.id()) {
        pending.push_back(node.start_receive(
            {.from = message.from, .bytes = bytes, .data = Region::contiguous(message.got.data(), bytes)}));
      }
    }
    for (Pending& one : pending) co_await one;
  }
};

TEST(StoreAndForward, CarriesRandomMessagesAlikeInRtl) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const Startups startups : {Startups::queued, Startups::overlapped}) {
      RunSetup setup{
          .machine = small_packets(startups), .dim = 3, .conditions = {.jitter = seed % 3 * 9, .seed = seed}};
      const std::string what = "seed " + std::to_string(seed);
      const RunMeasurement event = RandomMessages(seed, setup.dim, 12).run_on(setup, what);
      setup.engine = EngineChoice::rtl;
      const RunMeasurement rtl = RandomMessages(seed, setup.dim, 12).run_on(setup, what);
      EXPECT_EQ(event.result.cycles, rtl.result.cycles) << what;
      EXPECT_EQ(event.network.most_stored, rtl.network.most_stored) << what;
    }
}

TEST(StoreAndForward, CarriesThemOnEveryNumberOfPorts) {
  for (const std::uint32_t engines : {1U, 2U, std::uint32_t{Ports::n}})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      RunSetup setup{.machine = small_packets(seed % 2 == 0 ? Startups::queued : Startups::overlapped),
                     .dim = 4,
                     .conditions = {.jitter = 30, .seed = seed}};
      setup.machine.node.ports.engines = engines;
      RandomMessages(seed, setup.dim, 20)
          .run_on(setup, "seed " + std::to_string(seed) + " engines " + std::to_string(engines));
    }
}

TEST(StoreAndForward, ExchangesOfOnePacketTakeWhatTheEquationSays) {
  const Machine machine = preset_machine("ipsc1");
  const Calibration fitted = bench().calibrate(machine);
  EXPECT_LT(fitted.worst_percent, 0.5);
  EXPECT_NEAR(fitted.message.delta_hop_us.value_or(0), 1000, 1);
  EXPECT_NEAR(fitted.message.tau_hop_us_per_byte, 1.8, 1e-3);
  for (const char* partition : {"4", "2,2", "3,1", "1,1,1,1"})
    for (const Bytes bytes : {1U, 20U, 100U}) {
      ExchangeExperiment experiment = exchange_of(machine, Partition::parse(partition, 4), bytes);
      experiment.workload.barrier = Barrier::none;
      experiment.workload.identity_shuffle = IdentityShuffle::charge;
      const ExchangeMeasurement m = run_exchange(bench(), experiment, fitted.exchange(4));
      EXPECT_EQ(m.verified, true);
      EXPECT_NEAR(m.run.result.us / m.predicted.total(), 1, 5e-3) << partition << " " << bytes;
    }
}

TEST(StoreAndForward, HasNoProtocolAndNoPaddedDistance) {
  const auto refused = [](const std::vector<std::string>& sets) { return refusal(settings_with("ipsc1", sets)); };
  EXPECT_HAS(refused({"library.protocol=forced"}), "library.protocol");
  EXPECT_HAS(refused({"network.distance=fixed", "network.setup=100 cycles"}), "network.distance");
  EXPECT_EQ(refused({"network.packet=256 B"}), "");
}

}  // namespace
}  // namespace ecube::store_and_forward_test
