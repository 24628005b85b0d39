// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994, section 3: the analysis of the best partition, held against trying all partitions.

#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr double tiny = 1e-9;

double time_of(const Startup& at, const Partition& partition) {
  double sum = 0;
  for (const unsigned part : partition.parts()) sum += at.phase(part);
  return sum;
}

/// Theorem 3.
double most_phases(unsigned dim, double s) { return judged((2.0 * dim + 2) / (s - 1), "most phases"); }

std::string where(const Startup& at) {
  return fmt::format("d {}, L/(m tau) {:.4g}, rho/tau {}, Q/(m tau) {}", at.dim, at.ratio, at.rho, at.barrier);
}

/// The tightest of many start-ups, for every cube up to 2^10 nodes, with and without shuffles and barriers.
std::vector<Startup> startups() {
  std::vector<Startup> all;
  for (unsigned dim = 2; dim <= 10; ++dim) {
    for (const double rho : {0.0, 0.25, 1.4}) {
      for (const double barrier : {0.0, 30.0, 2000.0}) {
        for (double log = -1; log <= dim + 2; log += 0.37) all.push_back({dim, std::exp2(log), rho, barrier});
      }
    }
  }
  return all;
}

/// P_d, x*, A_d, s-bar and Delta_d over real numbers of dimensions.
void check_shapes(Findings& result) {
  for (const Startup& at : startups()) {
    const std::string name = where(at);
    const auto p = [&](double x) { return at.phase(x); };
    constexpr double step = 1.0 / 16;
    const double x_star = judged((at.dim - std::log2(at.ratio)) / 2, "x*");
    for (double x = step; x < at.dim; x += step) {
      result["rises"].add(p(x) > p(x - step), name);
      const double bend = p(x - step) - 2 * p(x) + p(x + step);
      if (std::abs(x - x_star) > 2 * step) result["turns"].add((bend < 0) == (x < x_star), name);
    }
    for (double s = 1; s <= at.dim; s += 0.5) {
      const double apart = at.ratio - at.merge_below(s);
      if (std::abs(apart) < tiny) continue;
      double last = p(0) + p(s);
      for (double x = step; x <= s / 2; x += step) {
        const double now = p(x) + p(s - x);
        result["falls"].add(apart > 0 ? now < last : now > last, name);
        last = now;
      }
    }
    const double s_bar = at.s_bar();
    if (s_bar > 0 && s_bar <= at.dim) {
      Tally& tally = result[at.rho > 0 || at.barrier > 0 ? "bar" : "free_bar"];
      for (double x = 0; x <= s_bar / 2; x += step) {
        tally.add(std::abs(p(x) + p(s_bar - x) - p(0) - p(s_bar)) < 1e-9 * p(s_bar), name);
      }
      tally.add(p(s_bar) < p(0) + p(s_bar), name);
    }
    double last = -INFINITY;
    for (double s = std::max(2.0, s_bar); s <= at.dim; s += step) {
      const double delta = p(s) - 2 * p(s / 2);
      result["unique"].add(delta > last, name);
      last = delta;
    }
    if (const std::optional<double> found = at.equal_phases()) {
      const double s = *found;
      const double ratio = (at.blocks() * (1 + std::exp2(-s) - std::exp2(-s / 2 + 1) + at.rho) + at.barrier) /
                           (std::exp2(s) - std::exp2(s / 2 + 1) + 1);
      result["equation"].add(std::abs(judged(ratio, "equation of s*") / at.ratio - 1) < 1e-6, name);
    }
  }
}

