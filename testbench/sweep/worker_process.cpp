// SPDX-License-Identifier: Apache-2.0
// Pipes to and from a worker.
#include "testbench/sweep/worker_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace ecube {

namespace {

constexpr double short_s = 0.02;  ///< a point that does not last for longer has the next one waiting
constexpr std::size_t most_waiting = 2;

}  // namespace

WorkerProcess::WorkerProcess(unsigned dim) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("no pipe for a worker: {}", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  const std::string text = std::to_string(dim);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error(fmt::format("no process for a worker: {}", std::strerror(errno)));
  if (pid_ == 0) {
    // Ctrl-C is for the manager; a worker ends with it, however it ends.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execl("/proc/self/exe", "ecube", "sweep-worker", "--dim", text.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

WorkerProcess::~WorkerProcess() {
  close(to_);
  close(from_);
  // One that has nothing to do ends by itself.
  if (pid_ >= 0 && !jobs_.empty()) kill(pid_, SIGKILL);
  (void)end();
}

bool WorkerProcess::has_room() const {
  if (jobs_.empty()) return true;
  return jobs_.size() < most_waiting && last_s_ < short_s && running_s() < short_s;
}

void WorkerProcess::give(SweepJob job) {
  const nlohmann::ordered_json line = {{"number", job.point.number}, {"arguments", job.point.arguments}};
  const std::string text = line.dump() + "\n";
  if (jobs_.empty()) begun_ = Clock::now();
  jobs_.push_back(std::move(job));
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t more = write(to_, text.data() + sent, text.size() - sent);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return;  // it is gone, which reading from it will tell
    sent += static_cast<std::size_t>(more);
  }
}

bool WorkerProcess::receive() {
  std::array<char, 65536> space{};
  const ssize_t length = read(from_, space.data(), space.size());
  if (length <= 0) return length < 0 && errno == EINTR;
  buffer_.append(space.data(), static_cast<std::size_t>(length));
  return true;
}

std::optional<std::string> WorkerProcess::line() {
  const std::size_t end = buffer_.find('\n', read_);
  if (end == std::string::npos) return std::nullopt;
  std::string result = buffer_.substr(read_, end - read_);
  read_ = end + 1;
  return result;
}

std::optional<WorkerProcess::Answer> WorkerProcess::answer() {
  read_ = 0;
  const std::optional<std::string> head = line();
  if (!head || jobs_.empty()) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(*head, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  Answer answer{.result = {.wall_s = json.value("wall_s", 0.0)}, .again = json.contains("again")};
  if (json.contains("result")) {
    const std::optional<std::string> result = line();
    if (!result) return std::nullopt;
    answer.result.done = json.value("status", 1) == 0;
    if (answer.result.done) answer.result.result = *result;
  }
  if (!answer.result.done) answer.result.error = json.value("error", std::string("no result"));
  buffer_.erase(0, read_);
  answer.job = std::move(jobs_.front());
  jobs_.pop_front();
  begun_ = Clock::now();
  last_s_ = answer.result.wall_s;
  return answer;
}

std::deque<SweepJob> WorkerProcess::take_jobs() { return std::exchange(jobs_, {}); }

WorkerProcess::End WorkerProcess::end() {
  if (pid_ < 0) return {};
  int status = 0;
  // One that closed its output is about to end by itself; how is worth knowing.
  constexpr int most_ms = 50;
  pid_t ended = 0;
  for (int ms = 0; ms < most_ms && (ended = waitpid(pid_, &status, WNOHANG)) == 0; ++ms) usleep(1000);
  if (ended == 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status, 0);
  }
  pid_ = -1;
  if (!WIFSIGNALED(status)) return {false, fmt::format("its process ended with status {}", WEXITSTATUS(status))};
  return {WTERMSIG(status) == SIGKILL, fmt::format("its process was ended by signal {}", WTERMSIG(status))};
}

}  // namespace ecube
