// SPDX-License-Identifier: Apache-2.0
// The circuits of a run, and what its nodes did meanwhile, as a page shows and replays them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "testbench/publication/published_files.h"

namespace ecube {

/// Columns of circuits.csv by name. With more circuits than a page holds, those whose probes are driven first:
/// `complete_until` is the edge before which no probe is missing, null when every circuit is there. null without
/// circuits.csv. InputError when the file cannot be read. `with_ports`: with the inject port, which is
/// the plane, or names the channel.
[[nodiscard]] nlohmann::ordered_json circuits_data(const PublishedFiles& files, std::uint64_t count, bool with_ports);

/// Lines of dark.csv that begin before an edge, as lists of node, plane, mask, edges from and until; null without
/// dark.csv. InputError when the file cannot be read.
[[nodiscard]] nlohmann::ordered_json dark_data(const PublishedFiles& files, std::uint64_t before);

/// programs.csv up to an edge: the names of the states, and for every node its changes as lists of edges, states,
/// phases and steps. null without programs.csv. InputError when the file cannot be read.
[[nodiscard]] nlohmann::ordered_json programs_data(const PublishedFiles& files, std::uint64_t nodes,
                                                   std::uint64_t until);

}  // namespace ecube
