// SPDX-License-Identifier: Apache-2.0
// The multiphase complete exchange on several ports as node firmware: parts of the blocks in different phases at once.
#pragma once

#include <vector>

#include "sw/exchange/blocks.h"
#include "sw/exchange/exchange.h"

namespace ecube {

/// One run of a complete exchange on several ports, of an ExchangeWorkload whose schedule is xor.
class StagedExchange {
 public:
  StagedExchange(const ExchangeWorkload& workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] const ExchangeStages& stages() const { return stages_; }
  /// When stages begin, with Barrier::clock.
  [[nodiscard]] PhaseClock& clock() { return pace_.clock(); }
  /// When the last node ended each stage, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& stage_ends_us() const { return progress_.ends_us(); }
  /// As CompleteExchange::blocks().
  [[nodiscard]] std::vector<std::byte> blocks(NodeId node) const { return blocks_.of(node); }
  /// Messages of a whole run, including those of barriers and of pairwise synchronisation.
  [[nodiscard]] static std::uint64_t messages(const ExchangeWorkload& workload, unsigned dim, bool synchronising);
  /// Blocks in the wrong place, or messages with the wrong check word.
  [[nodiscard]] std::uint64_t wrong() const { return checks_.wrong() + blocks_.wrong_blocks(); }

 private:
  Task<> run(Node& node);
  /// Steps first .. last - 1 of the phase, as far as it has them.
  Task<> phase(Node& node, std::uint16_t stage, StagePart what, NodeId first, NodeId last);
  Task<> end_stage(Node& node, std::uint16_t stage);
  [[nodiscard]] Exchange exchange(const Node& node, std::uint16_t stage, const StagePart& what, NodeId mask) const;
  [[nodiscard]] NodeId steps_of(const StagePart& what) const {
    return static_cast<NodeId>(steps_of_phase(stages_.phase_dims(what.phase), workload_.pairing));
  }
  /// Of the longest phase in it.
  [[nodiscard]] NodeId steps_of(std::uint16_t stage) const;

  ExchangeWorkload workload_;
  unsigned dim_;
  ExchangeStages stages_;
  PartedBlocks blocks_;
  Pace pace_;  ///< of the stages
  Progress progress_;
  CheckWords checks_;
  Firmware firmware_;
};

}  // namespace ecube
