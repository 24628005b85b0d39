// SPDX-License-Identifier: Apache-2.0
// Least squares by Householder reflections with column pivoting.
#include "models/fit/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "models/machine/spelling.h"

namespace ecube {
namespace {

using Real = long double;

constexpr Real zero_pivot = 1e-12L;
constexpr Real rounding = 1e-13L;  ///< of values that are doubles, relative to the largest

/// The design in columns, reduced in place to R, with the right-hand side transformed alike.
struct PivotedQr {
  PivotedQr(std::span<const double> design, std::span<const double> values, std::size_t count)
      : columns(count, std::vector<Real>(values.size())), right(values.begin(), values.end()) {
    for (std::size_t row = 0; row < values.size(); ++row)
      for (std::size_t j = 0; j < count; ++j) columns[j][row] = design[row * count + j];
    for (std::vector<Real>& column : columns) {
      const Real length = length_from(column, 0);
      scale.push_back(length > 0 ? length : 1);
      for (Real& entry : column) entry /= scale.back();
    }
    order.resize(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    reduce();
  }

  /// Solves R11 x = target, the leading `rank` equations, by back substitution.
  [[nodiscard]] std::vector<Real> solve(const std::vector<Real>& target) const {
    std::vector<Real> x(rank);
    for (std::size_t i = rank; i-- > 0;) {
      Real sum = target[i];
      for (std::size_t j = i + 1; j < rank; ++j) sum -= columns[order[j]][i] * x[j];
      x[i] = sum / columns[order[i]][i];
    }
    return x;
  }

  static Real length_from(const std::vector<Real>& column, std::size_t row) {
    Real sum = 0;
    for (std::size_t i = row; i < column.size(); ++i) sum += column[i] * column[i];
    return std::sqrt(sum);
  }

  static void reflect(const std::vector<Real>& mirror, std::size_t row, std::vector<Real>& column) {
    Real product = 0;
    Real square = 0;
    for (std::size_t i = row; i < column.size(); ++i) {
      product += mirror[i] * column[i];
      square += mirror[i] * mirror[i];
    }
    for (std::size_t i = row; i < column.size(); ++i) column[i] -= 2 * product / square * mirror[i];
  }

  void reduce() {
    for (; rank < std::min(columns.size(), right.size()); ++rank) {
      const std::size_t row = rank;
      const auto longest = std::max_element(
          order.begin() + static_cast<std::ptrdiff_t>(row), order.end(),
          [&](std::size_t a, std::size_t b) { return length_from(columns[a], row) < length_from(columns[b], row); });
      const Real length = length_from(columns[*longest], row);
      if (length < zero_pivot) return;
      std::swap(order[row], *longest);
      std::vector<Real> mirror = columns[order[row]];
      mirror[row] += mirror[row] < 0 ? -length : length;  // away from zero: no cancellation
      for (std::size_t j = row; j < order.size(); ++j) reflect(mirror, row, columns[order[j]]);
      reflect(mirror, row, right);
    }
  }

  std::vector<std::vector<Real>> columns;
  std::vector<Real> right;
  std::vector<Real> scale;
  std::vector<std::size_t> order;  ///< the column of the design at each position of R
  std::size_t rank = 0;
};

FitQuality relative(const std::vector<Real>& fitted, std::span<const double> values) {
  Real largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(Real{value}));
  Real worst = 0;
  Real squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real against = values[i] != 0 ? std::abs(Real{values[i]}) : largest;
    const Real percent = against > 0 ? 100 * std::abs(fitted[i] - values[i]) / against : std::abs(fitted[i]);
    worst = std::max(worst, percent);
    squares += percent * percent;
  }
  const Real count = static_cast<Real>(std::max<std::size_t>(values.size(), 1));
  return {.worst_percent = static_cast<double>(worst), .rms_percent = static_cast<double>(std::sqrt(squares / count))};
}

/// `row` gives the row of the design for the length and the hops of a message.
LinearFit fit_messages_with_bytes(std::span<const MessageSample> samples, std::span<const std::string_view> names,
                                  const auto& row) {
  std::vector<double> design;
  std::vector<double> times;
  for (const MessageSample& sample : samples) {
    if (sample.bytes == 0) continue;
    const auto numbers = row(static_cast<double>(sample.bytes), static_cast<double>(sample.hops));
    design.insert(design.end(), numbers.begin(), numbers.end());
    times.push_back(sample.us);
  }
  return fit_linear(design, times, names);
}

/// Adds lambda0 to a fit, from the samples without bytes.
MessageFit with_empty_messages(MessageFit fit, std::span<const MessageSample> samples) {
  std::vector<MessageSample> empty;
  std::ranges::copy_if(samples, std::back_inserter(empty), [](const MessageSample& one) { return one.bytes == 0; });
  const std::size_t with_bytes = samples.size() - empty.size();
  if (empty.empty()) return fit;
  if (!fit.delta_hop_us) {
    fit.unseparated += "; lambda0 needs delta_hop";
    return fit;
  }

  Real sum = 0;
  for (const MessageSample& sample : empty) sum += sample.us - *fit.delta_hop_us * sample.hops;
  const Real lambda0 = sum / static_cast<Real>(empty.size());
  fit.lambda0_us = static_cast<double>(lambda0);

  std::vector<Real> fitted;
  std::vector<double> empty_times;
  for (const MessageSample& sample : empty) {
    fitted.push_back(lambda0 + Real{*fit.delta_hop_us} * sample.hops);
    empty_times.push_back(sample.us);
  }
  const FitQuality residuals = relative(fitted, empty_times);
  const auto squares = [](double rms, std::size_t count) { return rms * rms * static_cast<double>(count); };
  fit.worst_percent = std::max(fit.worst_percent, residuals.worst_percent);
  fit.rms_percent = std::sqrt((squares(fit.rms_percent, with_bytes) + squares(residuals.rms_percent, empty.size())) /
                              static_cast<double>(samples.size()));
  return fit;
}

}  // namespace

