// SPDX-License-Identifier: Apache-2.0
// van de Geijn 1991: times of the combine's versions on 64 nodes, and the choice of the hybrid.

#include <array>

#include "testbench/collective/recommendation.h"
#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

using van_de_geijn::Rates;

namespace {

constexpr unsigned dim = 6;
/// Section 6: the floats by which padded messages are longer, and the length up to which messages are short.
constexpr std::uint64_t pad_floats = 30;
constexpr std::uint64_t short_items = 25;

/// Figure 7.
constexpr Rates figure_7 = {525, 2, 0.35};

/// By the equations of models/ with the parameters of Figure 7.
double equation_us(const Strategy& strategy, std::uint64_t items) {
  static const CombineParameters published = parse_combine_parameters("alpha=525,beta=2,gamma=0.35");
  CombineProblem problem;
  problem.dim = dim;
  problem.items = items;
  return judged(combine_cost(problem, published, HalvingRule::by(strategy)).terms.total(), "equation of {}, {} floats",
                strategy.name(), items);
}

enum class Version : std::uint8_t { tree, full, halving, hybrid };
constexpr std::array<std::string_view, 4> version_names = {"Version 1", "Version 2", "Version 3", "hybrid"};

class Combine {
 public:
  Combine(MeasuredMachine machine, std::uint64_t pad)
      : machine_(std::move(machine)), pad_(pad), parameters_(machine_.calibration().combine(4)) {}

  /// alpha with the padding.
  [[nodiscard]] Rates fitted() const {
    const NeighbourCost& cost = parameters_.exchange;
    return {cost.alpha_us + static_cast<double>(pad_) * parameters_.pad_us_per_item, cost.beta_us_per_item,
            parameters_.gamma_us_per_item};
  }
  [[nodiscard]] std::uint64_t pad() const { return pad_; }

  double us(Version version, std::uint64_t items) {
    const double us = measured_us(items, rule(version, items), version == Version::tree);
    return judged(us, "{}, {} floats, padding {}", version_names[static_cast<std::size_t>(version)], items, pad_);
  }
  [[nodiscard]] double predicted_us(Version version, std::uint64_t items) {
    const CombineProblem problem = workload(items);
    if (version == Version::tree) return tree_cost(problem, parameters_).terms.total();
    return combine_cost(problem, parameters_, rule(version, items)).terms.total();
  }
  double strategy_us(const Strategy& strategy, std::uint64_t items) {
    return judged(measured_us(items, HalvingRule::by(strategy)), "strategy {}", strategy.name());
  }
  /// The first of all 2^d strategies that takes the least time.
  Strategy fastest(std::uint64_t items) {
    const std::vector<Strategy> all = Strategy::all(dim);
    std::vector<double> us;
    for (const Strategy& one : all) us.push_back(strategy_us(one, items));
    return all[static_cast<std::size_t>(std::ranges::min_element(us) - us.begin())];
  }
  Strategy best(std::uint64_t items) { return best_strategy(workload(items), parameters_); }

 private:
  [[nodiscard]] CombineWorkload workload(std::uint64_t items) const {
    CombineWorkload workload;
    workload.items = items;
    workload.pad = pad_;
    workload.payload = Payload::none;
    adapt(workload, machine_.setup(dim));
    return workload;
  }
  double measured_us(std::uint64_t items, const HalvingRule& rule, bool tree = false) {
    CombineWorkload by_rule = workload(items);
    by_rule.rule = rule;
    by_rule.tree = tree;
    GlobalCombine combine(by_rule, dim);
    return machine_.combine_us(dim, by_rule, combine);
  }
  HalvingRule rule(Version version, std::uint64_t items) {
    if (version == Version::halving) return HalvingRule::by(Strategy::halving(dim));
    if (version != Version::hybrid) return HalvingRule::by(Strategy::full(dim));
    // Section 6: without padding, and up to 25 items a node, halve down to 25.
    if (pad_ == 0 && items <= short_items << dim) return HalvingRule::down_to(short_items);
    return HalvingRule::by(best(items));
  }

