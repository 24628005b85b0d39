// SPDX-License-Identifier: Apache-2.0
// One sweep of the alternating direction implicit method for the heat equation on a square (Peaceman & Rachford 1955):
// operators along columns are applied when whole columns are on a node.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "sw/examples/sliced_matrix.h"
#include "sw/program/program.h"

using namespace ecube;
using namespace ecube::programs;

/// Operators on lines of n inner points, zero beyond both ends: D u = u[i-1] - 2 u[i] + u[i+1].
class HeatStep {
 public:
  HeatStep(std::uint64_t n, double ratio) : n_(n), ratio_(ratio), upper_(n) {
    upper_[0] = -ratio / (1 + 2 * ratio);
    for (std::uint64_t i = 1; i < n; ++i) upper_[i] = -ratio / (1 + 2 * ratio + ratio * upper_[i - 1]);
  }

  /// u becomes (1 + ratio D) u.
  void explicit_half(double* u) const {
    double before = 0;
    for (std::uint64_t i = 0; i < n_; ++i) {
      const double own = u[i];
      const double after = i + 1 < n_ ? u[i + 1] : 0;
      u[i] = own + ratio_ * (before - 2 * own + after);
      before = own;
    }
  }
  /// u becomes the solution x of (1 - ratio D) x = u, by elimination along the line.
  void implicit_half(double* u) const {
    u[0] = u[0] / (1 + 2 * ratio_);
    for (std::uint64_t i = 1; i < n_; ++i) {
      u[i] = (u[i] + ratio_ * u[i - 1]) / (1 + 2 * ratio_ + ratio_ * upper_[i - 1]);
    }
    for (std::uint64_t i = n_ - 1; i-- > 0;) u[i] -= upper_[i] * u[i + 1];
  }

  static constexpr std::uint64_t explicit_operations = 5;  ///< of a point
  static constexpr std::uint64_t implicit_operations = 8;

 private:
  std::uint64_t n_;
  double ratio_;
  std::vector<double> upper_;  ///< of the eliminated matrix
};

/// What the nodes share.
struct AdiPlan : ComputingPlan {
  explicit AdiPlan(const Job& job)
      : ComputingPlan(job),
        n(static_cast<std::uint64_t>(job.whole("n"))),
        ratio(job.real("ratio")),
        step(n, ratio),
        transposition(transposition_of(job, require_matrix({n, n, sizeof(double)}, job.nodes(), 3, false), 1)) {}

  /// The sum of three modes sin(a pi x) sin(b pi y), each times `factor(a, b)`.
  template <class Factor>
  [[nodiscard]] double modes(std::uint64_t row, std::uint64_t column, const Factor& factor) const {
    constexpr std::array<std::pair<unsigned, unsigned>, 3> all{{{1, 1}, {2, 3}, {5, 4}}};
    double sum = 0;
    for (const auto& [a, b] : all) sum += factor(a, b) * wave(a, row) * wave(b, column);
    return sum;
  }
  /// sin(a pi x) at the inner point `i`.
  [[nodiscard]] double wave(unsigned a, std::uint64_t i) const {
    return std::sin(a * std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(n + 1));
  }
  [[nodiscard]] std::uint64_t lines() const { return n >> dim; }
  /// Of a node that does so many operations of each point.
  [[nodiscard]] Cycles work(std::uint64_t operations) const { return flop * operations * lines() * n; }

  std::uint64_t n;
  double ratio;
  HeatStep step;
  Transposition transposition;
};

class Adi : public Transposing<AdiPlan> {
 public:
  using Transposing::Transposing;
  static constexpr std::string_view name = "adi";
  static constexpr std::string_view help = "one ADI sweep of the heat equation, with two transpositions";
  static std::vector<Parameter> parameters() {
    return with_transposition(
        {counted("n", "64", "points", "inner points along a side of the square"),
         {.name = "ratio",
          .type = ParameterType::real,
          .initial = "0.5",
          .help = "time step / (2 x mesh width squared)",
          .least_real = 1e-300,
          .most_real = 1e300},
         {.name = "flop", .type = ParameterType::time, .initial = "0.1 us", .help = "of an operation on reals"}});
  }

