// SPDX-License-Identifier: Apache-2.0
// The core of a detailed node, which issues the operations of a loop, and its data cache, with a path for uncached and
// pipelined loads (hw/node/README.md, N2 to N4, N8 to N10).
#pragma once

#include <array>

#include "hw/clocked/memory/bus.h"

namespace ecube::clocked {

class LoopCore;

class DataCache final : public sc_core::sc_module {
 public:
  DataCache(const sc_core::sc_module_name& name, Tlb& tlb, WriteBuffers& buffers, Bus& bus, Fifo& fifo, LoopCore& core)
      : sc_core::sc_module(name), tlb_(tlb), buffers_(buffers), bus_(bus), fifo_(fifo), core_(core) {}
  void reset(const Machine& machine, std::uint64_t seed, const node::Loop& loop, const node::MemoryState& state);

  /// Goes on with the access under way.
  void progress(Cycles now);
  [[nodiscard]] bool free(Cycles now) const { return state_ == State::idle && now >= free_at_; }
  void start(const node::Op& op, Cycles now);
  void written_by_dma(std::uint64_t line);
  /// The bus has made the wanted transfer of a read.
  void first(const BusRead& read, Cycles now);
  void end(const BusRead& read, Cycles now);
  /// An access has issued and not taken place.
  [[nodiscard]] bool access_waits() const { return state_ == State::walking || state_ == State::waiting; }

  [[nodiscard]] bool waits_for_buffer() const {
    return state_ == State::waiting && op_.kind != node::OpKind::pipelined_load;
  }

  [[nodiscard]] std::vector<SetTable::Entry> contents() const { return table_.contents(); }
  [[nodiscard]] const node::LoopFigures& figures() const { return figures_; }
  /// An index into cache_activity_names.
  [[nodiscard]] std::uint8_t activity() const { return static_cast<std::uint8_t>(state_); }

 private:
  enum class State : std::uint8_t { idle, walking, waiting, filling, reading };
  void try_access(Cycles now);
  [[nodiscard]] bool needs_buffer();
  void hit(SetTable::Entry& entry, Cycles now);
  void fill(Cycles now);
  void to_buffer(node::Address address, std::uint32_t transfers, Cycles now);
  [[nodiscard]] std::uint64_t line_of(node::Address address) const { return address / line_; }
  [[nodiscard]] std::uint64_t random() const;

  Tlb& tlb_;
  WriteBuffers& buffers_;
  Bus& bus_;
  Fifo& fifo_;
  LoopCore& core_;
  DetailedNode node_;
  std::uint32_t line_ = 32;
  std::uint32_t line_transfers_ = 4;
  std::uint64_t seed_ = 0;
  std::uint64_t loop_ = 0;
  SetTable table_;
  State state_ = State::idle;
  Cycles free_at_ = 0;
  node::Op op_{};
  std::uint64_t access_ = 0;  ///< number of the access that goes on
  std::uint64_t next_access_ = 0;
  unsigned outstanding_ = 0;  ///< pipelined loads
  SetTable::Entry* filling_ = nullptr;
  node::LoopFigures figures_;
};

class LoopCore final : public sc_core::sc_module {
 public:
  LoopCore(const sc_core::sc_module_name& name, DataCache& cache, Bus& bus, Fifo& fifo, WriteBuffers& buffers)
      : sc_core::sc_module(name), cache_(cache), bus_(bus), fifo_(fifo), buffers_(buffers) {}
  /// The operations of `loop`, which stays until they have ended. `issued`, if not null, gets the cycle of each.
  void reset(node::LoopCursor& loop, std::vector<Cycles>* issued);
  /// What comes before the core issues in a cycle: true if the loop ends at it. Throws LoopFault.
  bool ends(Cycles now);
  /// The rest of a cycle at which the loop does not end. Throws LoopFault.
  void go_on(Cycles now);
  /// A register is ready in cycle `at`.
  void ready(node::Register target, Cycles at) {
    if (target != 0) ready_[target] = at;
  }
  [[nodiscard]] std::uint64_t operations() const { return operations_; }

  /// What the core did in the last cycle.
  enum class Activity : std::uint8_t { issues, waits, waits_for_fifo, drains };
  [[nodiscard]] Activity activity() const { return activity_; }

 private:
  void fetch() { fetched_ = loop_->next(op_); }
  [[nodiscard]] bool ended(Cycles now) const;
  [[nodiscard]] bool may_issue(Cycles now) const;
  /// The same but for the FIFO.
  [[nodiscard]] bool may_issue_with_fifo(Cycles now) const;
  void issue(Cycles now);

  DataCache& cache_;
  Bus& bus_;
  Fifo& fifo_;
  WriteBuffers& buffers_;
  node::LoopCursor* loop_ = nullptr;
  std::vector<Cycles>* issued_ = nullptr;
  node::Op op_{};
  bool fetched_ = false;  ///< op_ has not issued
  std::array<Cycles, node::registers> ready_{};
  Cycles free_at_ = 0;        ///< the operation before has taken its cycles
  Cycles dual_at_ = not_yet;  ///< a dual operation may issue in this cycle
  std::uint64_t operations_ = 0;
  Activity activity_ = Activity::issues;
};

}  // namespace ecube::clocked
