// SPDX-License-Identifier: Apache-2.0
// What the parts of a detailed node do in a cycle, for a waveform.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <systemc>

#include "hw/clocked/wires/state_trace.h"

namespace ecube::clocked {

inline constexpr std::array<std::string_view, 5> core_activity_names{"no_loop", "issues", "waits", "FIFO", "drains"};
inline constexpr std::array<std::string_view, 5> cache_activity_names{"idle", "walk", "waits", "fill", "uncached"};
inline constexpr std::array<std::string_view, 5> bus_activity_names{"idle", "DMA", "read", "write", "page"};

/// The states are indices into these names.
struct MemoryActivity {
  std::uint8_t core = 0;         ///< FIFO: an operation waits for room, or for a word, in the FIFO
  std::uint8_t cache = 0;        ///< walk: through the tables; waits: an access for a write buffer or a pipelined load
  std::uint8_t bus = 0;          ///< its master; page: the master's page of the DRAM is being opened
  std::uint8_t writes = 0;       ///< write buffers that are taken
  std::uint8_t fifo = 0;         ///< words in the outgoing FIFO
  std::uint8_t dma = 0;          ///< words of messages that wait for the bus
  std::uint32_t operations = 0;  ///< issued since the loop began
  bool operator==(const MemoryActivity&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const MemoryActivity& activity) {
  return stream << core_activity_names[activity.core] << ", cache " << cache_activity_names[activity.cache] << ", bus "
                << bus_activity_names[activity.bus];
}

inline void sc_trace(sc_core::sc_trace_file* file, const MemoryActivity& activity, const std::string& name) {
  trace_state(file, activity.core, name + ".core", "core_activity", core_activity_names);
  trace_state(file, activity.cache, name + ".cache", "cache_activity", cache_activity_names);
  trace_state(file, activity.bus, name + ".bus", "bus_activity", bus_activity_names);
  sc_core::sc_trace(file, activity.writes, name + ".writes");
  sc_core::sc_trace(file, activity.fifo, name + ".fifo");
  sc_core::sc_trace(file, activity.dma, name + ".dma");
  sc_core::sc_trace(file, activity.operations, name + ".operations");
}

}  // namespace ecube::clocked
