// SPDX-License-Identifier: Apache-2.0
// Workers, their jobs and the results.
#include "testbench/sweep/sweep_manager.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <list>

#include "testbench/run/progress_line.h"
#include "testbench/system/open_files.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned most_kills = 3;  ///< of a worker, at one point

volatile std::sig_atomic_t stop_wanted = 0;  ///< how often
void want_stop(int) { stop_wanted = stop_wanted + 1; }

double processor_s() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
  }
  return sum;
}

class Manager {
 public:
  Manager(const Study& study, Store& store, const SweepOptions& options)
      : study_(study), store_(store), options_(options), dim_(largest_dim(study)), line_(options.quiet) {
    const std::uint64_t points = count_points(study);
    options_.ended.resize(points, false);
    store.database().mark_ended(options_.ended, options.again);
    for (std::uint64_t number = 0; number < points; ++number) {
      if (!mine(number)) continue;
      ++outcome_.points;
      if (!options_.ended[number]) ++wanted_;
    }
  }

  SweepOutcome run() {
    const auto before_int = std::signal(SIGINT, want_stop);
    const auto before_term = std::signal(SIGTERM, want_stop);
    for_each_point(study_, [&](const StudyPoint& point) {
      if (options_.ended[point.number] || !mine(point.number)) return true;
      waiting_.push_back({point});
      for (give(); stop_wanted == 0 && !waiting_.empty(); give()) serve();
      return stop_wanted == 0;
    });
    for (; stop_wanted == 0 && (busy() || !waiting_.empty()); give()) serve();
    workers_.clear();
    commit_all();
    (void)std::signal(SIGINT, before_int);
    (void)std::signal(SIGTERM, before_term);
    line_.clear();
    outcome_.interrupted = stop_wanted != 0;
    outcome_.left = wanted_ - outcome_.ran;
    outcome_.seconds = line_.seconds();
    outcome_.busy_cores = (processor_s() - processor_s_) / std::max(outcome_.seconds, 1e-9);
    return outcome_;
  }

 private:
  [[nodiscard]] bool mine(std::uint64_t number) const { return options_.shard.has(number); }
  [[nodiscard]] bool busy() const {
    return std::ranges::any_of(workers_, [](const WorkerProcess& worker) { return !worker.jobs().empty(); });
  }

  /// Gives the waiting jobs to workers, as long as one has room.
  void give() {
    while (!waiting_.empty()) {
      WorkerProcess* const worker = with_room();
      if (worker == nullptr) return;
      worker->give(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  /// An idle one, if there is any.
  [[nodiscard]] WorkerProcess* with_room() {
    for (WorkerProcess& worker : workers_) {
      if (worker.jobs().empty()) return &worker;
    }
    if (workers_.size() < options_.workers) return &workers_.emplace_back(dim_);
    for (WorkerProcess& worker : workers_) {
      if (worker.has_room()) return &worker;
    }
    return nullptr;
  }

  void serve() {
    std::vector<pollfd> waiting;
    for (const WorkerProcess& worker : workers_) {
      waiting.push_back({.fd = worker.descriptor(), .events = POLLIN, .revents = 0});
    }
    constexpr int ms = 200;
    if (poll(waiting.data(), waiting.size(), ms) < 0) return;
    std::size_t place = 0;
    for (auto worker = workers_.begin(); worker != workers_.end(); ++place) {
      const bool alive = (waiting[place].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || worker->receive();
      bool retired = false;
      while (std::optional<WorkerProcess::Answer> answer = worker->answer()) {
        if (answer->again) {
          waiting_.push_back(std::move(answer->job));
          retired = true;
          break;
        }
        finish(answer->job, std::move(answer->result));
      }
      if (retired) {
        run_again(worker->take_jobs());
      } else if (!alive) {
        died(*worker);
      } else if (!worker->jobs().empty() && worker->running_s() > study_.time_limit_s) {
        std::deque<SweepJob> jobs = worker->take_jobs();
        finish(jobs.front(), {.wall_s = study_.time_limit_s,
                              .outcome = fmt::format("over its time limit of {:.6g} s", study_.time_limit_s)});
        jobs.pop_front();
        run_again(std::move(jobs));
      } else {
        ++worker;
        continue;
      }
      worker = workers_.erase(worker);
    }
    // Workers wait for some 20 ms meanwhile, and a crash costs the points since.
    if (Clock::now() - committed_ > std::chrono::milliseconds(400)) {
      (void)store_.commit();
      committed_ = Clock::now();
    }
    progress();
  }

  void commit_all() {
    const std::sig_atomic_t before = stop_wanted;
    for (bool told = false; !store_.commit(); told = true) {
      if (!told) line_.show(fmt::format("waiting for another program that is reading {}", store_.database().file()));
      if (stop_wanted == before) continue;
      throw Interrupted(fmt::format("before the last results could be written: another program is reading {}",
                                    store_.database().file()));
    }
  }

  void run_again(std::deque<SweepJob> jobs) {
    for (SweepJob& job : jobs) waiting_.push_back(std::move(job));
  }

  void died(WorkerProcess& worker) {
    std::deque<SweepJob> jobs = worker.take_jobs();
    if (jobs.empty()) return;
    const ChildEnd end = worker.end();
    const bool killed = end.by_signal && end.number == SIGKILL;
    // A kill from outside says nothing about the point, unless it is repeated: then memory may be short.
    SweepJob& job = jobs.front();
    if (!killed || ++job.kills == most_kills) {
      finish(job, {.outcome = killed          ? fmt::format("killed {} times: is there too little memory?", most_kills)
                              : end.by_signal ? fmt::format("its process was ended by signal {}", end.number)
                                              : fmt::format("its process ended with status {}", end.number)});
      jobs.pop_front();
    }
    run_again(std::move(jobs));
  }

  void finish(const SweepJob& job, PointResult result) {
    if (!result.done) result.outcome = error_as_written(study_, job.point, result.outcome);
    store_.add(job.point, result);
    ++outcome_.ran;
    if (!result.done) ++outcome_.failed;
  }

  void progress() {
    if (!line_.due()) return;
    const double rate = static_cast<double>(outcome_.ran) / line_.seconds();
    const double part = wanted_ == 0 ? 1 : static_cast<double>(outcome_.ran) / static_cast<double>(wanted_);
    std::string text = fmt::format("{} of {} points  {:.0f}%  {:.1f} a second", grouped(outcome_.ran), grouped(wanted_),
                                   100 * part, rate);
    if (rate > 0) text += "  ETA " + duration_text(static_cast<double>(wanted_ - outcome_.ran) / rate);
    if (outcome_.failed > 0) text += fmt::format("  {} failed", grouped(outcome_.failed));
    line_.show(text);
  }

  const Study& study_;
  Store& store_;
  SweepOptions options_;
  unsigned dim_;
  std::uint64_t wanted_ = 0;
  std::list<WorkerProcess> workers_;
  std::deque<SweepJob> waiting_;  ///< that no worker has: the next point, and those that have to run again
  SweepOutcome outcome_;
  ProgressLine line_;
  double processor_s_ = processor_s();
  Clock::time_point committed_ = Clock::now();
};

}  // namespace

bool WorkerProcess::receive() {
  std::array<char, 65536> space{};
  const ssize_t length = read(process_.from(), space.data(), space.size());
  if (length <= 0) return length < 0 && errno == EINTR;
  buffer_.append(space.data(), static_cast<std::size_t>(length));
  return true;
}

SweepOutcome run_sweep(const Study& study, Store& store, const SweepOptions& options) {
  return Manager(study, store, options).run();
}

}  // namespace ecube
