// SPDX-License-Identifier: Apache-2.0
// Parts of a study, for several machines or array tasks of Slurm.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

/// Every count-th point from `index` on: neighbours on an axis, which take about the same time, go to different shards.
struct Shard {
  std::uint64_t index = 0;  ///< counted from 0; people count from 1
  std::uint64_t count = 1;

  [[nodiscard]] bool has(std::uint64_t point) const { return point % count == index; }
  /// "shard-2-of-8"
  [[nodiscard]] std::string directory() const;
};

inline constexpr std::uint64_t max_shards = 100'000;

/// "2/8", 1 <= i <= N <= max_shards. InputError for anything else.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// The shard that the batch system gives this process: an array task of Slurm or of PBS, a rank of Open MPI or of a PMI
/// launcher. None outside a batch system, or for a process that is alone in it. `variable`: as in the environment.
[[nodiscard]] std::optional<Shard> shard_of_environment(const std::function<std::string(const char*)>& variable);

/// The stores of shards in a study's directory. InputError for one that is a symbolic link.
[[nodiscard]] std::vector<std::string> shard_directories(const std::string& directory);

struct ArrayJob {
  std::string name{};
  std::string program{};                  ///< path of this program, which every machine of the cluster sees
  std::string study{};                    ///< path of the study file, likewise
  std::string directory{};                ///< of the results, likewise
  std::int64_t shards = 0;                ///< tasks
  std::int64_t cores = 1;                 ///< of a task
  std::int64_t minutes = 10;              ///< about as long as a task is to run
  Bytes memory = 0;                       ///< of a task
  std::vector<std::string> directives{};  ///< more of them, as "--partition=short"
  bool allow_code = false;                ///< the study may compile and run programs
  bool keep_going = false;                ///< although some of its points cannot run
};

/// Shards of some `minutes` each, for a study of `seconds` on one core: at least 1, at most one for each point, and at
/// most as many as Slurm's default limit of an array (MaxArraySize, 1,001).
[[nodiscard]] std::int64_t shards_for(double seconds, std::int64_t minutes, std::int64_t cores, std::uint64_t points);

[[nodiscard]] std::string array_script(const ArrayJob& job);
[[nodiscard]] std::string merge_script(const ArrayJob& job);

/// Hands a script to sbatch, to begin when job `after` has ended. Returns the job's number, or throws what it says.
[[nodiscard]] std::string submit(const std::string& script, const std::string& after = {});

}  // namespace ecube
