// SPDX-License-Identifier: Apache-2.0
// Bokhari 1993, section 3: times of partitions in any cube at several ratios of the parameters.

#include <array>
#include <map>
#include <set>

#include "testbench/reproduction/equations.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

using namespace bokhari;

constexpr std::array all_rates = {ExchangeRates{110, 2, 1}, ExchangeRates{110, 2, 4}, ExchangeRates{50, 1, 0.25},
                                  ExchangeRates{7, 3, 3}, ExchangeRates{1000, 0.4, 0.54}};

bool equal(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }
bool equal(const Line& a, const Line& b) { return equal(a.slope, b.slope) && equal(a.intercept, b.intercept); }

/// (1)
Line phase(unsigned part, unsigned dim, const ExchangeRates& at) {
  return judged(Line{.slope = ((1 - 1 / std::exp2(part)) * at.tau + at.rho) * std::exp2(dim),
                     .intercept = (std::exp2(part) - 1) * at.message},
                "phase");
}

/// (6), (7)
Line closed(const Partition& parts, unsigned dim, const ExchangeRates& at) {
  return judged(equation_6(parts, dim, at), "line of {}", braced(parts));
}

/// Cardinalities that may have faces: the first and the last one whose parts are q and q + 1, of every level q.
std::vector<unsigned> candidates_of(unsigned dim) {
  std::set<unsigned> found;
  for (unsigned n = 1; n <= dim; n = dim / (dim / n) + 1) {
    const unsigned q = dim / n;
    found.insert({(dim + q) / (q + 1), dim / q});
  }
  return judged(std::vector<unsigned>(found.begin(), found.end()), "candidates");
}

/// (4): the sum over the parts, whether or not they add up to the cube.
Line summed(const Partition& parts, unsigned dim, const ExchangeRates& at) {
  Line sum;
  for (const unsigned part : parts.parts()) sum = sum + phase(part, dim, at);
  return sum;
}

std::string where_of(unsigned dim, const ExchangeRates& at, const Partition& parts) {
  return fmt::format("d {}, rho/tau {:.3g}, {}", dim, at.rho / at.tau, braced(parts));
}

void check_sums(Findings& result) {
  for (const ExchangeRates& at : all_rates) {
    for (unsigned dim = 2; dim <= 14; ++dim) {
      for (unsigned e = 1; e <= dim; ++e) {
        for (const Partition& parts : partitions_of(e)) {
          const std::string where = where_of(dim, at, parts);
          const Line line = closed(parts, dim, at);
          result["closed"].add(equal(line, summed(parts, dim, at)), where);
          result["positive"].add(line.slope > 0 && line.intercept > 0, where);
          if (parts.size() < 2) continue;
          std::vector<unsigned> others(parts.parts().begin() + 1, parts.parts().end());
          const Line less = closed(Partition(others), dim, at);
          result["taken_away"].add(equal(line, less + phase(parts.parts()[0], dim, at)), where);
        }
        for (unsigned n = 1; n <= e; ++n) {
          const unsigned more = e % n;  // parts of ceil(e/n)
          const Line low = phase(e / n, dim, at);
          const Line high = phase(e / n + 1, dim, at);
          result["equal_parts"].add(
              equal(closed(Partition::equipartition(e, n), dim, at),
                    {(n - more) * low.slope + more * high.slope, (n - more) * low.intercept + more * high.intercept}),
              "E({},{})", e, n);
        }
      }
      const Line direct = closed(Partition::direct(dim), dim, at);
      const double common = judged(at.message / at.tau, "meeting");
      const double printed_excess = judged(at.rho * std::exp2(dim) * at.message / at.tau, "excess over Direct");
      const Partition half = Partition::equipartition(dim, 2);
      for (unsigned a = 1; 2 * a <= dim; ++a) {
        const Partition two({dim - a, a});
        const std::string where = where_of(dim, at, two);
        const Line line = closed(two, dim, at);
        const double excess = line.at(common) - direct.at(common);
        result["over_direct"].add(std::abs(excess / printed_excess - 1) < 1e-6, where);
        const auto is_sum = [&](double exponents, double messages) {
          return equal(
              {.slope = ((2 - exponents) * at.tau + 2 * at.rho) * std::exp2(dim), .intercept = messages * at.message},
              summed(two, dim, at));
        };
        const double power = power_sum(two);
        result["as_printed"].add(is_sum(power, power), where);
        result["corrected"].add(is_sum(inverse_power_sum(two), power - 2), where);
        if (two == half) continue;
        const Line best = closed(half, dim, at);
        result["meet"].add(std::abs(meeting(line, best) / common - 1) < 1e-6, where);
        for (double m = common / 64; m < 64 * common; m *= 2) {
          result["only"].add(line.at(m) > std::min(best.at(m), direct.at(m)) * (1 - 1e-12), where);
        }
      }
    }
  }
}

void check_convexity(Findings& result) {
  for (unsigned e = 2; e <= 14; ++e) {
    for (unsigned n = 2; n <= e; ++n) {
      const std::vector<Partition> all = partitions_in(e, n);
      for (const Partition& x : all) {
        for (const Partition& y : all) {
          unsigned in_x = 0;
          unsigned in_y = 0;
          bool below = true;
          for (unsigned j = 0; j < n; ++j) {
            in_x += x.parts()[j];
            in_y += y.parts()[j];
            below = below && in_x <= in_y;
          }
          if (!below) continue;
          for (const int sign : {1, -1}) {
            const auto sum = [&](const Partition& of) { return judged(power_sum(of, sign), "sum of powers"); };
            result["convex"].add(sum(x) <= sum(y) + 1e-12, braced(x));
          }
        }
      }
    }
  }
  for (unsigned e = 2; e <= 40; ++e) {
    for (unsigned n = 2; n <= e; ++n) {
      const Partition more = equipartition(e, n);
      const Partition fewer = equipartition(e, n - 1);
      bool grows = true;
      for (std::size_t i = 0; i + 1 < n; ++i) grows = grows && fewer.parts()[i] >= more.parts()[i];
      result["spread"].add(grows && inverse_power_sum(more) > inverse_power_sum(fewer), "E({},{})", e, n);
    }
  }
}

