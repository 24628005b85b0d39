// SPDX-License-Identifier: Apache-2.0
// A worker as its manager sees it.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "testbench/sweep/store.h"
#include "testbench/system/child_process.h"

namespace ecube {

/// A point that is to be run.
struct SweepJob {
  StudyPoint point;
  unsigned kills = 0;  ///< of workers, at this point
};

/// A process that runs points. It is given the next one before it has ended the one it runs, so that it need not wait
/// for its manager, where points are so short that this matters.
class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts `ecube sweep-worker` for machines of up to `dim` dimensions; it ends with this object. runtime_error when
  /// it cannot.
  explicit WorkerProcess(unsigned dim);
  /// One that has nothing to do ends by itself.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  /// To be polled for input.
  [[nodiscard]] int descriptor() const { return process_.from(); }
  /// What it runs, first, and has waiting.
  [[nodiscard]] const std::deque<SweepJob>& jobs() const { return jobs_; }
  [[nodiscard]] bool has_room() const;
  void give(SweepJob job);
  /// How long the job that runs has been running.
  [[nodiscard]] double running_s() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  /// What came of the job that ran.
  struct Answer {
    SweepJob job{};
    PointResult result{};
    bool again = false;  ///< it has not run, and needs another process
  };
  /// Reads what there is; false when the process has closed its end.
  [[nodiscard]] bool receive();
  /// The next answer among what was read.
  [[nodiscard]] std::optional<Answer> answer();
  /// Takes its jobs away.
  [[nodiscard]] std::deque<SweepJob> take_jobs();

  /// How a process ended.
  struct End {
    bool killed = false;  ///< by SIGKILL
    std::string text;     ///< "its process was ended by signal 11"
  };
  /// Ends the process if it has not ended.
  End end();

 private:
  [[nodiscard]] std::optional<std::string> line();

  ChildProcess process_;
  std::deque<SweepJob> jobs_;
  Clock::time_point begun_;
  double last_s_ = 1;  ///< what the last job took; long at first, until it is known
  std::string buffer_;
  std::size_t read_ = 0;  ///< of buffer_, by line()
};

}  // namespace ecube
