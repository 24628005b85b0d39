// SPDX-License-Identifier: Apache-2.0
// The core of a detailed node: issues the operations of a loop (hw/node/README.md, N2, N8, N10).
#pragma once

#include <array>

#include "hw/clocked/memory/data_cache.h"

namespace ecube::clocked {

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
