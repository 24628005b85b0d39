// SPDX-License-Identifier: Apache-2.0
// Workers, what they are given, and what becomes of it.
#include "testbench/sweep/manager.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <list>
#include <stdexcept>

#include "testbench/text.h"

namespace ecube {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned most_kills = 3;  ///< of a worker, at one point

volatile std::sig_atomic_t stop_wanted = 0;
void want_stop(int) { stop_wanted = 1; }

struct Job {
  StudyPoint point;
  unsigned kills = 0;
};

/// A process that runs points, one at a time.
class Worker {
 public:
  explicit Worker(unsigned dim) {
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
      // Ctrl-C is for the manager; a worker ends with it.
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
  ~Worker() {
    close(to_);
    close(from_);
    bool killed = false;
    (void)fate(killed);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] int descriptor() const { return from_; }
  [[nodiscard]] bool busy() const { return job.has_value(); }
  void give(Job next) {
    const nlohmann::ordered_json line = {{"number", next.point.number}, {"arguments", next.point.arguments}};
    const std::string text = line.dump() + "\n";
    job = std::move(next);
    begun = Clock::now();
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t more = write(to_, text.data() + sent, text.size() - sent);
      if (more <= 0) return;  // it is gone, which reading from it will tell
      sent += static_cast<std::size_t>(more);
    }
  }
  /// Reads what there is. False when the process has closed its end.
  bool receive() {
    std::array<char, 65536> space{};
    const ssize_t length = read(from_, space.data(), space.size());
    if (length <= 0) return length < 0 && errno == EINTR;
    buffer_.append(space.data(), static_cast<std::size_t>(length));
    return true;
  }
  [[nodiscard]] std::optional<std::string> line() {
    const std::size_t end = buffer_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string result = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return result;
  }
  /// Ends it if it has not ended, and says how it did.
  std::string fate(bool& killed) {
    if (pid_ < 0) return {};
    int status = 0;
    // One that closed its output is about to end by itself; how is worth knowing.
    for (int tries = 0; tries < 50 && waitpid(pid_, &status, WNOHANG) == 0; ++tries) usleep(1000);
    if (kill(pid_, 0) == 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, &status, 0);
    }
    pid_ = -1;
    killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return WIFSIGNALED(status) ? fmt::format("its process was ended by signal {}", WTERMSIG(status))
                               : fmt::format("its process ended with status {}", WEXITSTATUS(status));
  }

  std::optional<Job> job;
  Clock::time_point begun;

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string buffer_;
};

class Manager {
 public:
  Manager(const Study& study, Store& store, const SweepOptions& options)
      : study_(study),
        store_(store),
        options_(options),
        dim_(largest_dim(study)),
        ended_(0),
        terminal_(isatty(STDERR_FILENO) == 1) {
    const std::uint64_t points = count_points(study);
    ended_ = store.ended(points, options.again);
    for (std::uint64_t number = 0; number < points; ++number) {
      if (!mine(number)) continue;
      ++outcome_.points;
      if (!ended_[number]) ++wanted_;
    }
  }

  SweepOutcome run() {
    struct sigaction action {};
    action.sa_handler = want_stop;
    struct sigaction before_int {};
    struct sigaction before_term {};
    sigaction(SIGINT, &action, &before_int);
    sigaction(SIGTERM, &action, &before_term);
    signal(SIGPIPE, SIG_IGN);
    for_each_point(study_, [&](const StudyPoint& point) {
      if (ended_[point.number] || !mine(point.number)) return true;
      dispatch({point});
      return stop_wanted == 0;
    });
    while (stop_wanted == 0 && (busy() > 0 || !again_.empty())) serve();
    workers_.clear();
    store_.commit();
    sigaction(SIGINT, &before_int, nullptr);
    sigaction(SIGTERM, &before_term, nullptr);
    clear_line();
    outcome_.interrupted = stop_wanted != 0;
    outcome_.left = wanted_ - outcome_.ran;
    outcome_.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return outcome_;
  }

