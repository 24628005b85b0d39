// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for Poisson's equation on a square: every iteration exchanges edges with up to four neighbours
// and combines one or two numbers of all nodes, whose only cost is start-ups.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

#include "models/exchange/exchange_cost.h"
#include "models/machine/error.h"
#include "models/machine/random.h"
#include "sw/examples/sliced_matrix.h"
#include "sw/program/program.h"

using namespace ecube;
using namespace ecube::programs;

/// n x n points dealt in rectangles to nodes in rows and columns, whose labels are Gray codes: neighbours on the square
/// are neighbours in the cube.
struct Square {
  std::uint64_t n = 0;
  unsigned row_bits = 0;
  unsigned column_bits = 0;

  [[nodiscard]] std::uint64_t rows() const { return n >> row_bits; }  ///< of a node's rectangle
  [[nodiscard]] std::uint64_t columns() const { return n >> column_bits; }
  [[nodiscard]] NodeId label(NodeId row, NodeId column) const {
    return (row ^ row / 2) << column_bits | (column ^ column / 2);
  }
  [[nodiscard]] NodeId row_of(NodeId label) const { return place(label >> column_bits); }
  [[nodiscard]] NodeId column_of(NodeId label) const { return place(label & ((NodeId{1} << column_bits) - 1)); }

 private:
  [[nodiscard]] static NodeId place(NodeId gray) {
    for (NodeId shift = 1; shift < 32; shift *= 2) gray ^= gray >> shift;
    return gray;
  }
};

/// The two forms of an iteration: the usual one, whose two inner products need two combines of one number (Hestenes &
/// Stiefel 1952), and the one whose inner products come together, for two operations a point more (Chronopoulos & Gear
/// 1989).
enum class Form : unsigned { together = 1, separate = 2 };

/// What an iteration of Form::together makes of the sums of all nodes; every node computes the same bits.
struct Scalars {
  double alpha = 0;
  double beta = 0;
  double residual = 0;  ///< squared

  /// Of (r, r) and (A r, r).
  void take(double rr, double wr) {
    beta = residual > 0 ? rr / residual : 0;
    alpha = rr / (alpha != 0 ? wr - beta * rr / alpha : wr);
    residual = rr;
  }
};

/// Calls `use` with the place of every point: of a node's rectangle, or of the whole square.
template <class Points>
void for_all(const Points& points, auto use) {
  for (std::uint64_t row = 0; row < points.rows; ++row) {
    for (std::uint64_t column = 0; column < points.columns; ++column) use(points.at(row, column));
  }
}

/// A rectangle with an edge around it that neighbours fill, zero at the border of the square.
struct Rectangle {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;

  [[nodiscard]] std::uint64_t pitch() const { return columns + 2; }
  [[nodiscard]] std::uint64_t points() const { return (rows + 2) * pitch(); }
  [[nodiscard]] std::uint64_t at(std::uint64_t row, std::uint64_t column) const {
    return (row + 1) * pitch() + column + 1;
  }
};

using Values = std::vector<double>;

/// The five points of the operator, in one order everywhere.
double operator_at(const Values& u, std::uint64_t at, std::uint64_t pitch) {
  return 4 * u[at] - u[at - pitch] - u[at - 1] - u[at + 1] - u[at + pitch];
}

/// What the nodes share: the problem, and the same iterations on one processor, in the order of the nodes' sums.
struct CgPlan : ComputingPlan {
  explicit CgPlan(const Job& job)
      : ComputingPlan(job),
        square{static_cast<std::uint64_t>(job.whole("n")), job.dim() / 2, job.dim() - job.dim() / 2},
        tolerance(job.real("tolerance")),
        most(static_cast<unsigned>(job.whole("most"))) {
    require_matrix({square.n, square.n, sizeof(double)}, NodeId{1} << square.column_bits, 16, false);
    const std::string& text = job.text("combines");
    if (text != "1" && text != "2" && text != "best") {
      throw InputError("there is no form of an iteration with " + ecube::quoted(text) + " combines")
          .valid("1 | 2 | best");
    }
    std::optional<CgPlan> best;
    for (const Form one : {Form::separate, Form::together}) {
      if (text != "best" && text != std::to_string(static_cast<unsigned>(one))) continue;
      form = one;
      iterate();
      if (!best || predict_us(job) < best->predict_us(job)) best = *this;
    }
    *this = *best;
  }

  [[nodiscard]] double right_side(std::uint64_t row, std::uint64_t column) const {
    return static_cast<double>(draw(seed, row, column) >> 11U) * 0x1p-52 - 1;
  }
  [[nodiscard]] Cycles work(std::uint64_t operations_a_point) const {
    return flop * operations_a_point * square.rows() * square.columns();
  }
  [[nodiscard]] Rectangle whole() const { return {square.n, square.n}; }

