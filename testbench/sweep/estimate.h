// SPDX-License-Identifier: Apache-2.0
// How long a study will take, and how much memory.
#pragma once

#include "testbench/sweep/point_runner.h"
#include "testbench/sweep/study.h"

namespace ecube {

/// Time is a for each point and b for each circuit, fitted to the runs of a few points of this study.
struct StudyEstimate {
  std::uint64_t points = 0;
  std::uint64_t looked_at = 0;  ///< points: all of them, or a sample
  std::uint64_t refused = 0;    ///< points looked at with bad input
  std::string why_refused{};    ///< the error of the first of these
  double circuits = 0;          ///< of the whole study
  double seconds = 0;           ///< on one worker
  Bytes memory = 0;             ///< of a worker, at the largest point
  unsigned ran = 0;             ///< points, for the fit; 0: the time is not known, the smallest takes too long
  double point_s = 0;           ///< a
  double circuit_s = 0;         ///< b
};

/// The estimate of one point.
struct SizedPoint {
  StudyPoint point;
  PointSize size;
  [[nodiscard]] double seconds(const StudyEstimate& fit) const {
    return size.status != 0 ? 0 : fit.point_s + fit.circuit_s * static_cast<double>(size.size.circuits);
  }
};

/// Looks at all points when there are at most `most_looked_at`, else at as many spread evenly; runs a few of them for
/// about two seconds, the smallest first. `sized` are those looked at, in order.
inline constexpr std::uint64_t most_looked_at = 2000;
[[nodiscard]] StudyEstimate estimate_study(const Study& study, std::vector<SizedPoint>& sized);

}  // namespace ecube
