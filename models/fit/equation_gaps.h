// SPDX-License-Identifier: Apache-2.0
// Which mechanisms of a machine the cost equations leave out.
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

/// A sentence for each mechanism that makes runs on `machine`, a cube of dimension `dim`, differ from the equation by
/// more than a few percent; empty where the equation describes the machine. `longest` is the longest message, in bytes.
[[nodiscard]] std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes longest);
/// Of single messages, whatever their length.
[[nodiscard]] std::vector<std::string> message_gaps(const Machine& machine, unsigned dim);
[[nodiscard]] std::vector<std::string> combine_gaps(const Machine& machine, unsigned dim);
[[nodiscard]] std::vector<std::string> shuffle_gaps(const Machine& machine, unsigned dim);

}  // namespace ecube
