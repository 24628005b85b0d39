// SPDX-License-Identifier: Apache-2.0
// Parts of a study, for several machines or array tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ecube {

/// Every count-th point, beginning with number `index`: neighbours on an axis, which take about the same time, go to
/// different shards.
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
/// launcher. None outside a batch system, or for a process that is alone in it.
[[nodiscard]] std::optional<Shard> shard_of_environment(const std::function<const char*(const char*)>& variable);

/// The stores of shards in a study's directory. InputError for one that is a symbolic link.
[[nodiscard]] std::vector<std::string> shard_directories(const std::string& directory);

}  // namespace ecube
