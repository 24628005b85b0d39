// SPDX-License-Identifier: Apache-2.0
// Statements of theory that need no machine: each paper's formulas as values, and checks that hold them against brute
// force, enumeration or what the pseudo-code does. A check takes the formulas as an argument, so that a wrong one
// shows.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "testbench/reproduction/bokhari_equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

/// Bokhari 1993, section 3, in any cube: lambda + delta, tau and rho.
struct ExchangeRates {
  double message = 0;
  double tau = 0;
  double rho = 0;
};

struct BokhariFormulas {
  using Line = bokhari::Line;
  using Sums = std::function<Line(const Partition&, unsigned dim, const ExchangeRates&)>;

  BokhariFormulas();
  std::function<Line(unsigned part, unsigned dim, const ExchangeRates&)> phase;  ///< (1)
  Sums sums;                                                                     ///< (6), (7)
  Sums property_7;                                                               ///< its two times as printed
  std::function<double(const ExchangeRates&)> meeting;                           ///< of partitions in two
  std::function<double(unsigned dim, const ExchangeRates&)> excess;              ///< over Direct there
  std::vector<std::function<double(double)>> convex;
  std::function<std::vector<unsigned>(unsigned dim)> candidates;  ///< cardinalities that may have faces
};
[[nodiscard]] Reproduction bokhari_times_by(const BokhariFormulas& formulas);

/// Nicol & Bokhari 1994, section 3, with m tau = 1: the start-up is L / (m tau), the shuffle 2^d rho.
struct Startup {
  unsigned dim = 1;
  double ratio = 1;
  double rho = 0;
  double barrier = 0;
};

struct NicolFormulas {
  using Formula = std::function<double(const Startup&)>;

  NicolFormulas();
  std::function<double(const Startup&, double dims)> phase;       ///< P_d
  Formula turn;                                                   ///< x*
  std::function<double(const Startup&, double sum)> merge_below;  ///< of L / (m tau)
  Formula s_bar;
  std::function<double(const Startup&, double s)> ratio_at;  ///< the equation of s*
  Formula direct_up_to;                                      ///< Lemma 1, of L / (m tau)
  Formula standard_from;
  std::function<double(double s)> sizes;                      ///< equipartitions that satisfy (3), at most
  std::function<double(unsigned dim, double s)> most_phases;  ///< Theorem 3
};
[[nodiscard]] Reproduction nicol_analysis_by(const NicolFormulas& formulas);
/// s*: one phase takes as long as two of half its dimensions, by bisection; below 2 or above d there is none. Where
/// phases cost nothing of their own it is s-bar.
[[nodiscard]] std::optional<double> equal_phases(const NicolFormulas& by, const Startup& at);

/// What the pseudo-code of both papers does with a list of blocks.
struct ExchangeCode {
  /// The slot to which one shuffle moves the block in `slot`.
  std::function<NodeId(NodeId slot, unsigned dim)> shuffle;
  std::function<NodeId(NodeId node, NodeId step, unsigned stop)> partner;
  ExchangeCode();
};
[[nodiscard]] Reproduction nicol_blocks_by(const ExchangeCode& code);

/// van de Geijn 1991: alpha, beta, gamma, and times by n and d.
struct CombineRates {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;
};

struct CombineFormulas {
  using Formula = std::function<double(const CombineRates&, double items, unsigned dim)>;

  CombineFormulas();
  Formula version_1;
  Formula version_2;
  Formula version_3;
  std::function<double(const CombineRates&, double items, unsigned dim, unsigned k)> corollary_4;
  std::function<double(unsigned dim)> speed_up;  ///< of Versions 1 and 2 at alpha = beta = 0
  /// Case 2a: the two sides of its last inequality.
  std::function<std::pair<double, double>(const CombineRates&, unsigned dim, unsigned k)> case_2a;
  /// Directions that halve by section 6, where messages of at most 25 items start sooner.
  std::function<unsigned(double items, unsigned dim)> modified_rule;
};
[[nodiscard]] Reproduction combine_lemma_by(const CombineFormulas& formulas);

/// 2^rows by 2^columns elements on a grid of 2^down by 2^across nodes.
struct SectionedArray {
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned down = 0;
  unsigned across = 0;
};

/// Johnsson & Ho 1991: a cycle of `order` dimensions a_(order-1) .. a_0, the lowest of them in storage if `mixed`.
struct ShuffleFormulas {
  ShuffleFormulas();
  std::function<double(double elements)> permutations;  ///< of M addresses
  /// Lemma 2: start-ups by the real order and by the number of dimensions that are moved and not complemented.
  std::function<unsigned(unsigned real_order, unsigned plain)> startups;
  /// Lemma 2: elements in sequence, of 2^storage on each node.
  std::function<double(unsigned storage, unsigned real_order, bool one_port)> data;
  /// Dimensions in storage of a virtual permutation.
  std::function<unsigned(unsigned order)> virtual_storage;
  unsigned way_round = 3;                                        ///< links of the other way in a cycle of four
  unsigned detour = 2;                                           ///< by which the longer disjoint paths are longer
  std::function<unsigned(unsigned dim, unsigned order)> copies;  ///< 2^(m - sigma)
  /// Corollary 2, n ports: elements in sequence, of the expansion and the compression.
  std::function<double(double elements, unsigned extra)> expansion;
  /// Elements that start elsewhere.
  std::function<unsigned(unsigned real_order)> elsewhere;
  /// Pairs of dimensions whose exchange, one after the other, shifts a cycle; the dimension `order` is v.
  using Sequence = std::function<std::vector<std::pair<unsigned, unsigned>>(unsigned order, unsigned start)>;
  std::vector<Sequence> sequences;
  /// The place of an element, counted by rows: its node, and within it, where each node has a section of the array.
  std::function<unsigned(const SectionedArray&, unsigned element)> place;
  std::vector<std::pair<unsigned, unsigned>> pairs_of_three;  ///< of three control dimensions
};
[[nodiscard]] Reproduction shuffle_bounds_by(const ShuffleFormulas& formulas);
[[nodiscard]] Reproduction shuffle_sequences_by(const ShuffleFormulas& formulas);

}  // namespace ecube
