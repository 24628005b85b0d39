// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994: the multiphase exchange on the iPSC/860, and the bounds on its best partition.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "models/machine/spelling.h"
#include "models/presets/presets.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// A line of the model with the printed parameters, and where it crosses the next one (worked out from section 4's
/// parameters).
struct Stated {
  Partition partition;
  bokhari::Line line;
  double charged_bytes = 0;  ///< Direct pays for its shuffle
  double skipped_bytes = 0;  ///< Direct does not pay, as in the program that was measured
};

std::string bracketed(const Partition& partition) { return "(" + partition.name() + ")"; }

class PrintedPlot {
 public:
  PrintedPlot(MeasuredMachine machine, unsigned dim)
      : machine_(std::move(machine)), dim_(dim), published_(*published_parameters("ipsc860", dim)) {
    published_.pairwise_sync_messages = true;
  }

  double ms(const Partition& partition, Bytes bytes) { return machine_.exchange_us(partition, bytes) / 1000; }

  /// By the equation with the printed parameters, Direct without the shuffle that moves nothing.
  [[nodiscard]] double predicted_ms(const Partition& partition, double bytes) const {
    const ExchangeOptions options = {.hops = HopCount::average, .identity_shuffle = IdentityShuffle::skip};
    return exchange_cost(partition, bytes, published_, options).total() / 1000;
  }

  Chart chart(std::span<const Partition> partitions) {
    Chart chart = chart_of("nicol-figs", {}, 1U << dim_, dim_);
    Curves curves(partitions, " predicted", " measured", bracketed);
    double highest = 0;
    for (unsigned i = 0; i < partitions.size(); ++i) {
      for (unsigned bytes = 0; bytes <= 400; bytes += 20) {
        const Bytes sent = std::max(1U, bytes);
        curves.predicted(i).emplace_back(bytes, predicted_ms(partitions[i], bytes));
        curves.measured(i).emplace_back(sent, ms(partitions[i], sent));
      }
      if (partitions[i].size() <= 2) highest = std::max(highest, curves.measured(i).back().second);
    }
    chart.series = std::move(curves.series);
    chart.y.most = std::ceil(highest * 1.3);
    return chart;
  }