  MeasuredMachine machine_;
  std::uint64_t pad_;
  CombineParameters parameters_;
};

std::vector<std::uint64_t> lengths(bool with_short_ones) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t n = 4; n <= 65536; n *= 2) {
    result.push_back(n);
    if (with_short_ones && n == 16) result.insert(result.end(), {25, 26});
    if (n >= 32 && n < 65536) result.push_back(n + n / 2);
  }
  return result;
}

void draw(Chart& chart, Combine& combine) {
  for (std::size_t i = 0; i < version_names.size(); ++i) {
    const auto version = static_cast<Version>(i);
    for (const std::uint64_t n : lengths(combine.pad() == 0)) {
      chart.add_pair(i, n, combine.predicted_us(version, n) / 1000, combine.us(version, n) / 1000);
    }
  }
}

constexpr double meet = 320.84;  ///< worked out by hand: where Versions 2 and 3 take the same time

void add_equations(Findings& result) {
  // Straight lines through lengths that 64 divides.
  const auto difference = [](std::uint64_t n) {
    return equation_us(Strategy::full(dim), n) - equation_us(Strategy::halving(dim), n);
  };
  const double slope = (difference(512) - difference(256)) / 256;
  result.number("versions_meet", meet, 256 - difference(256) / slope);
  for (unsigned k = dim; k-- > 0;) {
    const auto first = first_between(0, 1U << 18U, [&](std::uint64_t n) {
      const unsigned best = theorem_1(dim, static_cast<double>(n), figure_7.alpha, figure_7.beta, figure_7.gamma);
      return judged(best, "directions of Theorem 1") <= k;
    });
    result.number("directions", std::ceil(figure_7.threshold(dim, k)), first.value_or(0), k);
  }
}

}  // namespace

void vdg_fig7(Findings& result, MeasuredMachine& machine) {
  Combine combine(machine, pad_floats);
  Chart& predicted = result.chart("vdg-fig7 predicted");
  for (double n = 4; n <= 65536; n *= std::exp2(0.25)) {
    predicted.add(n, figure_7.version_1(n, dim) / 1000, figure_7.version_2(n, dim) / 1000,
                  figure_7.version_3(n, dim) / 1000, figure_7.corollary_4(n, dim, figure_7.directions(n, dim)) / 1000);
  }
  draw(result.chart("vdg-fig7"), combine);
  add_equations(result);
  const Rates fitted = combine.fitted();
  const double alpha = judged(fitted.alpha, "fitted alpha");
  result.number("alpha", 525, alpha);
  result.number("beta", 2, judged(fitted.beta, "fitted beta"));
  result.number("gamma", 0.35, judged(fitted.gamma, "fitted gamma"));
  const auto halving_from = first_between(0, 4096, [&](std::uint64_t n) {
    return n > 0 && combine.us(Version::halving, n) < combine.us(Version::full, n);
  });
  result.number("halving_from", meet, halving_from.value_or(0));
  Furthest furthest;
  for (const std::uint64_t n : lengths(false)) {
    std::array<double, version_names.size()> us{};
    for (std::size_t i = 0; i < us.size(); ++i) {
      us[i] = combine.us(static_cast<Version>(i), n);
      furthest.add(us[i], combine.predicted_us(static_cast<Version>(i), n));
    }
    const auto [v1, v2, v3, v4] = us;
    result["tree_longer"].add(v2 < v1, "{} floats", n);
    result["order"].add(static_cast<double>(n) < meet ? v2 < v3 : v3 < v2, "{} floats", n);
    result["hybrid"].add(v4 <= std::min(v2, v3) * (1 + 1e-12), "{} floats", n);
  }
  const double startups = combine.us(Version::tree, 4) - 4 * (2 * dim * fitted.beta);
  result.statement("startups", startups < 2 * dim * alpha,
                   fmt::format("{:.0f} of {:.0f} us", startups, 2 * dim * alpha));
  result.statement("no_overlap", startups >= 2 * dim * alpha);
  result.within("equations", furthest);
}

