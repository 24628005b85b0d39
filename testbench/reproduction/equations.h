// SPDX-License-Identifier: Apache-2.0
// The equations as the papers print them, written here so that no check compares models/ with itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/exchange/hull.h"
#include "models/static_check/link_conflicts.h"
#include "testbench/figure/verdict.h"
#include "testbench/reproduction/measured_machine.h"

/// Bokhari 1993.
namespace ecube::bokhari {

/// The parameters of Figure 1, us and us per byte.
inline constexpr double lambda = 100;
inline constexpr double delta = 10;
inline constexpr double tau = 2;
inline constexpr double rho = 1;
/// lambda + delta
inline constexpr double message = lambda + delta;

/// Parts in non-decreasing order without commas, "{1123}".
[[nodiscard]] inline std::string braced(const Partition& partition) {
  std::string text;
  for (const unsigned part : partition.parts()) text.insert(0, std::to_string(part));
  return "{" + text + "}";
}

/// "{5} {14}"
[[nodiscard]] inline std::string braced(std::span<const Partition> partitions) {
  std::string text;
  for (const Partition& one : partitions) text += (text.empty() ? "" : " ") + braced(one);
  return text;
}

/// By cardinality, then by the first parts, as the paper lists them.
[[nodiscard]] inline std::vector<Partition> listed(unsigned dim) {
  std::vector<Partition> all = judged(partitions_of(dim), "partitions of {}", dim);
  std::ranges::sort(all, [](const Partition& a, const Partition& b) {
    return a.size() != b.size() ? a.size() < b.size() : braced(a) < braced(b);
  });
  return all;
}

/// Partitions of cardinality n.
[[nodiscard]] inline std::vector<Partition> partitions_in(unsigned dim, std::size_t phases) {
  std::vector<Partition> all = listed(dim);
  std::erase_if(all, [&](const Partition& partition) { return partition.size() != phases; });
  return all;
}

[[nodiscard]] inline Partition equipartition(unsigned dim, unsigned phases) {
  return judged(Partition::equipartition(dim, phases), "E({},{})", dim, phases);
}

/// 2^A: the sum of 2^a over the parts; of 2^-a with the sign -1.
[[nodiscard]] inline double power_sum(const Partition& partition, int sign = 1) {
  double sum = 0;
  for (const unsigned part : partition.parts()) sum += std::ldexp(1.0, sign * static_cast<int>(part));
  return sum;
}
/// 2^-A.
[[nodiscard]] inline double inverse_power_sum(const Partition& partition) { return power_sum(partition, -1); }

/// A partition's time over the block size.
struct Line {
  double slope = 0;      ///< us/B
  double intercept = 0;  ///< us

  [[nodiscard]] double at(double bytes) const { return intercept + slope * bytes; }
  [[nodiscard]] friend Line operator+(const Line& a, const Line& b) {
    return {.slope = a.slope + b.slope, .intercept = a.intercept + b.intercept};
  }
};
inline void spoil(Line& line, std::string_view how) {
  ecube::spoil(line.slope, how);
  ecube::spoil(line.intercept, how);
}

/// Section 3, in any cube: lambda + delta, tau and rho.
struct ExchangeRates {
  double message = 0;
  double tau = 0;
  double rho = 0;
};
inline constexpr ExchangeRates figure_1 = {message, tau, rho};

/// Equation (6), also of a partial exchange.
[[nodiscard]] inline Line equation_6(const Partition& partition, unsigned dim, const ExchangeRates& at = figure_1) {
  const auto n = static_cast<double>(partition.size());
  return {.slope = ((n - inverse_power_sum(partition)) * at.tau + n * at.rho) * std::exp2(dim),
          .intercept = (power_sum(partition) - n) * at.message};
}
[[nodiscard]] inline Line equation_6(const Partition& partition) {
  return judged(equation_6(partition, partition.dim()), "line of {}", braced(partition));
}

/// A line in the proof of Theorem 1: multiples of lambda + sigma (the paper's delta here), of rho and of tau.
struct PrintedLine {
  Partition partition;
  double messages;
  double rhos;
  double taus;

  [[nodiscard]] Line line(unsigned dim, const ExchangeRates& at) const {
    return {.slope = std::exp2(dim) * (rhos * at.rho + taus * at.tau), .intercept = messages * at.message};
  }
};
/// Of the partitions of 4.
[[nodiscard]] inline std::vector<PrintedLine> lines_of_four() {
  return {{Partition({4}), 15, 1, 15.0 / 16},
          {Partition({3, 1}), 8, 2, 11.0 / 8},
          {Partition({2, 2}), 6, 2, 1.5},
          {Partition({2, 1, 1}), 5, 3, 1.75},
          {Partition::standard(4), 4, 4, 2}};
}

/// The faces of the lower envelope of some partitions' lines over m > 0, found by trying all of them.
[[nodiscard]] inline std::vector<RealHopsFace> envelope(
    const std::vector<Partition>& partitions,
    const std::function<Line(const Partition&)>& line_of = [](const Partition& one) { return equation_6(one); }) {
  std::vector<RealHopsFace> lines;
  for (const Partition& one : partitions) {
    const Line line = line_of(one);
    lines.push_back({one, 0, line.slope, line.intercept});
  }
  return lower_envelope(lines);
}

/// The line through two exchanges measured on the machine.
[[nodiscard]] inline Line measured_line(MeasuredMachine& machine, const Partition& partition) {
  constexpr Bytes few = 16;
  constexpr Bytes many = 48;
  const double at_few = machine.exchange_us(partition, few);
  const double slope = (machine.exchange_us(partition, many) - at_few) / (many - few);
  return {.slope = slope, .intercept = at_few - slope * few};
}

/// Bytes at which two lines meet.
[[nodiscard]] inline double meeting(const Line& a, const Line& b) {
  return (b.intercept - a.intercept) / (a.slope - b.slope);
}

/// The machine has every parameter as a whole number of cycles.
inline constexpr Tolerance rounding = {1e-6, "double arithmetic: the machine's parameters are whole numbers of cycles"};

}  // namespace ecube::bokhari

