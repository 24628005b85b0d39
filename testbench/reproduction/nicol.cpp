// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994: the multiphase exchange on the iPSC/860, and the bounds on its best partition.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/exchange/hull.h"
#include "models/presets/presets.h"
#include "testbench/collective/recommendation.h"
#include "testbench/reproduction/measured_machine.h"
#include "testbench/reproduction/results.h"
#include "testbench/reproduction/tally.h"

namespace ecube {

namespace {

/// "8 msec"
constexpr Tolerance one_digit = {6.25, "printed with one digit: half a unit of it"};
/// Of numbers worked out with four decimals.
constexpr Tolerance worked_out = {2e-3, "worked out by hand to this many digits"};
constexpr Tolerance crossing_worked_out = {0.05, "worked out by hand to this many digits"};

/// Full lines of the model with the printed parameters, and where they cross (worked out from section 4's parameters).
struct Line {
  Partition partition;
  double slope_us_per_byte;
  double intercept_us;
};
struct Crossing {
  double charged_bytes;  ///< Direct pays for its shuffle
  double skipped_bytes;  ///< Direct does not pay, as in the program that was measured
};

class PrintedPlot {
 public:
  PrintedPlot(TestBench& bench, const Machine& machine, unsigned dim)
      : machine_(bench, machine), dim_(dim), published_(*published_parameters("ipsc860", dim)) {
    published_.pairwise_sync_messages = true;
  }

  double ms(const Partition& partition, Bytes bytes) { return machine_.exchange_us(partition, bytes) / 1000; }

  /// By the equation with the printed parameters, Direct without the shuffle that moves nothing.
  [[nodiscard]] double predicted_ms(const Partition& partition, double bytes) const {
    const ExchangeOptions options = {.hops = HopCount::average, .identity_shuffle = IdentityShuffle::skip};
    return exchange_cost(partition, bytes, published_, options).total() / 1000;
  }

  std::uint64_t crossing(const Partition& earlier, const Partition& later) {
    return first_between(0, 1000,
                         [&](std::uint64_t bytes) { return bytes > 0 && ms(later, bytes) < ms(earlier, bytes); })
        .value_or(0);
  }

  Chart chart(std::span<const Partition> partitions) {
    Chart chart{.title = fmt::format("Multiphase exchange, {} nodes (d = {})", 1U << dim_, dim_),
                .x = {.label = "message size m, bytes", .least = 0, .most = 400},
                .y = {.label = "time, ms", .least = 0}};
    double highest = 0;
    for (unsigned colour = 0; colour < partitions.size(); ++colour) {
      const Partition& partition = partitions[colour];
      const std::string name = "(" + partition.name() + ")";
      Series predicted{.name = name + " predicted", .points = {}, .colour = colour};
      Series measured{.name = name + " measured", .kind = SeriesKind::measured, .colour = colour};
      for (unsigned bytes = 0; bytes <= 400; bytes += 20) {
        predicted.points.emplace_back(bytes, predicted_ms(partition, bytes));
        const Bytes sent = std::max(1U, bytes);
        measured.points.emplace_back(sent, ms(partition, sent));
      }
      if (partition.size() <= 2) highest = std::max(highest, measured.points.back().second);
      chart.series.push_back(std::move(predicted));
      chart.series.push_back(std::move(measured));
    }
    chart.y.most = std::ceil(highest * 1.3);
    return chart;
  }

  void check_lines(std::span<const Line> lines, std::span<const Crossing> crossings, Reproduction& result) const {
    for (const IdentityShuffle shuffle : {IdentityShuffle::charge, IdentityShuffle::skip}) {
      const HullParameters p =
          hull_parameters(published_, dim_, {.hops = HopCount::average, .identity_shuffle = shuffle});
      const bool charged = shuffle == IdentityShuffle::charge;
      const std::string_view note = charged ? "" : ", Direct's shuffle left out";
      std::vector<HullLine> equations;
      for (const Line& line : lines) {
        equations.push_back(equipartition_line(dim_, static_cast<unsigned>(line.partition.size()), p));
        if (!charged) continue;
        const double slope = static_cast<double>(equations.back().slope * std::ldexp(Wide{1}, static_cast<int>(dim_)));
        result.number(ours, fmt::format("equation of ({}), slope", line.partition.name()), line.slope_us_per_byte,
                      slope, worked_out, "us/B");
        result.number(ours, fmt::format("equation of ({}), at 0 B", line.partition.name()), line.intercept_us,
                      static_cast<double>(equations.back().intercept), worked_out, "us");
      }
      for (std::size_t i = 0; i < crossings.size(); ++i) {
        const Wide meet = (equations[i].intercept - equations[i + 1].intercept) /
                          (equations[i + 1].slope - equations[i].slope) / std::ldexp(Wide{1}, static_cast<int>(dim_));
        result.number(ours,
                      fmt::format("({}) and ({}) cross by the equation{}", lines[i].partition.name(),
                                  lines[i + 1].partition.name(), note),
                      charged ? crossings[i].charged_bytes : crossings[i].skipped_bytes, static_cast<double>(meet),
                      crossing_worked_out, "B");
      }
    }
  }