void vdg_fig8(Findings& result, MeasuredMachine& machine) {
  Combine padded(machine, pad_floats);
  Combine combine(machine, 0);
  draw(result.chart("vdg-fig8"), combine);
  result.number("alpha", 480, judged(combine.fitted().alpha, "fitted alpha"));
  for (const Version version : {Version::tree, Version::full}) {
    const std::string_view name = version_names[static_cast<std::size_t>(version)];
    const double drop = 100 * (1 - combine.us(version, short_items) / combine.us(version, short_items + 1));
    result.range("drop", 25, 100, drop, name);
    result.statement("small_drop", drop > 5, "", name);
  }
  // A vector of 512 is sent in halves of 16 and 8 in the last steps.
  const auto gain = [&](Version version) { return 100 * (1 - combine.us(version, 512) / padded.us(version, 512)); };
  result.statement("gain", gain(Version::halving) > 2 * gain(Version::full),
                   fmt::format("{:.1f} % against {:.1f} %", gain(Version::halving), gain(Version::full)));
  const auto improvement = [&](std::uint64_t n) {
    const double others =
        std::min({combine.us(Version::tree, n), combine.us(Version::full, n), combine.us(Version::halving, n)});
    return 100 * (1 - combine.us(Version::hybrid, n) / others);
  };
  double short_vectors = 0;
  double long_vectors = 0;
  for (const std::uint64_t n : lengths(true)) {
    double& most = n <= short_items << dim ? short_vectors : long_vectors;
    most = std::max(most, improvement(n));
  }
  result.statement("short", short_vectors > 10, fmt::format("up to {:.1f} %", short_vectors));
  result.statement("long", long_vectors < 10, fmt::format("up to {:.1f} %", long_vectors));
}

void vdg_theorem1(Findings& result, MeasuredMachine& machine) {
  Combine combine(machine, pad_floats);
  const Rates costs = combine.fitted();
  Chart& chart = result.chart("vdg-theorem1");
  for (double power = 6; power <= 17.5; power += 0.25) {
    const std::uint64_t n = static_cast<std::uint64_t>(std::exp2(power)) / 64 * 64;
    const unsigned k = costs.directions(static_cast<double>(n), dim);
    const Strategy fastest = combine.fastest(n);
    unsigned of_fastest = 0;
    while (of_fastest < dim && !fastest.halves(of_fastest)) ++of_fastest;
    result["form"].add(fastest == Strategy::halving_from(of_fastest, dim), "{} floats", n);
    result["same_k"].add(of_fastest == k, "{} floats", n);
    chart.series[1].points.emplace_back(n, of_fastest);
  }
  for (double n = 64; n < 200000; n *= std::exp2(1.0 / 32)) chart.add(n, costs.directions(n, dim));
  MeasuredMachine overlapping = machine;
  overlapping.machine().library.combining = Combining::arriving;
  overlapping.machine().node.overlap = Overlap::on;
  Combine while_arriving(judged(true, "combining while parts arrive") ? overlapping : machine, pad_floats);
  for (const std::uint64_t n : {64U, 256U, 512U, 1024U, 4096U, 16384U}) {
    const Strategy best = while_arriving.best(n);
    result["overlapped"].add(
        while_arriving.strategy_us(best, n) <= while_arriving.strategy_us(while_arriving.fastest(n), n) * 1.001,
        "{} floats", n);
    result["another"].add(best != combine.best(n), "{} floats", n);
  }
  result.add_statements();
  for (unsigned k = dim; k-- > 0;) {
    const Strategy earlier = Strategy::halving_from(k + 1, dim);
    const Strategy later = Strategy::halving_from(k, dim);
    const auto at = first_between(0, 1U << 18U, [&](std::uint64_t n) {
      return n > 0 && combine.strategy_us(later, n) <= combine.strategy_us(earlier, n);
    });
    result.number("k_from", costs.threshold(dim, k), at.value_or(0), k);
  }
}

}  // namespace ecube
