// SPDX-License-Identifier: Apache-2.0
// --sizes: a complete exchange whose blocks differ in size, as typed and as checked.
#pragma once

#include "models/exchange/unequal_exchange_cost.h"
#include "testbench/exchange/exchange_request.h"

namespace ecube {

/// The sizes as typed: zipf:EXPONENT, uniform, or a file. InputError for what is none of them, for a cube above
/// max_unequal_dim, and for options that equal blocks only have.
[[nodiscard]] BlockSizes block_sizes_of(const ExchangeArguments& arguments, const Machine& machine, unsigned dim);
/// Whether --sizes names a file, so that --bytes has no effect.
[[nodiscard]] bool sizes_from_file(const ExchangeArguments& arguments);

}  // namespace ecube
