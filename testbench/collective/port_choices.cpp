// SPDX-License-Identifier: Apache-2.0
// Numbers of ports to choose from.
#include "testbench/collective/port_choices.h"

#include <bit>

#include "testbench/run/run_arguments.h"
#include "testbench/system/program_files.h"

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
  RunArguments with_ports = arguments;
  with_ports.ports = ports_word(ports);
  return own_command() + " run " + workload + machine_words(with_ports);
}

}  // namespace ecube
