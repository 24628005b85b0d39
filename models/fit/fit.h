// SPDX-License-Identifier: Apache-2.0
// Least squares: parameters of the cost equations from measured times.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/cube.h"

namespace ecube {

/// How near a fit comes to its samples.
struct FitQuality {
  /// |fitted - measured| / measured of the worst sample, and the root of the mean square, in percent. The error of a
  /// measured zero is relative to the largest value.
  double worst_percent = 0;
  double rms_percent = 0;
  /// Empty when every coefficient is determined, otherwise a sentence that names the undetermined ones.
  std::string unseparated{};
};

/// The outcome of a linear fit.
struct LinearFit : FitQuality {
  /// One per column; none where the samples do not determine the coefficient, because its column is zero or a
  /// combination of others.
  std::vector<std::optional<double>> coefficients{};
  std::size_t rank = 0;
};

/// The coefficients c that minimise the sum of (design c - values)^2, absolute errors: the machine rounds to cycles.
/// `design` holds values.size() rows of names.size() numbers, row by row; `names` are for `unseparated`. All numbers
/// are finite. Throws std::invalid_argument when the sizes do not agree.
///
/// Householder QR with column pivoting on columns scaled to length 1, in long double (Golub & Van Loan, Matrix
/// Computations, section 5.4); a pivot below 1e-12 counts as zero.
[[nodiscard]] LinearFit fit_linear(std::span<const double> design, std::span<const double> values,
                                   std::span<const std::string_view> names);

/// One uncontended message, or one exchange, timed.
struct MessageSample {
  Bytes bytes = 0;
  unsigned hops = 0;
  double us = 0;
};

/// lambda + tau bytes + delta_hop hops, fitted, or hops (delta_hop + tau_hop bytes). None where the samples do not
/// determine a parameter; lambda0 is missed only if there are zero-byte samples.
struct MessageFit : FitQuality {
  std::optional<double> lambda_us{};
  std::optional<double> lambda0_us{};  ///< in place of lambda for messages of zero bytes
  std::optional<double> tau_us_per_byte{};
  std::optional<double> delta_hop_us{};
  double tau_hop_us_per_byte = 0;
};

/// Fits lambda, tau and delta_hop to the samples with bytes, then lambda0 to those without bytes, with the same
/// delta_hop. Samples without bytes do not change delta_hop, because the library may treat messages without bytes
/// differently. Needs two lengths and two distances.
[[nodiscard]] MessageFit fit_messages(std::span<const MessageSample> samples);
/// Fits hops (delta_hop + tau_hop bytes), the time of a message that every node on the route receives completely and
/// forwards; lambda and tau are 0, and lambda0 is fitted as above.
[[nodiscard]] MessageFit fit_stored_messages(std::span<const MessageSample> samples);

}  // namespace ecube
