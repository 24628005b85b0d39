// SPDX-License-Identifier: Apache-2.0
// Running the points of a study on several worker processes.
#pragma once

#include "testbench/sweep/shard.h"
#include "testbench/sweep/store/store.h"

namespace ecube {

struct SweepOptions {
  unsigned workers = 1;
  Shard shard{};
  bool again = false;                        ///< failed points too
  const std::vector<bool>* ended = nullptr;  ///< [number]: the points that another store has
  bool quiet = false;
};

/// The result of a sweep.
struct SweepOutcome {
  std::uint64_t points = 0;  ///< of the study, or of its shard
  std::uint64_t ran = 0;     ///< this time
  std::uint64_t failed = 0;  ///< of these
  std::uint64_t left = 0;    ///< not ended, after an interruption
  bool interrupted = false;
  double seconds = 0;
  double busy_cores = 0;  ///< processor time, of manager and workers, by the time passed
};

/// Runs the points that the store lacks. Points are handed out one at a time, so that no worker waits for another; a
/// worker that is killed, or over the time limit, is replaced. Ends early at Ctrl-C, after every ended point has been
/// stored.
[[nodiscard]] SweepOutcome run_sweep(const Study& study, Store& store, const SweepOptions& options);

}  // namespace ecube
