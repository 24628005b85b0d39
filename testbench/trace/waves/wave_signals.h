// SPDX-License-Identifier: Apache-2.0
// The signals of a waveform: the machine's changes, and SystemC signals.
#pragma once

#include <deque>
#include <stdexcept>
#include <systemc>
#include <variant>

#include "hw/clocked/wires/signal.h"
#include "hw/clocked/wires/wire.h"
#include "testbench/trace/machine_trace.h"
#include "testbench/trace/trace_request.h"
#include "testbench/trace/waves/wave_writer.h"

namespace ecube {

/// A trace file of SystemC: sc_trace() names the traced values; the parts of names between dots become scopes. At the
/// end of every time at which something was simulated, it compares all values with those of the time before and writes
/// the changes; delta cycles leave no trace. The file has to be registered with the kernel.
///
/// Only integers can be traced; types that no signal of the machine has are refused.
class SignalTrace final : public sc_core::sc_trace_file, public clocked::StateTrace {
 public:
  /// Called at every time before the window ends, with the cycle nearest to that time.
  using Reached = std::function<void(Cycles)>;

  /// The first simulated time is cycle 0.
  SignalTrace(WaveWriter& writer, const WaveTime& time, const TraceWindow& window, Reached reached)
      : writer_(writer), time_(time), window_(window), reached_(std::move(reached)) {}

  [[nodiscard]] std::size_t values() const { return values_.size(); }
  /// Writes the changes before `time`, in units of the file. They are kept until then, as what else is in the file is
  /// known later.
  void write_before(std::uint64_t time) {
    for (; !changes_.empty() && changes_.front().time < time; changes_.pop_front()) {
      writer_.at(changes_.front().time);
      writer_.set(changes_.front().signal, changes_.front().value);
    }
  }
  /// Writes all remaining changes of a run that ended at edge `end`. Returns the time up to which it has seen the
  /// signals.
  std::uint64_t finish(Cycles end) {
    if (!open_ && end >= window_.from) open_window();
    write_before(never);
    return now_;
  }

  void trace_state(const std::uint8_t& value, const std::string& name, const std::string& kind,
                   std::span<const std::string_view> names) override {
    add(value, 0xFF, writer_.state(writer_.enter_scopes(name), kind, names));
  }

  void trace(const bool& object, const std::string& name) override { add(object, name, 1); }
  void trace(const unsigned char& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const unsigned short& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const unsigned int& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const unsigned long& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const char& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const short& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const int& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const long& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const sc_dt::int64& object, const std::string& name, int width) override { add(object, name, width); }
  void trace(const sc_dt::uint64& object, const std::string& name, int width) override { add(object, name, width); }

  // Refused: std::invalid_argument.
  void trace(const unsigned int&, const std::string& name, const char**) override { refuse(name); }
  void trace(const sc_core::sc_event&, const std::string& name) override { refuse(name); }
  void trace(const sc_core::sc_time&, const std::string& name) override { refuse(name); }
  void trace(const float&, const std::string& name) override { refuse(name); }
  void trace(const double&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_bit&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_logic&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_int_base&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_uint_base&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_signed&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_unsigned&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_fxval&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_fxval_fast&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_fxnum&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_fxnum_fast&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_bv_base&, const std::string& name) override { refuse(name); }
  void trace(const sc_dt::sc_lv_base&, const std::string& name) override { refuse(name); }

  /// A comment has no place in the file, and the unit of time is that of the file: both are refused.
  void write_comment(const std::string&) override { throw std::invalid_argument("a waveform has no comments"); }
  void set_time_unit(double, sc_core::sc_time_unit) override {
    throw std::invalid_argument("the unit of time of a waveform is known when it is made");
  }

 private:
  struct Value {
    const void* object;
    std::uint64_t mask;  ///< of the bits that are traced
    std::uint64_t last;
    WaveWriter::Signal signal;
    std::uint8_t bytes;
  };
  struct Change {
    std::uint64_t time;
    std::uint64_t value;
    WaveWriter::Signal signal;
  };

  void cycle(bool delta_cycle) override;
  [[noreturn]] static void refuse(const std::string& name) {
    throw std::invalid_argument(name + " is no integer, and cannot be traced");
  }
  template <typename T>
  void add(const T& object, const std::string& name, int width) {
    const auto bits = std::clamp(static_cast<unsigned>(width), 1U, static_cast<unsigned>(8 * sizeof object));
    add(object, ~std::uint64_t{0} >> (64 - bits), writer_.number(writer_.enter_scopes(name), bits));
  }
  template <typename T>
  void add(const T& object, std::uint64_t mask, WaveWriter::Signal signal) {
    values_.push_back({.object = &object, .mask = mask, .last = 0, .signal = signal, .bytes = sizeof object});
  }
  void open_window() {
    open_ = true;
    now_ = time_.of(window_.from);
    for (const Value& value : values_) note(value);
  }
  void note(const Value& value) { changes_.push_back({now_, value.last, value.signal}); }

