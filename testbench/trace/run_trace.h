// SPDX-License-Identifier: Apache-2.0
// Everything that watches one run: waits, waveform, timeline, and the files they end in.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "testbench/test_bench.h"
#include "testbench/trace/observer_list.h"
#include "testbench/trace/timeline.h"
#include "testbench/trace/wave_sink.h"

namespace ecube {

class RunTrace {
 public:
  /// Watches waits; with a waveform wanted, begins its files. std::runtime_error when one cannot be made.
  RunTrace(const TraceRequest& request, const RunSetup& setup);

  [[nodiscard]] Observer& observer() { return observers_; }
  [[nodiscard]] const ContentionLog& contention() const { return contention_; }
  [[nodiscard]] const TraceRequest& request() const { return request_; }

  /// How the files ended.
  enum class Outcome : std::uint8_t { none, whole, incomplete, outside };
  /// Ends the files of a run that took `cycles`, if any are wanted, and writes their layout. When the run was over
  /// before the window began, they are removed.
  [[nodiscard]] Outcome finish(const Cube& cube, Cycles cycles);
  /// Removes the files.
  void abandon();
  /// The files that finish() has written, with their sizes, for a person.
  [[nodiscard]] std::string files_text() const;

  /// About the bytes that a run of `circuits` circuits of `hops` links each writes, waveform and timeline together.
  [[nodiscard]] static double estimated_bytes(const TraceRequest& request, const TraceSelection& selection,
                                              double circuits, double hops);

 private:
  void write_layout(const Cube& cube, Cycles end);

  TraceRequest request_;
  RunSetup setup_;
  MessageNumbers numbers_;
  ContentionLog contention_;
  ObserverList observers_;
  TraceSelection selection_;
  WaveTime time_;
  std::optional<MachineTrace> machine_;
  std::optional<WaveSink> waves_;
  std::optional<Timeline> timeline_;
  bool layout_whole_ = true;
};

}  // namespace ecube
