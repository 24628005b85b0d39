// SPDX-License-Identifier: Apache-2.0
// Numbers of ports to choose from.
#include "testbench/collective/port_choices.h"

#include <fmt/core.h>

#include <bit>

#include "testbench/run/run_arguments.h"
#include "testbench/system/program_files.h"
#include "testbench/text/text.h"

namespace ecube {

std::vector<Ports> port_choices(Ports ports, unsigned dim) {
  constexpr std::uint32_t all_up_to = 64;
  std::vector<Ports> choices = {ports};
  const std::uint32_t most = ports.engines == Ports::n || ports.engines > dim ? dim : ports.engines;
  for (std::uint32_t count = most - 1; count > 0; --count) {
    if (count <= all_up_to || std::has_single_bit(count)) choices.push_back({.engines = count});
  }
  return choices;
}

std::string ports_word(Ports ports) {
  return ports.engines == 1 ? "one" : ports.engines == Ports::n ? "n" : std::to_string(ports.engines);
}

std::string run_command(const std::string& workload, const RunArguments& arguments, Ports ports) {
  std::string command = fmt::format("{} run {} --machine {} --dim {} --ports {}", own_command(), workload,
                                    shell_word(arguments.machine), arguments.dim, ports_word(ports));
  for (const std::string& set : arguments.set) command += " --set " + shell_word(set);
  const auto option = [&command](const char* name, const std::string& value) {
    if (!value.empty()) command += fmt::format(" {} {}", name, shell_word(value));
  };
  option("--startups", arguments.startups);
  option("--barrier", arguments.barrier);
  option("--protocol", arguments.protocol);
  return command;
}

}  // namespace ecube
