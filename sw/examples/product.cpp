// SPDX-License-Identifier: Apache-2.0
// A matrix times a vector or a matrix: every node has columns of the first factor and rows of the second, multiplies
// them, and exchanges its part of every row of the product for all parts of its own rows.
#include "models/machine/random.h"
#include "sw/examples/sliced_matrix.h"
#include "sw/program/program.h"

using namespace ecube;
using namespace ecube::programs;

/// What the nodes share. Elements are small whole numbers, so that sums are exact in any order.
struct ProductPlan : ComputingPlan {
  explicit ProductPlan(const Job& job)
      : ComputingPlan(job),
        n(static_cast<std::uint64_t>(job.whole("n"))),
        columns(static_cast<std::uint64_t>(job.whole("columns"))),
        transposition(chosen(job)) {}

  [[nodiscard]] double left(std::uint64_t row, std::uint64_t column) const {
    return static_cast<double>(below(draw(seed, row, column), 100));
  }
  [[nodiscard]] double right(std::uint64_t row, std::uint64_t column) const {
    return static_cast<double>(below(draw(seed + 1, row, column), 100));
  }
  [[nodiscard]] std::uint64_t lines() const { return n >> dim; }
  /// Of a node: its part of the product, and the sum of all nodes' parts of its rows.
  [[nodiscard]] Cycles product_work() const { return flop * 2 * n * lines() * columns; }
  [[nodiscard]] Cycles sum_work() const { return flop * n * columns; }

  std::uint64_t n;
  std::uint64_t columns;
  Transposition transposition;

 private:
  /// Only its exchange is used: rows of a part are blocks as they stand.
  [[nodiscard]] Transposition chosen(const Job& job) const {
    const MatrixSize size{job.nodes(), n * columns, sizeof(double)};
    require_matrix({n, std::uint64_t{job.nodes()} * columns, sizeof(double)}, job.nodes(), 2, false);
    return transposition_of(job, size, 1, [&](const Transposition& one) { return one.exchange_us(job); });
  }
};

class Product : public Transposing<ProductPlan> {
 public:
  using Transposing::Transposing;
  static constexpr std::string_view name = "product";
  static constexpr std::string_view help = "a square matrix times a vector, or times a matrix of several columns";
  static std::vector<Parameter> parameters() {
    return with_transposition(
        {counted("n", "64", "rows", "of the square matrix"),
         counted("columns", "1", "", "of the second factor; 1: a vector"),
         {.name = "flop", .type = ParameterType::time, .initial = "0.1 us", .help = "of an operation on reals"}});
  }

  Task<> run(Node& node) {
    const std::uint64_t width = plan_.columns;
    part_.assign(plan_.n * width, 0);
    for (std::uint64_t k = node.id() * plan_.lines(); k < (node.id() + 1) * plan_.lines(); ++k) {
      for (std::uint64_t i = 0; i < part_.size(); ++i) part_[i] += plan_.left(i / width, k) * plan_.right(k, i % width);
    }
    co_await node.compute(plan_.product_work());
    co_await plan_.transposition.move(node, std::as_writable_bytes(std::span(part_)), 0);
    rows_.assign(plan_.lines() * width, 0);
    for (std::uint64_t i = 0; i < part_.size(); ++i) rows_[i % rows_.size()] += part_[i];
    co_await node.compute(plan_.sum_work());
  }

  static double predict(const Job& job, const ProductPlan& plan) {
    const Cycles work = plan.product_work() + plan.sum_work();
    return job.machine().us(static_cast<double>(work)) + plan.transposition.exchange_us(job);
  }

  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const ProductPlan& plan) {
    for (std::uint64_t i = 0; i < plan.n * plan.columns; ++i) {
      const std::uint64_t row = i / plan.columns;
      const std::uint64_t column = i % plan.columns;
      double wanted = 0;
      for (std::uint64_t k = 0; k < plan.n; ++k) wanted += plan.left(row, k) * plan.right(k, column);
      const Product& node = nodes[static_cast<NodeId>(row / plan.lines())];
      if (node.rows_[row % plan.lines() * plan.columns + column] != wanted) {
        return "row " + std::to_string(row) + ", column " + std::to_string(column) + " is not that of the product";
      }
    }
    return {};
  }

 protected:
  std::vector<double> part_;  ///< of all rows
  std::vector<double> rows_;  ///< its own, of the product
};

ECUBE_PROGRAMS(Product)
