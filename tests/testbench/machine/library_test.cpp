// SPDX-License-Identifier: Apache-2.0
// Processor and message library on small machines: every edge worked out by hand from hw/README.md sections 3 to 5.
#include "sw/api/firmware.h"
#include "testbench/machine/test_bench.h"
#include "tests/planted.h"
#include "tests/test.h"
#include "tests/testbench/shared_bench.h"

namespace ecube::library_test {
namespace {

constexpr auto bench = shared_bench<3>;

RunMeasurement run(const Machine& machine, unsigned dim, const Firmware::Body& body) {
  Firmware firmware(body);
  return bench().run({.machine = machine, .dim = dim, .conditions = {}}, firmware);
}

/// A message of n bytes over one hop takes 12 + (n - 1) cycles from its probe's edge to its arrival: (h + 1)(r + 3) + A
/// + 3.
Machine small() {
  Machine machine;
  machine.node.startups = Startups::queued;
  machine.library.send_cycles = 10;
  machine.library.send_zero_cycles = 10;
  machine.library.receive_cycles = 30;
  machine.library.receive_zero_cycles = 20;
  machine.library.control_send_cycles = 4;
  machine.library.control_receive_cycles = 6;
  machine.core.copy.compiled = {2, 1};
  return machine;
}

Region bytes_of(std::vector<std::byte>& bytes) { return Region::contiguous(bytes.data(), bytes.size()); }

TEST(Processor, CompletesAReceiveAfterItsReceipt) {
  const auto body = [](Node& node) -> Task<> {
    if (node.id() == 1) co_await node.send({.to = 0, .bytes = 1});
    if (node.id() == 0) co_await node.receive({.from = 1, .bytes = 1});
  };
  EXPECT_EQ(run(small(), 1, body).result.cycles, 10U + 12 + 30);
}

Task<> compute_and_receive(Node& node) {
  if (node.id() == 1) co_await node.send({.to = 0, .bytes = 21});
  if (node.id() == 0) {
    Pending message = node.start_receive({.from = 1, .bytes = 21});
    co_await node.compute(100);
    co_await message;
  }
}

TEST(Processor, ComputesInTheCyclesThatReceiptsLeave) {
  // Arrival at 10 + 12 + 20 = 42, receipt until 72: the computation loses 30 cycles.
  EXPECT_EQ(run(small(), 1, compute_and_receive).result.cycles, 130U);
}

TEST(Processor, WithoutOverlapComputesOnlyWhileNoPhitsMove) {
  Machine machine = small();
  machine.node.overlap = Overlap::off;
  // Phits are received in cycles 21..41 (T0 = 18), 21 cycles more.
  EXPECT_EQ(run(machine, 1, compute_and_receive).result.cycles, 151U);
}

Task<> send_and_compute(Node& node) {
  if (node.id() == 1) co_await node.receive({.from = 0, .bytes = 21});
  if (node.id() == 0) {
    Pending message = node.start_send({.to = 1, .bytes = 21});
    co_await node.compute(100);
    co_await message;
  }
}

TEST(Processor, StartsUpBeforeItComputes) {
  EXPECT_EQ(run(small(), 1, send_and_compute).result.cycles, 110U);
  Machine machine = small();
  machine.node.overlap = Overlap::off;
  EXPECT_EQ(run(machine, 1, send_and_compute).result.cycles, 131U);  // phits leave in cycles 18..38
}

TEST(Processor, OverlappedStartUpsAndReceiptsLeaveItAlone) {
  Machine machine = small();
  machine.node.startups = Startups::overlapped;
  EXPECT_EQ(run(machine, 1, compute_and_receive).result.cycles, 100U);
}

Machine forced() {
  Machine machine = small();
  machine.library.protocol = Protocol::forced;
  return machine;
}

Machine unforced() {
  Machine machine = small();
  machine.library.protocol = Protocol::unforced;
  machine.library.threshold_bytes = 40;
  machine.library.buffer_bytes = 60;
  return machine;
}

TEST(Synchronisation, PrecedesTheDataByAZeroByteMessageBothWays) {
  const auto body = [](Node& node) -> Task<> { co_await node.exchange({.with = node.id() ^ 1U, .bytes = 5}); };
  // Synchronisation arrives at 10 + 12, its receipt ends at 42; start-up until 52, arrival 52 + 12 + 4, receipt 30.
  const RunMeasurement m = run(forced(), 1, body);
  EXPECT_EQ(m.result.cycles, 98U);
  EXPECT_EQ(m.network.circuits, 4U);
  EXPECT_EQ(m.network.control_circuits, 2U);
}

TEST(Synchronisation, LetsAForcedMessageNeverMissItsReceive) {
  const auto body = [](Node& node) -> Task<> {
    co_await node.compute(Cycles{node.id()} * 5000);
    co_await node.exchange({.with = node.id() ^ 1U, .bytes = 5});
  };
  const RunMeasurement m = run(forced(), 1, body);
  EXPECT_EQ(m.result.status, RunResult::Status::finished);
  EXPECT_EQ(m.network.lost, 0U);
}

TEST(Forced, AMessageWithoutAReceiveIsLostAndItsSenderNoticesNothing) {
  const auto body = [](Node& node) -> Task<> {
    if (node.id() == 1) co_await node.send({.to = 0, .bytes = 5});
    if (node.id() == 0) {
      co_await node.compute(1000);
      co_await node.receive({.from = 1, .bytes = 5});
    }
  };
  const RunMeasurement m = run(claimed("N47", forced(), unforced()), 1, body);
  EXPECT_EQ(m.result.status, RunResult::Status::stalled);
  EXPECT_EQ(m.unfinished, 1U);
  ASSERT_EQ(m.network.lost, 1U);
  EXPECT_EQ(m.network.first_lost[0].source, 1U);
  EXPECT_EQ(m.network.first_lost[0].destination, 0U);
  EXPECT_EQ(m.network.first_lost[0].at, 10U + 12 + 4);
}

/// Node 0 computes for 1,000 cycles, then receives one message from each of the `senders`; the data is checked.
Firmware::Body late_receiver(NodeId senders, Bytes bytes) {
  return [=](Node& node) -> Task<> {
    std::vector<std::byte> data(bytes, static_cast<std::byte>(node.id()));
    if (node.id() != 0 && node.id() <= senders) {
      co_await node.send({.to = 0, .bytes = bytes, .data = bytes_of(data)});
    }
    if (node.id() != 0) co_return;
    co_await node.compute(1000);
    for (NodeId sender = 1; sender <= senders; ++sender) {
      co_await node.receive({.from = sender, .bytes = bytes, .data = bytes_of(data)});
      for (const std::byte byte : data) {
        if (byte != static_cast<std::byte>(sender)) throw std::runtime_error("wrong data");
      }
    }
  };
}

TEST(Unforced, AShortMessageIsBufferedAndCopiedWhenItIsReceived) {
  // The receipt delays the computation by 30 cycles; copying 40 bytes takes 80.
  const RunMeasurement m = run(claimed("N48", unforced(), forced()), 1, late_receiver(1, 40));
  EXPECT_EQ(m.result.status, RunResult::Status::finished) << m.result.fault;
  EXPECT_EQ(m.result.cycles, 1000U + 30 + 80);
}

TEST(Unforced, AShortMessageWithoutRoomIsLost) {
  const RunMeasurement m = run(unforced(), 2, late_receiver(2, 40));
  EXPECT_EQ(m.network.lost, 1U);
  EXPECT_EQ(m.result.status, RunResult::Status::stalled);
}

TEST(Unforced, ALongMessageReservesRoomFirst) {
  // Reservation: probe 10, arrival 22, receipt 28. Grant: start-up 32, arrival 44, receipt 50. Data: start-up 54,
  // arrival 54 + 12 + 49 = 115, receipt 145.
  const auto body = [](Node& node) -> Task<> {
    if (node.id() == 1) co_await node.send({.to = 0, .bytes = 50});
    if (node.id() == 0) co_await node.receive({.from = 1, .bytes = 50});
  };
  const RunMeasurement m = run(claimed("N49", unforced(), forced()), 1, body);
  EXPECT_EQ(m.result.cycles, 145U);
  EXPECT_EQ(m.network.circuits, 3U);
  EXPECT_EQ(m.network.control_circuits, 2U);
}

TEST(Unforced, LongMessagesWaitForRoomAndNoneIsLost) {
  const RunMeasurement m = run(unforced(), 2, late_receiver(3, 50));
  EXPECT_EQ(m.result.status, RunResult::Status::finished) << m.result.fault;
  EXPECT_EQ(m.network.lost, 0U);
  EXPECT_EQ(m.network.circuits, 9U);
}

TEST(Unforced, ExchangesOfLongMessagesFinishOnBothSides) {
  for (const PairwiseSync sync : {PairwiseSync::on, PairwiseSync::off}) {
    const auto body = [=](Node& node) -> Task<> {
      std::vector<std::byte> data(100, static_cast<std::byte>(node.id()));
      for (unsigned dimension = 0; dimension < node.dim(); ++dimension) {
        const NodeId partner = node.id() ^ (NodeId{1} << dimension);
        std::fill(data.begin(), data.end(), static_cast<std::byte>(node.id()));
        co_await node.exchange(
            {.with = partner, .bytes = 100, .outgoing = bytes_of(data), .incoming = bytes_of(data), .sync = sync});
        for (const std::byte byte : data) {
          if (byte != static_cast<std::byte>(partner)) throw std::runtime_error("wrong data");
        }
      }
    };
    const RunMeasurement m = run(unforced(), 3, body);
    EXPECT_EQ(m.result.status, RunResult::Status::finished) << m.result.fault;
  }
}

TEST(Together, ANodeThatIsSendingAcceptsOnlyWhatBeganWithIt) {
  // Node 1 begins to send 101 bytes to node 0, which asks 20 cycles later: T0 = 18 at node 1, whose tail is at 118. The
  // probe of node 0 (edge 30) is seen by node 1 at 35.
  const auto body = [](Node& node) -> Task<> {
    if (node.id() == 0) co_await node.compute(20);
    co_await node.exchange({.with = node.id() ^ 1U, .bytes = 101, .sync = PairwiseSync::off});
  };
  Machine machine = small();
  machine.library.receive_cycles = 0;
  machine.library.protocol = Protocol::none;
  EXPECT_EQ(run(machine, 1, body).result.cycles, 30U + 12 + 100);
  machine.network.duplex = claimed("N50", Duplex::together, Duplex::full);
  machine.network.together_cycles = 17;  // 18 + 17 is not before 35
  EXPECT_EQ(run(machine, 1, body).result.cycles, 30U + 12 + 100);
  machine.network.together_cycles = 16;  // accepted from 119 instead of 35
  const RunMeasurement m = run(machine, 1, body);
  EXPECT_EQ(m.result.cycles, 30U + 12 + 100 + (119 - 35));
  EXPECT_EQ(m.network.serialised.circuits, 1U);
  EXPECT_EQ(m.network.serialised.cycles, 119U - 35);
}

}  // namespace
}  // namespace ecube::library_test
