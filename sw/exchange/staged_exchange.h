// SPDX-License-Identifier: Apache-2.0
// The multiphase complete exchange on several ports as node firmware: parts of the blocks in different phases at once.
#pragma once

#include <vector>

#include "models/exchange/exchange_stages.h"
#include "sw/exchange/exchange.h"
#include "sw/exchange/parted_blocks.h"

namespace ecube {

/// One run of a complete exchange on several ports, of an ExchangeWorkload whose schedule is xor.
class StagedExchange {
 public:
  StagedExchange(const ExchangeWorkload& workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] const ExchangeStages& stages() const { return stages_; }
  /// When stages begin, with Barrier::clock.
  [[nodiscard]] PhaseClock& clock() { return clock_; }
  /// When the last node ended each stage, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& stage_ends_us() const { return stage_ends_us_; }
  /// Messages of a whole run, barriers included, and those that synchronise partners where there are such.
  [[nodiscard]] static std::uint64_t messages(const ExchangeWorkload& workload, unsigned dim, bool synchronising);
  /// Blocks in the wrong place, or messages with the wrong tag.
  [[nodiscard]] std::uint64_t wrong() const { return wrong_tags_ + blocks_.wrong_blocks(); }

 private:
  Task<> run(Node& node);
  Task<> stage(Node& node, unsigned number);
  Task<> stage_in_step(Node& node, unsigned number);
  Task<> phase(Node& node, unsigned stage, StagePart what);
  Task<> step(Node& node, unsigned stage, StagePart what, NodeId number);
  [[nodiscard]] Exchange exchange(const Node& node, unsigned stage, const StagePart& what, NodeId mask) const;
  void check(const Received& received, NodeId node, std::uint32_t type);
  [[nodiscard]] std::uint64_t tag(NodeId from, NodeId to, std::uint32_t type) const;
  [[nodiscard]] NodeId steps(const StagePart& what) const {
    return static_cast<NodeId>(steps_of_phase(stages_.phase_dims(what.phase), workload_.pairing));
  }

  ExchangeWorkload workload_;
  unsigned dim_;
  ExchangeStages stages_;
  PartedBlocks blocks_;
  std::vector<double> stage_ends_us_;
  PhaseClock clock_;  ///< of the stages
  std::uint64_t wrong_tags_ = 0;
  Firmware firmware_;
};

}  // namespace ecube
