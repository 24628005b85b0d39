// SPDX-License-Identifier: Apache-2.0
// How long a study will take, and how much memory.
#pragma once

#include "testbench/sweep/point_runner.h"
#include "testbench/sweep/study.h"

namespace ecube {

struct SizedPoint {
  StudyPoint point;
  PointOutcome size;
};

struct StudySizes {
  std::uint64_t points = 0;         ///< of the study
  std::vector<SizedPoint> sized{};  ///< those looked at, in order
  std::uint64_t refused = 0;        ///< of these, points with bad input
  std::string why_refused{};        ///< the error of the first of them
};

/// Looks at all points when there are at most `most_looked_at`, else at as many spread evenly.
inline constexpr std::uint64_t most_looked_at = 2000;
[[nodiscard]] StudySizes size_study(const Study& study);

/// Time is a for each point and b for each circuit, fitted to the runs of a few points of this study.
struct StudyEstimate {
  double circuits = 0;   ///< of the whole study
  double seconds = 0;    ///< on one worker
  Bytes memory = 0;      ///< of a worker, at the largest point
  unsigned ran = 0;      ///< points, for the fit; 0: the time is not known, the smallest takes too long
  double point_s = 0;    ///< a
  double circuit_s = 0;  ///< b
  [[nodiscard]] double seconds_of(const SizedPoint& one) const {
    return one.size.status != 0 ? 0 : point_s + circuit_s * static_cast<double>(one.size.size.circuits);
  }
};

/// Runs a few of the points looked at for about two seconds, the smallest first.
[[nodiscard]] StudyEstimate estimate_study(const Study& study, const StudySizes& sizes);

}  // namespace ecube