  /// Whether the order of partitions at some sizes is the stated one.
  Check best_is(const Partition& partition, std::span<const Bytes> sizes) {
    bool holds = true;
    std::string at;
    for (const Bytes bytes : sizes) {
      at += fmt::format("{}{}", at.empty() ? "" : ", ", bytes);
      for (const Partition& other : partitions_of(dim_)) {
        holds = holds && ms(partition, bytes) <= ms(other, bytes) * (1 + 1e-12);
      }
    }
    return statement_check(print,
                           fmt::format("({}) is the fastest of all {} partitions at {} B", partition.name(),
                                       partitions_of(dim_).size(), at),
                           holds);
  }

  Check standard_is_never_best() {
    bool ever = false;
    const Partition standard = Partition::standard(dim_);
    for (Bytes bytes = 1; bytes <= 512; bytes *= 2) {
      bool least = true;
      for (const Partition& other : equipartitions_of(dim_)) {
        if (!(other == standard)) least = least && ms(standard, bytes) < ms(other, bytes);
      }
      ever = ever || least;
    }
    return statement_check(print, "Standard is never the fastest, 1 to 512 B", !ever);
  }

  /// The partitions that are fastest at some size up to 400 B, in the order of sizes.
  std::string optimal_ones() {
    std::string names;
    std::string last;
    for (const Bytes bytes : {1U, 2U, 4U, 6U, 8U, 16U, 32U, 64U, 96U, 160U, 256U, 400U}) {
      Partition best = Partition::direct(dim_);
      double least = ms(best, bytes);
      for (const Partition& partition : partitions_of(dim_)) {
        const double took = ms(partition, bytes);
        if (took >= least) continue;
        least = took;
        best = partition;
      }
      const std::string name = fmt::format("({})", best.name());
      if (name != last) names += (names.empty() ? "" : " ") + name;
      last = name;
    }
    return names;
  }

 private:
  MeasuredMachine machine_;
  unsigned dim_;
  ExchangeParameters published_;
};

}  // namespace

Reproduction nicol_figure_2(TestBench& bench, const Machine& machine) {
  PrintedPlot figure(bench, machine, 5);
  Reproduction result;
  const Partition direct = Partition::direct(5);
  const Partition two({3, 2});
  const Partition standard = Partition::standard(5);
  result.panels.emplace_back(figure.chart(std::array{two, direct, standard}));
  const auto crossing = figure.crossing(two, direct);
  result.no_number("the curves, which our copy has lost");
  result.number(print, "Direct, 1 byte (\"approximately\")", 7, figure.ms(direct, 1), read_off, "ms");
  result.number(print, "(3,2) and Direct cross (\"about\")", 100, static_cast<double>(crossing), read_off, "B");
  result.text(print, "fastest of all partitions at some size", "(3,2) (5)", figure.optimal_ones());
  result.add(figure.best_is(two, std::array<Bytes, 4>{1, 16, 32, 64}));
  result.add(figure.best_is(direct, std::array<Bytes, 3>{160, 256, 400}));
  result.add(figure.standard_is_never_best());
  figure.check_lines(std::array{Line{two, 55.048, 3790}, Line{direct, 29.494, 7849}},
                     std::array{Crossing{158.84, 94.8}}, result);
  result.remarks =
      "With Direct's redundant shuffle charged, the printed equation would have the crossing at 158.8 B: nicol-direct "
      "holds readings of the equation beside each other.";
  return result;
}

Reproduction nicol_figure_3(TestBench& bench, const Machine& machine) {
  PrintedPlot figure(bench, machine, 6);
  Reproduction result;
  const Partition direct = Partition::direct(6);
  const Partition three({2, 2, 2});
  const Partition two({3, 3});
  const Partition standard = Partition::standard(6);
  result.panels.emplace_back(figure.chart(std::array{two, direct, standard, three}));
  const auto crossing = figure.crossing(two, direct);
  const auto first = figure.crossing(three, two);
  result.no_number("the curves, which our copy has lost");
  result.number(print, "(3,3) and Direct cross (\"about\")", 140, static_cast<double>(crossing), read_off, "B");
  result.number(print, "32 bytes, Direct (\"about\")", 17, figure.ms(direct, 32), read_off, "ms");
  result.number(print, "32 bytes, Standard (\"about\")", 17, figure.ms(standard, 32), read_off, "ms");
  result.number(print, "32 bytes, best multiphase (3,3)", 8, figure.ms(two, 32), one_digit, "ms");
  const auto equal = figure.crossing(standard, direct);
  result.number(print, "Standard and Direct take the same time at (\"about\")", 32, static_cast<double>(equal),
                read_off, "B");
  result.text(print, "fastest of all partitions at some size", "(3,3) (6)", figure.optimal_ones());
  result.add(figure.best_is(two, std::array<Bytes, 4>{8, 16, 32, 64}));
  result.add(figure.best_is(direct, std::array<Bytes, 3>{160, 256, 400}));
  result.add(figure.standard_is_never_best());
  result.number(print, "at 32 B the best multiphase is faster than both by a factor of", 2,
                std::min(figure.ms(direct, 32), figure.ms(standard, 32)) / figure.ms(two, 32), read_off, "");
  figure.check_lines(
      std::array{Line{three, 160.416, 4853.7}, Line{two, 113.248, 5150.2}, Line{direct, 59.382, 15975.9}},
      std::array{Crossing{6.286, 6.286}, Crossing{200.97, 122.4}}, result);
  result.remarks = fmt::format(
      "(3,3) and Direct cross at {} B on the machine, at 122.4 B by the paper's own formula without Direct's shuffle. "
      "(2,2,2) is faster than (3,3) up to {} B.",
      crossing, first - 1);
  return result;
}

namespace {

/// Section 3 with m = 1 B and tau = 1 us/B: the start-up is L / (m tau).
struct Bounds {
  unsigned dim;
  double startup;
  double rho;