 private:
  [[nodiscard]] bool mine(std::uint64_t number) const { return number % options_.shard.count == options_.shard.index; }
  [[nodiscard]] std::size_t busy() const {
    return static_cast<std::size_t>(
        std::count_if(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.busy(); }));
  }

  /// Gives a job to a worker, as soon as one has nothing to do.
  void dispatch(Job job) {
    while (stop_wanted == 0) {
      for (Worker& worker : workers_) {
        if (worker.busy()) continue;
        if (!again_.empty()) {
          worker.give(std::move(again_.front()));
          again_.pop_front();
          continue;
        }
        worker.give(std::move(job));
        return;
      }
      if (workers_.size() < options_.workers) {
        workers_.emplace_back(dim_);
        continue;
      }
      serve();
    }
  }

  /// Waits for something to happen, and deals with it.
  void serve() {
    while (!again_.empty() && workers_.size() < options_.workers) workers_.emplace_back(dim_);
    for (Worker& worker : workers_) {
      if (worker.busy() || again_.empty()) continue;
      worker.give(std::move(again_.front()));
      again_.pop_front();
    }
    std::vector<pollfd> waiting;
    for (const Worker& worker : workers_)
      waiting.push_back({.fd = worker.descriptor(), .events = POLLIN, .revents = 0});
    constexpr int ms = 200;
    (void)poll(waiting.data(), waiting.size(), ms);
    std::size_t place = 0;
    for (auto worker = workers_.begin(); worker != workers_.end(); ++place) {
      const bool alive = (waiting[place].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || worker->receive();
      while (const std::optional<std::string> line = worker->line()) answered(*worker, *line);
      if (!alive) {
        died(*worker);
        worker = workers_.erase(worker);
      } else if (worker->busy() &&
                 std::chrono::duration<double>(Clock::now() - worker->begun).count() > study_.time_limit_s) {
        finish(*worker->job, {.error = fmt::format("over its time limit of {:.6g} s", study_.time_limit_s),
                              .wall_s = study_.time_limit_s});
        worker = workers_.erase(worker);
      } else {
        ++worker;
      }
    }
    const Clock::time_point now = Clock::now();
    if (now - committed_ > std::chrono::milliseconds(200)) {
      store_.commit();
      committed_ = now;
    }
    progress(now);
  }

  void answered(Worker& worker, const std::string& line) {
    const auto answer = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!worker.busy() || answer.is_discarded() ||
        answer.value("number", ~std::uint64_t{0}) != worker.job->point.number)
      return;
    const Job job = std::move(*worker.job);
    worker.job.reset();
    if (answer.contains("again")) {
      again_.push_back(job);
      return;
    }
    PointResult result{.wall_s = answer.value("wall_s", 0.0)};
    result.done = answer.value("status", 1) == 0 && answer.contains("result");
    if (result.done) {
      result.result = answer["result"];
    } else {
      result.error = answer.value("error", std::string("no result"));
    }
    finish(job, std::move(result));
  }

  void died(Worker& worker) {
    if (!worker.busy()) return;
    bool killed = false;
    const std::string fate = worker.fate(killed);
    Job job = std::move(*worker.job);
    worker.job.reset();
    // Somebody else's kill says nothing of the point, unless it happens again and again: then memory may be short.
    if (killed && ++job.kills < most_kills) {
      again_.push_back(std::move(job));
    } else {
      finish(job, {.error = killed ? fmt::format("killed {} times: is there too little memory?", most_kills) : fate});
    }
  }

  void finish(const Job& job, PointResult result) {
    result.number = job.point.number;
    result.id = job.point.id;
    store_.add(job.point, result);
    ++outcome_.ran;
    if (!result.done) ++outcome_.failed;
  }

  void progress(Clock::time_point now) {
    if (options_.quiet ||
        now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10'000)))
      return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double rate = static_cast<double>(outcome_.ran) / seconds;
    const double part = wanted_ == 0 ? 1 : static_cast<double>(outcome_.ran) / static_cast<double>(wanted_);
    std::string line = fmt::format("{} of {} points  {:.0f}%  {:.1f} a second", grouped(outcome_.ran), grouped(wanted_),
                                   100 * part, rate);
    if (rate > 0) line += fmt::format("  ETA {:.0f} s", static_cast<double>(wanted_ - outcome_.ran) / rate);
    if (outcome_.failed > 0) line += fmt::format("  {} failed", grouped(outcome_.failed));
    if (terminal_) {
      line.resize(std::min<std::size_t>(line.size(), terminal_columns(STDERR_FILENO) - 1));
      fmt::print(stderr, "\r\033[K{}", line);
      std::fflush(stderr);
      line_shown_ = true;
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  }
  void clear_line() {
    if (line_shown_) fmt::print(stderr, "\r\033[K");
    line_shown_ = false;
  }

  const Study& study_;
  Store& store_;
  SweepOptions options_;
  unsigned dim_;
  std::vector<bool> ended_;
  std::uint64_t wanted_ = 0;
  std::list<Worker> workers_;
  std::deque<Job> again_;
  SweepOutcome outcome_;
  bool terminal_;
  bool line_shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point shown_ = begin_;
  Clock::time_point committed_ = begin_;
};

}  // namespace

unsigned largest_dim(const Study& study) {
  unsigned largest = 4;  // as `ecube run` has it
  const auto take = [&](const std::string& key, const std::string& value) {
    if (key == "dim") largest = std::max(largest, static_cast<unsigned>(std::stoul(value)));
  };
  for (const StudyValue& fixed : study.fixed) take(fixed.key, fixed.value);
  for (const StudyAxis& axis : study.axes) {
    for (const std::vector<std::string>& value : axis.values) {
      for (std::size_t key = 0; key < value.size(); ++key) take(axis.keys[key], value[key]);
    }
  }
  return largest;
}

SweepOutcome run_sweep(const Study& study, Store& store, const SweepOptions& options) {
  return Manager(study, store, options).run();
}

}  // namespace ecube
