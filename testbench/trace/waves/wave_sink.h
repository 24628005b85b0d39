// SPDX-License-Identifier: Apache-2.0
// The machine's changes as signals of a waveform.
#pragma once

#include <memory>
#include <vector>

#include "testbench/trace/machine_trace.h"
#include "testbench/trace/trace_request.h"
#include "testbench/trace/waves/signal_trace.h"
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

/// cube.nodeN.program, .phase and .step; cube.nodeN.router.linkI and .ejectP with state, owner, waiting and bytes.
class WaveSink final : public TraceSink {
 public:
  /// Declares its signals.
  WaveSink(std::unique_ptr<WaveWriter> writer, const WaveTime& time, const TraceWindow& window,
           const TraceSelection& selection, const HierarchyNames& names, const Topology& topology);

  void link_changed(Cycles at, const OutputId& output, const LinkView& view) override;
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override;

  /// After the last signal of the file: of its own, or of `beside`, whose changes at a time are written behind its own.
  void end_declarations();
  void end_declarations(SignalTrace& beside);
  /// No more changes will come from before this edge.
  void settled(Cycles before) { (void)inside(before); }
  /// Ends the file at edge `end`, or at the end of the window. True when everything is in it.
  [[nodiscard]] bool finish(Cycles end);
  [[nodiscard]] WaveWriter& file() { return *writer_; }

 private:
  struct Link {
    WaveWriter::Signal state, owner, waiting, bytes;
    LinkView view;
  };
  struct Program {
    WaveWriter::Signal state, phase, step;
    ProgramView view;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] bool inside(Cycles at);
  void open_window();
  /// The changes that follow happen at `time`.
  void reach(std::uint64_t time);
  template <typename Value>
  void set(WaveWriter::Signal signal, const Value& value);
  /// All signals, or those that differ from `before`.
  void write(const Link& link, const LinkView* before);
  void write(const Program& program, const ProgramView* before);
  template <typename Shown, typename View>
  void change(Cycles at, std::vector<Shown>& all, std::uint32_t place, const View& view);

  std::unique_ptr<WaveWriter> writer_;
  SignalTrace* beside_ = nullptr;
  std::uint64_t now_ = 0;  ///< in units of the file
  WaveTime time_;
  TraceWindow window_;
  unsigned outputs_;
  bool open_ = false;
  std::vector<Link> links_;
  std::vector<Program> programs_;
  std::vector<std::uint32_t> link_at_;     ///< [router][output], in links_
  std::vector<std::uint32_t> program_at_;  ///< [node], in programs_
};

}  // namespace ecube
