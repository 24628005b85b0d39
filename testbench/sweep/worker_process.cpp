// SPDX-License-Identifier: Apache-2.0
// Pipes to and from a worker.
#include "testbench/sweep/worker_process.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

namespace ecube {

namespace {

constexpr double short_s = 0.02;  ///< with points shorter than this, the next point waits at the worker
constexpr std::size_t most_waiting = 2;

}  // namespace

// Ctrl-C reaches the manager alone; worker.cpp ends a worker whose manager is gone.
WorkerProcess::WorkerProcess(unsigned dim)
    : process_({.program = "/proc/self/exe",
                .words = {"ecube", "sweep-worker", "--dim", std::to_string(dim)},
                .input = ChildCommand::Input::pipe,
                .output = ChildCommand::Output::pipe,
                .own_group = true,
                .ours_to_end = true}) {}

WorkerProcess::~WorkerProcess() {
  process_.close_to();
  constexpr auto most = std::chrono::milliseconds(50);
  if (jobs_.empty()) (void)process_.ended_within(most);
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
    const ssize_t more = write(process_.to(), text.data() + sent, text.size() - sent);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return;  // the worker is gone, as the next read will show
    sent += static_cast<std::size_t>(more);
  }
}

bool WorkerProcess::receive() {
  std::array<char, 65536> space{};
  const ssize_t length = read(process_.from(), space.data(), space.size());
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
  Answer answer{
      .result = {.wall_s = json.value("wall_s", 0.0)}, .again = json.contains("again"), .last = json.contains("last")};
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
  // A worker that closed its output is about to end by itself, and its exit status is worth waiting for.
  constexpr auto most = std::chrono::milliseconds(50);
  const std::optional<ChildEnd> by_itself = process_.ended_within(most);
  const ChildEnd end = by_itself ? *by_itself : process_.kill();
  if (!end.by_signal) return {false, fmt::format("its process ended with status {}", end.number)};
  return {end.number == SIGKILL, fmt::format("its process was ended by signal {}", end.number)};
}

}  // namespace ecube
