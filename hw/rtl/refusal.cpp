// SPDX-License-Identifier: Apache-2.0
// Machines that the RTL refuses.
#include <limits>
#include <utility>

#include "hw/rtl/parts.h"

namespace ecube {

namespace {

/// Counts of the RTL have 32 bits.
constexpr Cycles most_cycles = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_buffer = 8;

}  // namespace

std::string rtl_refusal(const Machine& machine, unsigned dim) {
  if (const Topology topology = machine.topology(dim); !topology.is_plain_cube()) {
    return "network.topology " + topology.name() + ": the SystemVerilog is for binary cubes of one channel";
  }
  if (dim > rtl_max_dim) return "--dim " + std::to_string(dim) + ": at most " + std::to_string(rtl_max_dim);
  if (machine.network.switching == Switching::wormhole && machine.buffer_phits() > most_buffer) {
    return "router.buffer: 1 to " + std::to_string(most_buffer) + " phits";
  }
  const Ratio phit = machine.phit_cycles();
  const std::pair<const char*, Cycles> counts[] = {
      {"router.route", machine.router.route_cycles},   {"network.accept", machine.network.accept_cycles},
      {"network.setup", machine.network.setup_cycles}, {"network.together", machine.network.together_cycles},
      {"link.cycles_per_phit", phit.ceil_of(1)},       {"link.cycles_per_phit (its denominator)", phit.den}};
  for (const auto& [key, cycles] : counts) {
    if (cycles > most_cycles) return std::string(key) + ": at most " + std::to_string(most_cycles) + " cycles";
  }
  return "";
}

}  // namespace ecube