/// The proof of Theorem 1, in cubes of 4 to 20 dimensions.
void check_lines_of_four(Findings& result) {
  for (const ExchangeRates& at : all_rates) {
    for (unsigned dim = 4; dim <= 20; ++dim) {
      const double blocks = std::exp2(dim);
      const auto line = [&](std::vector<unsigned> parts) { return summed(Partition(std::move(parts)), dim, at); };
      const std::string where = fmt::format("d {}, rho/tau {:.3g}", dim, at.rho / at.tau);
      const auto as_printed = [&](const PrintedLine& row) {
        return equal(summed(row.partition, dim, at), row.line(dim, at));
      };
      result["lines"].add(std::ranges::all_of(lines_of_four(), as_printed), where);
      const double second = meeting(line({4}), line({2, 2}));
      const double below = line({4}).at(second) - line({3, 1}).at(second);
      result["upper"].add(equal(second, 144 * at.message / (blocks * (16 * at.rho + 9 * at.tau))) &&
                              equal(below, -32 * at.rho * at.message / (16 * at.rho + 9 * at.tau)),
                          where);
      const double first = meeting(line({1, 1, 1, 1}), line({2, 2}));
      const double under = line({1, 1, 1, 1}).at(first) - line({3, 1}).at(first);
      result["lower"].add(equal(first, 4 * at.message / (blocks * (4 * at.rho + at.tau))) &&
                              equal(first, meeting(line({2, 1, 1}), line({2, 2}))) &&
                              equal(under, -at.message * (16 * at.rho + 3 * at.tau) / (2 * (4 * at.rho + at.tau))),
                          where);
    }
  }
}

/// Theorem 3 and its equations, by counting the parts of equipartitions.
void check_indistinct(Findings& result) {
  for (unsigned dim = 3; dim <= 40; ++dim) {
    for (unsigned p = 2; p < dim; ++p) {
      const Partition more = equipartition(dim, p + 1);
      const Partition fewer = equipartition(dim, p - 1);
      const unsigned omega = more.parts().back();
      if (fewer.parts().front() > omega + 1) continue;
      const Partition middle = equipartition(dim, p);
      const auto low = [&](const Partition& one) {
        return static_cast<double>(std::ranges::count(one.parts(), omega));
      };
      const std::string where = fmt::format("d {}, p {}", dim, p);
      const double alpha = low(middle);
      result["counts"].add(low(more) == 1 + alpha + omega && low(fewer) == -1 + alpha - omega, where);
      result["printed_14"].add(p + 1 - low(more) == p + alpha - omega, where);
      result["corrected_14"].add(p + 1 - low(more) == p - alpha - omega, where);
      result["equation_15"].add(p - 1 - low(fewer) == p - alpha + omega, where);
      const auto line = [&](const Partition& parts) { return closed(parts, dim, all_rates.front()); };
      result["dependent"].add(equal(line(more) + line(fewer), line(middle) + line(middle)), where);
    }
    if (dim > 30) continue;
    for (const ExchangeRates& at : all_rates) {
      std::map<unsigned, unsigned> faces;  // by floor(d/n)
      const auto line = [&](const Partition& one) { return closed(one, dim, at); };
      for (const RealHopsFace& face : envelope(equipartitions_of(dim), line)) {
        ++faces[dim / static_cast<unsigned>(face.partition.size())];
      }
      for (const auto& [level, count] : faces) result["two_faces"].add(count <= 2, "d {}, level {}", dim, level);
    }
  }
}

/// What finding the hull and a best partition costs, counted.
void check_costs(Findings& result) {
  Chart& chart = result.chart("bokhari-times");
  for (unsigned dim = 4; dim <= 4000; dim += dim < 100 ? 1 : 97) {
    const std::vector<unsigned> found = candidates_of(dim);
    const Hull hull(dim, {.message_us = 110, .tau_us_per_byte = 2, .rho_us_per_byte = 1});
    const bool all = std::ranges::all_of(
        hull.faces(), [&](const HullFace& face) { return std::ranges::find(found, face.line.phases) != found.end(); });
    const double root = std::sqrt(dim);
    const auto count = judged(static_cast<double>(found.size()), "how many cardinalities");
    result["visited"].add(all && root <= count && count <= 4 * root, "d {}", dim);
    std::vector<Wide> from;
    for (const HullFace& face : hull.faces()) from.push_back(face.from);
    double most = 0;
    for (std::size_t wanted = 0; wanted < from.size(); ++wanted) {
      unsigned compared = 0;
      const auto after = std::ranges::partition_point(from, [&](Wide first) {
        ++compared;
        return first <= from[wanted];
      });
      const bool right = static_cast<std::size_t>(after - from.begin()) == wanted + 1;
      most = std::max(most, right ? judged(static_cast<double>(compared), "comparisons") : double{INFINITY});
    }
    const double logarithm = std::log2(dim);
    result["compared"].add(logarithm / 2 <= most && most <= logarithm / 2 + 3, "d {}", dim);
    chart.add(dim, count / root, most / logarithm);
  }
}

}  // namespace

void bokhari_times(Findings& result, MeasuredMachine& /*machine*/) {
  check_sums(result);
  check_convexity(result);
  check_lines_of_four(result);
  check_indistinct(result);
  check_costs(result);
}

}  // namespace ecube
