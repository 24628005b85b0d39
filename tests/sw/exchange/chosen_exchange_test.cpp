// SPDX-License-Identifier: Apache-2.0
// A partition that nodes choose while they run is the hull's, and its exchange transposes.
#include "sw/api/firmware.h"
#include "sw/exchange/node_exchange.h"
#include "tests/sw/ideal_run.h"

namespace chosen_exchange_test {
namespace {

using namespace ecube;

constexpr HullParameters figure_1 = {.message_us = 110, .tau_us_per_byte = 2, .rho_us_per_byte = 1};

/// Blocks that are not where they should be after node 0 alone knew their length.
std::uint64_t misplaced(const ChosenExchange& chosen, unsigned dim, Bytes bytes, const Fault& fault) {
  std::vector<std::vector<std::byte>> memory(std::size_t{1} << dim);
  const auto content = [&](std::size_t from, std::size_t to, std::size_t i) {
    return static_cast<std::byte>(from * 37 + to * 11 + i);
  };
  Firmware firmware([&](Node& node) -> Task<> {
    const auto memory_of = [&](Bytes block) {
      std::vector<std::byte>& own = memory[node.id()];
      for (std::size_t i = 0; i < block << dim; ++i) own.push_back(content(node.id(), i / block, i % block));
      return std::span<std::byte>(own);
    };
    co_await chosen.run(node, node.id() == 0 ? bytes : 1, memory_of, 0);
  });
  Faulty program(firmware, fault);
  EXPECT_EQ(run(IdealRun::on(dim, 1, bytes), program).status, RunResult::Status::finished);
  std::uint64_t count = 0;
  for (std::size_t node = 0; node < memory.size(); ++node) {
    if (memory[node].size() != bytes << dim) return ~std::uint64_t{0};
    for (std::size_t i = 0; i < memory[node].size(); ++i) {
      count += memory[node][i] != content(i / bytes, node, i % bytes) ? 1 : 0;
    }
  }
  return count;
}

TEST(ChosenExchange, IsTheHullsForEveryBlockByBinarySearch) {
  for (const unsigned dim : {1U, 2U, 5U, 8U, 12U}) {
    const Hull hull(dim, figure_1);
    const ChosenExchange chosen(hull, BlockOrder::high, 0);
    for (Bytes bytes = 1; bytes <= 4096; ++bytes) {
      const ChosenExchange::Choice choice = chosen.at(bytes);
      EXPECT_EQ(choice.exchange->partition(), hull.partition(hull.at_block(static_cast<Wide>(bytes)))) << dim << bytes;
      EXPECT_LE(choice.comparisons, std::ceil(std::log2(hull.faces().size())));
    }
  }
}

TEST(ChosenExchange, TransposesBlocksWhoseLengthOneNodeKnows) {
  for (unsigned dim = 1; dim <= 6; ++dim) {
    const ChosenExchange chosen(Hull(dim, figure_1), BlockOrder::high, 10);
    for (const Bytes bytes : {1U, 3U, 40U}) {
      EXPECT_EQ(misplaced(chosen, dim, bytes, [](NodeId, Operation&) {}), 0U) << dim << ' ' << bytes;
    }
  }
  // A message of the exchange that begins one byte too far shows.
  bool wrong = false;
  const ChosenExchange chosen(Hull(4, figure_1), BlockOrder::high, 10);
  const Fault fault = [&](NodeId node, Operation& operation) {
    if (wrong || node != 3 || operation.kind != OperationKind::exchange) return;
    wrong = true;
    operation.outgoing.base += 1;
  };
  EXPECT_GT(misplaced(chosen, 4, 8, fault), 0U);
}

}  // namespace
}  // namespace chosen_exchange_test
