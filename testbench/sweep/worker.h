// SPDX-License-Identifier: Apache-2.0
// The process that runs points of a study, one after the other, on one elaborated machine.
#pragma once

namespace ecube {

/// Reads points from standard input, a JSON object a line: number, arguments. Answers each with a line on standard
/// output: number, status, wall_s, error, and result = true when the run's own JSON object is in the next line; or, for
/// a point that needs another elaboration, number and again = true, and then ends. Machines have up to `dim`
/// dimensions. Returns the exit status.
[[nodiscard]] int run_worker(unsigned dim);

}  // namespace ecube
