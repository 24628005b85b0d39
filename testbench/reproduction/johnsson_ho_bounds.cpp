// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991: counts of permutations, and the bounds of section 3, by enumeration of small cubes.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "testbench/reproduction/tally.h"
#include "testbench/reproduction/theory.h"

namespace ecube {

namespace {

/// A permutation of address bits: bit i takes the value of bit from[i], complemented where `complement` has bit i. The
/// lowest `storage` bits are local.
struct BitPermutation {
  std::vector<unsigned> from;
  unsigned complement = 0;
  unsigned storage = 0;

  [[nodiscard]] unsigned size() const { return 1U << from.size(); }
  [[nodiscard]] unsigned destination(unsigned address) const {
    unsigned result = complement;
    for (unsigned i = 0; i < from.size(); ++i) result ^= (address >> from[i] & 1U) << i;
    return result;
  }
  /// Dimensions that an element crosses.
  [[nodiscard]] unsigned distance(unsigned address) const {
    return static_cast<unsigned>(std::popcount((address ^ destination(address)) >> storage));
  }
};

/// The cycle a_i <- a_(i-1) over all bits.
BitPermutation cycle_of(unsigned order, unsigned storage, unsigned complement) {
  BitPermutation result{std::vector<unsigned>(order), complement, storage};
  for (unsigned i = 0; i < order; ++i) result.from[i] = (i + order - 1) % order;
  return result;
}

void check_counts(const ShuffleFormulas& by, Reproduction& result) {
  Tallies tallies;
  Tally& all = tallies.of(print, "M (log M)! dimension permutations of M addresses, M = 2 .. 16");
  Tally& copies = tallies.of(print, "2^(m - sigma) equal permutations of order sigma, m <= 8");
  for (unsigned bits = 1; bits <= 4; ++bits) {
    std::vector<unsigned> order(bits);
    std::iota(order.begin(), order.end(), 0U);
    std::set<std::vector<unsigned>> maps;
    do {
      for (unsigned complement = 0; complement < 1U << bits; ++complement) {
        const BitPermutation one{order, complement, 0};
        std::vector<unsigned> map;
        for (unsigned address = 0; address < one.size(); ++address) map.push_back(one.destination(address));
        maps.insert(std::move(map));
      }
    } while (std::next_permutation(order.begin(), order.end()));
    all.add(static_cast<double>(maps.size()) == by.permutations(1U << bits), fmt::format("M {}", 1U << bits));
  }
  // A cycle of the lowest dimensions moves every block of 2^order addresses alike.
  for (unsigned bits = 2; bits <= 8; ++bits) {
    for (unsigned order = 2; order <= bits; ++order) {
      BitPermutation permutation{std::vector<unsigned>(bits), 0, 0};
      std::iota(permutation.from.begin(), permutation.from.end(), 0U);
      for (unsigned i = 0; i < order; ++i) permutation.from[i] = (i + order - 1) % order;
      unsigned alike = 0;
      for (unsigned first = 0; first < permutation.size(); first += 1U << order) {
        bool same = true;
        for (unsigned i = 0; i < 1U << order; ++i) {
          same = same && permutation.destination(first + i) == first + permutation.destination(i);
        }
        alike += same ? 1 : 0;
      }
      copies.add(alike == by.copies(bits, order), fmt::format("m {}, sigma {}", bits, order));
    }
  }
  tallies.add_to(result);
}

/// Lemma 2, over all complements of cycles of up to 9 bits with 0 to 2 of them in storage.
void check_lemma_2(const ShuffleFormulas& by, Reproduction& result) {
  Tally startups[2];  // real, mixed
  Tally data;
  Tally no_messages;
  for (unsigned order = 2; order <= 9; ++order) {
    for (unsigned storage = 0; storage <= std::min(2U, order - 1); ++storage) {
      for (unsigned complement = 0; complement < 1U << order; ++complement) {
        const BitPermutation cycle = cycle_of(order, storage, complement);
        const std::string where = fmt::format("sigma {}, {} in storage, complements {:b}", order, storage, complement);
        unsigned farthest = 0;
        std::uint64_t crossings = 0;
        for (unsigned address = 0; address < cycle.size(); ++address) {
          farthest = std::max(farthest, cycle.distance(address));
          crossings += cycle.distance(address);
        }
        const unsigned real = order - storage;
        const unsigned plain = order - static_cast<unsigned>(std::popcount(complement));
        startups[storage == 0 ? 0 : 1].add(farthest == by.startups(real, plain), where);
        // K = 2^storage elements; every dimension of every node takes one element a step at most.
        data.add(2 * crossings == std::uint64_t{real} << order, where);
      }
    }
    for (unsigned complement = 0; complement < 1U << order; ++complement) {
      const BitPermutation local = cycle_of(order, order, complement);
      for (unsigned address = 0; address < local.size(); ++address) {
        no_messages.add(local.distance(address) == 0, fmt::format("sigma {}", order));
      }
    }
  }
  result.add(startups[0].check(print, "start-ups of Lemma 2: real shuffles, sigma <= 9, all complements"));
  result.add(startups[1].check(print, "start-ups of Lemma 2: mixed shuffles, sigma <= 9, all complements"));
  result.add(data.check(print, "data, one port: sigma_r K/2 crossings a node have to be made, sigma <= 9"));
  result.add(data.check(print, "data, n ports: K/2 crossings a dimension of a node have to be made, sigma <= 9"));
  result.add(no_messages.check(print, "virtual permutations: no element crosses a dimension"));
}

/// (a0 a1) <- (complement of a1, a0) on four processors: x of K elements go to the neighbour they are meant for, the
/// others take three links the other way round. The least time over all x.
void check_four(Reproduction& result) {
  BitPermutation four{{1, 0}, 1, 0};
  bool neighbours = true;
  for (unsigned node = 0; node < 4; ++node) neighbours = neighbours && four.distance(node) == 1;
  Tallies tallies;
  Tally& bound = tallies.of(print, "four processors in a cycle with a complement: K/2 steps are too few, K <= 64");
  Tally& one_more =
      tallies.of(print, "four processors in a cycle with a complement: K/2 + 1 steps are too few, K = 6 .. 64");
  Tally& three_quarters = tallies.of(ours, "four processors in a cycle: ceil(3K/4) steps");
  for (unsigned elements = 2; elements <= 64; elements += 2) {
    unsigned least = elements;
    for (unsigned direct = 0; direct <= elements; ++direct) {
      least = std::min(least, std::max(direct, 3 * (elements - direct)));
    }
    const std::string where = fmt::format("K {}", elements);
    bound.add(neighbours && least > elements / 2, where);
    if (elements > 4) one_more.add(least > elements / 2 + 1, where);
    three_quarters.add(least == (3 * elements + 3) / 4, where);
  }
  tallies.add_to(result);
}

/// Corollary 2 for one dimension more: half of the elements go to one neighbour, are permuted there, and come back.
void check_extended(const ShuffleFormulas& by, Reproduction& result) {
  Tallies tallies;
  Tally& printed =
      tallies.of(print, "Corollary 2, n ports, as printed: no more than half there and back, one dimension more");
  Tally& corrected = tallies.of(ours, "Corollary 2 with 2 (K - K/2^x)/x for 2K/x");
  for (unsigned elements = 4; elements <= 64; elements *= 2) {
    const unsigned there_and_back = 2 * (elements - elements / 2);
    printed.add(by.expansion(elements, 1) <= there_and_back, fmt::format("K {}", elements));
    corrected.add(2 * (elements - elements / 2.0) <= there_and_back, fmt::format("K {}", elements));
  }
  tallies.add_to(result);
}

/// Disjoint paths of section 2: through the differing dimensions in each cyclic order, and around them by one other.
void check_paths(Reproduction& result) {
  Tally tally;
  for (unsigned dim = 1; dim <= 8; ++dim) {
    for (unsigned target = 1; target < 1U << dim; ++target) {
      std::vector<unsigned> differing;
      for (unsigned i = 0; i < dim; ++i) {
        if ((target >> i & 1U) != 0) differing.push_back(i);
      }
      std::set<unsigned> inner;
      std::size_t nodes = 0;
      unsigned shortest = 0;
      unsigned longer = 0;
      const auto walk = [&](const std::vector<unsigned>& path) {
        unsigned at = 0;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
          at ^= 1U << path[i];
          inner.insert(at);
          ++nodes;
        }
        if ((at ^ 1U << path.back()) != target) return;
        shortest += path.size() == differing.size() ? 1 : 0;
        longer += path.size() == differing.size() + 2 ? 1 : 0;
      };
      for (std::size_t i = 0; i < differing.size(); ++i) {
        std::vector<unsigned> path = differing;
        std::rotate(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i), path.end());
        walk(path);
      }
      for (unsigned other = 0; other < dim; ++other) {
        if ((target >> other & 1U) != 0) continue;
        std::vector<unsigned> path = {other};
        path.insert(path.end(), differing.begin(), differing.end());
        path.push_back(other);
        walk(path);
      }
      tally.add(shortest == differing.size() && longer == dim - shortest && inner.size() == nodes &&
                    !inner.contains(0) && !inner.contains(target),
                fmt::format("n {}, to {:b}", dim, target));
    }
  }
  result.add(tally.check(print, "disjoint paths: d of length d and n - d of length d + 2, all pairs, n <= 8"));
}

}  // namespace