LinearFit fit_linear(std::span<const double> design, std::span<const double> values,
                     std::span<const std::string_view> names) {
  const std::size_t columns = names.size();
  if (design.size() != values.size() * columns) throw std::invalid_argument("fit_linear: the sizes do not agree");
  const PivotedQr qr(design, values, columns);

  // Without the dependent columns the fitted values are those of every solution. A coefficient is undetermined if its
  // column is part of a linear combination that is zero.
  std::vector<Real> solution(columns, 0);
  std::vector<bool> open(columns, false);
  const std::vector<Real> leading = qr.solve(qr.right);
  Real largest = 0;
  for (const Real part : leading) largest = std::max(largest, std::abs(part));
  for (std::size_t i = 0; i < qr.rank; ++i) {
    const std::size_t column = qr.order[i];
    // Contributions below the rounding of the values are set to zero, to avoid results like -6e-17 us a hop.
    if (std::abs(leading[i]) > rounding * largest) solution[column] = leading[i] / qr.scale[column];
  }
  for (std::size_t position = qr.rank; position < columns; ++position) {
    open[qr.order[position]] = true;
    // Coefficients of the columns of R11 in this one.
    const std::vector<Real> uses = qr.solve(qr.columns[qr.order[position]]);
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (std::abs(uses[i]) > zero_pivot) open[qr.order[i]] = true;
  }

  std::vector<Real> fitted(values.size(), 0);
  for (std::size_t row = 0; row < values.size(); ++row)
    for (std::size_t j = 0; j < columns; ++j) fitted[row] += solution[j] * design[row * columns + j];
  LinearFit fit{relative(fitted, values)};
  fit.rank = qr.rank;
  std::vector<std::string_view> missing;
  for (std::size_t j = 0; j < columns; ++j) {
    if (open[j]) missing.push_back(names[j]);
    fit.coefficients.push_back(open[j] ? std::nullopt : std::optional(static_cast<double>(solution[j])));
  }
  if (!missing.empty())
    fit.unseparated = "these samples do not determine " + joined(missing, ", ", " and ") + " (rank " +
                      std::to_string(fit.rank) + " of " + std::to_string(columns) + ")";
  return fit;
}

MessageFit fit_messages(std::span<const MessageSample> samples) {
  constexpr std::array<std::string_view, 3> names = {"lambda", "tau", "delta_hop"};
  const LinearFit with_bytes = fit_messages_with_bytes(samples, names, [](double bytes, double hops) {
    return std::array<double, 3>{1, bytes, hops};
  });
  MessageFit fit{with_bytes};
  fit.lambda_us = with_bytes.coefficients[0];
  fit.tau_us_per_byte = with_bytes.coefficients[1];
  fit.delta_hop_us = with_bytes.coefficients[2];
  return with_empty_messages(std::move(fit), samples);
}

MessageFit fit_stored_messages(std::span<const MessageSample> samples) {
  constexpr std::array<std::string_view, 2> names = {"delta_hop", "tau_hop"};
  const LinearFit with_bytes = fit_messages_with_bytes(samples, names, [](double bytes, double hops) {
    return std::array<double, 2>{hops, hops * bytes};
  });
  MessageFit fit{with_bytes};
  fit.lambda_us = fit.tau_us_per_byte = 0;
  fit.delta_hop_us = with_bytes.coefficients[0];
  fit.tau_hop_us_per_byte = with_bytes.coefficients[1].value_or(0);
  return with_empty_messages(std::move(fit), samples);
}

}  // namespace ecube
