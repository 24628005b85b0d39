// SPDX-License-Identifier: Apache-2.0
// The complete exchange on several ports: brute force over links and ports, counted steps, and timelines worked by
// hand.
#include "models/exchange/hull.h"
#include "models/static_check/link_conflicts.h"
#include "tests/machines.h"
#include "tests/test.h"

namespace ecube::staged_exchange_cost_test {
namespace {

constexpr std::array orders = {BlockOrder::high, BlockOrder::low, BlockOrder::inplace};
constexpr std::array pairings = {MaskPairing::on, MaskPairing::off};

/// A directed link (0), an inject port (1) or an eject port (2) of a node, in a dimension.
using Resource = std::tuple<int, NodeId, unsigned>;

/// The resources of a circuit, by hand: bits are corrected from the lowest to the highest; the circuit leaves by the
/// port of the first bit and is ejected by the port of the last.
std::vector<Resource> taken(NodeId from, NodeId to) {
  std::vector<Resource> all;
  unsigned last = 0;
  NodeId at = from;
  for (unsigned bit = 0; bit < 32; ++bit) {
    if (((at ^ to) >> bit & 1) == 0) continue;
    if (at == from) all.emplace_back(1, from, bit);
    all.emplace_back(0, at, bit);
    at ^= NodeId{1} << bit;
    last = bit;
  }
  all.emplace_back(2, to, last);
  return all;
}

/// Adds the resources of all nodes that exchange over `mask`. False if any resource is taken already.
bool add(std::set<Resource>& used, NodeId mask, unsigned dim) {
  bool free = true;
  for (NodeId node = 0; node >> dim == 0; ++node)
    for (const Resource& one : taken(node, node ^ mask)) free = used.insert(one).second && free;
  return free;
}

/// True if no link and no port is taken twice by any step of any part, whatever steps of other parts it meets.
/// `complement` gives the mask that travels with a mask of a phase of `dims` dimensions.
template <class Complement>
bool never_meet(const ExchangeStages& stages, MaskPairing pairing, const Complement& complement) {
  const unsigned dim = stages.dim();
  for (unsigned stage = 0; stage < stages.count(); ++stage) {
    std::set<Resource> of_parts;
    for (unsigned part = 0; part < stages.count(); ++part) {
      const unsigned phase = stages.at(stage, part).phase;
      const unsigned dims = stages.phase_dims(phase);
      const unsigned low = stages.phase_low(phase);
      std::set<Resource> of_part;
      for (NodeId step = 0; step < steps_of_phase(dims, pairing); ++step) {
        const StepMasks masks = masks_of_step(step, dims, pairing);
        std::set<Resource> of_step;
        if (!add(of_step, masks.mask << low, dim)) return false;
        const NodeId other = complement(masks, dims);
        if (other != 0 && !add(of_step, other << low, dim)) return false;
        of_part.insert(of_step.begin(), of_step.end());
      }
      for (const Resource& one : of_part) {
        if (!of_parts.insert(one).second) return false;
      }
    }
  }
  return true;
}

TEST(ExchangeStages, NoLinkAndNoPortIsTakenTwiceByBruteForce) {
  for (unsigned dim = 1; dim <= 5; ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const BlockOrder order : orders) {
        const ExchangeStages stages(partition, order);
        for (const MaskPairing pairing : pairings) {
          EXPECT_TRUE(never_meet(stages, pairing, [](const StepMasks& masks, unsigned) { return masks.complement; }))
              << partition.braced_name();
        }
      }
}

TEST(ExchangeStages, AnyOtherPairingMeets) {
  const ExchangeStages stages(Partition({3}), BlockOrder::high);
  EXPECT_FALSE(never_meet(stages, MaskPairing::on, [](const StepMasks& masks, unsigned dims) {
    return masks.mask % ((NodeId{1} << dims) - 1) + 1;  // the next mask
  }));
  EXPECT_FALSE(never_meet(stages, MaskPairing::on, [](const StepMasks& masks, unsigned) {
    return masks.complement == 0 ? 0 : masks.complement | (masks.mask & (~masks.mask + 1));  // one bit in common
  }));
  // Phases that do not belong to different parts.
  std::set<Resource> used;
  EXPECT_TRUE(add(used, 0b011, 3));
  EXPECT_FALSE(add(used, 0b010, 3));
}

TEST(ExchangeStages, TheStaticCheckOfPortsAgreesWithBruteForce) {
  const unsigned dim = 3;
  for (NodeId one = 1; one < 8; ++one)
    for (NodeId other = 1; other < 8; ++other) {
      std::vector<PlannedCircuit> step;
      std::multiset<Resource> used;
      for (NodeId node = 0; node < 8; ++node)
        for (const NodeId mask : {one, other}) {
          step.push_back({node, node ^ mask});
          for (const Resource& what : taken(node, node ^ mask)) used.insert(what);
        }
      std::size_t links = 0;
      std::size_t ports = 0;
      for (auto at = used.begin(); at != used.end(); at = used.upper_bound(*at)) {
        if (used.count(*at) > 1) ++(std::get<0>(*at) == 0 ? links : ports);
      }
      EXPECT_EQ(conflicts_of(step, Topology::cube(dim)).size(), links) << one << " with " << other;
      EXPECT_EQ(port_conflicts_of(step, Topology::cube(dim)), ports) << one << " with " << other;
    }
}

TEST(ExchangeStages, EveryMaskIsSentOnceAndEveryPartRunsEveryPhase) {
  for (unsigned dims = 1; dims <= 8; ++dims)
    for (const MaskPairing pairing : pairings) {
      std::multiset<NodeId> masks;
      for (NodeId step = 0; step < steps_of_phase(dims, pairing); ++step) {
        const StepMasks both = masks_of_step(step, dims, pairing);
        masks.insert(both.mask);
        if (both.complement != 0) masks.insert(both.complement);
      }
      ASSERT_EQ(masks.size(), (std::size_t{1} << dims) - 1);
      NodeId next = 1;
      for (const NodeId mask : masks) EXPECT_EQ(mask, next++);
    }
  const ExchangeStages stages(Partition({2, 1, 3}), BlockOrder::high);
  const unsigned phase_of[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};  // [stage][part]
  for (unsigned stage = 0; stage < 3; ++stage)
    for (unsigned part = 0; part < 3; ++part) EXPECT_EQ(stages.at(stage, part).phase, phase_of[stage][part]);
}

/// In {2,1,3}, order high, phases span bits 5-4, 3 and 2-0. From stage 1 on a part's bits stand on top; the last
/// permutation makes up for what is left of 6. Part 1 of two stages on bits that are on top already never moves.
TEST(ExchangeStages, PartsAreRotatedToThePhaseToCome) {
  const ExchangeStages stages(Partition({2, 1, 3}), BlockOrder::high);
  const unsigned slot_low[3][3] = {{4, 3, 0}, {5, 3, 4}, {3, 4, 5}};
  const unsigned rotated[3][3] = {{2, 3, 0}, {1, 3, 2}, {3, 0, 4}};
  for (unsigned stage = 0; stage < 3; ++stage)
    for (unsigned part = 0; part < 3; ++part) {
      const StagePart what = stages.at(stage, part);
      EXPECT_EQ(what.slot_low, slot_low[stage][part]) << stage << " " << part;
      EXPECT_EQ(what.rotate_left, rotated[stage][part]) << stage << " " << part;
      EXPECT_EQ(stages.pays_permutation(what, IdentityShuffle::skip), rotated[stage][part] != 0);
      EXPECT_TRUE(stages.pays_permutation(what, IdentityShuffle::charge));
    }
  for (unsigned stage = 0; stage < 2; ++stage) {
    EXPECT_EQ(ExchangeStages(Partition({3, 3}), BlockOrder::high).at(stage, 1).rotate_left, 0U);
    EXPECT_EQ(ExchangeStages(Partition({2, 4}), BlockOrder::inplace).at(stage, 0).rotate_left, 0U);
  }
}

TEST(BlockParts, DifferByAtMostOneByteAndMakeUpTheBlock) {
  for (Bytes bytes = 0; bytes <= 40; ++bytes)
    for (unsigned phases = 1; phases <= 9; ++phases) {
      const BlockParts parts(bytes, phases);
      Bytes next = 0;
      for (unsigned part = 0; part < phases; ++part) {
        next += parts.length(part);
        EXPECT_LE(parts.length(0) - parts.length(part), 1U);
        EXPECT_EQ(part<parts.travelling(), parts.length(part)> 0 || (bytes == 0 && part == 0));
      }
      EXPECT_EQ(next, bytes);
    }
}

ExchangeParameters parameters() {
  return {.lambda_us = 100, .lambda0_us = 80, .tau_us_per_byte = 2, .delta_hop_us = 10, .rho_us_per_byte = 1};
}

StageOptions overlapped(MaskPairing pairing = MaskPairing::on) {
  StageOptions options;
  options.exchange.barrier = Barrier::none;
  options.pairing = pairing;
  return options;
}

TEST(StageCost, IsTheSumOfTheLongerMessageOfEveryStep) {
  for (unsigned dim = 1; dim <= 7; ++dim)
    for (const Partition& partition : compositions_of(dim))
      for (const MaskPairing pairing : pairings)
        for (const Bytes bytes : {0U, 1U, 2U, 5U, 64U, 67U}) {
          const auto phases = static_cast<unsigned>(partition.size());
          double us = 0;
          for (unsigned stage = 0; stage < phases; ++stage) {
            double longest = 0;
            for (unsigned part = 0; part < std::max<Bytes>(1, std::min<Bytes>(phases, bytes)); ++part) {
              const unsigned dims = partition.parts()[(part + stage) % phases];
              const Bytes length = bytes / phases + (part < bytes % phases ? 1 : 0);
              double own = 0;
              std::set<NodeId> sent;
              for (NodeId mask = 1; mask >> dims == 0; ++mask) {
                const NodeId complement = mask ^ ((NodeId{1} << dims) - 1);
                if (pairing == MaskPairing::on && sent.count(complement) != 0) continue;
                sent.insert(mask);
                const int hop_count = pairing == MaskPairing::on
                                          ? std::max(std::popcount(mask), std::popcount(complement))
                                          : std::popcount(mask);
                own += (length == 0 ? 80 : 100) + 2 * static_cast<double>(length << (dim - dims)) + 10 * hop_count;
              }
              longest = std::max(longest, own);
            }
            us += longest + static_cast<double>(bytes << dim);  // rho = 1
          }
          const ExchangeTerms terms =
              staged_cost(partition, part_lengths(bytes, phases), parameters(), overlapped(pairing));
          EXPECT_NEAR(terms.total(), us, 1e-9 * us) << partition.braced_name() << " bytes " << bytes;
        }
}

/// Transmission tau m 2^(d-1) whatever the partition; {3,3} has 4 start-ups a stage, {5} has 16, {1,..,1} has d.
TEST(StageCost, SendsForTheSameTimeInEveryPartition) {
  for (const Partition& partition : partitions_of(6)) {
    const auto phases = static_cast<unsigned>(partition.size());
    const ExchangeTerms terms =
        staged_cost(partition, part_lengths(Bytes{60} * 64, phases), parameters(), overlapped());
    EXPECT_NEAR(terms.transmission_us, 2.0 * 60 * 64 * 32, 1e-6) << partition.braced_name() << " " << phases;
  }
  const auto startup = [](const Partition& partition) {
    return staged_cost(partition, part_lengths(60, static_cast<unsigned>(partition.size())), parameters(), overlapped())
        .startup_us;
  };
  EXPECT_EQ(startup(Partition({3, 3})), 2 * 4 * 100);
  EXPECT_EQ(startup(Partition({5})), 16 * 100);
  EXPECT_EQ(startup(Partition::standard(6)), 6 * 100);
}

/// Bokhari's machine, where distance is a constant, d = 2, m = 4: {2}: two steps of 100 + 10 + 2 * 4, 16 bytes
/// permuted; {1,1}: two stages of one step with 2 * 2 bytes each.
TEST(StageCost, WorkedByHand) {
  ExchangeParameters p = *published_parameters("hull", 2);
  EXPECT_DOUBLE_EQ(staged_cost(Partition({2}), part_lengths(4, 1), p, overlapped()).total(), 2 * 118 + 16);
  EXPECT_DOUBLE_EQ(staged_cost(Partition({1, 1}), part_lengths(4, 2), p, overlapped()).total(), 2 * (118 + 16));
  // Parts of 3 and 2 bytes of 5: the longer one counts.
  EXPECT_DOUBLE_EQ(staged_cost(Partition({1, 1}), part_lengths(5, 2), p, overlapped()).total(), 2 * (110 + 12 + 20));
  // One byte: one part travels, the other is empty; one part through both phases.
  EXPECT_DOUBLE_EQ(staged_cost(Partition({1, 1}), part_lengths(1, 2), p, overlapped()).total(), 2 * (110 + 4 + 4));
}

TEST(StageCost, SerialisedStartUpsAreATermOfTheirOwn) {
  StageOptions queued = overlapped();
  queued.service.startups = Startups::queued;
  // The whole of lambda is start-up: of d = 2 the step of two messages takes 100 longer.
  const ExchangeParameters p = parameters();
  const ExchangeTerms alone = staged_cost(Partition({2}), part_lengths(4, 1), p, overlapped());
  const ExchangeTerms terms = staged_cost(Partition({2}), part_lengths(4, 1), p, queued);
  EXPECT_DOUBLE_EQ(terms.serialised_us, 100);
  EXPECT_DOUBLE_EQ(terms.total(), alone.total() + 100);
  EXPECT_DOUBLE_EQ(terms.startup_us, alone.startup_us);
  StageOptions engines = overlapped();
  engines.service.ports.engines = 2;
  // d = 3, {3}: at most two messages in flight already. {1,1,1}: the third waits for the first.
  EXPECT_DOUBLE_EQ(staged_cost(Partition({3}), part_lengths(6, 1), p, engines).engine_us, 0);
  EXPECT_DOUBLE_EQ(staged_cost(Partition({1, 1, 1}), part_lengths(6, 3), p, engines).engine_us, 3 * (100 + 16 + 10));
}

TEST(StageCost, BestTriesThemAll) {
  for (const char* const machine : {"ideal", "ncube2", "cm2"}) {
    StageOptions options = overlapped();
    options.service = node_service(preset_machine(machine, Ports::n));
    for (const Bytes bytes : {1U, 7U, 64U, 1000U}) {
      const unsigned dim = 6;
      double least = 1e300;
      for (const Partition& partition : partitions_of(dim)) {
        const auto phases = static_cast<unsigned>(partition.size());
        least = std::min(least, staged_cost(partition, part_lengths(bytes, phases), parameters(), options).total());
      }
      const Partition best = best_staged_partition(dim, bytes, parameters(), options);
      const auto phases = static_cast<unsigned>(best.size());
      EXPECT_NEAR(staged_cost(best, part_lengths(bytes, phases), parameters(), options).total(), least, 1e-9 * least);
    }
  }
  EXPECT_THROW((void)best_staged_partition(21, 1, parameters(), overlapped()), InputError);
}

TEST(StagedHull, FacesAreTheLeastOfAllPartitions) {
  for (const Startups startups : {Startups::overlapped, Startups::queued}) {
    StageOptions options = overlapped();
    options.service.startups = startups;
    const unsigned dim = 6;
    const StagedHull hull = staged_hull(dim, parameters(), options);
    EXPECT_EQ(hull.lines, startups == Startups::overlapped);
    ASSERT_GT(hull.faces.size(), 1U);
    for (double bytes = 1; bytes < 3000; bytes = std::floor(bytes * 1.7) + 1) {
      const RealHopsFace* at = &hull.faces.front();
      for (const RealHopsFace& face : hull.faces) {
        if (face.from_bytes <= bytes) at = &face;
      }
      double least = 1e300;
      const auto us = [&](const Partition& partition) {
        return equal_parts_us(partition, bytes, parameters(), options);
      };
      for (const Partition& partition : partitions_of(dim)) least = std::min(least, us(partition));
      EXPECT_NEAR(us(at->partition), least, 1e-9 * least) << bytes;
    }
  }
}

/// Where nothing is permuted all slopes are the same, and the least start-ups are best for all blocks: d phases.
TEST(StagedHull, HasOneFaceInPlace) {
  StageOptions options = overlapped();
  options.exchange.order = BlockOrder::inplace;
  const StagedHull hull = staged_hull(6, parameters(), options);
  ASSERT_EQ(hull.faces.size(), 1U);
  EXPECT_EQ(hull.faces.front().partition, Partition::standard(6));
}

TEST(StageCost, CubesBeyondSimulationAreCostedUnlessEveryMessageCounts) {
  const Partition halves({50, 50});
  const double lambda = 100;
  const ExchangeTerms terms = staged_cost(halves, part_lengths(8, 2), parameters(), overlapped());
  EXPECT_NEAR(terms.startup_us, 2 * std::ldexp(lambda, 49), 1);
  StageOptions queued = overlapped();
  queued.service.startups = Startups::queued;
  EXPECT_THROW((void)staged_cost(halves, part_lengths(8, 2), parameters(), queued), InputError);
  EXPECT_THROW((void)staged_cost(Partition({2000}), part_lengths(8, 1), parameters(), overlapped()), InputError);
}

}  // namespace
}  // namespace ecube::staged_exchange_cost_test
