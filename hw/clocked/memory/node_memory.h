// SPDX-License-Identifier: Apache-2.0
// Core, cache, TLB, write buffers, bus, FIFOs and DMA of a detailed node, connected.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "hw/clocked/memory/bus.h"
#include "hw/clocked/memory/loop_core.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

// What the parts of a detailed node do in a cycle, for a waveform.
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

/// By begin() and go_on(), the core of the node says which cycles of the machine a loop gets; library work and phits
/// take the others. The memory sees at the wires of the ports which words messages move in these cycles. run() goes
/// through all cycles of a loop at once, for loops whose length is needed when they begin.
class NodeMemory final : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  sc_core::sc_in<Cycles> edge_i{"edge_i"};  ///< the number of the edge
  // [port] the wires of the inject and eject ports
  sc_core::sc_vector<sc_core::sc_in<Wire>> leaving_i;
  sc_core::sc_vector<sc_core::sc_in<Wire>> arriving_i;
  sc_core::sc_out<MemoryActivity> activity_o{"activity_o"};  ///< for a waveform

  NodeMemory(const sc_core::sc_module_name& name, unsigned ports);
  [[nodiscard]] const char* kind() const override { return "node_memory"; }
  /// Before the first loop, and for another machine or another seed. Ends a loop.
  void configure(const Machine& machine, std::uint64_t seed);

  /// Messages share the bus with loops, so the node calls look() at every edge at which it is clocked.
  [[nodiscard]] bool shares_bus() const { return shares_; }
  /// At an edge, once: a word on the wire of an inject port was driven in the cycle before, and one on that of an eject
  /// port is at the interface in the cycle to come.
  void look();

  /// As node::MemorySystem::run().
  node::LoopFigures run(const node::Loop& loop, node::MemoryState& state, const node::Traffic& traffic = {},
                        std::vector<Cycles>* issued = nullptr);

  /// `loop` begins at this edge, from `state`. True if it ends at once. Throws std::invalid_argument for a loop that
  /// makes no sense.
  bool begin(const node::Loop& loop, const node::MemoryState& state);
  /// The computation has had `cycles` cycles before this edge; one that is new is the cycle just before it. True if the
  /// loop ends at this edge. Throws node::LoopFault.
  bool go_on(Cycles cycles);
  /// Of the loop that has ended; `state` becomes the state after it.
  node::LoopFigures end(node::MemoryState& state);

 private:
  void prepare(const node::Loop& loop, const node::MemoryState& state, const node::Traffic& traffic,
               std::vector<Cycles>* issued);
  node::LoopFigures finish(node::MemoryState& state) const;
  /// The begin of cycle now_, to the point at which the loop may end: true if it does. Throws LoopFault.
  bool ends();
  /// The rest of cycle now_. Throws LoopFault.
  void end_cycle();
  void count_cycle();
  void see(const Wire& wire, std::uint64_t& phits, bool writes, std::vector<node::Traffic::Word>& words) const;
  void take_words(Cycles cycle);
  void show();
  void drive_pins() { activity_o.write(shown_); }

  Machine machine_;
  std::uint64_t seed_ = 0;
  DataCache cache_{"cache", tlb_, buffers_, bus_, fifo_, core_};
  Tlb tlb_{"tlb"};
  WriteBuffers buffers_{"buffers"};
  Bus bus_{"bus", buffers_, dma_, cache_};
  Fifo fifo_{"fifo"};
  DmaEngine dma_{"dma"};
  LoopCore core_{"core", cache_, bus_, fifo_, buffers_};
  node::Loop loop_;                           ///< under way on the clock
  std::unique_ptr<node::LoopCursor> cursor_;  ///< of the loop under way
  Cycles now_ = 0;                            ///< cycle of the loop
  bool buffers_full_ = false;                 ///< in the cycle before an access waited for a write buffer
  node::LoopTimes times_;
  std::exception_ptr fault_;  ///< at the begin of cycle now_
  bool shares_ = false;       ///< messages share the bus with loops
  // [port] phits of the message that passes
  std::vector<std::uint64_t> leaving_;
  std::vector<std::uint64_t> arriving_;
  std::vector<node::Traffic::Word> words_;    ///< of the cycle before the edge looked at last
  std::vector<node::Traffic::Word> arrived_;  ///< of the cycle behind it
  Cycles looked_at_ = not_yet;
  Cycles had_ = 0;  ///< cycles of the computation
  MemoryActivity shown_;
  sc_core::sc_event shows_{"shows"};
};

}  // namespace ecube::clocked
