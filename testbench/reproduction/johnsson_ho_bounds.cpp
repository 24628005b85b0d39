// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991: counts of permutations, and the bounds of section 3, by enumeration of small cubes.

#include <bit>
#include <numeric>
#include <set>

#include "testbench/reproduction/results.h"

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

/// The cycle a_i <- a_(i-1) over the lowest `order` of so many bits.
BitPermutation cycle_of(unsigned order, unsigned bits, unsigned storage = 0, unsigned complement = 0) {
  BitPermutation result{std::vector<unsigned>(bits), complement, storage};
  for (unsigned i = 0; i < bits; ++i) result.from[i] = i < order ? (i + order - 1) % order : i;
  return result;
}

void check_counts(Findings& result) {
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
    const double printed = judged((1U << bits) * std::tgamma(bits + 1), "M (log M)!");
    result["all"].add(static_cast<double>(maps.size()) == printed, "M {}", 1U << bits);
  }
  // A cycle of the lowest dimensions moves every block of 2^order addresses alike.
  for (unsigned bits = 2; bits <= 8; ++bits) {
    for (unsigned order = 2; order <= bits; ++order) {
      const BitPermutation permutation = cycle_of(order, bits);
      unsigned alike = 0;
      for (unsigned address = 0; address < permutation.size(); ++address) {
        const unsigned within = address % (1U << order);
        const unsigned first = address - within;
        alike += permutation.destination(address) == first + permutation.destination(within) ? 1 : 0;
      }
      const unsigned copies = judged(1U << (bits - order), "copies");
      result["copies"].add(alike == copies << order, "m {}, sigma {}", bits, order);
    }
  }
}

/// Lemma 2: elements in sequence, of 2^storage on each node.
double lemma_2(unsigned storage, unsigned real_order, bool one_port) {
  return judged(std::exp2(storage) / 2 * (one_port ? real_order : 1), "data of Lemma 2");
}

/// Lemmas 1 and 2, over all complements of cycles of up to 9 bits with 0 to 2 of them in storage.
void check_lemmas(Findings& result) {
  for (unsigned order = 2; order <= 9; ++order) {
    for (unsigned storage = 0; storage <= std::min(2U, order - 1); ++storage) {
      const unsigned real = order - storage;
      for (unsigned complement = 0; complement < 1U << order; ++complement) {
        const BitPermutation cycle = cycle_of(order, order, storage, complement);
        const std::string where = fmt::format("sigma {}, {} in storage, complements {:b}", order, storage, complement);
        unsigned farthest = 0;
        std::uint64_t crossings = 0;
        for (unsigned address = 0; address < cycle.size(); ++address) {
          farthest = std::max(farthest, cycle.distance(address));
          crossings += cycle.distance(address);
        }
        const unsigned plain = order - static_cast<unsigned>(std::popcount(complement));
        const unsigned startups = judged(plain % 2 == 1 ? real - 1 : real, "start-ups of Lemma 2");
        result[storage == 0 ? "real_startups" : "mixed_startups"].add(farthest == startups, where);
        // K = 2^storage elements; every dimension of every node takes one element a step at most.
        const double steps = static_cast<double>(crossings) / (real << real);
        result["one_port"].add(real * steps == lemma_2(storage, real, true), where);
        result["n_port"].add(steps == lemma_2(storage, real, false), where);
        for (unsigned more = 1; more <= 3; ++more) {
          // Of 2^more subcubes all crossings, of one alone these; links of the set's dimensions in the whole cube.
          const auto links = static_cast<double>(real << (real + more));
          result["outside"].add(static_cast<double>(crossings << more) / links == lemma_2(storage, real, false), where);
          result["one_subcube"].add(static_cast<double>(crossings) / links < lemma_2(storage, real, false), where);
        }
      }
    }
    for (unsigned complement = 0; complement < 1U << order; ++complement) {
      const BitPermutation inside = cycle_of(order, order, judged(order, "dimensions in storage"), complement);
      for (unsigned address = 0; address < inside.size(); ++address) {
        result["local"].add(inside.distance(address) == 0, "sigma {}", order);
      }
    }
  }
}

/// (a0 a1) <- (complement of a1, a0) on four processors: x of K elements go to the neighbour they are meant for, the
/// others take three links the other way round. The least time over all x.
void check_four(Findings& result) {
  const BitPermutation four{{1, 0}, 1, 0};
  bool neighbours = true;
  for (unsigned node = 0; node < 4; ++node) neighbours = neighbours && four.distance(node) == 1;
  const unsigned way_round = judged(3U, "links of the other way");
  for (unsigned elements = 2; elements <= 64; elements += 2) {
    unsigned least = elements;
    for (unsigned direct = 0; direct <= elements; ++direct) {
      least = std::min(least, std::max(direct, way_round * (elements - direct)));
    }
    const std::string where = fmt::format("K {}", elements);
    result["bound"].add(neighbours && least > elements / 2, where);
    if (elements > 4) result["one_more"].add(least > elements / 2 + 1, where);
    result["three_quarters"].add(least == (3 * elements + 3) / 4, where);
  }
}

/// Corollary 2 for one dimension more: half of the elements go to one neighbour, are permuted there, and come back.
void check_extended(Findings& result) {
  for (unsigned elements = 4; elements <= 64; elements *= 2) {
    const unsigned there_and_back = 2 * (elements - elements / 2);
    constexpr unsigned more = 1;
    const double printed = 2.0 * elements / more;
    const double corrected = judged(2 * (elements - elements / std::exp2(more)) / more, "corrected bound");
    result["printed"].add(printed <= there_and_back, "K {}: {} > {}", elements, printed, there_and_back);
    result["corrected"].add(corrected <= there_and_back, "K {}", elements);
  }
}

/// Disjoint paths of section 2: through the differing dimensions in each cyclic order, and around them by one other.
void check_paths(Findings& result) {
  const unsigned detour = judged(2U, "detour");
  for (unsigned dim = 1; dim <= 8; ++dim) {
    for (unsigned target = 1; target < 1U << dim; ++target) {
      std::vector<unsigned> differing;
      for (unsigned i = 0; i < dim; ++i) {
        if ((target >> i & 1U) != 0) differing.push_back(i);
      }
      std::set<unsigned> nodes = {0, target};
      std::size_t visits = nodes.size();
      unsigned shortest = 0;
      unsigned longer = 0;
      for (unsigned first = 0; first < dim; ++first) {
        std::vector<unsigned> path = differing;
        if (const auto place = std::ranges::find(path, first); place != path.end()) {
          std::rotate(path.begin(), place, path.end());
        } else {
          path.insert(path.begin(), first);
          path.push_back(first);
        }
        unsigned at = 0;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
          at ^= 1U << path[i];
          nodes.insert(at);
          ++visits;
        }
        if ((at ^ 1U << path.back()) != target) continue;
        shortest += path.size() == differing.size() ? 1 : 0;
        longer += path.size() == differing.size() + detour ? 1 : 0;
      }
      result["disjoint"].add(shortest == differing.size() && longer == dim - shortest && nodes.size() == visits,
                             "n {}, to {:b}", dim, target);
    }
  }
}

}  // namespace

void jh_bounds(Findings& result, MeasuredMachine& /*machine*/) {
  check_counts(result);
  check_lemmas(result);
  check_four(result);
  check_extended(result);
  check_paths(result);
}

}  // namespace ecube
