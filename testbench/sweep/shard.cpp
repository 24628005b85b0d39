// SPDX-License-Identifier: Apache-2.0
// Shards, from the command line, the environment and directories.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "models/machine/error.h"
#include "models/machine/spelling.h"
#include "testbench/sweep/store/store.h"
#include "testbench/sweep/study.h"
#include "testbench/system/child_process.h"
#include "testbench/system/open_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

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

constexpr std::uint64_t most_tasks = 1000;
constexpr unsigned spare = 3;  ///< times the expected time: hosts differ

/// A name of letters, digits and . _ -: in a directive another sign could begin a further one.
std::string job_name(std::string name) {
  static constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  std::ranges::replace_if(
      name, [](char c) { return plain.find(c) == std::string_view::npos; }, '_');
  return name;
}

/// The directive for the file of a job's output. sbatch replaces % and reads quotes and backslashes in its own way.
std::string output_directive(const ArrayJob& job, std::string_view file) {
  const bool plain = std::none_of(job.directory.begin(), job.directory.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7F' || c == '"' || c == '\\' || c == '%';
  });
  if (!plain) {
    throw InputError(
        fmt::format("Slurm cannot write into a directory with this name: {}", ecube::quoted(job.directory)))
        .hint("give -o a name without quotes, backslashes, % and control characters");
  }
  return fmt::format("#SBATCH --output=\"{}/logs/{}\"\n", job.directory, file);
}

std::string header(const ArrayJob& job, const std::string& name) {
  std::string text = fmt::format("#!/bin/bash\n#SBATCH --job-name=\"{}\"\n", job_name(name));
  for (const std::string& directive : job.directives) text += fmt::format("#SBATCH {}\n", directive);
  return text;
}

}  // namespace

std::string Shard::directory() const { return fmt::format("shard-{}-of-{}", index + 1, count); }

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = whole_number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos ? std::nullopt : whole_number(std::string_view(text).substr(slash + 1));
  if (!part || !count || *part < 1 || *part > *count || *count > max_shards) {
    throw InputError(fmt::format("{} is no shard", ecube::quoted(text)))
        .hint("the second of eight is 2/8")
        .valid(fmt::format("i/N with 1 <= i <= N <= {}", max_shards));
  }
  return {.index = *part - 1, .count = *count};
}

std::optional<Shard> shard_of_environment(const std::function<std::string(const char*)>& variable) {
  const auto value = [&variable](const char* name) {
    return name == nullptr ? std::nullopt : whole_number(variable(name));
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

std::int64_t shards_for(double seconds, std::int64_t minutes, std::int64_t cores, std::uint64_t points) {
  const double shards = std::ceil(seconds / static_cast<double>(60 * minutes * cores));
  return static_cast<std::int64_t>(std::clamp(shards, 1.0, static_cast<double>(std::min(points, most_tasks))));
}

std::string array_script(const ArrayJob& job) {
  constexpr unsigned mib_shift = 20;
  std::string text = header(job, job.name);
  text += fmt::format("#SBATCH --array=1-{}\n#SBATCH --cpus-per-task={}\n#SBATCH --time={}\n#SBATCH --mem={}M\n",
                      job.shards, job.cores, job.minutes * spare, (job.memory >> mib_shift) + 1);
  text += output_directive(job, "%A_%a.txt");
  text += fmt::format("exec {} sweep {} -o {} -j {} --quiet{}{} --shard \"$SLURM_ARRAY_TASK_ID\"/{}\n",
                      shell_word(job.program), shell_word(job.study), shell_word(job.directory), job.cores,
                      job.allow_code ? " --allow-code" : "", job.keep_going ? " --keep-going" : "", job.shards);
  return text;
}

std::string merge_script(const ArrayJob& job) {
  return header(job, job.name + "-merge") + "#SBATCH --time=30\n" + output_directive(job, "merge.txt") +
         fmt::format("exec {} sweep merge {}\n", shell_word(job.program), shell_word(job.directory));
}

std::string submit(const std::string& script, const std::string& after) {
  std::vector<std::string> words{"sbatch", "--parsable"};
  if (!after.empty()) words.push_back("--dependency=afterany:" + after);
  std::string answer;
  ChildEnd end;
  try {
    ChildProcess sbatch(
        {.words = std::move(words), .input = ChildCommand::Input::pipe, .output = ChildCommand::Output::kept});
    (void)write_all(sbatch.to(), script);  // one that does not read all of it says why
    sbatch.close_to();
    end = sbatch.wait();
    answer = sbatch.printed();
  } catch (const std::system_error& problem) {
    if (problem.code() != std::errc::no_such_file_or_directory) throw;
    throw std::runtime_error("there is no sbatch here: run this where Slurm is, or print the script with --dry-run");
  }
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  if (!end.well()) throw std::runtime_error(fmt::format("sbatch refused the job: {}", answer));
  // The answer is "number;cluster" where there are several clusters.
  return answer.substr(0, answer.find(';'));
}

}  // namespace ecube
