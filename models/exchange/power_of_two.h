// SPDX-License-Identifier: Apache-2.0
// Powers of two that a double may not hold.
#pragma once

#include <cmath>

namespace ecube {

/// `value` times 2^exponent. Zero stays zero where 2^exponent alone would be infinite.
inline double scaled(double value, unsigned exponent) { return std::ldexp(value, static_cast<int>(exponent)); }

}  // namespace ecube