  /// Operations of a point: 5 of the operator, 2 of an inner product or of adding a multiple of a vector.
  static constexpr std::uint64_t of_operator = 5;
  static constexpr std::uint64_t of_vector = 2;

  /// Every iteration: edges in both directions, the combines, the processor.
  [[nodiscard]] double predict_us(const Job& job) const {
    const auto exchange_us = [&](std::uint64_t items) {
      return phase_cost(1, 1, static_cast<double>(items * sizeof(double)), job.costs(),
                        NodeExchange::options(BlockOrder::inplace))
          .total();
    };
    const auto edges = [](unsigned bits) { return std::min(bits, 2U); };  // one or two exchanges along each axis
    const double edges_us =
        edges(square.column_bits) * exchange_us(square.rows()) + edges(square.row_bits) * exchange_us(square.columns());
    const double combine_us = dim * exchange_us(form == Form::together ? 2 : 1);
    const auto work_us = [&](std::uint64_t operations) {
      return job.machine().us(static_cast<double>(work(operations)));
    };
    if (form == Form::together) {
      const double products = edges_us + combine_us + work_us(of_operator + 2 * of_vector);
      return products + iterations * (products + work_us(4 * of_vector));
    }
    const double product = combine_us + work_us(of_vector);
    const double all = product + iterations * (edges_us + 2 * product + work_us(of_operator + 3 * of_vector));
    return iterations > 0 ? all - work_us(of_vector) : all;  // the last iteration needs no new direction
  }

  Square square;
  double tolerance;
  unsigned most;
  Form form = Form::separate;
  unsigned iterations = 0;
  Values x;  ///< the solution, with an edge of zeros

 private:
  /// The sum of products over every node's rectangle, and these sums pairwise over the dimensions from the highest
  /// down.
  [[nodiscard]] double product(const Values& a, const Values& b) const {
    std::vector<double> sums(std::size_t{1} << dim, 0.0);
    const Rectangle all = whole();
    for (NodeId node = 0; node < sums.size(); ++node) {
      const std::uint64_t first_row = square.row_of(node) * square.rows();
      const std::uint64_t first_column = square.column_of(node) * square.columns();
      for (std::uint64_t row = 0; row < square.rows(); ++row) {
        for (std::uint64_t column = 0; column < square.columns(); ++column) {
          const std::uint64_t at = all.at(first_row + row, first_column + column);
          sums[node] += a[at] * b[at];
        }
      }
    }
    for (std::size_t half = sums.size() / 2; half > 0; half /= 2) {
      for (std::size_t node = 0; node < half; ++node) sums[node] += sums[node + half];
    }
    return sums[0];
  }

  void iterate() {
    const Rectangle all = whole();
    x.assign(all.points(), 0.0);
    Values r(all.points(), 0.0);
    for (std::uint64_t i = 0; i < square.n; ++i) {
      for (std::uint64_t j = 0; j < square.n; ++j) r[all.at(i, j)] = right_side(i, j);
    }
    Values p(all.points(), 0.0);
    Values q(all.points(), 0.0);
    iterations = 0;
    if (form == Form::separate) {
      p = r;
      double rr = product(r, r);
      const double enough = tolerance * tolerance * rr;
      while (rr > enough && iterations < most) {
        for_all(all, [&](std::uint64_t at) { q[at] = operator_at(p, at, all.pitch()); });
        const double alpha = rr / product(p, q);
        for_all(all, [&](std::uint64_t at) {
          x[at] += alpha * p[at];
          r[at] -= alpha * q[at];
        });
        const double next = product(r, r);
        const double beta = next / rr;
        rr = next;
        for_all(all, [&](std::uint64_t at) { p[at] = r[at] + beta * p[at]; });
        ++iterations;
      }
      return;
    }
    Values w(all.points(), 0.0);
    const auto apply = [&] { for_all(all, [&](std::uint64_t at) { w[at] = operator_at(r, at, all.pitch()); }); };
    apply();
    Scalars scalars;
    scalars.take(product(r, r), product(w, r));
    const double enough = tolerance * tolerance * scalars.residual;
    while (scalars.residual > enough && iterations < most) {
      for_all(all, [&](std::uint64_t at) {
        p[at] = r[at] + scalars.beta * p[at];
        q[at] = w[at] + scalars.beta * q[at];
        x[at] += scalars.alpha * p[at];
        r[at] -= scalars.alpha * q[at];
      });
      apply();
      scalars.take(product(r, r), product(w, r));
      ++iterations;
    }
  }
};