/// van de Geijn 1991: the times of the combine's versions.
namespace ecube::van_de_geijn {

/// Times by n items and d dimensions.
struct Rates {
  double alpha = 0;
  double beta = 0;
  double gamma = 0;

  [[nodiscard]] double version_1(double n, unsigned d) const {
    return judged(2 * d * (alpha + n * beta) + d * n * gamma, "time of Version 1");
  }
  [[nodiscard]] double version_2(double n, unsigned d) const {
    return judged(d * (alpha + n * beta + n * gamma), "time of Version 2");
  }
  [[nodiscard]] double version_3(double n, unsigned d) const {
    return judged(2 * d * alpha + (1 - 1 / std::exp2(d)) * n * (2 * beta + gamma), "time of Version 3");
  }
  /// The hybrid, with full vectors in k directions.
  [[nodiscard]] double corollary_4(double n, unsigned d, unsigned k) const {
    const double left = std::exp2(k) / std::exp2(d);
    return judged(2 * (d - k) * alpha + (1 - left) * n * (2 * beta + gamma) + k * (alpha + left * n * (beta + gamma)),
                  "time by Corollary 4");
  }
  /// Theorem 1: the n from which k directions of full vectors are best.
  [[nodiscard]] double threshold(unsigned d, unsigned k) const {
    return std::exp2(d - k) * alpha / (k * (beta + gamma) + gamma);
  }
  /// The smallest k of Theorem 1; d where no smaller one will do.
  [[nodiscard]] unsigned directions(double n, unsigned d) const {
    unsigned k = 0;
    while (k < d && n < threshold(d, k)) ++k;
    return k;
  }
};

}  // namespace ecube::van_de_geijn

namespace ecube {

/// Nicol & Bokhari 1994, section 3. With m tau = 1: the start-up is L / (m tau), the shuffle 2^d rho.
struct Startup {
  unsigned dim = 1;
  double ratio = 1;
  double rho = 0;
  double barrier = 0;

  [[nodiscard]] double blocks() const { return std::exp2(dim); }
  /// L / (m tau) below which parts of this sum are better merged.
  [[nodiscard]] double merge_below(double sum) const { return judged(std::exp2(dim - sum), "merged below"); }
  [[nodiscard]] double s_bar() const { return judged(dim - std::log2(ratio), "s-bar"); }
  /// Lemma 1, of L / (m tau).
  [[nodiscard]] double direct_up_to() const {
    return judged((blocks() * rho + barrier) / (blocks() - std::exp2(dim / 2.0 + 1) + 1) + 1, "Direct up to");
  }
  [[nodiscard]] double standard_from() const { return judged(blocks() * (0.25 + rho) + barrier, "Standard from"); }
  /// P_d; it is asked for millions of times, so only whole numbers of dimensions, in six digits, have their own names.
  [[nodiscard]] double phase(double x) const {
    const double cost = (std::exp2(x) - 1) * (ratio + std::exp2(dim - x)) + blocks() * rho + barrier;
    return std::abs(x - std::round(x)) < 5e-6 ? judged(cost, "P({:g})", x) : judged(cost, "P(x)");
  }
  /// s*: one phase takes as long as two of half its dimensions, by bisection; below 2 or above d there is none. Where
  /// phases cost nothing of their own it is s-bar.
  [[nodiscard]] std::optional<double> equal_phases() const {
    const auto later = [&](double s) { return phase(s) - 2 * phase(s / 2); };
    double low = std::max(2.0, dim - std::log2(ratio));
    double high = dim;
    if (low > high || later(low) > 1e-9 * phase(low) || later(high) <= 0) return std::nullopt;
    for (unsigned i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (later(middle) < 0 ? low : high) = middle;
    }
    return judged(high, "s* by bisection");
  }
};

/// Circuits that pass at once.
using Round = std::vector<PlannedCircuit>;
/// Direct on a mesh of sides 4, or on 6 x 6 nodes, in as few rounds as its bisection allows: no two circuits of one
/// share a link.
[[nodiscard]] std::vector<Round> direct_rounds(const Topology& topology);
/// What keeps rounds from being those of Direct: two circuits of one share a link, a node sends or receives twice in
/// one, a pair of nodes is in two rounds or in none, or is no pair. Empty if nothing does. Rounds count from 1.
[[nodiscard]] std::string fault_of(std::span<const Round> rounds, const Topology& topology);

}  // namespace ecube
