// SPDX-License-Identifier: Apache-2.0
// Changes of programs as lines of a table.
#include "testbench/trace/program_log.h"

#include <fmt/core.h>

#include <stdexcept>

namespace ecube {

ProgramLog::ProgramLog(const std::string& file) : stream_(file), file_(file) {
  stream_.put("node,from,state,phase,step\n");
}

void ProgramLog::program_changed(Cycles at, NodeId node, const ProgramView& view) {
  stream_.put(fmt::format("{},{},{},{},{}\n", node, at, program_state_names[static_cast<std::size_t>(view.state)],
                          view.phase, view.step));
}

void ProgramLog::finish() {
  if (!stream_.close()) throw std::runtime_error(file_ + " is incomplete: is the disk full?");
}

}  // namespace ecube
