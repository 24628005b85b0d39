// SPDX-License-Identifier: Apache-2.0
// A matrix in slices, one a node, and its transposition by a complete exchange: the common part of the FFT, ADI and
// transposition programs.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sw/exchange/node_exchange.h"
#include "sw/program/job.h"

namespace ecube::programs {

/// A matrix of rows x columns elements. Node q of p has the rows q rows/p .. (q + 1) rows/p - 1, one after the other.
struct MatrixSize {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  Bytes element = 8;  ///< bytes

  [[nodiscard]] Bytes bytes() const { return rows * columns * element; }
};

/// Gives `size`. InputError, with the nearest valid sizes, unless both dimensions divide into so many parts and
/// `copies` copies of the matrix fit into memory; with `powers_of_two`, also unless both are powers of two.
MatrixSize require_matrix(const MatrixSize& size, NodeId parts, unsigned copies, bool powers_of_two);

/// What the nodes of a program that computes share first; an operation on reals takes the parameter "flop".
struct ComputingPlan {
  explicit ComputingPlan(const Job& job) : dim(job.dim()), seed(job.seed()), flop(job.time("flop")) {}

  unsigned dim;
  std::uint64_t seed;
  Cycles flop;
};

/// A parameter that counts something.
[[nodiscard]] inline Parameter counted(const char* name, const char* initial, const char* unit, const char* help,
                                       std::int64_t least = 1, std::int64_t most = std::int64_t{1} << 20) {
  return {.name = name, .initial = initial, .unit = unit, .help = help, .least = least, .most = most};
}
/// The parameters of a program that transposes: its own, then "partition" and "order".
[[nodiscard]] std::vector<Parameter> with_transposition(std::vector<Parameter> own);

/// How a matrix is transposed, in `pieces` exchanges of as many parts of every slice; shared by all nodes.
///
/// A node packs a piece (rows become blocks, one for each node), exchanges its blocks, and after all pieces unpacks
/// them: its slice is then columns / p rows of the transposed matrix.
class Transposition {
 public:
  Transposition(const MatrixSize& size, unsigned dim, unsigned pieces, NodeExchange exchange, BlockOrder order)
      : size_(size), dim_(dim), pieces_(pieces), exchange_(std::move(exchange)), order_(order) {}

  [[nodiscard]] const NodeExchange& exchange() const { return exchange_; }
  [[nodiscard]] unsigned pieces() const { return pieces_; }
  [[nodiscard]] Bytes slice_bytes() const { return size_.bytes() >> dim_; }
  [[nodiscard]] Bytes block_bytes() const { return slice_bytes() / pieces_ >> dim_; }

  Task<> pack(Node& node, std::span<std::byte> slice, unsigned piece) const;
  Task<> move(Node& node, std::span<std::byte> slice, unsigned piece) const;
  Task<> unpack(Node& node, std::span<std::byte> slice) const;
  /// All of it, piece after piece.
  Task<> run(Node& node, std::span<std::byte> slice) const;

  /// The time of all move(), by the parameters of the job.
  [[nodiscard]] double exchange_us(const Job& job) const {
    const auto block = static_cast<double>(block_bytes());
    return pieces_ * exchange_cost(exchange_.partition(), block, job.costs(), NodeExchange::options(order_)).total();
  }
  /// The time of run(); or from a node's first computation of `computing_us` for every piece to the end of unpacking.
  /// With `overlapped`, a piece is computed while the previous piece is exchanged: the processor serves the computation
  /// before shuffles that become due during it, and, where start-ups queue, not during start-ups.
  [[nodiscard]] double predict_us(const Job& job, double computing_us = 0, bool overlapped = false) const;

 private:
  MatrixSize size_;
  unsigned dim_;
  unsigned pieces_;
  NodeExchange exchange_;
  BlockOrder order_;
};

/// The transposition that the parameters of a program name. `time` is what the program expects to take with a
/// transposition, that of the transposition unless it is given: partition=best has the least time, partition=alone the
/// least time of a separate exchange, in one piece and without barriers.
[[nodiscard]] Transposition transposition_of(const Job& job, const MatrixSize& size, unsigned pieces,
                                             const std::function<double(const Transposition&)>& time = {});

/// What programs have in common whose nodes share a plan with a `transposition`.
template <class Plan>
class Transposing {
 public:
  using Shared = Plan;
  Transposing(const Job& /*job*/, const Plan& plan) : plan_(plan) {}

  void sum(Sums& sums) const {
    sums.add("nodes that exchange by " + plan_.transposition.exchange().partition().braced_name(), 1);
  }

 protected:
  const Plan& plan_;
};

}  // namespace ecube::programs
