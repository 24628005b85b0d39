// SPDX-License-Identifier: Apache-2.0
// A network that is no cube as pages draw it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "models/machine/topology.h"

namespace ecube {

/// [node]: its place, in units of a link, y downwards. Dimension 0 lies along x, dimension 1 upwards, a third one of
/// two nodes slants as in a cube, and others repeat the picture to the right and above, in turn: a mesh is a grid. The
/// nodes of a dimension whose links would lie upon one another are on a bow.
[[nodiscard]] std::vector<std::pair<double, double>> places_of(const Topology& topology);

/// "outputs": their names, "links": [node, output, node], "places": [x, y], and "paths": of each circuit its links, as
/// node * outputs + output, and "planes", how many. On planes the links are those that circuits of the page have taken,
/// or to which a plane was tuned. `circuits`, `dark`: those of the page, or null.
[[nodiscard]] nlohmann::ordered_json network_data(const Topology& topology, const nlohmann::ordered_json& circuits,
                                                  const nlohmann::ordered_json& dark);

}  // namespace ecube