/// The theorems over whole dimensions, all partitions tried.
void check_partitions(Findings& result) {
  for (const Startup& at : startups()) {
    const std::string name = where(at);
    const std::vector<Partition> all = partitions_of(at.dim);
    const auto time = [&](const Partition& partition) { return time_of(at, partition); };
    const Partition best = *std::ranges::min_element(all, {}, time);
    const double least = time(best);
    const std::span<const unsigned> parts = best.parts();
    result["second"].add(
        best.is_equipartition() ||
            time(Partition::equipartition(at.dim, static_cast<unsigned>(best.size()))) <= least * (1 + tiny),
        name);
    const Startup slower{at.dim, at.ratio + 5, at.rho, at.barrier};
    const auto slower_steps = [&](const Partition& partition) { return time_of(slower, partition); };
    result["each_step"].add(std::ranges::min_element(all, {}, slower_steps)->is_equipartition(), name);
    for (unsigned s = 2; s <= at.dim; ++s) {
      if (at.ratio >= at.merge_below(s)) continue;
      for (unsigned a = 1; a < s; ++a) result["merged"].add(at.phase(s) < at.phase(a) + at.phase(s - a), name);
    }
    const std::optional<double> s = at.equal_phases();
    if (std::abs(at.ratio / at.direct_up_to() - 1) > tiny && std::abs(at.ratio / at.standard_from() - 1) > tiny) {
      result["exists"].add(s.has_value() == (at.ratio > at.direct_up_to() && at.ratio < at.standard_from()), name);
      if (at.ratio < at.direct_up_to())
        result["direct"].add(time(Partition::direct(at.dim)) <= least * (1 + tiny), name);
      if (at.ratio > at.standard_from())
        result["standard"].add(time(Partition::standard(at.dim)) <= least * (1 + tiny), name);
    }
    const unsigned last_two = parts.size() > 1 ? parts[parts.size() - 1] + parts[parts.size() - 2] : 0;
    if (parts.size() > 1) {
      for (const unsigned sum : {parts[0] + parts[1], last_two}) {
        result["first"].add(at.ratio >= at.merge_below(sum) * (1 - tiny), name);
      }
    }
    if (!s) continue;
    result["above_bar"].add(*s >= at.s_bar() - tiny, name);
    const double low = std::floor(*s + tiny);
    const double high = std::ceil(*s - tiny);
    if (parts.size() > 1) result["two"].add(last_two >= low, name);
    result["none"].add(parts[0] <= high, name);
    const auto satisfies = [&](const Partition& one) { return one.parts()[0] >= low / 2 && one.parts()[0] <= high; };
    result["three"].add(satisfies(best), name);
    const auto satisfying = std::ranges::count_if(equipartitions_of(at.dim), satisfies);
    result["sizes"].add(static_cast<double>(satisfying) <= (*s + 1) / 2, name);
    result["phases"].add(static_cast<double>(parts.size()) <= most_phases(at.dim, *s) + tiny, name);
    result["phases_own"].add(static_cast<double>(parts.size()) <= 2.0 * at.dim / high, name);
  }
}

/// Theorem 2 over parts that are multiples of 1/4: no such division of d is faster than equal parts of any size.
void check_real_parts(Findings& result) {
  for (unsigned dim = 2; dim <= 6; ++dim) {
    for (const double rho : {0.25, 1.4}) {
      for (double log = 1; log <= dim + 1; log += 0.25) {
        const Startup at{dim, std::exp2(log), rho, 0};
        const std::optional<double> s = at.equal_phases();
        if (!s) continue;
        double least = INFINITY;
        double part = dim;
        for (unsigned k = 1; k <= 4 * dim; ++k) {
          const double took = k * at.phase(static_cast<double>(dim) / k);
          if (took < least) part = static_cast<double>(dim) / k;
          least = std::min(least, took);
        }
        for (const Partition& quarters : partitions_of(4 * dim)) {
          double took = 0;
          for (const unsigned one : quarters.parts()) took += at.phase(one / 4.0);
          result["equal"].add(took >= least * (1 - tiny), where(at));
        }
        if (part < dim) result["sums"].add(2 * part >= *s - tiny, where(at));
        result["highest"].add(part <= *s + tiny, where(at));
      }
    }
  }
}

/// Slopes and intercepts of equipartitions, over the number of phases.
void check_slopes(Findings& result) {
  for (unsigned dim = 2; dim <= 24; ++dim) {
    for (const double barrier : {0.0, 5.0, 700.0}) {
      const Startup few{dim, 100, 0.5, barrier};
      // Of 1 / m in place of m: a double block halves the start-up and the barrier in units of m tau.
      const Startup many{dim, few.ratio / 2, few.rho, barrier / 2};
      const auto line = [&](unsigned n) {
        const Partition one = Partition::equipartition(dim, n);
        const double at_one = time_of(few, one);
        const double slope = 2 * time_of(many, one) - at_one;
        return bokhari::Line{.slope = slope, .intercept = at_one - slope};
      };
      for (unsigned n = 2; n <= dim; ++n) {
        const bool both = line(n).slope > line(n - 1).slope && line(n).intercept < line(n - 1).intercept;
        result[barrier > 0 ? "slopes" : "free_slopes"].add(both, "E({},{}), Q {}", dim, n, barrier);
      }
    }
  }
}

}  // namespace

void nicol_analysis(Findings& result, MeasuredMachine& /*machine*/) {
  Chart& chart = result.chart("nicol-analysis");
  const Startup shown{6, 8, 0.25, 0};
  for (double x = 0; x <= 6; x += 0.125) chart.add(x, shown.phase(x));
  check_shapes(result);
  check_partitions(result);
  check_real_parts(result);
  check_slopes(result);
  double most = 0;
  for (unsigned dim = 6; dim <= 24; ++dim) {
    result["bound_of_two"].add(std::floor(most_phases(dim, dim)) == 2, std::to_string(dim));
    most = std::max(most, most_phases(dim, 2) / dim);
  }
  result.add_statements();
  result.statement("bound_of_d", most <= 1, fmt::format("up to {:.4g} d", most));
}

}  // namespace ecube
