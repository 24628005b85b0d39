// SPDX-License-Identifier: Apache-2.0
// A 2-D Fourier transform: every node transforms its rows, the matrix is transposed, every node transforms its columns.
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>

#include "models/machine/random.h"
#include "sw/examples/sliced_matrix.h"
#include "sw/program/program.h"

using namespace ecube;
using namespace ecube::programs;

using Complex = std::complex<double>;

/// Transforms of one length, a power of two.
class FourierTransform {
 public:
  explicit FourierTransform(std::uint64_t length) : length_(length) {
    roots_.reserve(length / 2);
    for (std::uint64_t k = 0; k < length / 2; ++k) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
      roots_.emplace_back(std::cos(angle), std::sin(angle));
    }
  }

  /// Radix 2, decimation in time (Cooley & Tukey 1965), in place.
  void transform(Complex* x) const {
    for (std::uint64_t i = 0, reversed = 0; i < length_; ++i) {
      if (i < reversed) std::swap(x[i], x[reversed]);
      std::uint64_t bit = length_ / 2;
      for (; bit != 0 && (reversed & bit) != 0; bit /= 2) reversed ^= bit;
      reversed |= bit;
    }
    for (std::uint64_t half = 1; half < length_; half *= 2) {
      const std::uint64_t apart = length_ / (2 * half);
      for (std::uint64_t first = 0; first < length_; first += 2 * half) {
        for (std::uint64_t k = 0; k < half; ++k) {
          Complex& upper = x[first + k];
          Complex& lower = x[first + k + half];
          const Complex turned = lower * roots_[k * apart];
          lower = upper - turned;
          upper += turned;
        }
      }
    }
  }

  /// Operations on reals: ten in a butterfly.
  [[nodiscard]] std::uint64_t operations() const {
    return 10 * (length_ / 2) * static_cast<std::uint64_t>(std::countr_zero(length_));
  }

 private:
  std::uint64_t length_;
  std::vector<Complex> roots_;
};

/// What the nodes share.
struct FftPlan : ComputingPlan {
  explicit FftPlan(const Job& job)
      : ComputingPlan(job),
        size{static_cast<std::uint64_t>(job.whole("rows")), static_cast<std::uint64_t>(job.whole("columns")),
             sizeof(Complex)},
        overlapped(job.flag("overlap") && job.machine().node.overlap == Overlap::on),
        of_a_row(size.columns),
        of_a_column(size.rows),
        transposition(transposition_of(job, require_matrix(size, job.nodes(), 3, true),
                                       static_cast<unsigned>(job.whole("pieces")),
                                       [&](const Transposition& one) { return predict_us(job, one); })) {}

  [[nodiscard]] Complex input(std::uint64_t row, std::uint64_t column) const {
    return {static_cast<double>(draw(seed, row, column) >> 11U) * 0x1p-52 - 1, 0};
  }
  [[nodiscard]] std::uint64_t rows() const { return size.rows >> dim; }
  [[nodiscard]] std::uint64_t columns() const { return size.columns >> dim; }
  /// Of a piece's rows, and of all columns.
  [[nodiscard]] Cycles rows_work() const { return flop * of_a_row.operations() * (rows() / transposition.pieces()); }
  [[nodiscard]] Cycles columns_work() const { return flop * of_a_column.operations() * columns(); }

  [[nodiscard]] double predict_us(const Job& job, const Transposition& by) const {
    const double flop_us = job.machine().us(static_cast<double>(flop));
    const auto piece = static_cast<double>(of_a_row.operations() * (rows() / by.pieces()));
    const auto last = static_cast<double>(of_a_column.operations() * columns());
    return by.predict_us(job, flop_us * piece, overlapped) + flop_us * last;
  }

  MatrixSize size;
  bool overlapped;
  FourierTransform of_a_row;
  FourierTransform of_a_column;
  Transposition transposition;
};

/// Elements of the transform by its definition, in long double, whose rounding is below that of the fast transform.
class DirectTransform {
 public:
  explicit DirectTransform(const FftPlan& plan)
      : plan_(plan), row_roots_(roots(plan.size.columns)), column_roots_(roots(plan.size.rows)) {}

