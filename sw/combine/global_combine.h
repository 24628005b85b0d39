// SPDX-License-Identifier: Apache-2.0
// The global combine as node firmware: version 1, and the hybrid of which versions 2 and 3 are the extremes
// (van de Geijn 1991).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/combine/combine.h"
#include "models/combine/combine_cost.h"
#include "models/contract/payload.h"
#include "sw/api/firmware.h"
#include "sw/api/routine.h"
#include "sw/combine/combine_operation.h"
#include "sw/exchange/exchange.h"

namespace ecube {

/// The problem of which the equations are, and how the nodes of a machine do it; the dimension is that of the machine.
struct CombineWorkload : CombineProblem, Handshake {
  CombineOperation operation = CombineOperation::of(CombineFunction::sum, ItemType::float32);
  InitialItems initial = random_items(ItemType::float32, CombineFunction::sum, 1);
  HalvingRule rule = HalvingRule::by(Strategy::full(1));
  bool tree = false;  ///< version 1 in place of `rule`
  Payload payload = Payload::bytes;
  bool folded = false;  ///< runs on node 0 alone, of a machine that stands for all nodes; vectors are never carried
};

/// Why nodes of a combine are not translations of node 0; empty where they are, unless halves turn out to be uneven.
[[nodiscard]] std::string why_not_translated(const CombineWorkload& workload);

/// One run of a global combine: the firmware, its vectors, and the results of the run.
///
/// Every strategy combines an item over the directions in the same order, d-1 down to 0 on one port. So all strategies,
/// version 1 and both targets give the same bits on every node. On k links the items of part r are combined in the
/// order r, r-1, .., 0, d-1, .., r+1: there the sum of floats may differ from that on another number of ports in its
/// last bits, because floating-point addition is not associative.
class GlobalCombine {
 public:
  GlobalCombine(CombineWorkload workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  /// The vector of a node: its result after a run; for target root, on the root only. Empty if no bytes are carried.
  [[nodiscard]] std::span<std::byte> vector(NodeId node);
  /// When the last node ended each step of combining, and then of gathering or broadcasting, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& step_ends_us() const { return progress_.ends_us(); }
  /// Place in step_ends_us() and label of messages: step 0 .. d-1 of the combining; gather and broadcast undo step d-1
  /// first.
  [[nodiscard]] static unsigned place(unsigned dim, unsigned step, bool back) {
    return back ? 2 * dim - 1 - step : step;
  }
  /// The result, combined by one processor in the order of the nodes' association.
  [[nodiscard]] std::vector<std::byte> reference() const;
  /// Nodes with a wrong result, or messages with a wrong check word.
  [[nodiscard]] std::uint64_t wrong() const;
  /// Messages of a whole run to all nodes by this strategy; to a root, about half of them.
  [[nodiscard]] static std::uint64_t messages(const CombineWorkload& workload, unsigned dim, const Strategy& strategy);
  /// Memory that the vectors of a run need, in bytes.
  [[nodiscard]] static Bytes required(unsigned dim, std::uint64_t items, std::uint32_t item_bytes);

 private:
  /// One value for each part of the vector. Nodes keep them for every direction: on one port, where there is one part,
  /// none of them has memory of its own.
  template <class Value>
  class PerPart {
   public:
    explicit PerPart(unsigned parts) : others_(parts > 1 ? std::make_unique<Value[]>(parts - 1) : nullptr) {}
    [[nodiscard]] Value& operator[](unsigned part) { return part == 0 ? first_ : others_[part - 1]; }
    [[nodiscard]] const Value& operator[](unsigned part) const { return part == 0 ? first_ : others_[part - 1]; }

   private:
    Value first_{};
    std::unique_ptr<Value[]> others_;
  };
  using Pieces = PerPart<CombinePiece>;
  /// The transfer between a node and its partner in one step of one part: an exchange, a message, or none.
  struct Transfer : CombineTransfer {
    std::uint32_t tag = 0;
    std::uint16_t place = 0;
    std::byte* into = nullptr;  ///< target of the received items, if not the vector

    [[nodiscard]] bool moves() const { return sends || receives; }
  };
  using Transfers = PerPart<Transfer>;

  Task<> run(Node& node);
  /// Step `number` of combining, or the step that undoes it, of a node that holds `x` before it.
  Task<> step(Node& node, const Pieces& x, unsigned number, bool back);
  [[nodiscard]] Transfers transfers(NodeId node, const Pieces& x, unsigned number, bool back);
  [[nodiscard]] bool moves_anything(const Transfers& step) const;
  /// All transfers of a step at once; returns when the first message received began to arrive, 0 if any was buffered.
  Task<Cycles> move(Node& node, const Transfers& step);
  Task<Cycles> move_parts(Node& node, const Transfers& step);
  template <class Use>
  auto message(NodeId node, const Transfer& transfer, const Use& use);
  void check(const Received& received, NodeId node, const Transfer& transfer) {
    if (transfer.receives) checks_.check(received.check, transfer.tag, transfer.partner, node);
  }
  /// Combines what has been received: the work that it is.
  [[nodiscard]] ItemsToCombine merged(NodeId node, const Transfers& step, Cycles since);
  [[nodiscard]] Bytes bytes_of(const Items& items) const { return items.count * item_bytes_; }
  [[nodiscard]] Bytes message_bytes(const CombinePiece& piece) const {
    return (piece.length + workload_.pad) * item_bytes_;
  }
  [[nodiscard]] Region region(NodeId node, const Items& items);
  void reference_of(unsigned part, unsigned steps, NodeId node, const Items& items, std::byte* result) const;

  CombineWorkload workload_;
  unsigned dim_;
  CombineParts parts_;
  std::uint32_t item_bytes_;
  CombineMoves moves_;
  bool carried_;
  std::vector<std::byte> vectors_;
  BufferPool scratch_;
  Progress progress_;
  CheckWords checks_;
  Firmware firmware_;
};

}  // namespace ecube
