// SPDX-License-Identifier: Apache-2.0
// Shards, from the command line, the environment and directories.
#include "testbench/sweep/shard.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "models/machine/error.h"
#include "testbench/sweep/store/store_file.h"

namespace ecube {

namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// Variables of a batch system: this task, the first task, and the number of tasks.
struct TaskVariables {
  const char* task;
  const char* first;  ///< nullptr: tasks are counted from 0
  const char* count;
};

// slurm sbatch(1) "--array", Open MPI mpirun(1) "Environment variables", the process management interface of MPICH.
constexpr std::array<TaskVariables, 3> systems{{
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
    {"OMPI_COMM_WORLD_RANK", nullptr, "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", nullptr, "PMI_SIZE"},
}};

}  // namespace

std::string Shard::directory() const { return fmt::format("shard-{}-of-{}", index + 1, count); }

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : number(std::string_view(text).substr(slash + 1));
  if (!part || !count || *part < 1 || *part > *count || *count > max_shards) {
    throw InputError(fmt::format("{} is no shard", ecube::quoted(text)))
        .hint("the second of eight is 2/8")
        .valid(fmt::format("i/N with 1 <= i <= N <= {}", max_shards));
  }
  return {.index = *part - 1, .count = *count};
}

std::optional<Shard> shard_of_environment(const std::function<const char*(const char*)>& variable) {
  const auto value = [&variable](const char* name) -> std::optional<std::uint64_t> {
    const char* const text = name == nullptr ? nullptr : variable(name);
    return text == nullptr ? std::nullopt : number(text);
  };
  for (const TaskVariables& system : systems) {
    const auto task = value(system.task);
    const auto count = value(system.count);
    if (!task || !count) continue;
    const std::uint64_t first = value(system.first).value_or(0);
    if (*count < 2 || *count > max_shards || *task < first || *task - first >= *count) continue;
    return Shard{.index = *task - first, .count = *count};
  }
  return std::nullopt;
}

std::vector<std::string> shard_directories(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("shard-", 0) != 0 || !has_store((entry.path() / "results.sqlite").string())) continue;
    if (entry.is_symlink()) {
      throw InputError(fmt::format("{} is a symbolic link", ecube::quoted(entry.path().string())))
          .hint("a shard is a directory in that of its study; name the stores to merge, if this is one of them");
    }
    found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace ecube
