// SPDX-License-Identifier: Apache-2.0
// The process that runs points of a study, one after the other, on one elaborated machine.
#pragma once

namespace ecube {

/// Reads points from standard input, a JSON object a line: number, arguments. Answers each with a line on standard
/// output: number, status, wall_s, error, and result = true when the run's own JSON object is in the next line; or, for
/// a point that takes another elaboration, number and again = true, and ends. Machines of up to `dim` dimensions. The
/// exit status.
[[nodiscard]] int run_worker(unsigned dim);

}  // namespace ecube
