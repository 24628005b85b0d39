// SPDX-License-Identifier: Apache-2.0
// From edges, reported when they are known, to changes in order of time.
#include "testbench/trace/machine_trace.h"

namespace ecube {

void MachineTrace::carry_out(Cycles edge) {
  edge_.clear();
  for (auto* chunk = wheel_.take(); chunk != nullptr; chunk = wheel_.recycle(chunk)) {
    edge_.insert(edge_.end(), chunk->events.begin(), chunk->events.begin() + static_cast<std::ptrdiff_t>(chunk->count));
  }
  for (const Change& change : edge_) {
    if (change.kind == Kind::release) release(change);
  }
  for (const Change& change : edge_) {
    if (change.kind != Kind::release) apply(change, edge);
  }
  const auto tell = [&](std::uint32_t place, bool again) {
    const OutputId output = output_at(place);
    const LinkView view = view_of(place);
    for (TraceSink* const sink : sinks_) {
      if (!again || sink->follows_holders()) sink->link_changed(edge, output, view);
    }
  };
  for (const std::uint32_t place : dirty_links_) {
    links_[place].dirty = false;
    tell(place, false);
  }
  dirty_links_.clear();
  const bool holders_followed = std::ranges::any_of(sinks_, &TraceSink::follows_holders);
  for (const Change& change : edge_) {
    if (!holders_followed) break;
    if (change.kind != Kind::release && change.kind != Kind::grant) continue;
    for (const WayId waiting : links_[change.subject].waiting) {
      for (const std::uint32_t held : ways_[waiting].places) tell(held, true);
    }
  }
  std::ranges::sort(dirty_programs_);  // engines report the nodes of an edge in different orders
  for (const NodeId node : dirty_programs_) {
    Program& program = programs_[node];
    if (program.now == std::exchange(program.told, program.now)) continue;
    for (TraceSink* const sink : sinks_) sink->program_changed(edge, node, program.now);
  }
  dirty_programs_.clear();
  for (TraceSink* const sink : sinks_) sink->edge_over(edge);
}

void MachineTrace::apply(const Change& change, Cycles edge) {
  switch (change.kind) {
    case Kind::probe: {
      // By now every circuit of the node up to this edge is known.
      Way& way = ways_[change.detail];
      way.name = names_.name(way.circuit, way.name.source, way.name.destination, way.probe);
      grant(change);
      return;
    }
    case Kind::grant:
      grant(change);
      return;
    case Kind::wait: {
      Way& way = ways_[change.detail];
      links_[change.subject].waiting.push_back(change.detail);
      way.waits_at = change.subject;
      touch_all(way);
      touch(change.subject);
      ways_.drop(change.detail);
      return;
    }
    case Kind::data:
      if (links_[change.subject].owner == change.detail) {
        links_[change.subject].data = true;
        touch(change.subject);
      }
      ways_.drop(change.detail);
      return;
    case Kind::up:
    case Kind::closing:
    case Kind::dark: {
      Output& output = links_[change.subject];
      // A node may ask again at the edge at which a link comes up; the events of an edge are in no order.
      if (change.kind == Kind::up && output.asked == edge) return;
      if (change.kind == Kind::closing) output.asked = edge;
      output.tuned_to = change.kind == Kind::up ? 0 : change.detail;
      output.dark = change.kind == Kind::dark;
      touch(change.subject);
      return;
    }
    default:
      apply_to_program(change, edge);
  }
}

void MachineTrace::apply_to_program(const Change& change, Cycles edge) {
  const auto node = static_cast<NodeId>(change.subject);
  Program& program = programs_[node];
  if (change.kind == Kind::begin) ++program.active[change.detail];
  if (change.kind == Kind::end) --program.active[change.detail];
  program.now.state = ProgramState::starting;
  for (std::size_t state = 0; state < first_count; ++state) {
    if (program.active[state] > 0) program.now.state = static_cast<ProgramState>(state);
  }
  const std::uint32_t* const counts = &program.active[first_count];
  const bool exposed = counts[plane_waits] > 0 && counts[plane_circuits] == 0;
  program.now.tuning = counts[plane_changes] == 0 ? TuningState::none
                       : exposed                  ? TuningState::exposed
                                                  : TuningState::hidden;
  const std::uint32_t phase = change.detail + 1;
  if ((change.kind == Kind::phase || change.kind == Kind::issue) && phase != program.now.phase) {
    program.now.phase = phase;
    program.now.step = 0;
    program.stepped = never;
    if (phase_starts_.size() < phase) phase_starts_.resize(phase, never);
    phase_starts_[phase - 1] = std::min(phase_starts_[phase - 1], edge);
  }
  if (change.kind == Kind::issue && std::exchange(program.stepped, edge) != edge) ++program.now.step;
  dirty_programs_.push_back(node);
}

}  // namespace ecube
