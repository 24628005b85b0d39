// SPDX-License-Identifier: Apache-2.0
// Putting the observers of a run together, and their files in order at its end.
#include "testbench/trace/run_trace.h"

#include <fmt/core.h>

#include "hw/observed/circuit.h"
#include "models/node/node_work.h"
#include "testbench/text/text.h"
#include "testbench/trace/waves/wave_layout.h"

namespace ecube {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_shown_links = 12;
constexpr std::size_t most_shown_programs = 16;
constexpr std::size_t most_shown_memories = 4;
/// Modules report the edge at which a circuit's port is free up to d + 1 cycles late, when the circuit is established.
/// For a worm that waits in buffers after it has left its source the report may come later; its port is then shown as
/// taken for longer.
constexpr Cycles told_late = 128;

std::string name_of(const std::string& file) { return fs::path(file).filename().string(); }

}  // namespace

TraceSelection RunTrace::select(const TraceRequest& request, const RunSetup& setup, const TracedMachine& machine) {
  TraceSelection::Elsewhere elsewhere;
  if (machine.modules != nullptr) {
    elsewhere = [&](const std::string& pattern) {
      return !selected_signals(*machine.modules, setup.topology(), {pattern}).empty();
    };
  }
  return {setup.machine, setup.topology(), machine.names, request.patterns, elsewhere};
}

RunTrace::RunTrace(const TraceRequest& request, const RunSetup& setup, const StagedFiles* files,
                   const TracedMachine& machine)
    : request_(request),
      setup_(setup),
      names_(machine.names),
      files_(files),
      topology_(setup.topology()),
      numbers_(topology_.nodes()),
      contention_(topology_, setup.machine.node.ports.physical(topology_.outputs()), request.window, numbers_),
      selection_(select(request, setup, machine)),
      time_(WaveTime::of_clock(static_cast<std::uint64_t>(setup.machine.clock_hz),
                               machine.modules != nullptr ? 2U : 1U)) {
  observers_.add(contention_);
  if (!request.wanted()) return;
  waves_.emplace(wave_writer(place(request.file), request.format == WaveFormat::vcd, time_), time_, request.window,
                 selection_, names_, topology_);
  if (machine.modules != nullptr) {
    signals_.emplace(waves_->file(), time_, request.window, [this](Cycles cycle) {
      if (cycle < told_late) return;
      machine_->settle(cycle - told_late);
      waves_->settled(cycle - told_late);
    });
    for (const clocked::Breakable* const signal : selected_signals(*machine.modules, topology_, request.patterns)) {
      const auto* const object = dynamic_cast<const sc_core::sc_object*>(signal);
      if (object != nullptr && std::string_view(object->name()).ends_with(memory_activity)) {
        // Nodes with rates have no memory at work.
        if (setup.machine.node.model == NodeModel::rates) continue;
        traced_memories_.insert(object->name());
      }
      signal->trace_in(*signals_);
    }
  }
  waves_->end_declarations(signals_ ? &*signals_ : nullptr);
  report_to(*waves_);
  timeline_ = make_timeline(place(request.beside(".pftrace")), topology_, request.window, selection_,
                            static_cast<std::uint64_t>(setup.machine.clock_hz));
  report_to(*timeline_);
}

std::string RunTrace::place(const std::string& file) const { return files_->file(name_of(file)); }

void RunTrace::write_layout(const Links& links, Cycles end) {
  WaveLayout layout{.waves = request_.file,
                    .time = time_,
                    .names = names_,
                    .topology = topology_,
                    .from = request_.window.from,
                    .until = std::min(end, request_.window.until)};
  std::vector<Wait> longest = contention_.longest(true);
  if (longest.empty()) longest = contention_.longest(false);
  if (!longest.empty()) layout.worst = longest.front();
  const std::vector<ChainLink> chain = layout.worst ? layout.worst->chain : std::vector<ChainLink>();
  // By their place in the chain of the worst wait, or behind it, then the most blocked and the busiest first.
  std::multimap<std::tuple<std::ptrdiff_t, Cycles, Cycles>, std::pair<LinkId, Cycles>> ranked;
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    for (unsigned output = 0; output < topology_.outputs(); ++output) {
      if (!selection_.output(node, output)) continue;
      const auto place = std::ranges::find(chain, OutputId{node, output}, &ChainLink::output) - chain.begin();
      const LinkStatistics statistics = links.statistics({node, output});
      ranked.emplace(std::tuple(place, ~statistics.blocked, ~statistics.busy),
                     std::pair(LinkId{node, output}, statistics.blocked));
    }
    if (selection_.program(node) && layout.programs.size() < most_shown_programs) layout.programs.push_back(node);
    if (traced_memories_.contains(memory_signal(names_, node)) && layout.memories.size() < most_shown_memories) {
      layout.memories.push_back(node);
    }
  }
  for (const auto& [rank, shown] : ranked) {
    if (layout.links.size() < most_shown_links) layout.links.push_back(shown);
  }
  layout.fifos = setup_.machine.node.transfer == Transfer::programmed;
  layout.dma = messages_share_bus(setup_.machine);
  layout.phases = machine_->phase_starts();
  files_->write(name_of(request_.beside(".gtkw")), layout_text(layout));
  for (const WaveFilter& filter : wave_filters(!layout.memories.empty())) {
    files_->write(name_of(request_.beside(filter.ending)), filter.text);
  }
}

std::string RunTrace::files_text() const {
  const auto size = [](const std::string& file) {
    std::error_code none;
    const auto bytes = fs::file_size(file, none);
    return none ? std::string("?") : bytes_text(static_cast<double>(bytes));
  };
  return fmt::format("{} ({}), {} ({})", request_.file, size(request_.file), request_.beside(".pftrace"),
                     size(request_.beside(".pftrace")));
}

}  // namespace ecube
