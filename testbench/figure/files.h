// SPDX-License-Identifier: Apache-2.0
// The files of a reproduced result: data and picture.
#pragma once

#include <string>
#include <vector>

#include "testbench/figure/figure.h"

namespace ecube {

/// Whether pictures can be drawn: gnuplot can be started.
[[nodiscard]] bool has_gnuplot();

/// Writes ID.csv, and with `picture` ID.gp and, by gnuplot, ID.svg into `directory`, which exists. Returns the files'
/// names. std::runtime_error when a file cannot be written.
[[nodiscard]] std::vector<std::string> write_figure(const std::string& directory, std::string_view id,
                                                    const Reproduction& reproduction, bool picture);

}  // namespace ecube
