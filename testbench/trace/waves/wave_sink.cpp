// SPDX-License-Identifier: Apache-2.0
// Declaring and changing signals.
#include "testbench/trace/waves/wave_sink.h"

#include <algorithm>

namespace ecube {

WaveSink::WaveSink(std::unique_ptr<WaveWriter> writer, const WaveTime& time, const TraceWindow& window,
                   const TraceSelection& selection, const HierarchyNames& names, const Topology& topology)
    : writer_(std::move(writer)), time_(time), window_(window), outputs_(selection.outputs()) {
  const NodeId nodes = topology.nodes();
  link_at_.assign(std::size_t{nodes} * outputs_, none);
  program_at_.assign(nodes, none);
  if (!selection.nothing()) writer_->enter(names.cube());
  for (NodeId node = 0; node < nodes; ++node) {
    if (!selection.any_of(node)) continue;
    writer_->enter(HierarchyNames::part_of_node(node));
    if (selection.program(node)) {
      program_at_[node] = static_cast<std::uint32_t>(programs_.size());
      Program program{};
      program.state = writer_->state("program", "program_state", program_state_names);
      program.phase = writer_->number("phase", 16);
      program.step = writer_->number("step", 24);
      programs_.push_back(program);
    }
    if (selection.any_output_of(node)) writer_->enter(HierarchyNames::router_part);
    for (unsigned output = 0; output < outputs_; ++output) {
      if (!selection.output(node, output)) continue;
      writer_->enter(HierarchyNames::part_of_output(output, topology.outputs()));
      link_at_[std::size_t{node} * outputs_ + output] = static_cast<std::uint32_t>(links_.size());
      Link link{};
      link.state = writer_->state("state", "link_state", link_state_names);
      link.owner = writer_->text("owner");
      link.waiting = writer_->number("waiting", 8);
      link.bytes = writer_->number("bytes", 40);
      links_.push_back(link);
      writer_->leave();
    }
    if (selection.any_output_of(node)) writer_->leave();
    writer_->leave();
  }
  if (!selection.nothing()) writer_->leave();
}

void WaveSink::end_declarations() { writer_->end_declarations(); }

void WaveSink::end_declarations(SignalTrace& beside) {
  beside.end_declarations();
  beside_ = &beside;
}

bool WaveSink::inside(Cycles at) {
  if (at < window_.from || at >= window_.until) return false;
  if (!open_) open_window();
  reach(time_.of(at));
  return true;
}

void WaveSink::open_window() {
  open_ = true;
  reach(time_.of(window_.from));
  for (const Link& link : links_) write(link, nullptr);
  for (const Program& program : programs_) write(program, nullptr);
}

void WaveSink::reach(std::uint64_t time) {
  now_ = time;
  if (beside_ == nullptr) return writer_->at(time);
  beside_->write_before(time);
}

template <typename Value>
void WaveSink::set(WaveWriter::Signal signal, const Value& value) {
  writer_->at(now_);
  writer_->set(signal, value);
}

void WaveSink::write(const Link& link, const LinkView* before) {
  const LinkView& now = link.view;
  if (before == nullptr || now.state != before->state) set(link.state, static_cast<std::uint64_t>(now.state));
  if (before == nullptr || now.owner != before->owner) {
    std::array<char, 48> space{};
    set(link.owner, now.owner.number == 0 ? std::string_view("-") : now.owner.text(space));
  }
  if (before == nullptr || now.waiting != before->waiting) set(link.waiting, now.waiting);
  if (before == nullptr || now.bytes != before->bytes) set(link.bytes, now.bytes);
}

void WaveSink::write(const Program& program, const ProgramView* before) {
  const ProgramView& now = program.view;
  if (before == nullptr || now.state != before->state) set(program.state, static_cast<std::uint64_t>(now.state));
  if (before == nullptr || now.phase != before->phase) set(program.phase, now.phase);
  if (before == nullptr || now.step != before->step) set(program.step, now.step);
}

template <typename Shown, typename View>
void WaveSink::change(Cycles at, std::vector<Shown>& all, std::uint32_t place, const View& view) {
  if (place == none) return;
  const bool shown = inside(at);
  const View before = std::exchange(all[place].view, view);
  if (shown) write(all[place], &before);
}

void WaveSink::link_changed(Cycles at, const OutputId& output, const LinkView& view) {
  change(at, links_, link_at_[std::size_t{output.router} * outputs_ + output.output], view);
}

void WaveSink::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  change(at, programs_, program_at_[node], view);
}

bool WaveSink::finish(Cycles end) {
  if (!open_ && end >= window_.from) open_window();
  reach(time_.of(std::max(window_.from, std::min(end, window_.until))));
  if (beside_ != nullptr) writer_->at(std::max(now_, beside_->finish(end)));
  return writer_->close();
}

}  // namespace ecube
