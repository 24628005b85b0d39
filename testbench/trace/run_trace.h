// SPDX-License-Identifier: Apache-2.0
// All observers of one run (waits, waveform, timeline) and their files.
#pragma once

#include <set>

#include "hw/observed/observer.h"
#include "testbench/machine/test_bench.h"
#include "testbench/system/staged_files.h"
#include "testbench/trace/waves/wave_signals.h"

namespace ecube {

/// Passes every report on to all of its observers, in the order in which they were added.
class ObserverList final : public Observer {
 public:
  void add(Observer& one) { observers_.push_back(&one); }
  [[nodiscard]] bool empty() const { return observers_.empty(); }
  /// Who is to be told: the only observer itself, or else this list.
  [[nodiscard]] Observer& observer() { return observers_.size() == 1 ? *observers_.front() : *this; }

  void injected(CircuitId id, const CircuitRecord& circuit) override { tell(&Observer::injected, id, circuit); }
  void granted(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles asked,
               Cycles at) override {
    tell(&Observer::granted, id, circuit, router, output, asked, at);
  }
  void waits(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles at) override {
    tell(&Observer::waits, id, circuit, router, output, at);
  }
  void phits_leave(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    tell(&Observer::phits_leave, id, circuit, at);
  }
  void phits_arrive(CircuitId id, const CircuitRecord& circuit, Cycles at) override {
    tell(&Observer::phits_arrive, id, circuit, at);
  }
  void established(CircuitId id, const CircuitRecord& circuit, const CircuitEdges& edges) override {
    tell(&Observer::established, id, circuit, edges);
  }
  void released(CircuitId id, const CircuitRecord& circuit, NodeId router, unsigned output, Cycles free_from) override {
    tell(&Observer::released, id, circuit, router, output, free_from);
  }
  void lost(const CircuitRecord& circuit, Cycles at) override { tell(&Observer::lost, circuit, at); }
  void half_is(HalfState state, NodeId node, unsigned plane, NodeId mask, Cycles at) override {
    tell(&Observer::half_is, state, node, plane, mask, at);
  }
  void plane_count(PlaneCount what, NodeId node, bool more, Cycles at) override {
    tell(&Observer::plane_count, what, node, more, at);
  }
  void program_starts(NodeId node, Cycles at) override { tell(&Observer::program_starts, node, at); }
  void program_ends(NodeId node, Cycles at) override { tell(&Observer::program_ends, node, at); }
  void issued(const Operation& operation, Cycles at) override { tell(&Observer::issued, operation, at); }
  void begins(const Operation& operation, Cycles at) override { tell(&Observer::begins, operation, at); }
  void loops(const Operation& operation, const node::LoopTimes& times, Cycles at) override {
    tell(&Observer::loops, operation, times, at);
  }
  void left(const Operation& operation, Cycles at) override { tell(&Observer::left, operation, at); }
  void completed(const Operation& operation, Cycles at) override { tell(&Observer::completed, operation, at); }

 private:
  template <typename Method, typename... Arguments>
  void tell(Method method, const Arguments&... arguments) {
    for (Observer* const one : observers_) (one->*method)(arguments...);
  }

  std::vector<Observer*> observers_;
};

class RunTrace {
 public:
  /// Watches waits. If a waveform is wanted, begins its files in `files`, which the caller publishes.
  /// std::runtime_error when a file cannot be made.
  RunTrace(const TraceRequest& request, const RunSetup& setup, const StagedFiles* files,
           const TracedMachine& machine = {});

  /// The programs and outputs that the request selects. InputError for a pattern that names nothing, signals included.
  [[nodiscard]] static TraceSelection select(const TraceRequest& request, const RunSetup& setup,
                                             const TracedMachine& machine);

  [[nodiscard]] ObserverList& observers() { return observers_; }
  /// Reports the changes of links and programs to a sink, which has to outlive this object. To be called before the
  /// run.
  void report_to(TraceSink& sink) {
    if (!machine_) {
      machine_.emplace(setup_.machine, topology_, numbers_);
      observers_.add(*machine_);
    }
    machine_->add(sink);
  }
  /// To be registered with the simulator while the run lasts; null when no signals are traced.
  [[nodiscard]] sc_core::sc_trace_file* signals() { return signals_ ? &*signals_ : nullptr; }
  [[nodiscard]] const WaitChains& contention() const { return contention_; }
  [[nodiscard]] const TraceRequest& request() const { return request_; }

  enum class Outcome : std::uint8_t { none, whole, incomplete, outside };
  /// Ends the files of a run that took `cycles`, if any are wanted, and writes their layout. Removes the files when one
  /// is incomplete, or when the run was over before the window began.
  [[nodiscard]] Outcome finish(const Links& links, Cycles cycles) {
    if (!machine_) return Outcome::none;
    const Cycles end = std::max(cycles, machine_->finish());
    if (!waves_) return Outcome::none;
    if (request_.window.from > cycles) {
      abandon();
      return Outcome::outside;
    }
    try {
      waves_->finish(end);
      timeline_->finish(end);
      write_layout(links, end);
      return Outcome::whole;
    } catch (const std::runtime_error&) {
      abandon();
      return Outcome::incomplete;
    }
  }
  /// The published files with their sizes, for a person.
  [[nodiscard]] std::string files_text() const;

  /// About the bytes that a run of `circuits` circuits of `hops` links each writes, waveform and timeline together.
  [[nodiscard]] double estimated_bytes(double circuits, double hops) const {
    // Measured on exchanges of d = 6..10: an FST takes about 10 bytes for each output that a circuit takes, a VCD some
    // 100, a timeline some 80, and 100 more for each circuit's slices at its node.
    const double waves = request_.format == WaveFormat::vcd ? 100 : 10;
    return circuits * selection_.share() * ((hops + 1) * (waves + 80) + 100);
  }
  /// The further bytes of the waveform that signals of modules take in a cycle in which every signal changes; 0 when
  /// none are traced. Cycles of start-up or waiting take less.
  [[nodiscard]] double signal_bytes() const {
    // Measured on exchanges and traffic of d = 2..6: the most bytes written for each traced value.
    const double most = request_.format == WaveFormat::vcd ? 0.7 : 0.06;
    return signals_ ? most * static_cast<double>(signals_->values()) : 0;
  }

 private:
  /// Where a file of the request is while it is written.
  [[nodiscard]] std::string place(const std::string& file) const;
  void abandon() {
    waves_.reset();
    signals_.reset();
    timeline_.reset();
    std::error_code none;
    std::filesystem::remove(place(request_.file) + ".hier", none);  // of an FST that was not finished
    for (const std::string& file : request_.files()) std::filesystem::remove(place(file), none);
  }
  /// std::runtime_error unless everything is in its files.
  void write_layout(const Links& links, Cycles end);

  TraceRequest request_;
  RunSetup setup_;
  HierarchyNames names_;
  const StagedFiles* files_;
  Topology topology_;
  MessageNumbers numbers_;
  WaitChains contention_;
  ObserverList observers_;
  TraceSelection selection_;
  WaveTime time_;
  std::optional<MachineTrace> machine_;
  std::optional<WaveSink> waves_;
  std::optional<SignalTrace> signals_;
  std::set<std::string> traced_memories_{};  ///< names of memory_signal()
  std::unique_ptr<FileSink> timeline_;
};

}  // namespace ecube
