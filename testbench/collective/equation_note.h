// SPDX-License-Identifier: Apache-2.0
// What the output says of an equation that does not describe the machine, and when `best` measures instead.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

/// Messages that all the candidates of `best` may send together to be run, packets of stored messages counted for each
/// hop: some seconds.
inline constexpr std::uint64_t most_measured_messages = std::uint64_t{1} << 22;

/// No larger cube is elaborated for it.
inline constexpr unsigned max_tried_dim = 10;

/// What of this limit `messages` messages of up to `longest` bytes take.
[[nodiscard]] std::uint64_t measured_messages(const Machine& machine, unsigned dim, std::uint64_t messages,
                                              Bytes longest);

/// "the equation leaves out: ..", a line; empty without gaps.
[[nodiscard]] std::string leaves_out_note(const std::vector<std::string>& gaps);
/// The same with what follows from it for a recommendation: that it is measured, or an estimate.
[[nodiscard]] std::string leaves_out_note(const std::vector<std::string>& gaps, bool measured);
/// "leaves_out", where there is something.
void add_leaves_out(nlohmann::ordered_json& json, const std::vector<std::string>& gaps);
/// The limit, for the help of the three commands.
[[nodiscard]] std::string measured_limit_help();

}  // namespace ecube
