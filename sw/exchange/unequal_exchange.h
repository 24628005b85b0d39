// SPDX-License-Identifier: Apache-2.0
// The complete exchange of blocks that differ in size, as node firmware: Direct or in phases.
#pragma once

#include <vector>

#include "models/exchange/unequal_exchange_cost.h"
#include "sw/exchange/exchange.h"

namespace ecube {

/// One run of an exchange by pairs on one port, of an ExchangeWorkload whose blocks have `sizes` in place of its bytes.
/// All nodes know all sizes. A message has the blocks for its destination one after the other, without headers;
/// messages without bytes are also sent.
class UnequalExchange {
 public:
  /// Throws std::bad_alloc. Payload is bytes or none.
  UnequalExchange(const ExchangeWorkload& workload, BlockSizes sizes);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  /// When the last node ended each phase, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& phase_ends_us() const { return progress_.ends_us(); }
  /// Blocks in the wrong place, of the wrong length or with wrong contents.
  [[nodiscard]] std::uint64_t wrong() const;

 private:
  using Block = std::vector<std::byte>;

  Task<> run(Node& node);
  [[nodiscard]] Block& block(NodeId node, NodeId slot) { return blocks_[std::size_t{node} << sizes_.dim() | slot]; }

  ExchangeWorkload workload_;
  BlockSizes sizes_;
  std::vector<Phase> phases_;
  bool carried_;
  std::vector<Block> blocks_;  ///< [node, slot], by BlockPlaces; empty when no bytes are carried
  Pace pace_;
  Progress progress_;
  Firmware firmware_;
};

}  // namespace ecube
