// SPDX-License-Identifier: Apache-2.0
// Core, cache, TLB, write buffers, bus, FIFOs and DMA of a detailed node, connected.
#pragma once

#include <exception>
#include <memory>
#include <optional>

#include "hw/clocked/memory/bus.h"
#include "hw/clocked/memory/data_cache.h"
#include "hw/clocked/memory/loop_core.h"

namespace ecube::clocked {

/// On a clock, a loop begins at the first rising edge after begin(), which is its cycle 0; `done` is notified at the
/// falling edge of its last cycle. Without one, run() goes through all cycles at once: the clocked machine does so at
/// the edge at which a computation begins, because library work may interrupt computation and its length is needed.
class NodeMemory final : public sc_core::sc_module, public node::LoopRunner {
 public:
  sc_core::sc_in<bool> clk_i{"clk_i"};
  // What a trace shows:
  sc_core::sc_out<unsigned> master_o{"master_o"};  ///< of the bus: 1 DMA, 2 a read, 3 a write
  sc_core::sc_out<unsigned> cache_o{"cache_o"};    ///< 1 a walk, 2 an access waits, 3 a fill, 4 an uncached load
  sc_core::sc_out<unsigned> fifo_o{"fifo_o"};      ///< words in the outgoing FIFO
  sc_core::sc_out<unsigned> operations_o{"operations_o"};  ///< issued so far

  NodeMemory(const sc_core::sc_module_name& name, const Machine& machine, std::uint64_t seed);
  [[nodiscard]] const char* kind() const override { return "node_memory"; }
  /// Another machine, another seed.
  void configure(const Machine& machine, std::uint64_t seed) {
    machine_ = machine;
    seed_ = seed;
  }

  node::LoopFigures run(const node::Loop& loop, node::MemoryState& state) override;
  /// The same for operations given outright, beside other users of bus and FIFOs.
  node::LoopFigures run(const std::vector<node::Op>& operations, const std::vector<node::Stream>& received,
                        node::MemoryState& state, const node::Traffic& traffic, std::vector<Cycles>* issued);

  /// Begins a loop on the clock. `loop` lives until it is done.
  void begin(const node::Loop& loop, const node::MemoryState& state);
  [[nodiscard]] const sc_core::sc_event& done() const { return done_; }
  /// Of the loop that is done. Throws its LoopFault.
  [[nodiscard]] node::LoopFigures result(node::MemoryState& state) const;

 private:
  void prepare(const node::Loop& loop, const node::MemoryState& state, const node::Traffic& traffic,
               LoopCore::Source source, std::vector<Cycles>* issued);
  node::LoopFigures finish(node::MemoryState& state) const;
  node::LoopFigures run_prepared(node::MemoryState& state);
  void rising_edge(Cycles now);
  /// True if the loop ends at this cycle. Throws LoopFault.
  bool falling_edge(Cycles now);
  /// Counts the cycle before.
  void count_cycle();
  void on_rising();
  void on_falling();

  Machine machine_;
  std::uint64_t seed_;
  DataCache cache_{"cache"};
  Tlb tlb_{"tlb"};
  WriteBuffers buffers_{"buffers"};
  Bus bus_{"bus"};
  Fifo fifo_{"fifo"};
  DmaEngine dma_{"dma"};
  LoopCore core_{"core", cache_};
  std::unique_ptr<node::LoopCursor> cursor_;
  Cycles now_ = 0;
  bool running_ = false;
  bool begun_ = false;         ///< cycle 0 has been
  bool buffers_full_ = false;  ///< in the cycle before an access waited for a write buffer
  node::LoopTimes times_;
  std::exception_ptr fault_;
  sc_core::sc_event done_{"done"};
};

}  // namespace ecube::clocked
