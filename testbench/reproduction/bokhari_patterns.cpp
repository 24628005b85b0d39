// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993, sections 1, 2 and 4: other patterns beside the complete exchange, the choice of a partition while a
// program runs; Nicol & Bokhari 1994, section 1: a logical cube on other networks.

#include <functional>

#include "models/machine/random.h"
#include "sw/exchange/exchange.h"
#include "sw/exchange/node_exchange.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr unsigned pattern_dim = 5;
constexpr NodeId pattern_nodes = NodeId{1} << pattern_dim;

struct Pattern {
  std::string name;
  std::function<bool(NodeId from, NodeId to)> has;  ///< of other nodes
};

/// Message by message: Direct, in whose steps a node sends or receives only what the pattern has.
double by_messages_us(MeasuredMachine& machine, const Pattern& pattern, Bytes bytes) {
  Firmware firmware([&](Node& node) -> Task<> {
    for (NodeId step = 1; step < pattern_nodes; ++step) {
      const NodeId partner = node.id() ^ step;
      const bool sends = pattern.has(node.id(), partner);
      const bool receives = pattern.has(partner, node.id());
      if (sends && receives) co_await node.exchange({.with = partner, .tag = step, .bytes = bytes});
      if (sends && !receives) co_await node.send({.to = partner, .tag = step, .bytes = bytes});
      if (receives && !sends) co_await node.receive({.from = partner, .tag = step, .bytes = bytes});
    }
  });
  return judged(machine.run(pattern_dim, firmware).result.us, "message by message");
}

/// As a part of the complete exchange, whose other blocks are empty.
double by_exchange_us(MeasuredMachine& machine, const Pattern& pattern, Bytes bytes, const Partition& partition) {
  BlockSizes sizes(pattern_dim);
  for (NodeId from = 0; from < pattern_nodes; ++from) {
    for (NodeId to = 0; to < pattern_nodes; ++to) sizes.of(from, to) = from != to && pattern.has(from, to) ? bytes : 0;
  }
  UnequalExchange exchange({.partition = partition, .order = BlockOrder::inplace, .payload = Payload::none}, sizes);
  return judged(machine.run(pattern_dim, exchange.program()).result.us, "part of an exchange");
}

}  // namespace

void bokhari_patterns(Findings& result, MeasuredMachine& machine) {
  std::vector<Pattern> patterns = {
      {"all to node 0", [](NodeId, NodeId to) { return to == 0; }},
      {"node 0 to all", [](NodeId from, NodeId) { return from == 0; }},
      {"vector reversal", [](NodeId from, NodeId to) { return from + to == pattern_nodes - 1; }},
      {"shift", [](NodeId from, NodeId to) { return to == (from + 1) % pattern_nodes; }},
      {"half to half", [](NodeId from, NodeId to) { return (from ^ to) >= pattern_nodes / 2; }}};
  for (const unsigned percent : {10U, 25U, 50U, 75U, 90U}) {
    patterns.push_back({fmt::format("{} % of all messages", percent),
                        [percent](NodeId from, NodeId to) { return below(draw(1, from, to), 100) < percent; }});
  }
  for (const Bytes bytes : {1U, 4U, 8U, 64U, 256U, 1024U}) {
    const Partition fastest = machine.fastest(partitions_of(pattern_dim), bytes);
    const double exchange_us = machine.exchange_us(fastest, bytes);
    const double direct_us = machine.exchange_us(Partition::direct(pattern_dim), bytes);
    for (const Pattern& pattern : patterns) {
      const std::string where = fmt::format("{}, {} B", pattern.name, bytes);
      const double us = by_messages_us(machine, pattern, bytes);
      result["direct"].add(us <= direct_us, where);
      result["best"].add(us <= exchange_us, where);
      result["part"].add(by_exchange_us(machine, pattern, bytes, fastest) <= exchange_us, where);
      if (pattern.name.starts_with("75") || pattern.name.starts_with("90")) {
        result[bytes <= 8 ? "few" : "many"].add(exchange_us < us, where);
      }
    }
  }
}

