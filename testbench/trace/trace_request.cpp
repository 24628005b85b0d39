// SPDX-License-Identifier: Apache-2.0
// Windows and patterns.
#include "testbench/trace/trace_request.h"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "models/machine/error.h"
#include "models/machine/quantity.h"
#include "models/machine/spelling.h"
#include "testbench/trace/waves/wave_layout.h"

namespace ecube {

namespace {

/// The part of a node that was probably meant by the last part of a pattern.
std::string meant_by(const std::string& pattern, const Topology& topology, unsigned outputs) {
  std::set<std::string> parts{HierarchyNames::router_part, "program"};
  for (unsigned output = 0; output < outputs; ++output) {
    parts.insert(HierarchyNames::part_of_output(output, topology.outputs()));
    for (NodeId node = 0; node < topology.nodes(); ++node) parts.insert(link_name(topology, {node, output}));
  }
  const std::string last = pattern.substr(pattern.rfind('.') + 1);
  if (parts.contains(last)) return {};
  return did_you_mean(last, std::vector<std::string_view>(parts.begin(), parts.end()));
}

}  // namespace

bool is_name_of(const std::string& pattern, const HierarchyNames& names, const Topology& topology, LinkId output) {
  if (is_name_of(pattern, names.output(output.node, output.output, topology.outputs()))) return true;
  const std::string name = link_name(topology, output);
  return !name.empty() && (is_name_of(pattern, names.router(output.node) + "." + name) ||
                           is_name_of(pattern, scope_of(names, topology, output)));
}

TraceSelection::TraceSelection(const Machine& machine, const Topology& topology, const HierarchyNames& names,
                               const std::vector<std::string>& patterns, const Elsewhere& elsewhere)
    : outputs_(topology.outputs() + machine.node.ports.physical(topology.outputs())),
      existing_(topology.links() + std::uint64_t{topology.nodes()} * (outputs_ - topology.outputs())),
      programs_(topology.nodes()),
      selected_(std::size_t{topology.nodes()} * outputs_) {
  const unsigned links = topology.outputs();
  const NodeId nodes = topology.nodes();
  for (const std::string& pattern : patterns.empty() ? std::vector<std::string>{"*"} : patterns) {
    bool found = false;
    for (NodeId node = 0; node < nodes; ++node) {
      const bool whole = is_name_of(pattern, names.node(node));
      if (whole || is_name_of(pattern, names.program(node))) programs_[node] = found = true;
      const bool router = whole || is_name_of(pattern, names.router(node));
      for (unsigned output = 0; output < outputs_; ++output) {
        const bool exists = output >= links || topology.exists(node, output);
        if (!exists || (!router && !is_name_of(pattern, names, topology, {node, output}))) continue;
        selected_[std::size_t{node} * outputs_ + output] = found = true;
      }
    }
    if (found || (elsewhere && elsewhere(pattern))) continue;
    throw InputError(fmt::format("--trace-filter {} matches nothing in this machine", ecube::quoted(pattern)))
        .hint(meant_by(pattern, topology, outputs_))
        .hint(
            "patterns are for names like node5, node5.router.link2, link2, off cubes '+x' or 'x to 3', eject0 or "
            "program, with *, ? and [0-7]")
        .hint(elsewhere ? "and for modules, pins and signals like node5.port0, node5.wire_o_2 or sequence_0" : "")
        .valid(fmt::format("node0 .. node{}, in each link0 .. link{} and eject0{}", nodes - 1, links - 1,
                           outputs_ > links + 1 ? fmt::format(" .. eject{}", outputs_ - links - 1) : std::string()));
  }
}

std::string TraceRequest::directory() const {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  return parent.empty() ? "." : parent.string();
}

std::vector<std::string> TraceRequest::files() const {
  std::vector<std::string> files{file, beside(".gtkw"), beside(".pftrace")};
  for (const WaveFilter& filter : wave_filters(true)) files.push_back(beside(filter.ending));
  return files;
}

TraceWindow parse_window(const std::string& text, const Machine& machine) {
  const auto refuse = [&](const std::string& reason, const std::string& hint) {
    throw InputError(fmt::format("--trace-window {} {}", ecube::quoted(text), reason)).hint(hint);
  };
  const std::string example = "FROM:TO in cycles or time, as 1000:2000, 10us:20us, or :5000";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) refuse("is no window", example);
  const auto edge = [&](const std::string& word, Cycles missing) -> Cycles {
    if (word.empty()) return missing;
    const bool bare = word.find_first_not_of("0123456789") == std::string::npos;
    const auto time = parse_time(bare ? word + " cycles" : word);
    if (!time) refuse(time.problem().message, example);
    const auto cycles = whole_cycles(*time, static_cast<std::uint64_t>(machine.clock_hz));
    if (!cycles) refuse(cycles.problem().message, cycles.problem().hint);
    return *cycles;
  };
  const TraceWindow window{edge(text.substr(0, colon), 0), edge(text.substr(colon + 1), never)};
  if (window.from >= window.until) refuse("is empty", "FROM has to come before TO");
  return window;
}

}  // namespace ecube