  /// Calls `use(row, column, element)` for elements of a column of the transform, every `stride`-th row.
  template <class Use>
  void column(std::uint64_t column, std::uint64_t stride, const Use& use) const {
    std::vector<Root> sums(plan_.size.rows);
    for (std::uint64_t row = 0; row < plan_.size.rows; ++row) {
      for (std::uint64_t j = 0; j < plan_.size.columns; ++j) {
        const long double value = plan_.input(row, j).real();
        sums[row] += value * row_roots_[j * column % plan_.size.columns];
      }
    }
    for (std::uint64_t k = 0; k < plan_.size.rows; k += stride) {
      Root element;
      for (std::uint64_t row = 0; row < plan_.size.rows; ++row) {
        element += sums[row] * column_roots_[row * k % plan_.size.rows];
      }
      use(k, column, element.real(), element.imag());
    }
  }

 private:
  using Root = std::complex<long double>;
  static std::vector<Root> roots(std::uint64_t length) {
    std::vector<Root> all(length);
    for (std::uint64_t k = 0; k < length; ++k) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(length);
      all[k] = {std::cos(angle), std::sin(angle)};
    }
    return all;
  }

  const FftPlan& plan_;
  std::vector<Root> row_roots_;
  std::vector<Root> column_roots_;
};

class Fft : public Transposing<FftPlan> {
 public:
  using Transposing::Transposing;
  static constexpr std::string_view name = "fft";
  static constexpr std::string_view help = "2-D Fourier transform of real data: rows, transposition, columns";
  static std::vector<Parameter> parameters() {
    return with_transposition(
        {counted("rows", "64", "rows", "of the matrix: a power of two"),
         counted("columns", "64", "", "of the matrix: a power of two"),
         counted("pieces", "1", "", "exchanges in which the matrix is transposed"),
         {.name = "overlap",
          .type = ParameterType::flag,
          .initial = "on",
          .help = "compute a piece while the piece before it is exchanged, on machines with node.overlap = on"},
         {.name = "flop", .type = ParameterType::time, .initial = "0.1 us", .help = "of an operation on reals"}});
  }

