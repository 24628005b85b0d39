// SPDX-License-Identifier: Apache-2.0
// The complete exchange on products of complete graphs and lines: steps digit by digit against counts of all links, and
// the equation against sums over these steps.

#include "models/exchange/exchange_cost.h"
#include "models/exchange/hull.h"
#include "models/machine/error.h"
#include "models/static_check/link_conflicts.h"
#include "tests/test.h"

namespace ecube::network_exchange_test {
namespace {

const std::array generalised = {"generalised:2x2x2", "generalised:3x4",   "generalised:4x4",  "generalised:2x3x5",
                                "generalised:6",     "generalised:5",     "generalised:3x3",  "generalised:4x2x3",
                                "generalised:8x8",   "generalised:3x4x5", "generalised:2x7x4"};
const std::array with_lines = {
    "mesh:4x4", "mesh:8", "mesh:5", "mesh:3x4", "generalised:4+mesh:8", "mesh:3x5+generalised:2"};

/// The circuits of a step of Direct.
std::vector<PlannedCircuit> circuits_of(const Topology& topology, NodeId step) {
  std::vector<PlannedCircuit> circuits;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    circuits.push_back({node, topology.digits_are_bits() ? node ^ step : topology.plus(node, step)});
  }
  return circuits;
}

/// Parameters that tell the terms apart.
ExchangeParameters parameters() {
  return {.lambda_us = 1024, .tau_us_per_byte = 2, .delta_hop_us = 16, .rho_us_per_byte = 0.25};
}

TEST(DigitSteps, ReachEveryNodeOnceAndLoadNoLinkOfCompleteDimensionsTwice) {
  for (const char* const text : generalised) {
    const Topology topology = *Topology::parse(text);
    std::vector<std::set<NodeId>> reached(topology.nodes());
    for (NodeId step = 1; step < topology.nodes(); ++step) {
      const std::vector<PlannedCircuit> circuits = circuits_of(topology, step);
      EXPECT_EQ(load_of(circuits, topology).circuits, 1U) << text << " step " << step;
      std::set<NodeId> receivers;
      for (const PlannedCircuit& circuit : circuits) {
        reached[circuit.source].insert(circuit.destination);
        receivers.insert(circuit.destination);
      }
      EXPECT_EQ(receivers.size(), topology.nodes()) << text;
    }
    for (const std::set<NodeId>& others : reached) EXPECT_EQ(others.size(), topology.nodes() - 1) << text;
  }
}

/// The order 0, 1, 2, .. of destinations is not free of contention: the count can say no.
TEST(DigitSteps, AnyOtherOrderLoadsLinksTwice) {
  const Topology topology = *Topology::parse("generalised:3x4");
  std::vector<PlannedCircuit> circuits;
  for (NodeId node = 1; node < topology.nodes(); ++node) circuits.push_back({node, 0});
  EXPECT_GT(load_of(circuits, topology).circuits, 1U);
}

TEST(NetworkExchange, CostsWhatItsStepsAddUpTo) {
  std::vector<std::string> all(generalised.begin(), generalised.end());
  all.insert(all.end(), with_lines.begin(), with_lines.end());
  for (const std::string& text : all) {
    const Topology topology = *Topology::parse(text);
    const double n = topology.nodes();
    for (const double bytes : {0.0, 3.0, 100.0}) {
      double us = n * bytes * parameters().rho_us_per_byte;
      for (NodeId step = 1; step < topology.nodes(); ++step) {
        const Topology::StepLoad load = load_of(circuits_of(topology, step), topology);
        const double hold = 16.0 * load.hops + 2 * bytes;
        us += 1024 + hold + (load.circuits - 1) * hold;
      }
      const auto dims = static_cast<unsigned>(topology.dimensions().size());
      PhaseExtents extents(topology);
      EXPECT_DOUBLE_EQ(exchange_cost(Partition::direct(dims), extents, bytes, parameters(), {}).total(), us) << text;
    }
  }
}

/// N = 60 = 3 x 4 x 5: of as many factors the one with the least sum has a face.
TEST(NetworkExchange, HasAHullOverGroupings) {
  ExchangeParameters p = parameters();
  p.rho_us_per_byte = p.delta_hop_us = 0;
  const auto faces = [&](const std::string& text) {
    std::string names;
    for (const RealHopsFace& face : real_hops_hull(*Topology::parse(text), p, {})) {
      names += (names.empty() ? "" : " ") + face.partition.name();
    }
    return names;
  };
  // 5 x 12, not 20 x 3, which takes 21 steps; 2 2 3 5, 3 4 5, 6 10, 60 with four dimensions.
  EXPECT_EQ(faces("generalised:3x4x5"), "1,1,1 1,2 3");
  EXPECT_EQ(faces("generalised:2x3x2x5"), "1,1,1,1 1,1,2 2,2 4");
  const Topology topology = *Topology::parse("generalised:3x4x5");
  EXPECT_EQ(best_partition(topology, 0, p, {}).name(), "1,1,1");
  EXPECT_EQ(best_partition(topology, 1e6, p, {}).name(), "3");
}

/// Direct and two phases tie at m = lambda / tau, whatever the factors.
TEST(NetworkExchange, OfTwoPhasesTiesWithDirectAtLambdaOverTau) {
  ExchangeParameters p = parameters();
  p.rho_us_per_byte = p.delta_hop_us = 0;
  const auto us = [&](const Topology& topology, std::vector<unsigned> parts) {
    PhaseExtents extents(topology);
    return exchange_cost(Partition(std::move(parts)), extents, p.lambda_us / p.tau_us_per_byte, p, {}).total();
  };
  for (const char* const text : {"generalised:3x4x5", "generalised:7x2x2", "generalised:4x4x4"}) {
    const Topology topology = *Topology::parse(text);
    EXPECT_DOUBLE_EQ(us(topology, {1, 2}), us(topology, {3})) << text;
    EXPECT_DOUBLE_EQ(us(topology, {2, 1}), us(topology, {3})) << text;
  }
}

/// Blocks of 2 bytes on 8 nodes are permuted in 0.25 x 2 x 8 = 4 us. Of 3 planes {2,1} has used all when its first
/// phase ends, and tunes while it permutes; {1,2} has to tune during its second phase.
TEST(NetworkExchange, HidesTuningsOfPlanesBehindPermutations) {
  PhaseExtents planes(Topology::on_planes(3, 3));
  const auto us = [&](std::vector<unsigned> parts, Retuning retuning, double retune_us) {
    const ExchangeOptions options{.retune_us = retune_us, .retuning = retuning};
    return exchange_cost(Partition(std::move(parts)), planes, 2, parameters(), options).retuning_us;
  };
  EXPECT_DOUBLE_EQ(us({2, 1}, Retuning::together, 10), 10 - 4);
  EXPECT_DOUBLE_EQ(us({2, 1}, Retuning::each, 10), 10 - 4);
  EXPECT_DOUBLE_EQ(us({2, 1}, Retuning::after, 10), 10);
  EXPECT_DOUBLE_EQ(us({2, 1}, Retuning::together, 3), 0);
  EXPECT_DOUBLE_EQ(us({1, 2}, Retuning::together, 10), 10);
  // Where tuning takes no time, orders tie; {2,1} is better than {1,1,1} from 174 bytes on, and than {3} up to 390.
  EXPECT_EQ(best_partition(planes.topology(), 300, parameters(), {}).name(), "2,1");
}

TEST(NetworkExchange, IsThatOfTheCubeOnACube) {
  PhaseExtents extents(Topology::cube(5));
  for (const Partition& partition : compositions_of(5))
    for (const double bytes : {0.0, 7.0}) {
      EXPECT_EQ(exchange_cost(partition, extents, bytes, parameters(), {}).total(),
                exchange_cost(partition, bytes, parameters(), {}).total());
    }
}

TEST(NetworkPartitions, AreOfWholeDimensions) {
  const Topology topology = *Topology::parse("generalised:3x4x5");
  EXPECT_EQ(Partition::parse("1,2", topology).name(), "1,2");
  EXPECT_EQ(Partition::parse("standard", topology).size(), 3U);
  const std::string refusal = thrown<InputError>([&] { return Partition::parse("3,3", topology); });
  EXPECT_HAS(refusal, "sums to 6, but the dimensions of generalised:3x4x5 are 3");
  EXPECT_HAS(refusal, "a phase spans whole ones");
  const std::vector<Phase> spans = phases(Partition({1, 2}), BlockOrder::high, topology);
  EXPECT_EQ(spans[0].size(), 5U);
  EXPECT_EQ(spans[0].stride, 12U);
  EXPECT_EQ(spans[1].size(), 12U);
}

}  // namespace
}  // namespace ecube::network_exchange_test