void bokhari_choice(Findings& result, MeasuredMachine& machine) {
  constexpr Cycles comparison = 40;
  machine.machine().library.identity_shuffle = IdentityShuffle::skip;
  MeasuredMachine slow = machine.with([](Machine& m) { m.link.cycles_per_phit.num *= judged(4U, "slower links"); });
  constexpr unsigned six = 6;
  const auto chosen_by = [&](const ExchangeParameters& fitted) {
    return ChosenExchange(Hull(six, hull_parameters(fitted, six, NodeExchange::options(BlockOrder::high))),
                          BlockOrder::high, comparison);
  };
  const ChosenExchange before = chosen_by(machine.calibration().exchange(six));
  for (const bool slowed : {false, true}) {
    MeasuredMachine& measured = slowed ? slow : machine;
    const ExchangeParameters fitted = measured.calibration().exchange(six);
    const ChosenExchange chosen = chosen_by(fitted);
    for (const Bytes bytes : {1U, 2U, 4U, 5U, 8U, 16U, 24U, 40U, 100U, 1000U}) {
      std::vector<std::vector<std::byte>> memory(std::size_t{1} << six);
      Firmware firmware([&](Node& node) -> Task<> {
        const auto memory_of = [&](Bytes block) {
          memory[node.id()].resize(block << six);
          return std::span<std::byte>(memory[node.id()]);
        };
        co_await chosen.run(node, node.id() == 0 ? bytes : 0, memory_of, 0);
      });
      const double us = judged(measured.run(six, firmware).result.us, "firmware that chooses");
      const ChosenExchange::Choice choice = chosen.at(bytes);
      const Partition partition = judged(choice.exchange->partition(), "partition chosen");
      const std::string where = fmt::format("{} B, {}", bytes, partition.braced_name());
      const Partition fastest = measured.fastest(partitions_of(six), bytes);
      const bool is_best = measured.exchange_us(partition, bytes) <= measured.exchange_us(fastest, bytes) * (1 + 1e-9);
      result[slowed ? "anew" : "chosen_best"].add(is_best, where);
      const double message_us = fitted.lambda_us + fitted.delta_us + fitted.delta_hop_us + 8 * fitted.tau_us_per_byte;
      const double expected = six * message_us +
                              measured.machine().us(static_cast<double>(comparison * choice.comparisons)) +
                              measured.exchange_us(partition, bytes);
      result["time"].add(std::abs(us / expected - 1) < 1e-6, where);
      result["old"].add(before.at(bytes).exchange->partition() != partition, where);
    }
  }
}

void nicol_networks(Findings& result, MeasuredMachine& machine) {
  for (const bool quick : {true, false}) {
    MeasuredMachine cube = machine;
    if (quick) cube.machine().link.cycles_per_phit.den *= 100;
    for (const std::string_view network : {"mesh:8x8", "generalised:4x4x4", "generalised:8+mesh:8"}) {
      RunSetup setup = cube.setup(6);
      setup.machine.network.topology = *Topology::parse(network);
      setup.embedding = Embedding::number;
      for (const Partition& partition : partitions_of(6)) {
        for (const Bytes bytes : {1U, 16U, 64U}) {
          ExchangeWorkload workload{.partition = partition, .bytes = bytes, .payload = Payload::none};
          CompleteExchange exchange(workload, Topology::cube(6));
          const double us =
              judged(cube.bench().run(setup, exchange.program()).result.us, "exchange on another network");
          const double ratio = us / cube.exchange_us(partition, bytes);
          const std::string where = fmt::format("{}, {}, {} B", network, partition.braced_name(), bytes);
          quick ? result["fast"].add(ratio <= 1.05, where) : result["slow"].add(ratio > 1.1, where);
        }
      }
    }
  }
}

}  // namespace ecube
