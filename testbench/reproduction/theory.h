// SPDX-License-Identifier: Apache-2.0
// Statements of theory that need no machine: each paper's formulas as values, and checks that hold them against brute
// force, enumeration or what the pseudo-code does. A check takes the formulas as an argument, so that a wrong one
// shows.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/exchange/hull.h"
#include "models/shuffle/dimension_permutation.h"
#include "models/shuffle/shuffle_schedule.h"
#include "testbench/reproduction/bokhari_equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

/// van de Geijn 1991: alpha, beta, gamma, and times by n and d.
struct CombineRates {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;
};

struct CombineFormulas {
  using Formula = std::function<double(const CombineRates&, double items, unsigned dim)>;

  Formula version_1 = [](const CombineRates& at, double n, unsigned d) {
    return 2 * d * (at.alpha + n * at.beta) + d * n * at.gamma;
  };
  Formula version_2 = [](const CombineRates& at, double n, unsigned d) {
    return d * (at.alpha + n * at.beta + n * at.gamma);
  };
  Formula version_3 = [](const CombineRates& at, double n, unsigned d) {
    return 2 * d * at.alpha + (1 - 1 / std::exp2(d)) * n * (2 * at.beta + at.gamma);
  };
  std::function<double(const CombineRates&, double items, unsigned dim, unsigned k)> corollary_4 =
      [](const CombineRates& at, double n, unsigned d, unsigned k) {
        const double left = std::exp2(k) / std::exp2(d);
        return 2 * (d - k) * at.alpha + (1 - left) * n * (2 * at.beta + at.gamma) +
               k * (at.alpha + left * n * (at.beta + at.gamma));
      };
  using Step = std::function<double(const CombineRates&, double startup, double items)>;
  /// One direction of the recursion: its time for full vectors and for halves, and the items that are left after it.
  Step full_step = [](const CombineRates& at, double startup, double n) { return startup + n * (at.beta + at.gamma); };
  Step halving_step = [](const CombineRates& at, double startup, double n) {
    return 2 * startup + n * at.beta + n / 2 * at.gamma;
  };
  std::function<double(double items)> full_leaves = [](double n) { return n; };
  std::function<double(double items)> halving_leaves = [](double n) { return n / 2; };
  /// Section 6: alpha 480 us with the bookkeeping, 61 us less for messages of at most 25 items.
  std::function<double(double items)> startup_by_length = [](double n) { return n <= 25 ? 419 : 480; };
  /// Of Versions 1 and 2 at alpha = beta = 0.
  std::function<double(unsigned dim)> speed_up = [](unsigned d) { return (std::exp2(d) - 1) / d; };
  /// Figures 4 and 6: vectors shorter than this are not halved in direction dim - 1.
  std::function<double(const CombineRates&, unsigned dim)> halve_from = [](const CombineRates& at, unsigned d) {
    return 2 * at.alpha / ((d - 1) * (at.beta + at.gamma) + at.gamma);
  };
  /// Case 2a: the two sides of its last inequality.
  std::function<std::pair<double, double>(const CombineRates&, unsigned dim, unsigned k)> case_2a =
      [](const CombineRates& at, unsigned d, unsigned k) {
        const double scale = at.alpha * std::exp2(d - k);
        return std::pair(scale / at.gamma, scale / (k * (at.beta + at.gamma) + at.gamma));
      };
  /// Directions that halve by section 6, where messages of at most 25 items start sooner.
  std::function<unsigned(double items, unsigned dim)> modified_rule = [](double n, unsigned d) {
    unsigned halvings = 0;
    for (; halvings < d && n > 25; n /= 2) ++halvings;
    return halvings;
  };
};
void combine_lemma_by(Findings& result, const CombineFormulas& formulas);

/// 2^rows by 2^columns elements on a grid of 2^down by 2^across nodes.
struct SectionedArray {
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned down = 0;
  unsigned across = 0;
};

/// Johnsson & Ho 1991: a cycle of `order` dimensions a_(order-1) .. a_0, the lowest of them in storage if `mixed`.
struct ShuffleFormulas {
  using ByOrder = std::function<unsigned(unsigned order)>;
  using ByTwo = std::function<unsigned(unsigned, unsigned)>;  ///< the two that the formula names
  using Expansion = std::function<double(double elements, unsigned extra)>;

