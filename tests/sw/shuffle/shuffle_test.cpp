// SPDX-License-Identifier: Apache-2.0
// Generalised shuffles by every algorithm put every element where its permuted address says.
#include "sw/shuffle/shuffle.h"

#include "models/machine/error.h"
#include "tests/models/shuffle/permutations.h"
#include "tests/sw/ideal_run.h"
#include "tests/sw/shuffle/fits.h"
#include "tests/test.h"

namespace ecube::shuffle_test {
namespace {

/// The address of an element after a permutation, bit by bit: a dimension of a cycle takes the value of the one behind
/// it in the list, the last that of the first, or the complement.
Address permuted(const DimensionPermutation& permutation, const Address& from) {
  Address to = from;
  const auto bit = [&](const AddressDimension& dimension) {
    return (dimension.storage ? from.local : std::uint64_t{from.node}) >> dimension.bit & 1U;
  };
  for (const DimensionPermutation::Cycle& cycle : permutation.cycles())
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::uint64_t value = bit(cycle[(i + 1) % cycle.size()]) ^ (permutation.complements(cycle[i]) ? 1U : 0U);
      if (cycle[i].storage) {
        to.local = (to.local & ~(std::uint64_t{1} << cycle[i].bit)) | value << cycle[i].bit;
      } else {
        to.node = (to.node & ~(NodeId{1} << cycle[i].bit)) | static_cast<NodeId>(value) << cycle[i].bit;
      }
    }
  return to;
}

/// Elements that are not where they should be.
std::uint64_t misplaced(const GeneralisedShuffle& shuffle, const ShuffleWorkload& workload, unsigned dim) {
  std::uint64_t count = 0;
  for (NodeId node = 0; node >> dim == 0; ++node)
    for (std::uint64_t local = 0; local < workload.elements; ++local) {
      const Address to = permuted(workload.permutation, {node, local});
      count += shuffle.held(to.node)[to.local] != node * workload.elements + local ? 1 : 0;
    }
  return count;
}

void expect_shuffles(const IdealRun& where, const ShuffleWorkload& workload, const std::string& what) {
  GeneralisedShuffle shuffle(workload, where.dim);
  Between program(shuffle.program(), [&](NodeId node, const Operation& operation) {
    if (operation.kind == OperationKind::compute || operation.port == automatic_port) return;
    EXPECT_GE(operation.port, where.dim) << what << ": links of the first channel need no name";
    EXPECT_EQ(neighbour(node, operation.port % where.dim), operation.peer) << what;
  });
  expect_finished(where, program, what);
  EXPECT_EQ(shuffle.wrong(), 0U) << what;
  EXPECT_EQ(misplaced(shuffle, workload, where.dim - workload.extend), 0U) << what;
}

constexpr MixedAlgorithm mixed_algorithms[] = {MixedAlgorithm::one_port, MixedAlgorithm::pipelined,
                                               MixedAlgorithm::concurrent, MixedAlgorithm::aapc,
                                               MixedAlgorithm::aapc_concurrent};
constexpr RealAlgorithm real_algorithms[] = {RealAlgorithm::a1, RealAlgorithm::a1_pipelined, RealAlgorithm::a2,
                                             RealAlgorithm::a2x2, RealAlgorithm::a2x2_sequential};
constexpr ShuffleMethod methods[] = {ShuffleMethod::constituents, ShuffleMethod::transpositions,
                                     ShuffleMethod::two_aapcs, ShuffleMethod::route};

TEST(Shuffle, OfRandomCyclesByEveryAlgorithmPutsEveryElementInPlace) {
  const Sample sample;
  std::mt19937_64 random(sample.seed());
  std::uint64_t done = 0;
  for (const MixedAlgorithm mixed : mixed_algorithms)
    for (const RealAlgorithm real : real_algorithms)
      for (const ShuffleMethod method : methods)
        for (std::size_t i = 0; i < random_cases(20); ++i) {
          const auto dim = static_cast<unsigned>(1 + random() % 4);
          const auto storage = static_cast<unsigned>(1 + random() % 4);
          ShuffleWorkload workload;
          workload.permutation = random_permutation(random, dim, storage, random() % 2);
          workload.elements = std::uint64_t{1} << storage;
          workload.method = method;
          workload.mixed = mixed;
          workload.real = real;
          workload.packet = static_cast<std::uint32_t>(1 + random() % 3);
          workload.align = random() % 2 == 0;
          workload.ports = {mixed == MixedAlgorithm::one_port ? 1U : std::uint32_t{Ports::n}};
          const std::string what = sample.name() + ": " + workload.permutation.name() + ", algorithms " +
                                   std::to_string(static_cast<int>(mixed)) + " " +
                                   std::to_string(static_cast<int>(real)) + ", method " +
                                   std::to_string(static_cast<int>(method)) + ", case " + std::to_string(i);
          try {
            if (!fits(workload, dim)) continue;
            expect_shuffles(IdealRun::on(dim, workload.ports.engines, random() % 1000), workload, what);
            ++done;
          } catch (const InputError&) {
            // Two communications need storage dimensions that this permutation leaves none of.
          }
        }
  EXPECT_GT(done, random_cases(1000)) << sample.name();
}

TEST(Shuffle, OnTheWholeCubeForElementsOfAPartOfItPutsThemInPlace) {
  const Sample sample;
  std::mt19937_64 random(sample.seed() + 1);
  for (std::size_t i = 0; i < random_cases(100); ++i) {
    const auto extend = static_cast<unsigned>(1 + random() % 2);
    const auto dim = static_cast<unsigned>(1 + random() % 3);
    const auto storage = static_cast<unsigned>(1 + random() % 2);
    ShuffleWorkload workload;
    workload.permutation = random_permutation(random, dim, storage, random() % 2);
    workload.elements = std::uint64_t{1} << (storage + extend);
    workload.extend = extend;
    workload.mixed = random() % 2 == 0 ? MixedAlgorithm::one_port : MixedAlgorithm::concurrent;
    workload.packet = static_cast<std::uint32_t>(1 + random() % 3);
    workload.ports = {workload.mixed == MixedAlgorithm::one_port ? 1U : std::uint32_t{Ports::n}};
    expect_shuffles(IdealRun::on(dim + extend, workload.ports.engines, random() % 1000), workload,
                    sample.name() + ": " + workload.permutation.name() + ", case " + std::to_string(i));
  }
}

TEST(Shuffle, OfTwoCyclesInLongPacketsOverSeveralChannelsPutsEveryElementInPlace) {
  const std::string cycles[] = {"p1,p0", "p3,p2"};
  for (std::uint32_t channels = 1; channels <= 3; ++channels)
    for (const std::uint32_t packet : {1U, 4U, 8U}) {
      ShuffleWorkload workload{.permutation = DimensionPermutation::parse(cycles, "", 4, 16), .elements = 16};
      workload.real = RealAlgorithm::a2x2;
      workload.packet = packet;
      workload.ports = {Ports::n};
      IdealRun where = IdealRun::on(4, Ports::n, packet);
      where.machine.link.channels = channels;
      expect_shuffles(where, workload, std::to_string(channels) + " channels, packets of " + std::to_string(packet));
    }
}

TEST(Shuffle, WithAnElementThatDoesNotMoveIsFoundToBeWrong) {
  const std::string cycles[] = {"p2,p1,p0,s0"};
  ShuffleWorkload workload;
  workload.elements = 4;
  workload.permutation = DimensionPermutation::parse(cycles, "", 3, workload.elements);
  for (const ShuffleMethod method : {ShuffleMethod::constituents, ShuffleMethod::route}) {
    workload.method = method;
    GeneralisedShuffle shuffle(workload, 3);
    Faulty program(shuffle.program(), [](NodeId node, Operation& operation) {
      if (node == 6) operation.outgoing = {};
    });
    expect_finished(IdealRun::on(3, 1, 1), program, "with a fault");
    EXPECT_GT(misplaced(shuffle, workload, 3), 0U);
    EXPECT_GT(shuffle.wrong(), 0U);
  }
}

}  // namespace
}  // namespace ecube::shuffle_test