  void check_lines(std::span<const Stated> lines, Findings& result) const {
    for (const IdentityShuffle shuffle : {IdentityShuffle::charge, IdentityShuffle::skip}) {
      const HullParameters p =
          hull_parameters(published_, dim_, {.hops = HopCount::average, .identity_shuffle = shuffle});
      const bool charged = shuffle == IdentityShuffle::charge;
      std::vector<bokhari::Line> equations;
      for (const Stated& stated : lines) {
        const HullLine of_hull = equipartition_line(dim_, static_cast<unsigned>(stated.partition.size()), p);
        const double slope = static_cast<double>(of_hull.slope) * std::exp2(dim_);
        equations.push_back(judged(bokhari::Line{slope, static_cast<double>(of_hull.intercept)}, "equation of {}",
                                   stated.partition.braced_name()));
        if (!charged) continue;
        result.number("slope", stated.line.slope, equations.back().slope, stated.partition.name());
        result.number("intercept", stated.line.intercept, equations.back().intercept, stated.partition.name());
      }
      for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        result.number("by_equation", charged ? lines[i].charged_bytes : lines[i].skipped_bytes,
                      bokhari::meeting(equations[i], equations[i + 1]), lines[i].partition.name(),
                      lines[i + 1].partition.name(), charged ? "" : ", Direct's shuffle left out");
      }
    }
  }

  /// `two` is the fastest at these sizes, Direct at long blocks, and nothing else at any.
  void check_faces(const Partition& two, std::span<const Bytes> sizes, Findings& result) {
    const Partition direct = Partition::direct(dim_);
    const Partition standard = Partition::standard(dim_);
    const std::vector<Partition> all = partitions_of(dim_);
    std::vector<std::string> fastest;  // at some size up to 400 B, in the order of sizes
    for (const Partition& one :
         machine_.fastest(all, std::array<Bytes, 12>{1, 2, 4, 6, 8, 16, 32, 64, 96, 160, 256, 400})) {
      fastest.push_back(bracketed(one));
    }
    result.text("fastest", bracketed(two) + " " + bracketed(direct), joined(fastest, " "));
    const auto add_best = [&](const Partition& best, std::span<const Bytes> at) {
      const bool holds = std::ranges::all_of(at, [&](Bytes bytes) { return machine_.fastest(all, bytes) == best; });
      result.statement("best", holds, "", best.name(), all.size(), fmt::join(at, ", "));
    };
    add_best(two, sizes);
    add_best(direct, std::array<Bytes, 3>{160, 256, 400});
    for (Bytes bytes = 1; bytes <= 512; bytes *= 2) {
      result["standard"].add(machine_.fastest(equipartitions_of(dim_), bytes) != standard, "{} B", bytes);
    }
    result.add(takes_equation_2(all, "all partitions take"));
    result.add(takes_equation_2(std::array{standard}, "Standard takes"));
  }

 private:
  /// The machine against the equation with the printed parameters, which has one delta for all distances.
  Check takes_equation_2(std::span<const Partition> partitions, std::string_view which) {
    Furthest furthest;
    for (const Partition& partition : partitions) {
      for (const Bytes bytes : {1U, 16U, 64U, 160U, 400U})
        furthest.add(ms(partition, bytes), predicted_ms(partition, static_cast<double>(bytes)));
    }
    return furthest.check(print, fmt::format("machine: {} what equation (2) says, 1 to 400 B, within 10 %", which), 10);
  }

  MeasuredMachine machine_;
  unsigned dim_;
  ExchangeParameters published_;
};

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
  return judged(std::min(by_part, by_phases), "comparisons, {}", ends ? "ends" : "all");
}

}  // namespace

void nicol_fig2(Findings& result, MeasuredMachine& machine) {
  PrintedPlot figure(machine, 5);
  const Partition direct = Partition::direct(5);
  const Partition two({3, 2});
  const Partition standard = Partition::standard(5);
  result.panels.emplace_back(figure.chart(std::array{two, direct, standard}));
  const auto crossing = machine.crossing(two, direct);
  result.no_number("the curves, which our copy has lost");
  result.number("direct_1", 7, figure.ms(direct, 1));
  result.number("cross", 100, static_cast<double>(crossing));
  figure.check_faces(two, std::array<Bytes, 4>{1, 16, 32, 64}, result);
  figure.check_lines(std::array{Stated{two, {55.048, 3790}, 158.84, 94.8}, Stated{direct, {29.494, 7849}}}, result);
}

void nicol_fig3(Findings& result, MeasuredMachine& machine) {
  PrintedPlot figure(machine, 6);
  const Partition direct = Partition::direct(6);
  const Partition three({2, 2, 2});
  const Partition two({3, 3});
  const Partition standard = Partition::standard(6);
  result.panels.emplace_back(figure.chart(std::array{two, direct, standard, three}));
  const auto crossing = machine.crossing(two, direct);
  const auto first = machine.crossing(three, two);
  result.no_number("the curves, which our copy has lost");
  result.number("cross", 140, static_cast<double>(crossing));
  result.number("direct_32", 17, figure.ms(direct, 32));
  result.number("standard_32", 17, figure.ms(standard, 32));
  result.number("best_32", 8, figure.ms(two, 32));
  const auto equal = machine.crossing(standard, direct);
  result.number("same_time", 32, static_cast<double>(equal));
  figure.check_faces(two, std::array<Bytes, 4>{8, 16, 32, 64}, result);
  result.number("factor", 2, std::min(figure.ms(direct, 32), figure.ms(standard, 32)) / figure.ms(two, 32));
  figure.check_lines(std::array{Stated{three, {160.416, 4853.7}, 6.286, 6.286},
                                Stated{two, {113.248, 5150.2}, 200.97, 122.4}, Stated{direct, {59.382, 15975.9}}},
                     result);
  result.remarks = fmt::format(
      "(3,3) and Direct cross at {} B on the machine, at 122.4 B by the paper's own formula without Direct's shuffle. "
      "(2,2,2) is faster than (3,3) up to {} B.",
      crossing, first - 1);
}