  /// (1 - r D_y) v = (1 + r D_x) u, then (1 - r D_x) w = (1 + r D_y) v: D_x along rows, D_y along columns.
  Task<> run(Node& node) {
    slice_.resize(plan_.lines() * plan_.n);
    for (std::uint64_t i = 0; i < slice_.size(); ++i) {
      slice_[i] = plan_.modes(node.id() * plan_.lines() + i / plan_.n, i % plan_.n, [](auto, auto) { return 1.0; });
    }
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(slice_));
    along_lines([&](double* line) { plan_.step.explicit_half(line); });
    co_await node.compute(plan_.work(HeatStep::explicit_operations));
    co_await plan_.transposition.run(node, bytes);
    along_lines([&](double* line) {
      plan_.step.implicit_half(line);
      plan_.step.explicit_half(line);
    });
    co_await node.compute(plan_.work(HeatStep::implicit_operations + HeatStep::explicit_operations));
    co_await plan_.transposition.run(node, bytes);
    along_lines([&](double* line) { plan_.step.implicit_half(line); });
    co_await node.compute(plan_.work(HeatStep::implicit_operations));
  }

  static double predict(const Job& job, const AdiPlan& plan) {
    const Cycles work = plan.work(2 * (HeatStep::explicit_operations + HeatStep::implicit_operations));
    return job.machine().us(static_cast<double>(work)) + 2 * plan.transposition.predict_us(job);
  }

  /// Bit for bit what one processor computes in the same order; and in closed form: a sweep multiplies the mode (a, b)
  /// by (1 - r l_a) (1 - r l_b) / ((1 + r l_a) (1 + r l_b)), l_a = 4 sin^2(a pi / (2 n + 2)), of amplitude 1. The
  /// systems are diagonally dominant, so their solution is as exact as their condition allows (Higham 2002, chapter
  /// 9): within 1e-12 unless time steps are long. The norm of a system is at most 1 + 4 r, that of its inverse at
  /// most 1, and at most (n + 1)^2 / 8 r.
  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const AdiPlan& plan) {
    const std::vector<double> whole = sequential(plan);
    const auto damping = [&](unsigned a) {
      const double root = std::sin(a * std::numbers::pi / (2 * static_cast<double>(plan.n) + 2));
      return (1 - plan.ratio * 4 * root * root) / (1 + plan.ratio * 4 * root * root);
    };
    const double side = static_cast<double>(plan.n) + 1;
    const double condition = std::min(1 + 4 * plan.ratio, side * side / 8 * (1 / plan.ratio + 4));
    const double rounding = std::max(1e-12, 8 * std::numeric_limits<double>::epsilon() * condition);
    for (std::uint64_t row = 0; row < plan.n; ++row) {
      const Adi& node = nodes[static_cast<NodeId>(row / plan.lines())];
      const double* const found = &node.slice_[row % plan.lines() * plan.n];
      if (std::memcmp(found, &whole[row * plan.n], plan.n * sizeof(double)) != 0) {
        return "row " + std::to_string(row) + " differs from that of one processor";
      }
      for (std::uint64_t column = 0; column < plan.n; ++column) {
        const double wanted = plan.modes(row, column, [&](unsigned a, unsigned b) { return damping(a) * damping(b); });
        if (!(std::abs(found[column] - wanted) <= rounding)) {
          return "row " + std::to_string(row) + ", column " + std::to_string(column) +
                 " is not the damped sum of the modes";
        }
      }
    }
    return {};
  }

 protected:
  template <class Use>
  void along_lines(const Use& use) {
    for (std::uint64_t line = 0; line < plan_.lines(); ++line) use(&slice_[line * plan_.n]);
  }

  /// The sweep of the whole square, without any slices.
  static std::vector<double> sequential(const AdiPlan& plan) {
    const std::uint64_t n = plan.n;
    std::vector<double> u(n * n);
    for (std::uint64_t i = 0; i < u.size(); ++i) u[i] = plan.modes(i / n, i % n, [](auto, auto) { return 1.0; });
    for (std::uint64_t row = 0; row < n; ++row) plan.step.explicit_half(&u[row * n]);
    std::vector<double> line(n);
    for (std::uint64_t column = 0; column < n; ++column) {
      for (std::uint64_t row = 0; row < n; ++row) line[row] = u[row * n + column];
      plan.step.implicit_half(line.data());
      plan.step.explicit_half(line.data());
      for (std::uint64_t row = 0; row < n; ++row) u[row * n + column] = line[row];
    }
    for (std::uint64_t row = 0; row < n; ++row) plan.step.implicit_half(&u[row * n]);
    return u;
  }

  std::vector<double> slice_;
};

ECUBE_PROGRAMS(Adi)
