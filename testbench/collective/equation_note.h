// SPDX-License-Identifier: Apache-2.0
// Notes on equations that do not describe the machine, and the limits within which `best` measures instead.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

/// The most messages that all candidates of `best` may send together if they are to be run: some seconds. Packets of
/// stored messages count once for each hop.
inline constexpr std::uint64_t most_measured_messages = std::uint64_t{1} << 22;

/// The largest cube that `best` elaborates to run candidates.
inline constexpr unsigned max_tried_dim = 10;

/// How much `messages` messages of up to `longest` bytes count towards most_measured_messages.
[[nodiscard]] std::uint64_t measured_messages(const Machine& machine, unsigned dim, std::uint64_t messages,
                                              Bytes longest);

/// "the equation leaves out: ..", a line; empty without gaps.
[[nodiscard]] std::string leaves_out_note(const std::vector<std::string>& gaps);
/// The line, followed by what it means for a recommendation: measured, or an estimate.
[[nodiscard]] std::string leaves_out_note(const std::vector<std::string>& gaps, bool measured);
/// Adds "leaves_out" where there are gaps.
void add_leaves_out(nlohmann::ordered_json& json, const std::vector<std::string>& gaps);
/// The limit, for the help of the three commands.
[[nodiscard]] std::string measured_limit_help();

}  // namespace ecube