void nicol_bounds(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned shown_dim = 10;
  constexpr double rho_to_tau = 0.54 / 0.394;
  Series phases{.name = "phases of the best partition", .kind = SeriesKind::measured, .colour = 0};
  Series bound{.name = "bound 2d / ceil(s*)", .kind = SeriesKind::predicted, .colour = 1};
  Series sum{.name = "s*", .kind = SeriesKind::predicted, .colour = 2};
  Series largest{.name = "largest part", .kind = SeriesKind::measured, .colour = 2};
  for (unsigned d = 2; d <= 24; ++d) {
    const std::vector<Partition> partitions = partitions_of(d);
    for (double power = -1; power <= d + 4; power += 0.125) {
      const Startup at = {.dim = d, .ratio = std::exp2(power), .rho = rho_to_tau};
      const std::string where = fmt::format("d {} L/(m tau) {:.4g}", d, at.ratio);
      std::vector<double> phase(d + std::size_t{1});
      for (unsigned part = 1; part <= d; ++part) phase[part] = at.phase(part);
      const auto time = [&](const Partition& one) {
        return std::accumulate(one.parts().begin(), one.parts().end(), 0.0,
                               [&](double before, unsigned part) { return before + phase[part]; });
      };
      const Partition best =
          judged(*std::ranges::min_element(partitions, std::less<>(), time), "best partition of {}", d);
      const auto sizes = best.parts();
      const bool below = at.ratio <= at.direct_up_to();
      const bool above = at.ratio >= at.standard_from();
      if (below || above) result["optimal"].add(sizes.size() == (below ? 1 : d), where);
      if (below || above) continue;
      const double s = *at.equal_phases();
      // Parts are in non-increasing order.
      const bool pairs = sizes.size() == 1 || sizes[sizes.size() - 1] + sizes[sizes.size() - 2] >= std::floor(s);
      result["parts"].add(best.is_equipartition() && sizes[0] <= std::ceil(s) && pairs, where);
      result["few_phases"].add(static_cast<double>(sizes.size()) <= 2 * d / std::ceil(s), where);
      const double limit = 2 * (std::sqrt(d) + 1);
      result["compared"].add(comparisons(d, s, false) <= limit, where);
      result["compared_ends"].add(comparisons(d, s, true) <= limit, where);
      if (d != shown_dim) continue;
      phases.points.emplace_back(at.ratio, sizes.size());
      bound.points.emplace_back(at.ratio, 2 * d / std::ceil(s));
      sum.points.emplace_back(at.ratio, s);
      largest.points.emplace_back(at.ratio, sizes[0]);
    }
  }
  result.panels.emplace_back(chart_of("nicol-bounds", {bound, phases, sum, largest}, shown_dim, rho_to_tau));
  for (Bytes bytes = 1; bytes <= 128; bytes *= 2) {
    const Partition best = machine.fastest(partitions_of(6), bytes);
    const Startup at = {.dim = 6, .ratio = 110.0 / (2 * static_cast<double>(bytes)), .rho = 0.5};
    // Where there is no s* the bounds are those at its ends.
    const double s = at.equal_phases().value_or(at.ratio >= at.standard_from() ? 2 : 6);
    result["measured"].add(best.is_equipartition() && best.parts()[0] <= std::ceil(s) &&
                               static_cast<double>(best.size()) <= 2 * 6 / std::ceil(s),
                           "{} B", bytes);
  }
}

}  // namespace ecube