class ConjugateGradient {
 public:
  static constexpr std::string_view name = "cg";
  static constexpr std::string_view help = "conjugate gradients for Poisson's equation on a square";
  static std::vector<Parameter> parameters() {
    return {counted("n", "32", "points", "inner points along a side of the square"),
            {.name = "tolerance",
             .type = ParameterType::real,
             .initial = "1e-6",
             .help = "of the residual, relative",
             .least_real = 1e-13},  // rounding keeps the residual of a solution above less
            counted("most", "10000", "iterations", "after which it gives up", 1, std::int64_t{1} << 30),
            {.name = "combines",
             .type = ParameterType::text,
             .initial = "best",
             .help = "of an iteration: 2 of a number, 1 of two numbers, or best: what takes less time"},
            {.name = "flop", .type = ParameterType::time, .initial = "0.1 us", .help = "of an operation on reals"}};
  }
  using Shared = CgPlan;

  ConjugateGradient(const Job& /*job*/, const CgPlan& plan)
      : plan_(plan), own_{plan.square.rows(), plan.square.columns()} {}

  Task<> run(Node& node) {
    for (Values* const vector : {&x_, &r_, &p_, &q_, &w_}) vector->assign(own_.points(), 0.0);
    const std::uint64_t row = plan_.square.row_of(node.id()) * own_.rows;
    const std::uint64_t column = plan_.square.column_of(node.id()) * own_.columns;
    for (std::uint64_t i = 0; i < own_.rows; ++i) {
      for (std::uint64_t j = 0; j < own_.columns; ++j) r_[own_.at(i, j)] = plan_.right_side(row + i, column + j);
    }
    if (plan_.form == Form::separate) {
      co_await two_combines(node);
    } else {
      co_await one_combine(node);
    }
  }

  static double predict(const Job& job, const CgPlan& plan) { return plan.predict_us(job); }

