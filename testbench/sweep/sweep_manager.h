// SPDX-License-Identifier: Apache-2.0
// Points of a study in this process, one after the other, on one elaborated machine, and the worker process around it.
// Running the points on several of these; how long that will take, and how much memory.
#pragma once

#include <deque>

#include "testbench/run/experiment.h"
#include "testbench/sweep/store/store.h"
#include "testbench/system/child_process.h"

namespace ecube {

/// Of a point that has run, or whose size was asked for.
struct PointOutcome {
  int status = 0;                          ///< as the program's exit status
  std::string error{};                     ///< the run's error message, when the status is not 0
  Json result{};                           ///< the run's JSON object; null when there is none
  double wall_s = 0;                       ///< of the host
  bool wants_another_elaboration = false;  ///< the point has not run: another process has to run it
  RunSize size{};                          ///< of a point of size_study()
};

/// `arguments` are those of `ecube run`, its name left out. Wrong arguments never throw: they give status 2.
[[nodiscard]] PointOutcome run_point(const std::vector<std::string>& arguments, Benches& benches);

/// Reads points from standard input, a JSON object a line: number, arguments. Answers each with a line: number, status,
/// wall_s, error; or number and again = true for a point that needs another elaboration, and then ends. Behind it comes
/// a line with the run's own JSON object, or null. Returns the exit status.
[[nodiscard]] int run_worker(unsigned dim);

struct SweepJob {
  StudyPoint point;
  unsigned kills = 0;  ///< of workers, at this point
};

/// Runs points. Where they are short, it gets the next one before it has ended the present one.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts `ecube sweep-worker`, which ends with this object. runtime_error when it cannot be started.
  /// Ctrl-C reaches the manager alone; run_worker() ends a worker whose manager is gone.
  explicit WorkerProcess(unsigned dim)
      : process_({.program = "/proc/self/exe",
                  .words = {"ecube", "sweep-worker", "--dim", std::to_string(dim)},
                  .told = true,
                  .output = ChildCommand::Output::pipe,
                  .own_group = true,
                  .ours_to_end = true}) {}
  /// A worker without jobs ends by itself.
  ~WorkerProcess() {
    process_.close_to();
    constexpr auto most = std::chrono::milliseconds(50);
    if (jobs_.empty()) (void)process_.ended_within(most);
  }
  [[nodiscard]] int descriptor() const { return process_.from(); }
  [[nodiscard]] const std::deque<SweepJob>& jobs() const { return jobs_; }
  [[nodiscard]] bool has_room() const {
    if (jobs_.empty()) return true;
    return jobs_.size() < most_waiting && last_s_ < short_s && running_s() < short_s;
  }
  void give(SweepJob job) {
    const Json line = {{"number", job.point.number}, {"arguments", job.point.arguments}};
    if (jobs_.empty()) begun_ = Clock::now();
    jobs_.push_back(std::move(job));
    (void)write_all(process_.to(), line.dump() + "\n");  // where the worker is gone, the next read will show it
  }
  /// Seconds since the present job began.
  [[nodiscard]] double running_s() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  struct Answer {
    SweepJob job{};
    PointResult result{};
    bool again = false;  ///< the job has not run, and needs another process
  };
  [[nodiscard]] bool receive();
  [[nodiscard]] std::optional<Answer> answer() {
    const std::size_t head = buffer_.find('\n');
    const std::size_t end = head == std::string::npos ? head : buffer_.find('\n', head + 1);
    if (end == std::string::npos || jobs_.empty()) return std::nullopt;
    const auto json = Json::parse(buffer_.substr(0, head), nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    std::string result = buffer_.substr(head + 1, end - head - 1);
    buffer_.erase(0, end + 1);
    const bool done = json.value("status", 1) == 0 && result != "null";
    Answer answer{.job = std::move(jobs_.front()),
                  .result = {.done = done,
                             .wall_s = json.value("wall_s", 0.0),
                             .outcome = done ? std::move(result) : json.value("error", "no result")},
                  .again = json.contains("again")};
    jobs_.pop_front();
    begun_ = Clock::now();
    last_s_ = answer.result.wall_s;
    return answer;
  }
  [[nodiscard]] std::deque<SweepJob> take_jobs() { return std::exchange(jobs_, {}); }

  ChildEnd end() {
    // A worker that closed its output is about to end by itself, and its exit status is worth waiting for.
    constexpr auto most = std::chrono::milliseconds(50);
    const std::optional<ChildEnd> by_itself = process_.ended_within(most);
    return by_itself ? *by_itself : process_.kill();
  }

 private:
  static constexpr double short_s = 0.02;  ///< with points shorter than this, the next point waits at the worker
  static constexpr std::size_t most_waiting = 2;

  ChildProcess process_;
  std::deque<SweepJob> jobs_;
  Clock::time_point begun_;
  double last_s_ = 1;  ///< time of the last job; long until the first is known
  std::string buffer_;
};

struct SweepOptions {
  unsigned workers = 1;
  Shard shard{};
  bool again = false;         ///< failed points too
  std::vector<bool> ended{};  ///< [number]: the points that another store has; empty where there is none
  bool quiet = false;
};

struct SweepOutcome {
  std::uint64_t points = 0;  ///< of the study, or of its shard
  std::uint64_t ran = 0;     ///< this time
  std::uint64_t failed = 0;  ///< of these
  std::uint64_t left = 0;    ///< not ended, after an interruption
  bool interrupted = false;
  double seconds = 0;
  double busy_cores = 0;  ///< processor time, of manager and workers, by the time passed
};

/// Runs the points that the store lacks, handed out one at a time, so that no worker waits for another. A worker that
/// is killed, or over the time limit, is replaced. Ends early at Ctrl-C, when all ended points are stored.
[[nodiscard]] SweepOutcome run_sweep(const Study& study, Store& store, const SweepOptions& options);

struct SizedPoint {
  StudyPoint point;
  PointOutcome size;
};

struct StudySizes {
  std::uint64_t points = 0;         ///< of the study
  std::vector<SizedPoint> sized{};  ///< those looked at, in order
  std::uint64_t refused = 0;        ///< of these, points with bad input
  std::string why_refused{};        ///< the error of the first of them
};

/// Looks at all points when there are at most `most_looked_at`, else at as many spread evenly.
inline constexpr std::uint64_t most_looked_at = 2000;
[[nodiscard]] StudySizes size_study(const Study& study);

/// Time is a for each point and b for each circuit, fitted to the runs of a few points of this study.
struct StudyEstimate {
  double circuits = 0;   ///< of the whole study
  double seconds = 0;    ///< on one worker
  Bytes memory = 0;      ///< of a worker, at the largest point
  unsigned ran = 0;      ///< points, for the fit; 0: the time is not known, the smallest takes too long
  double point_s = 0;    ///< a
  double circuit_s = 0;  ///< b
  [[nodiscard]] double seconds_of(const SizedPoint& one) const {
    return one.size.status != 0 ? 0 : point_s + circuit_s * static_cast<double>(one.size.size.circuits);
  }
};

/// Runs a few of the points looked at for about two seconds, the smallest first.
[[nodiscard]] StudyEstimate estimate_study(const Study& study, const StudySizes& sizes);

}  // namespace ecube