  Task<> run(Node& node) {
    const double start = node.now_us();
    slice_.resize(plan_.rows() * plan_.size.columns);
    for (std::uint64_t i = 0; i < slice_.size(); ++i) {
      slice_[i] = plan_.input(node.id() * plan_.rows() + i / plan_.size.columns, i % plan_.size.columns);
    }
    const Transposition& transposition = plan_.transposition;
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(slice_));
    transform_rows(0);
    co_await compute(node, plan_.rows_work());
    for (unsigned piece = 0; piece < transposition.pieces(); ++piece) {
      const bool more = piece + 1 < transposition.pieces();
      co_await transposition.pack(node, bytes, piece);
      if (more) transform_rows(piece + 1);
      if (more && !plan_.overlapped) co_await compute(node, plan_.rows_work());
      Pending computing = node.start_compute(more && plan_.overlapped ? plan_.rows_work() : 0);
      co_await transposition.move(node, bytes, piece);
      co_await computing;
    }
    co_await transposition.unpack(node, bytes);
    for (std::uint64_t column = 0; column < plan_.columns(); ++column) {
      plan_.of_a_column.transform(&slice_[column * plan_.size.rows]);
    }
    co_await compute(node, plan_.columns_work());
    whole_us_ = node.now_us() - start;
  }

  static double predict(const Job& job, const FftPlan& plan) { return plan.predict_us(job, plan.transposition); }

  /// Bit for bit what one processor computes in the same order; and within the rounding of a fast transform of the
  /// definition: all elements of small matrices, else some of four columns.
  ///
  /// The bound: an error of at most t e / (1 - t e) of the result, in the 2-norm, where t = log2 of the number of
  /// points and e = u + 4 u / (1 - 4 u) (sqrt 2 + u) for roots of relative error u = 2^-53 (Higham 2002, Theorem 24.2);
  /// the 2-norm of the result is sqrt(points) times that of the data. No element is further off than the norm.
  template <class Program>
  static std::string check(const NodesOf<Program>& nodes, const FftPlan& plan) {
    const auto found = [&](std::uint64_t column) {
      const Fft& node = nodes[static_cast<NodeId>(column / plan.columns())];
      return &node.slice_[column % plan.columns() * plan.size.rows];
    };
    const std::vector<Complex> whole = sequential(plan);
    for (std::uint64_t column = 0; column < plan.size.columns; ++column) {
      if (std::memcmp(found(column), &whole[column * plan.size.rows], plan.size.rows * sizeof(Complex)) != 0) {
        return "column " + std::to_string(column) + " differs from that of one processor";
      }
    }
    std::string wrong;
    const double bound = error_bound(plan);
    const bool all = plan.size.rows * plan.size.columns <= 4096;
    const auto stride = [all](std::uint64_t length) { return all || length < 16 ? 1 : length / 4 - 1; };
    const DirectTransform direct(plan);
    for (std::uint64_t column = 0; column < plan.size.columns; column += stride(plan.size.columns)) {
      direct.column(column, stride(plan.size.rows),
                    [&](std::uint64_t row, std::uint64_t at, long double re, long double im) {
                      const Complex element = found(at)[row];
                      const auto off = static_cast<double>(std::hypot(element.real() - re, element.imag() - im));
                      if (wrong.empty() && !(off <= bound)) {
                        wrong = "element " + std::to_string(row) + ", " + std::to_string(at) + " is " +
                                std::to_string(off) + " from the definition";
                      }
                    });
    }
    return wrong;
  }

  void sum(Sums& sums) const {
    const auto nodes = static_cast<double>(std::uint64_t{1} << plan_.dim);
    const unsigned beside = plan_.overlapped ? plan_.transposition.pieces() - 1 : 0;  // pieces, beside the exchange
    const double overlapped_us = us_per_cycle_ * static_cast<double>(plan_.rows_work() * beside);
    sums.add("us computing, mean of the nodes", (computing_us_ + overlapped_us) / nodes);
    sums.add("us exchanging and waiting, mean of the nodes", (whole_us_ - computing_us_) / nodes);
    Transposing::sum(sums);
  }

 protected:
  void transform_rows(unsigned piece) {
    const std::uint64_t rows = plan_.rows() / plan_.transposition.pieces();
    for (std::uint64_t row = piece * rows; row < (piece + 1) * rows; ++row) {
      plan_.of_a_row.transform(&slice_[row * plan_.size.columns]);
    }
  }

  Task<> compute(Node& node, Cycles work) {
    const double start = node.now_us();
    co_await node.compute(work);
    computing_us_ += node.now_us() - start;
    us_per_cycle_ = node.machine().us(1);
  }

  /// All of the transform on one processor, in the order of the nodes; column by column.
  static std::vector<Complex> sequential(const FftPlan& plan) {
    std::vector<Complex> columns(plan.size.rows * plan.size.columns);
    std::vector<Complex> line(plan.size.columns);
    for (std::uint64_t row = 0; row < plan.size.rows; ++row) {
      for (std::uint64_t column = 0; column < line.size(); ++column) line[column] = plan.input(row, column);
      plan.of_a_row.transform(line.data());
      for (std::uint64_t column = 0; column < line.size(); ++column)
        columns[column * plan.size.rows + row] = line[column];
    }
    for (std::uint64_t column = 0; column < line.size(); ++column) {
      plan.of_a_column.transform(&columns[column * plan.size.rows]);
    }
    return columns;
  }

  static double error_bound(const FftPlan& plan) {
    double squares = 0;
    for (std::uint64_t i = 0; i < plan.size.rows * plan.size.columns; ++i) {
      const double value = plan.input(i / plan.size.columns, i % plan.size.columns).real();
      squares += value * value;
    }
    constexpr double u = 0x1p-53;
    constexpr double e = u + 4 * u / (1 - 4 * u) * (std::numbers::sqrt2 + u);
    const auto points = static_cast<double>(plan.size.rows * plan.size.columns);
    const double t = std::log2(points);
    return t * e / (1 - t * e) * std::sqrt(points * squares);
  }

  std::vector<Complex> slice_;
  double computing_us_ = 0;  ///< while nothing was exchanged
  double whole_us_ = 0;
  double us_per_cycle_ = 0;
};

ECUBE_PROGRAMS(Fft)
