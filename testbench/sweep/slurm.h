// SPDX-License-Identifier: Apache-2.0
// A study as an array of Slurm tasks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/machine/machine.h"
#include "testbench/sweep/study.h"

namespace ecube {

struct ArrayJob {
  std::string name;
  std::string program;    ///< path of this program, which every machine of the cluster sees
  std::string study;      ///< path of the study file, likewise
  std::string directory;  ///< of the results, likewise
  std::uint64_t shards = 1;
  unsigned cores = 1;                     ///< of a task
  unsigned minutes = 10;                  ///< time limit of a task
  Bytes memory = 0;                       ///< of a task
  std::vector<std::string> directives{};  ///< more of them, as "--partition=short"
  bool allow_code = false;                ///< the study may compile and run programs
  bool keep_going = false;                ///< although some of its points cannot run
};

/// Shards of some `minutes` each, for a study of `seconds` on one core: at least 1, at most one for each point, and at
/// most as many as Slurm's default limit of an array (MaxArraySize, 1,001).
[[nodiscard]] std::uint64_t shards_for(double seconds, unsigned minutes, unsigned cores, std::uint64_t points);

/// The script for sbatch that runs one shard for each task. InputError when sbatch cannot write into the directory.
[[nodiscard]] std::string array_script(const ArrayJob& job);
/// The script that merges the shards after the last task has ended.
[[nodiscard]] std::string merge_script(const ArrayJob& job);

/// Hands a script to sbatch, to begin when job `after` has ended, if one is given. Returns the job's number;
/// runtime_error with the message of sbatch.
[[nodiscard]] std::string submit(const std::string& script, const std::string& after = {});

}  // namespace ecube
