// SPDX-License-Identifier: Apache-2.0
// Statements of the theory of exchanges that need no machine: each paper's formulas as values, and checks that hold
// them against brute force, enumeration or what the pseudo-code does. A check takes the formulas as an argument, so
// that a wrong one shows.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/exchange/hull.h"
#include "testbench/reproduction/bokhari_equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

using bokhari::ExchangeRates;

struct BokhariFormulas {
  using Line = bokhari::Line;
  using Sums = std::function<Line(const Partition&, unsigned dim, const ExchangeRates&)>;

  /// (1)
  std::function<Line(unsigned part, unsigned dim, const ExchangeRates&)> phase = [](unsigned part, unsigned dim,
                                                                                    const ExchangeRates& at) {
    return Line{.slope = ((1 - 1 / std::exp2(part)) * at.tau + at.rho) * std::exp2(dim),
                .intercept = (std::exp2(part) - 1) * at.message};
  };
  /// (6), (7)
  Sums sums = [](const Partition& parts, unsigned dim, const ExchangeRates& at) {
    return bokhari::equation_6(parts, dim, at);
  };
  /// Its two times as printed.
  Sums property_7 = [](const Partition& parts, unsigned dim, const ExchangeRates& at) {
    return Line{.slope = ((2 - bokhari::power_sum(parts)) * at.tau + 2 * at.rho) * std::exp2(dim),
                .intercept = bokhari::power_sum(parts) * at.message};
  };
  /// Of partitions in two.
  std::function<double(const ExchangeRates&)> meeting = [](const ExchangeRates& at) { return at.message / at.tau; };
  /// Over Direct there.
  std::function<double(unsigned dim, const ExchangeRates&)> excess = [](unsigned dim, const ExchangeRates& at) {
    return at.rho * std::exp2(dim) * at.message / at.tau;
  };
  std::function<Partition(unsigned e, unsigned n)> equipartition = Partition::equipartition;
  /// The place of a block in a sorted list of faces' first blocks, and the comparisons that it takes to find it.
  std::function<std::pair<std::size_t, unsigned>(std::span<const Wide> from, Wide block)> search =
      [](std::span<const Wide> from, Wide block) {
        unsigned compared = 0;
        const auto after = std::ranges::partition_point(from, [&](Wide first) {
          ++compared;
          return first <= block;
        });
        return std::pair(static_cast<std::size_t>(after - from.begin()) - 1, compared);
      };
  std::vector<std::function<double(double)>> convex = {[](double x) { return std::exp2(x); },
                                                       [](double x) { return std::exp2(-x); }};
  /// Cardinalities that may have faces: the first and the last one whose parts are q and q + 1, of every level q.
  std::function<std::vector<unsigned>(unsigned dim)> candidates = [](unsigned dim) {
    std::vector<unsigned> found;
    for (unsigned n = 1; n <= dim; n = dim / (dim / n) + 1) {
      const unsigned q = dim / n;
      found.push_back((dim + q) / (q + 1));
      found.push_back(dim / q);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  };
};
void bokhari_times_by(Findings& result, const BokhariFormulas& formulas);

/// Nicol & Bokhari 1994, section 3, with m tau = 1: the start-up is L / (m tau), the shuffle 2^d rho.
struct Startup {
  unsigned dim = 1;
  double ratio = 1;
  double rho = 0;
  double barrier = 0;

  [[nodiscard]] double blocks() const { return std::exp2(dim); }
};

struct NicolFormulas {
  using Formula = std::function<double(const Startup&)>;

  /// P_d
  std::function<double(const Startup&, double dims)> phase = [](const Startup& at, double x) {
    return (std::exp2(x) - 1) * (at.ratio + std::exp2(at.dim - x)) + at.blocks() * at.rho + at.barrier;
  };
  /// x*
  Formula turn = [](const Startup& at) { return (at.dim - std::log2(at.ratio)) / 2; };
  /// Of L / (m tau).
  std::function<double(const Startup&, double sum)> merge_below = [](const Startup& at, double sum) {
    return std::exp2(at.dim - sum);
  };
  Formula s_bar = [](const Startup& at) { return at.dim - std::log2(at.ratio); };
  /// The equation of s*.
  std::function<double(const Startup&, double s)> ratio_at = [](const Startup& at, double s) {
    return (at.blocks() * (1 + std::exp2(-s) - std::exp2(-s / 2 + 1)) + at.blocks() * at.rho + at.barrier) /
           (std::exp2(s) - std::exp2(s / 2 + 1) + 1);
  };
  /// Lemma 1, of L / (m tau).
  Formula direct_up_to = [](const Startup& at) {
    return (at.blocks() * at.rho + at.barrier) / (at.blocks() - std::exp2(at.dim / 2.0 + 1) + 1) + 1;
  };
  Formula standard_from = [](const Startup& at) { return at.blocks() * (0.25 + at.rho) + at.barrier; };
  /// Equipartitions that satisfy (3), at most.
  std::function<double(double s)> sizes = [](double s) { return (s + 1) / 2; };
  /// Theorem 3.
  std::function<double(unsigned dim, double s)> most_phases = [](unsigned dim, double s) {
    return (2.0 * dim + 2) / (s - 1);
  };
};
void nicol_analysis_by(Findings& result, const NicolFormulas& formulas);
/// s*: one phase takes as long as two of half its dimensions, by bisection; below 2 or above d there is none. Where
/// phases cost nothing of their own it is s-bar.
[[nodiscard]] std::optional<double> equal_phases(const NicolFormulas& by, const Startup& at);

/// What the pseudo-code of both papers does with a list of blocks.
struct ExchangeCode {
  /// The slot to which one shuffle moves the block in `slot`.
  std::function<NodeId(NodeId slot, unsigned dim)> shuffle = [](NodeId slot, unsigned dim) {
    const NodeId blocks = NodeId{1} << dim;
    return slot * 2 % blocks + slot * 2 / blocks;
  };
  std::function<NodeId(NodeId node, NodeId step, unsigned stop)> partner = [](NodeId node, NodeId step, unsigned stop) {
    return node ^ step << stop;
  };
};
void nicol_blocks_by(Findings& result, const ExchangeCode& code);

}  // namespace ecube
