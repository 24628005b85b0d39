// SPDX-License-Identifier: Apache-2.0
// The multiphase complete exchange as node firmware (Bokhari 1993; Nicol & Bokhari 1994): on one port, on several, and
// of blocks that differ in size.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/exchange/exchange_cost.h"
#include "models/exchange/partition.h"
#include "models/exchange/unequal_exchange_cost.h"
#include "sw/api/barrier.h"
#include "sw/api/firmware.h"
#include "sw/api/repeated.h"
#include "sw/api/routine.h"
#include "sw/exchange/blocks.h"

namespace ecube {

/// xor goes digit by digit: it pairs nodes where digits are bits, and shifts every digit by its own number elsewhere;
/// in the others a node sends to (i+j) mod N, to 0, 1, 2, ..., in an order of its own, or in that of the pairs.
enum class Schedule : std::uint8_t { xor_pairs, shift, ordered, random, masks };
enum class Payload : std::uint8_t { bytes, checks, none };

struct ExchangeWorkload {
  Partition partition = Partition::direct(1);
  Bytes bytes = 0;  ///< of a block
  BlockOrder order = BlockOrder::high;
  Schedule schedule = Schedule::xor_pairs;
  Barrier barrier = Barrier::none;  ///< with Barrier::clock the exchange has to be given a clock
  double slack_us = 0;              ///< with Barrier::clock
  PairwiseSync sync = PairwiseSync::on;
  IdentityShuffle identity_shuffle = IdentityShuffle::charge;
  Payload payload = Payload::bytes;
  std::uint64_t seed = 1;
  /// The ports that the exchange uses. With one it runs phase by phase (CompleteExchange); with several, on the xor
  /// schedule only, parts of the blocks run different phases at once (StagedExchange).
  Ports ports{};
  MaskPairing pairing = MaskPairing::on;   ///< on several ports
  Retuning retuning = Retuning::together;  ///< on planes
  bool folded = false;                     ///< runs on node 0 alone, of a machine that stands for all nodes

  [[nodiscard]] bool staged() const { return ports != Ports{} && schedule == Schedule::xor_pairs; }
};

/// Whether nodes send to one node and receive from another in a step of the xor schedule: a shift of digits.
[[nodiscard]] inline bool shifts_digits(const ExchangeWorkload& workload, const Topology& topology) {
  return workload.schedule == Schedule::xor_pairs && !topology.digits_are_bits();
}

/// The reason for which not all nodes do the same, translated, in an exchange; empty where they do.
[[nodiscard]] std::string why_not_translated(const ExchangeWorkload& workload);

/// A node's partners in a phase, in the order in which it sends to them; as many as the phase has steps.
[[nodiscard]] std::vector<NodeId> targets(const ExchangeWorkload& workload, const Phase& phase, NodeId node);

/// Where nodes wait for one another: by a barrier before every phase or every step, by clocks that agree on when phases
/// begin, or not at all. Where phases take a precise amount of time and all clocks agree, every node can compute when
/// the next phase begins (Bokhari 1993, section 3). A node that is late begins at once.
class Pace {
 public:
  explicit Pace(Barrier barrier) : barrier_(barrier) {}

  /// With Barrier::clock: begins phase i at the cycle starts[i].
  void set(std::vector<Cycles> starts) { starts_ = std::move(starts); }
  Task<> begin_phase(Node& node, std::uint16_t phase) {
    if (barrier_ == Barrier::phase) co_await barrier(node, phase);
    if (barrier_ != Barrier::clock) co_return;
    const Cycles start = starts_.at(phase);
    const auto after = static_cast<std::int64_t>(node.now()) - static_cast<std::int64_t>(start);
    if (after > 0) ++late_;
    last_after_ = begun_ == 0 ? after : std::max(last_after_, after);
    ++begun_;
    co_await node.until(start);
  }
  /// True when `barrier` comes before every step.
  [[nodiscard]] bool steps() const { return barrier_ == Barrier::step; }

  /// By the clock: phases of all nodes that were begun, and how many of these were late.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  [[nodiscard]] std::uint64_t late() const { return late_; }
  /// Cycles by which the latest of all nodes came after the start of its phase; negative if all were early.
  [[nodiscard]] std::int64_t last_after() const { return last_after_; }

 private:
  Barrier barrier_;
  std::vector<Cycles> starts_;
  std::uint64_t begun_ = 0;
  std::uint64_t late_ = 0;
  std::int64_t last_after_ = 0;
};

/// One run of a complete exchange: the firmware, its blocks, and what can be said of them afterwards.
class CompleteExchange {
 public:
  /// One-sided schedules are for networks whose digits are bits, exchanges on several ports for cubes.
  CompleteExchange(const ExchangeWorkload& workload, const Topology& topology);

  [[nodiscard]] Program& program() { return firmware_; }
  /// When phases begin, with Barrier::clock.
  [[nodiscard]] Pace& clock() { return pace_; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  /// When the last node ended each phase, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& phase_ends_us() const { return progress_.ends_us(); }
  /// The blocks of a node, in the order of the nodes that they are for, and after a run of those that they are from.
  /// Empty if no bytes are carried.
  [[nodiscard]] std::span<const std::byte> blocks(NodeId node) const { return blocks_.of(node); }
  /// Messages of a whole run, barriers included, and those that synchronise partners where there are such.
  [[nodiscard]] static std::uint64_t messages(const ExchangeWorkload& workload, const Topology& topology,
                                              bool synchronising);
  /// Blocks in the wrong place, or messages with the wrong check word.
  [[nodiscard]] std::uint64_t wrong() const { return checks_.wrong() + blocks_.wrong_blocks(); }
  /// Buffers of blocks a node needs: 2 where blocks arrive while older ones still wait in the same slots.
  [[nodiscard]] static unsigned buffers(const ExchangeWorkload& workload, const Topology& topology) {
    return workload.schedule == Schedule::xor_pairs && !shifts_digits(workload, topology) ? 1 : 2;
  }

 private:
  Task<> multiphase(Node& node);
  Task<> shifted(Node& node);
  Task<> one_sided(Node& node);
  [[nodiscard]] bool pays_shuffle(const Phase& phase) const {
    return ecube::pays_shuffle(phase, workload_.order, workload_.identity_shuffle);
  }
  [[nodiscard]] Bytes effective_bytes(const Phase& phase) const { return workload_.bytes * phase.effective(); }
  /// Of all blocks of a node.
  [[nodiscard]] Bytes all_bytes() const { return workload_.bytes * topology_.nodes(); }
  /// Where messages of a phase go that are sent without asking; the same for all nodes.
  struct Arrivals {
    const BlockStore* blocks;
    BlockRow row;  ///< of any node
  };
  static Region place_of(const void* context, NodeId receiver, NodeId source);

  ExchangeWorkload workload_;
  Topology topology_;
  std::vector<Phase> phases_;
  std::vector<NodeId> masks_;  ///< of all steps of all phases, in order
  BlockStore blocks_;
  std::vector<Arrivals> arrivals_;  ///< by phase
  Pace pace_;
  Progress progress_;
  CheckWords checks_;
  Firmware firmware_;
};

/// One run of a complete exchange on several ports, of an ExchangeWorkload whose schedule is xor.
class StagedExchange {
 public:
  StagedExchange(const ExchangeWorkload& workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] const ExchangeStages& stages() const { return stages_; }
  /// When stages begin, with Barrier::clock.
  [[nodiscard]] Pace& clock() { return pace_; }
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
