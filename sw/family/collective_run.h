// SPDX-License-Identifier: Apache-2.0
// A collective on vectors as node firmware: any plan, with the data and the check of its result.
#pragma once

#include <span>
#include <vector>

#include "models/contract/payload.h"
#include "models/family/plan.h"
#include "sw/api/firmware.h"
#include "sw/api/routine.h"
#include "sw/combine/combine_operation.h"

namespace ecube {

struct CollectiveWorkload {
  const Collective* collective = nullptr;
  const CollectiveAlgorithm* algorithm = nullptr;
  CollectiveProblem problem;
  CombineOperation operation = CombineOperation::of(CombineFunction::sum, ItemType::float32);
  InitialItems initial = random_items(ItemType::float32, CombineFunction::sum, 1);
  Handshake handshake{};
  bool carried = true;  ///< whether messages have contents
  bool checks = false;  ///< without contents: 8 bytes a message
};

/// One run of a collective: the firmware, its vectors, and the results of the run.
///
/// Every item is combined in one order, that of its part's dimensions, with the node of the smaller label on the left.
class CollectiveRun {
 public:
  explicit CollectiveRun(CollectiveWorkload workload);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] const CollectivePlan& plan() const { return plan_; }
  /// The vector of a node. Empty if no bytes are carried.
  [[nodiscard]] std::span<std::byte> vector(NodeId node);
  /// When the last node ended each step, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& step_ends_us() const { return progress_.ends_us(); }
  /// The vectors of all nodes, one after the other, computed by one processor in the order of the nodes.
  [[nodiscard]] std::vector<std::byte> reference() const;
  /// Nodes with a wrong item among those that they hold in the end, or messages with a wrong check word.
  [[nodiscard]] std::uint64_t wrong() const;
  /// Memory of a run, in bytes: vectors, totals, and messages that arrive.
  [[nodiscard]] static Bytes required(const Collective& collective, const CollectiveProblem& problem,
                                      std::uint32_t item_bytes);

 private:
  /// A transfer under way, and where its items are while they are on the link.
  struct Moving {
    PlannedTransfer planned;
    std::uint32_t tag = 0;
    Bytes out_bytes = 0;
    Bytes in_bytes = 0;
    std::byte* out = nullptr;  ///< in the vector, or packed, where the items are several ranges; null if not carried
    std::byte* in = nullptr;   ///< in the vector, or beside it, until they are stored or combined
  };

  Task<> run(Node& node);
  [[nodiscard]] Moving moving(NodeId node, unsigned number, const PlannedTransfer& transfer);
  /// The message, receive or exchange of a transfer.
  [[nodiscard]] Pending started(Node& on, unsigned number, const Moving& moving);
  /// Puts received items where they belong.
  void arrive(NodeId node, const Moving& moving);
  /// One range that is only stored needs no buffer.
  [[nodiscard]] static bool in_place(const PlannedTransfer& planned) {
    return planned.arrival == Arrival::stored && !planned.totalled && planned.incoming.size() == 1;
  }
  [[nodiscard]] Bytes bytes_of(const ItemRanges& ranges) const { return items_in(ranges) * item_bytes_; }
  [[nodiscard]] std::byte* at(std::vector<std::byte>& vectors, NodeId node, std::uint64_t item) const {
    return vectors.data() + (node * workload_.problem.items + item) * item_bytes_;
  }
  [[nodiscard]] bool scans() const { return is_prefix(workload_.collective->meaning); }
  void combine_all(std::vector<std::byte>& vectors) const;
  void combine_prefixes(std::vector<std::byte>& vectors) const;

  CollectiveWorkload workload_;
  CollectivePlan plan_;
  std::uint32_t item_bytes_;
  std::vector<std::byte> vectors_;
  std::vector<std::byte> totals_;  ///< of a scan: what the nodes of the subcube crossed have together
  BufferPool scratch_;
  Progress progress_;
  CheckWords checks_;
  Firmware firmware_;
};

}  // namespace ecube