  WaveWriter& writer_;
  WaveTime time_;
  TraceWindow window_;
  Reached reached_;
  std::vector<Value> values_;
  std::deque<Change> changes_;  ///< not written yet
  std::uint64_t now_ = 0;       ///< in units of the file
  std::optional<sc_core::sc_time> start_;
  bool open_ = false;
  bool over_ = false;
};

/// The signals below a module, in the order of its objects, by going through the objects of the simulator after its
/// elaboration: all signals, or those that one of the `patterns` names, as in TraceSelection: a signal or an array of
/// signals; a module, for all signals in it and at its pins; a pin, for the signal at it. "node5.router.link2" stands
/// for the pins of that output. A pattern that names nothing selects nothing.
[[nodiscard]] std::vector<const clocked::Breakable*> selected_signals(const sc_core::sc_object& top,
                                                                      const Topology& topology,
                                                                      const std::vector<std::string>& patterns);

/// cube.nodeN.program, .phase, .step and, on planes, .tuning; cube.nodeN.router.linkI and .ejectP with state, owner,
/// waiting and bytes.
class WaveSink final : public TraceSink {
 public:
  /// Declares its signals.
  WaveSink(std::unique_ptr<WaveWriter> writer, const WaveTime& time, const TraceWindow& window,
           const TraceSelection& selection, const HierarchyNames& names, const Topology& topology)
      : writer_(std::move(writer)), time_(time), window_(window), outputs_(selection.outputs()) {
    const NodeId nodes = topology.nodes();
    links_.resize(std::size_t{nodes} * outputs_);
    programs_.resize(nodes);
    for (NodeId node = 0; node < nodes; ++node) {
      if (selection.program(node)) {
        const std::string name = writer_->enter_scopes(names.program(node));
        programs_[node].signals = {writer_->state(name, "program_state", program_state_names),
                                   writer_->number("phase", 16), writer_->number("step", 24)};
        if (topology.planes() != 0) {
          programs_[node].signals.push_back(writer_->state("tuning", "tuning_state", tuning_state_names));
        }
      }
      for (unsigned output = 0; output < outputs_; ++output) {
        if (!selection.output(node, output)) continue;
        const std::string name = writer_->enter_scopes(scope_of(names, topology, {node, output}) + ".state");
        Shown& link = links_[std::size_t{node} * outputs_ + output];
        link.signals = {writer_->state(name, "link_state", link_state_names), writer_->text("owner"),
                        writer_->number("waiting", 8), writer_->number("bytes", 40)};
        link.values[1] = CircuitName{};
      }
    }
    writer_->leave_scopes();
  }

  void link_changed(Cycles at, const OutputId& output, const LinkView& view) override {
    if (output.output >= outputs_) return;  // of an inject port
    change(at, links_[std::size_t{output.node} * outputs_ + output.output],
           {static_cast<std::uint64_t>(view.state), view.owner, view.waiting, view.bytes});
  }
  void program_changed(Cycles at, NodeId node, const ProgramView& view) override {
    change(at, programs_[node],
           {static_cast<std::uint64_t>(view.state), view.phase, view.step, static_cast<std::uint64_t>(view.tuning)});
  }

  /// After the last signal of the file: of its own, or of `beside`, whose changes at a time are written behind its own.
  void end_declarations(SignalTrace* beside = nullptr) {
    beside_ = beside;
    writer_->leave_scopes();
    writer_->end_declarations();
  }
  /// No more changes will come from before this edge.
  void settled(Cycles before) { (void)inside(before); }
  /// Ends the file at edge `end`, or at the end of the window. std::runtime_error unless everything is in it.
  void finish(Cycles end) {
    if (!open_ && end >= window_.from) open_window();
    reach(time_.of(std::max(window_.from, std::min(end, window_.until))));
    if (beside_ != nullptr) writer_->at(std::max(now_, beside_->finish(end)));
    writer_->close();
  }
  [[nodiscard]] WaveWriter& file() { return *writer_; }

 private:
  using Value = std::variant<std::uint64_t, CircuitName>;
  /// An output or a program: a signal for each of its values; none where it is not selected.
  struct Shown {
    std::vector<WaveWriter::Signal> signals;
    std::array<Value, 4> values;
  };
  [[nodiscard]] bool inside(Cycles at) {
    if (at < window_.from || at >= window_.until) return false;
    if (!open_) open_window();
    reach(time_.of(at));
    return true;
  }
  void open_window() {
    open_ = true;
    reach(time_.of(window_.from));
    for (const std::vector<Shown>* const all : {&links_, &programs_}) {
      for (const Shown& one : *all) {
        for (std::size_t i = 0; i < one.signals.size(); ++i) write(one.signals[i], one.values[i]);
      }
    }
  }
  void reach(std::uint64_t time) {
    now_ = time;
    if (beside_ == nullptr) return writer_->at(time);
    beside_->write_before(time);
  }
  void write(WaveWriter::Signal signal, const Value& value) {
    writer_->at(now_);
    if (const auto* const number = std::get_if<std::uint64_t>(&value)) return writer_->set(signal, *number);
    const auto& name = std::get<CircuitName>(value);
    std::array<char, 48> space{};
    writer_->set(signal, name.number == 0 ? std::string_view("-") : name.text(space));
  }
  void change(Cycles at, Shown& shown, const std::array<Value, 4>& values) {
    if (shown.signals.empty()) return;
    const bool visible = inside(at);
    for (std::size_t i = 0; i < shown.signals.size(); ++i) {
      const bool same = values[i] == std::exchange(shown.values[i], values[i]);
      if (visible && !same) write(shown.signals[i], values[i]);
    }
  }

  std::unique_ptr<WaveWriter> writer_;
  SignalTrace* beside_ = nullptr;
  std::uint64_t now_ = 0;  ///< in units of the file
  WaveTime time_;
  TraceWindow window_;
  unsigned outputs_;
  bool open_ = false;
  std::vector<Shown> links_;     ///< [router][output]: state, owner, waiting, bytes
  std::vector<Shown> programs_;  ///< [node]: state, phase, step, on planes tuning
};

}  // namespace ecube
