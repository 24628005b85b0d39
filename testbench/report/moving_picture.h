// SPDX-License-Identifier: Apache-2.0
// Runs that move in a picture: one small SVG file for a page that has no script.
#pragma once

#include <string>
#include <vector>

#include "testbench/report/run_data.h"

namespace ecube {

/// The cubes of the runs side by side on one clock, as an SVG whose links change colour at the edges at which their
/// circuits do (the rules of the replay): idle, held, with data, held by a circuit that waits further on. Each run has
/// the name of its directory. InputError for a run without circuits.csv or with more circuits than a page has, for
/// worms and packets, which hold links by other rules, and for more than 4 dimensions.
[[nodiscard]] std::string moving_picture(const std::vector<RunFiles>& runs);

}  // namespace ecube