  /// Bit for bit the iterations of one processor; and the residual b - A x itself, which rounding keeps near that of
  /// the iteration, is below twice the tolerance.
  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const CgPlan& plan) {
    const Square& square = plan.square;
    const Rectangle all = plan.whole();
    Values x(all.points(), 0.0);
    for (NodeId label = 0; label < nodes.size(); ++label) {
      const ConjugateGradient& node = nodes[label];
      if (node.iterations_ != plan.iterations) return "node " + std::to_string(label) + " has iterated otherwise";
      for (std::uint64_t i = 0; i < square.rows(); ++i) {
        std::memcpy(&x[all.at(square.row_of(label) * square.rows() + i, square.column_of(label) * square.columns())],
                    &node.x_[node.own_.at(i, 0)], square.columns() * sizeof(double));
      }
    }
    double residual = 0;
    double whole = 0;
    for (std::uint64_t i = 0; i < square.n; ++i) {
      for (std::uint64_t j = 0; j < square.n; ++j) {
        const double b = plan.right_side(i, j);
        const double off = b - operator_at(x, all.at(i, j), all.pitch());
        residual += off * off;
        whole += b * b;
      }
    }
    if (!(std::sqrt(residual) <= 2 * plan.tolerance * std::sqrt(whole))) {
      std::array<char, 32> part{};
      std::snprintf(part.data(), part.size(), "%.3g", std::sqrt(residual / whole));
      return std::string("the residual is ") + part.data() + " of the right side after " +
             std::to_string(plan.iterations) + " iterations";
    }
    if (std::memcmp(x.data(), plan.x.data(), x.size() * sizeof(double)) != 0) {
      return "the solution differs from that of one processor";
    }
    return {};
  }

  void sum(Sums& sums) const {
    const auto nodes = static_cast<double>(std::uint64_t{1} << plan_.dim);
    sums.add("iterations", iterations_ / nodes);
    sums.add("combines of an iteration", static_cast<unsigned>(plan_.form) / nodes);
    sums.add("us combining, mean of the nodes", combining_us_ / nodes);
    sums.add("us exchanging edges, mean of the nodes", edges_us_ / nodes);
  }

 protected:
  Task<> two_combines(Node& node) {
    p_ = r_;
    std::array<double, 1> rr{product(r_, r_)};
    co_await compute(node, CgPlan::of_vector);
    co_await combine(node, rr);
    const double enough = plan_.tolerance * plan_.tolerance * rr[0];
    while (rr[0] > enough && iterations_ < plan_.most) {
      co_await edges(node, p_);
      apply(p_, q_);
      std::array<double, 1> pq{product(p_, q_)};
      co_await compute(node, CgPlan::of_operator + CgPlan::of_vector);
      co_await combine(node, pq);
      const double alpha = rr[0] / pq[0];
      for_all(own_, [&](std::uint64_t at) {
        x_[at] += alpha * p_[at];
        r_[at] -= alpha * q_[at];
      });
      std::array<double, 1> next{product(r_, r_)};
      co_await compute(node, 3 * CgPlan::of_vector);
      co_await combine(node, next);
      const double beta = next[0] / rr[0];
      rr = next;
      ++iterations_;
      if (!(rr[0] > enough) || iterations_ == plan_.most) break;
      for_all(own_, [&](std::uint64_t at) { p_[at] = r_[at] + beta * p_[at]; });
      co_await compute(node, CgPlan::of_vector);
    }
  }

  Task<> one_combine(Node& node) {
    Scalars scalars;
    co_await products(node, scalars);
    const double enough = plan_.tolerance * plan_.tolerance * scalars.residual;
    while (scalars.residual > enough && iterations_ < plan_.most) {
      for_all(own_, [&](std::uint64_t at) {
        p_[at] = r_[at] + scalars.beta * p_[at];
        q_[at] = w_[at] + scalars.beta * q_[at];
        x_[at] += scalars.alpha * p_[at];
        r_[at] -= scalars.alpha * q_[at];
      });
      co_await compute(node, 4 * CgPlan::of_vector);
      co_await products(node, scalars);
      ++iterations_;
    }
  }

  /// w = A r, (r, r) and (w, r).
  Task<> products(Node& node, Scalars& scalars) {
    co_await edges(node, r_);
    apply(r_, w_);
    std::array<double, 2> sums{product(r_, r_), product(w_, r_)};
    co_await compute(node, CgPlan::of_operator + 2 * CgPlan::of_vector);
    co_await combine(node, sums);
    scalars.take(sums[0], sums[1]);
  }

  [[nodiscard]] double product(const Values& a, const Values& b) const {
    double sum = 0;
    for_all(own_, [&](std::uint64_t at) { sum += a[at] * b[at]; });
    return sum;
  }
  void apply(const Values& u, Values& result) const {
    for_all(own_, [&](std::uint64_t at) { result[at] = operator_at(u, at, own_.pitch()); });
  }
  Awaited compute(Node& node, std::uint64_t operations) const { return node.compute(plan_.work(operations)); }

  /// Full vectors over the dimensions from the highest down, the item of the smaller label on the left: for a number or
  /// two nothing takes fewer steps.
  template <std::size_t items>
  Task<> combine(Node& node, std::array<double, items>& sums) {
    const double start = node.now_us();
    for (unsigned dimension = node.dim(); dimension-- > 0;) {
      std::array<double, items> other{};
      const NodeId partner = neighbour(node.id(), dimension);
      co_await node.exchange({.with = partner,
                              .tag = combine_tag + dimension,
                              .bytes = sizeof sums,
                              .outgoing = Region::of(sums),
                              .incoming = Region::of(other)});
      for (std::size_t i = 0; i < items; ++i) {
        sums[i] = node.id() < partner ? sums[i] + other[i] : other[i] + sums[i];
      }
    }
    combining_us_ += node.now_us() - start;
  }

  /// The edges of `u` to the neighbours and theirs into the edge around it, along each axis in two turns: with the
  /// neighbour that shares the place divided by two, then with the other one.
  Task<> edges(Node& node, Values& u) {
    const double start = node.now_us();
    const Square& square = plan_.square;
    const NodeId row = square.row_of(node.id());
    const NodeId column = square.column_of(node.id());
    for (const bool across : {false, true}) {
      const NodeId place = across ? row : column;
      const NodeId places = NodeId{1} << (across ? square.row_bits : square.column_bits);
      for (const NodeId turn : {0U, 1U}) {
        const bool forward = place % 2 == turn;
        if (forward ? place + 1 == places : place == 0) continue;
        const NodeId other = forward ? place + 1 : place - 1;
        const std::uint64_t last = (across ? own_.rows : own_.columns) - 1;
        const Region mine = edge(u, across, forward ? last + 1 : 1);
        co_await node.exchange({.with = across ? square.label(other, column) : square.label(row, other),
                                .tag = edge_tag + turn + (across ? 2U : 0U),
                                .bytes = mine.bytes(),
                                .outgoing = mine,
                                .incoming = edge(u, across, forward ? last + 2 : 0)});
      }
    }
    edges_us_ += node.now_us() - start;
  }

  /// Row or column `number` of a rectangle, counted from the edge around it.
  [[nodiscard]] Region edge(Values& u, bool row, std::uint64_t number) const {
    const Bytes pitch = own_.pitch() * sizeof(double);
    auto* const base = reinterpret_cast<std::byte*>(u.data());
    if (row) return Region::contiguous(base + number * pitch + sizeof(double), own_.columns * sizeof(double));
    return {base + pitch + number * sizeof(double), sizeof(double), pitch, static_cast<std::uint32_t>(own_.rows)};
  }

  static constexpr std::uint32_t edge_tag = 100;
  static constexpr std::uint32_t combine_tag = 200;
  const CgPlan& plan_;
  Rectangle own_;
  Values x_, r_, p_, q_, w_;
  unsigned iterations_ = 0;
  double combining_us_ = 0;
  double edges_us_ = 0;
};

ECUBE_PROGRAMS(ConjugateGradient)
