// SPDX-License-Identifier: Apache-2.0
// A matrix transposed, as in Figure 1 of Nicol & Bokhari 1994: every node has neighbouring columns, cut into p blocks,
// of which it exchanges one with every other node. Of a square of n x n they are b = n/p columns and blocks of b x b.
#include "models/machine/random.h"
#include "sw/examples/sliced_matrix.h"
#include "sw/program/program.h"

using namespace ecube;
using namespace ecube::programs;

/// What the nodes share. The matrix is stored by columns, so a slice is some columns, one after the other.
struct TransposePlan {
  explicit TransposePlan(const Job& job)
      : dim(job.dim()),
        seed(job.seed()),
        rows(static_cast<std::uint64_t>(job.whole("n"))),
        columns(job.whole("columns") == 0 ? rows : static_cast<std::uint64_t>(job.whole("columns"))),
        transposition(
            transposition_of(job, require_matrix({columns, rows, sizeof(std::uint64_t)}, job.nodes(), 2, false), 1)) {}

  [[nodiscard]] std::uint64_t input(std::uint64_t row, std::uint64_t column) const { return draw(seed, row, column); }

  unsigned dim;
  std::uint64_t seed;
  std::uint64_t rows;
  std::uint64_t columns;
  Transposition transposition;
};

class Transpose : public Transposing<TransposePlan> {
 public:
  using Transposing::Transposing;
  static constexpr std::string_view name = "transpose";
  static constexpr std::string_view help = "a matrix in slices of columns becomes its transpose in slices of columns";
  static std::vector<Parameter> parameters() {
    return with_transposition({counted("n", "64", "rows", "of the matrix, of elements of 8 bytes"),
                               counted("columns", "0", "", "of the matrix; 0: as many as rows", 0)});
  }

  Task<> run(Node& node) {
    const std::uint64_t lines = plan_.columns >> plan_.dim;
    slice_.resize(lines * plan_.rows);
    for (std::uint64_t i = 0; i < slice_.size(); ++i) {
      slice_[i] = plan_.input(i % plan_.rows, node.id() * lines + i / plan_.rows);
    }
    co_await plan_.transposition.run(node, std::as_writable_bytes(std::span(slice_)));
  }

  static double predict(const Job& job, const TransposePlan& plan) { return plan.transposition.predict_us(job); }

  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const TransposePlan& plan) {
    const std::uint64_t lines = plan.rows >> plan.dim;
    for (std::uint64_t row = 0; row < plan.rows; ++row) {
      const Transpose& node = nodes[static_cast<NodeId>(row / lines)];
      for (std::uint64_t column = 0; column < plan.columns; ++column) {
        if (node.slice_[row % lines * plan.columns + column] != plan.input(row, column)) {
          return "row " + std::to_string(column) + ", column " + std::to_string(row) + " is not column " +
                 std::to_string(column) + ", row " + std::to_string(row) + " of the matrix";
        }
      }
    }
    return {};
  }

 protected:
  std::vector<std::uint64_t> slice_;
};

ECUBE_PROGRAMS(Transpose)