  [[nodiscard]] double blocks() const { return std::ldexp(1.0, static_cast<int>(dim)); }
  /// P_d of a phase over a real number of dimensions.
  [[nodiscard]] double phase(double dims) const {
    return (std::exp2(dims) - 1) * (startup + std::exp2(dim - dims)) + blocks() * rho;
  }
  /// s*: one phase over s dimensions takes as long as two over half of them each.
  [[nodiscard]] double sum() const {
    double one_phase = 0;  // is faster
    double two_phases = dim;
    for (unsigned i = 0; i < 60; ++i) {
      const double middle = (one_phase + two_phases) / 2;
      (phase(middle) < 2 * phase(middle / 2) ? one_phase : two_phases) = middle;
    }
    return two_phases;
  }
  /// Lemma 1: at or below the first Direct is optimal, at or above the second Standard is.
  [[nodiscard]] double direct() const {
    const double root = std::exp2(dim / 2.0) - 1;
    return blocks() * rho / (root * root) + 1;
  }
  [[nodiscard]] double standard() const { return blocks() * (0.25 + rho); }
};

/// A partition with the sums of equation (2).
struct Summed {
  Partition partition;
  double power;    ///< sum of 2^d_i
  double inverse;  ///< sum of 2^-d_i

  [[nodiscard]] double time(const Bounds& at) const {
    const auto n = static_cast<double>(partition.size());
    return (power - n) * at.startup + at.blocks() * (n - inverse + n * at.rho);
  }
};

std::vector<Summed> summed_partitions(unsigned dim) {
  std::vector<Summed> result;
  for (const Partition& partition : partitions_of(dim)) {
    Summed& one = result.emplace_back(Summed{partition, 0, 0});
    for (const unsigned part : partition.parts()) {
      one.power += std::ldexp(1.0, static_cast<int>(part));
      one.inverse += std::ldexp(1.0, -static_cast<int>(part));
    }
  }
  return result;
}

/// The number of equipartitions that remain to be compared, by the bounds on the largest part or by those on the number
/// of phases, whichever leave fewer. `ends`: of the equipartitions with the same largest part only the first and the
/// last count, since the lines of all of them meet in one point (Bokhari 1993, Theorem 3).
unsigned comparisons(unsigned dim, double sum, bool ends) {
  unsigned by_part = 0;
  unsigned by_phases = 0;
  for (unsigned phases = 1; phases <= dim; ++phases) {
    const unsigned largest = (dim + phases - 1) / phases;
    const bool inner = phases > 1 && phases < dim && (dim + phases - 2) / (phases - 1) == largest &&
                       (dim + phases) / (phases + 1) == largest;
    const bool within = largest >= std::floor(sum) / 2 && largest <= std::ceil(sum);
    by_part += within && !(ends && inner) ? 1 : 0;
    by_phases += phases <= 2 * dim / std::ceil(sum) ? 1 : 0;
  }
  return std::min(by_part, by_phases);
}

}  // namespace

Reproduction nicol_bounds(TestBench& bench, const Machine& preset) {
  Reproduction result;
  constexpr unsigned shown_dim = 10;
  constexpr double rho_to_tau = 0.54 / 0.394;
  Series phases{.name = "phases of the best partition", .kind = SeriesKind::measured, .colour = 0};
  Series bound{.name = "bound 2d / ceil(s*)", .kind = SeriesKind::predicted, .colour = 1};
  Series sum{.name = "s*", .kind = SeriesKind::predicted, .colour = 2};
  Series largest{.name = "largest part", .kind = SeriesKind::measured, .colour = 2};
  Tally parts;
  Tally optimal;
  Tally few_phases;
  Tally compared;
  Tally compared_ends;
  for (unsigned d = 2; d <= 24; ++d) {
    const std::vector<Summed> partitions = summed_partitions(d);
    for (double power = -1; power <= d + 4; power += 0.125) {
      const Bounds at = {.dim = d, .startup = std::exp2(power), .rho = rho_to_tau};
      const std::string where = fmt::format("d {} L/(m tau) {:.4g}", d, at.startup);
      const Summed& best = *std::min_element(partitions.begin(), partitions.end(),
                                             [&](const Summed& a, const Summed& b) { return a.time(at) < b.time(at); });
      const auto sizes = best.partition.parts();
      if (at.startup <= at.direct()) optimal.add(sizes.size() == 1, where);
      if (at.startup >= at.standard()) optimal.add(sizes.size() == d, where);
      if (at.startup <= at.direct() || at.startup >= at.standard()) continue;
      const double s = at.sum();
      // Parts are in non-increasing order.
      const bool pairs = sizes.size() == 1 || sizes[sizes.size() - 1] + sizes[sizes.size() - 2] >= std::floor(s);
      parts.add(best.partition.is_equipartition() && sizes[0] <= std::ceil(s) && pairs, where);
      few_phases.add(static_cast<double>(sizes.size()) <= 2 * d / std::ceil(s), where);
      const double limit = 2 * (std::sqrt(d) + 1);
      compared.add(comparisons(d, s, false) <= limit, where);
      compared_ends.add(comparisons(d, s, true) <= limit, where);
      if (d != shown_dim) continue;
      phases.points.emplace_back(at.startup, sizes.size());
      bound.points.emplace_back(at.startup, 2 * d / std::ceil(s));
      sum.points.emplace_back(at.startup, s);
      largest.points.emplace_back(at.startup, sizes[0]);
    }
  }
  result.panels.emplace_back(
      Chart{.title = fmt::format("Best partition and its bounds, d = {}, rho / tau = {:.2f}", shown_dim, rho_to_tau),
            .x = {.label = "L / (m tau)", .logarithmic = true},
            .y = {.label = "phases; dimensions", .least = 0},
            .series = {bound, phases, sum, largest}});
  result.add(parts.check(
      print, "d = 2 .. 24, best of all partitions: parts at most ceil(s*), differ by 1, two make floor(s*) or more"));
  result.add(few_phases.check(print, "it has at most 2d / ceil(s*) phases"));
  result.add(optimal.check(print, "Direct up to the lower bound of Lemma 1, Standard from the upper one"));
  result.add(compared.check(print, "at most 2 (sqrt d + 1) equipartitions to compare"));
  result.add(compared_ends.check(ours, "the same with only the first and last equipartition of each largest part"));

  MeasuredMachine machine(bench, preset);
  Tally measured;
  for (Bytes bytes = 1; bytes <= 128; bytes *= 2) {
    Partition best = Partition::direct(6);
    double least = machine.exchange_us(best, bytes);
    for (const Partition& partition : partitions_of(6)) {
      const double us = machine.exchange_us(partition, bytes);
      if (us < least) {
        least = us;
        best = partition;
      }
    }
    const Bounds at = {.dim = 6, .startup = 110.0 / (2 * static_cast<double>(bytes)), .rho = 0.5};
    const double s = at.sum();
    measured.add(best.is_equipartition() && best.parts()[0] <= std::ceil(s) &&
                     static_cast<double>(best.size()) <= 2 * 6 / std::ceil(s),
                 fmt::format("{} B", bytes));
  }
  result.add(measured.check(
      print, "the fastest of all partitions on the machine (preset hull, d = 6, 1 .. 128 B) keeps within them"));
  result.remarks =
      "Our copy has \"W\" for sqrt d under the bound on comparisons. Its proof counts the largest parts that are left, "
      "one comparison each; where several equipartitions have one largest part there are more, unless only the first "
      "and the last of them are looked at.";
  return result;
}

}  // namespace ecube