  /// Of M addresses.
  std::function<double(double elements)> permutations = [](double elements) {
    return elements * std::tgamma(std::log2(elements) + 1);
  };
  /// Lemma 2: start-ups by the real order and by the number of dimensions that are moved and not complemented.
  ByTwo startups = [](unsigned real_order, unsigned plain) { return plain % 2 == 1 ? real_order - 1 : real_order; };
  /// Lemma 2: elements in sequence, of 2^storage on each node.
  std::function<double(unsigned storage, unsigned real_order, bool one_port)> data =
      [](unsigned storage, unsigned real_order, bool one_port) {
        return std::exp2(storage) / 2 * (one_port ? real_order : 1);
      };
  /// Dimensions in storage of a virtual permutation.
  ByOrder virtual_storage = [](unsigned order) { return order; };
  unsigned way_round = 3;  ///< links of the other way in a cycle of four
  unsigned detour = 2;     ///< by which the longer disjoint paths are longer
  /// 2^(m - sigma)
  ByTwo copies = [](unsigned dim, unsigned order) { return 1U << (dim - order); };
  /// Corollary 2, n ports: elements in sequence, of the expansion and the compression.
  Expansion expansion = [](double elements, unsigned extra) { return 2 * elements / extra; };
  Expansion corrected_expansion = [](double elements, unsigned extra) {
    return 2 * (elements - elements / std::exp2(extra)) / extra;
  };
  /// Elements that start elsewhere.
  ByOrder elsewhere = [](unsigned real_order) { return 2 * (real_order - (real_order % 2 == 1 ? 1 : 2)); };
  using Exchanges = std::vector<std::pair<unsigned, unsigned>>;
  /// Pairs of dimensions whose exchange, one after the other, shifts a cycle; the dimension `order` is v. Adjacent
  /// pairs to the right, ending at the pair to the left of the first; of a fixed dimension; of v.
  using Sequence = std::function<Exchanges(unsigned order, unsigned start)>;
  std::vector<Sequence> sequences = {[](unsigned order, unsigned start) {
                                       Exchanges pairs;
                                       for (unsigned i = 0; i + 1 < order; ++i) {
                                         const unsigned upper = (start + order - i) % order;
                                         pairs.emplace_back(upper, (upper + order - 1) % order);
                                       }
                                       return pairs;
                                     },
                                     [](unsigned order, unsigned start) {
                                       Exchanges pairs;
                                       for (unsigned i = 1; i < order; ++i) {
                                         pairs.emplace_back(start, (start + i) % order);
                                       }
                                       return pairs;
                                     },
                                     [](unsigned order, unsigned start) {
                                       Exchanges pairs;
                                       for (unsigned i = 0; i <= order; ++i) {
                                         pairs.emplace_back(order, (start + i) % order);
                                       }
                                       return pairs;
                                     }};
  /// The same for a mixed shuffle of a_real .. a_1 | a_0, from v and a_start on; v is above them.
  Sequence synchronised = [](unsigned real, unsigned start) {
    Exchanges pairs;
    for (unsigned i = start; i <= real; ++i) pairs.emplace_back(real + 1, i);
    for (unsigned i = 0; i <= start; ++i) pairs.emplace_back(real + 1, i);
    return pairs;
  };
  /// Whether an element whose a_0 is `local` crosses a dimension in which its node has `bit`.
  std::function<bool(unsigned bit, unsigned local)> crosses = [](unsigned bit, unsigned local) { return bit != local; };
  /// Theorem 1, with "or" in its first case: steps for a mixed shuffle of 2 `pairs` elements.
  ByTwo theorem_1 = [](unsigned order, unsigned pairs) {
    if (order <= 3 || pairs <= 4) return pairs + order - 1;
    return pairs <= order + 1 ? order + 3 : pairs + 2;
  };
  /// Table 3: steps of A1 on one port.
  ByTwo a1_one_port = [](unsigned order, unsigned pairs) { return (order + 1) * pairs; };
  /// Whether it crosses where the dimension takes the complement, `flipped` if a_0 holds one already.
  std::function<bool(unsigned bit, unsigned local, bool flipped, bool complement)> crosses_complemented =
      [](unsigned bit, unsigned local, bool flipped, bool complement) {
        return (bit != local) != (flipped != complement);
      };
  /// Table 3: B_opt of K elements at t_c = 1 by row: A1 and A2 on one port, on n ports, A2^2 on n ports.
  std::vector<std::function<double(double elements, unsigned order, double startup)>> best_packets = {
      [](double k, unsigned, double) { return k / 2; }, [](double k, unsigned, double) { return k; },
      [](double k, unsigned order, double) { return std::ceil(k / (2 * order)); },
      [](double k, unsigned order, double) { return std::ceil(k / order); },
      [](double k, unsigned, double startup) { return std::sqrt(k * startup / 2); }};
  ByTwo a1_pipelined = [](unsigned order, unsigned pairs) { return a1_pipelined_schedule(order, pairs).steps; };
  /// Where one exchange of every constituent takes an address of `dim` bits of the node above `dim` of the storage.
  ByTwo exchanged = [](unsigned address, unsigned dim) {
    return (address & ((1U << dim) - 1)) << dim | address >> dim;
  };
  /// The dimensions with which A1 and A2 exchange, in order.
  std::function<std::vector<unsigned>(unsigned order)> real_dimensions = [](unsigned order) {
    std::vector<unsigned> ascending(order);
    std::iota(ascending.begin(), ascending.end(), 0U);
    return ascending;
  };
  /// The local address, on an aligned dimension, of an element with this value of it.
  ByTwo aligned = [](unsigned node, unsigned value) {
    return (static_cast<unsigned>(std::popcount(node)) & 1U) ^ value;
  };
  std::function<DimensionPermutation(std::string_view name, unsigned dim, std::uint64_t elements)> named =
      DimensionPermutation::named;
  /// The place of an element, counted by rows: its node, and within it, where each node has a section of the array.
  std::function<unsigned(const SectionedArray&, unsigned element)> place = [](const SectionedArray& array,
                                                                              unsigned element) {
    const unsigned row = element >> array.columns;
    const unsigned column = element & ((1U << array.columns) - 1);
    const unsigned rows = array.rows - array.down;  // of a section
    const unsigned columns = array.columns - array.across;
    const unsigned node = (row >> rows) << array.across | column >> columns;
    const unsigned inner = (row & ((1U << rows) - 1)) << columns | (column & ((1U << columns) - 1));
    return node << (rows + columns) | inner;
  };
  /// Of three control dimensions.
  Exchanges pairs_of_three = {{0b000, 0b111}, {0b001, 0b101}, {0b011, 0b100}};
};
void shuffle_bounds_by(Findings& result, const ShuffleFormulas& formulas);
void shuffle_sequences_by(Findings& result, const ShuffleFormulas& formulas);

}  // namespace ecube
