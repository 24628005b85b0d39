// SPDX-License-Identifier: Apache-2.0
// Scripts for sbatch.
#include "testbench/sweep/slurm.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "models/machine/error.h"
#include "testbench/system/child_process.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::uint64_t most_tasks = 1000;
constexpr unsigned spare = 3;  ///< times the expected time: hosts differ

/// A name of letters, digits and . _ -: in a directive another sign could begin a further one.
std::string job_name(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._-").find(c) != std::string_view::npos;
    if (!plain) c = '_';
  }
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

std::uint64_t shards_for(double seconds, unsigned minutes, unsigned cores, std::uint64_t points) {
  const double shards = std::ceil(seconds / (60.0 * minutes * cores));
  return static_cast<std::uint64_t>(std::clamp(shards, 1.0, static_cast<double>(std::min(points, most_tasks))));
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
    ChildProcess sbatch({.words = std::move(words),
                         .input = ChildCommand::Input::text,
                         .text = script,
                         .output = ChildCommand::Output::kept});
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
