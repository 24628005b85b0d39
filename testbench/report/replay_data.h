// SPDX-License-Identifier: Apache-2.0
// What a replay shows of a run: on a page, and in a picture that moves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/machine/topology.h"
#include "testbench/report/run_data.h"

namespace ecube {

/// [node]: its place, in units of a link, y downwards. Dimension 0 lies along x, dimension 1 upwards, a third one of
/// two nodes slants as in a cube, and others repeat the picture to the right and above, in turn: a mesh is a grid. The
/// nodes of a dimension whose links would lie upon one another are on a bow.
[[nodiscard]] std::vector<std::pair<double, double>> places_of(const Topology& topology);

/// "outputs": their names, "links": [node, output, node], "places": [x, y], and "paths": of each circuit its links, as
/// node * outputs + output, and "planes", how many. On planes the links are those that circuits of the page have taken,
/// or to which a plane was tuned. `circuits`, `dark`: those of the page, or null.
[[nodiscard]] Json network_data(const Topology& topology, const Json& circuits, const Json& dark);

/// Summary, circuits and programs of a run, and its network where that is no plain cube.
[[nodiscard]] Json replay_data(const RunFiles& run);

/// The cubes of the runs side by side on one clock, as an SVG whose links change colour at the edges at which their
/// circuits do (the rules of the replay): idle, held, with data, held by a circuit that waits further on. Each run has
/// the name of its directory. InputError for a run without circuits.csv or with more circuits than a page has, for
/// worms and packets, which hold links by other rules, and for more than 4 dimensions.
[[nodiscard]] std::string moving_picture(const std::vector<RunFiles>& runs);

}  // namespace ecube
