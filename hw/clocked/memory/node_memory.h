// SPDX-License-Identifier: Apache-2.0
// Core, cache, TLB, write buffers, bus, FIFOs and DMA of a detailed node, connected.
#pragma once

#include <exception>
#include <memory>

#include "hw/clocked/memory/activity.h"
#include "hw/clocked/memory/bus.h"
#include "hw/clocked/memory/data_cache.h"
#include "hw/clocked/memory/loop_core.h"
#include "hw/clocked/wires/wire.h"

namespace ecube::clocked {

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
