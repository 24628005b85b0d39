// SPDX-License-Identifier: Apache-2.0
// Scripts for sbatch.
#include "testbench/sweep/slurm.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "testbench/text/text.h"

namespace ecube {

namespace {

constexpr std::uint64_t most_tasks = 1000;
constexpr unsigned spare = 3;  ///< times the expected time: hosts differ

std::string header(const ArrayJob& job, const std::string& name) {
  std::string text = fmt::format("#!/bin/bash\n#SBATCH --job-name=\"{}\"\n", name);
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
  text += fmt::format(
      "#SBATCH --array=1-{}\n#SBATCH --cpus-per-task={}\n#SBATCH --time={}\n#SBATCH --mem={}M\n"
      "#SBATCH --output=\"{}/logs/%A_%a.txt\"\n",
      job.shards, job.cores, job.minutes * spare, (job.memory >> mib_shift) + 1, job.directory);
  text += fmt::format("exec {} sweep {} -o {} -j {} --quiet --shard \"$SLURM_ARRAY_TASK_ID\"/{}\n",
                      shell_word(job.program), shell_word(job.study), shell_word(job.directory), job.cores, job.shards);
  return text;
}

std::string merge_script(const ArrayJob& job) {
  return header(job, job.name + "-merge") +
         fmt::format("#SBATCH --time=30\n#SBATCH --output=\"{}/logs/merge.txt\"\nexec {} sweep merge {}\n",
                     job.directory, shell_word(job.program), shell_word(job.directory));
}

std::string submit(const std::string& script, const std::string& after) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("no pipe for sbatch: {}", std::strerror(errno)));
  }
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("no process for sbatch: {}", std::strerror(errno)));
  if (child == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(out[1], STDERR_FILENO);
    const std::string dependency = "--dependency=afterany:" + after;
    if (after.empty()) {
      execlp("sbatch", "sbatch", "--parsable", static_cast<char*>(nullptr));
    } else {
      execlp("sbatch", "sbatch", "--parsable", dependency.c_str(), static_cast<char*>(nullptr));
    }
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  for (std::size_t sent = 0; sent < script.size();) {
    const ssize_t more = write(in[1], script.data() + sent, script.size() - sent);
    if (more <= 0) break;
    sent += static_cast<std::size_t>(more);
  }
  close(in[1]);
  std::string answer;
  std::array<char, 4096> space{};
  for (ssize_t length = 0; (length = read(out[0], space.data(), space.size())) > 0;) {
    answer.append(space.data(), static_cast<std::size_t>(length));
  }
  close(out[0]);
  int status = 0;
  waitpid(child, &status, 0);
  while (!answer.empty() && answer.back() == '\n') answer.pop_back();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw std::runtime_error("there is no sbatch here: run this where Slurm is, or print the script with --dry-run");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("sbatch refused the job: {}", answer));
  }
  // "number;cluster" where there are several.
  return answer.substr(0, answer.find(';'));
}

}  // namespace ecube