ShuffleFormulas::ShuffleFormulas()
    : permutations([](double elements) { return elements * std::tgamma(std::log2(elements) + 1); }),
      startups([](unsigned real_order, unsigned plain) { return plain % 2 == 1 ? real_order - 1 : real_order; }),
      copies([](unsigned dim, unsigned order) { return 1U << (dim - order); }),
      expansion([](double elements, unsigned extra) { return 2 * elements / extra; }),
      elsewhere([](unsigned real_order) { return 2 * (real_order - (real_order % 2 == 1 ? 1 : 2)); }),
      sequences({[](unsigned order, unsigned start) {
                   // Adjacent pairs to the right, ending at the pair to the left of the first.
                   std::vector<std::pair<unsigned, unsigned>> pairs;
                   for (unsigned i = 0; i + 1 < order; ++i) {
                     const unsigned upper = (start + order - i) % order;
                     pairs.emplace_back(upper, (upper + order - 1) % order);
                   }
                   return pairs;
                 },
                 [](unsigned order, unsigned start) {
                   std::vector<std::pair<unsigned, unsigned>> pairs;
                   for (unsigned i = 1; i < order; ++i) pairs.emplace_back(start, (start + i) % order);
                   return pairs;
                 },
                 [](unsigned order, unsigned start) {
                   std::vector<std::pair<unsigned, unsigned>> pairs;
                   for (unsigned i = 0; i <= order; ++i) pairs.emplace_back(order, (start + i) % order);
                   return pairs;
                 }}),
      pairs_of_three({{0b000, 0b111}, {0b001, 0b101}, {0b011, 0b100}}) {}

Reproduction shuffle_bounds_by(const ShuffleFormulas& formulas) {
  Reproduction result;
  check_counts(formulas, result);
  check_lemma_2(formulas, result);
  check_four(result);
  check_extended(formulas, result);
  check_paths(result);
  return result;
}

Reproduction johnsson_ho_bounds(TestBench& /*bench*/, const Machine& /*machine*/) { return shuffle_bounds_by({}); }

}  // namespace ecube
