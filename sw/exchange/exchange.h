// SPDX-License-Identifier: Apache-2.0
// The multiphase complete exchange as node firmware (Bokhari 1993; Nicol & Bokhari 1994).
#pragma once

#include <memory>
#include <vector>

#include "models/exchange/exchange_stages.h"
#include "models/exchange/partition.h"
#include "sw/api/firmware.h"
#include "sw/api/phase_clock.h"
#include "sw/exchange/blocks.h"

namespace ecube {

/// xor pairs nodes; in the others a node sends to (i+j) mod N, to 0, 1, 2, ... or in an order of its own.
enum class Schedule : std::uint8_t { xor_pairs, shift, ordered, random };
enum class Payload : std::uint8_t { bytes, tags, none };

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
  /// Of the machine that the exchange makes use of: one, and it runs phase by phase (CompleteExchange), or several, and
  /// parts of the blocks run different phases at once (StagedExchange), on the xor schedule only.
  Ports ports{};
  MaskPairing pairing = MaskPairing::on;  ///< on several ports

  [[nodiscard]] bool staged() const { return ports != Ports{} && schedule == Schedule::xor_pairs; }
};

/// A node's partners in a phase, in the order in which it sends to them; as many as the phase has steps.
[[nodiscard]] std::vector<NodeId> targets(const ExchangeWorkload& workload, const Phase& phase, NodeId node);

/// One run of a complete exchange: the firmware, its blocks, and what can be said of them afterwards.
class CompleteExchange {
 public:
  CompleteExchange(const ExchangeWorkload& workload, unsigned dim);

  [[nodiscard]] Program& program() { return firmware_; }
  [[nodiscard]] PhaseClock& clock() { return clock_; }
  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  /// When the last node ended each phase, in us; 0 where none has.
  [[nodiscard]] const std::vector<double>& phase_ends_us() const { return phase_ends_us_; }
  /// Messages of a whole run, barriers included, and those that synchronise partners where there are such.
  [[nodiscard]] static std::uint64_t messages(const ExchangeWorkload& workload, unsigned dim, bool synchronising);
  /// Blocks in the wrong place, or messages with the wrong tag.
  [[nodiscard]] std::uint64_t wrong() const;
  /// Buffers of blocks a node needs: one-sided schedules receive while older blocks still wait in the same slots.
  [[nodiscard]] static unsigned buffers(Schedule schedule) { return schedule == Schedule::xor_pairs ? 1 : 2; }

 private:
  Task<> run(Node& node);
  Task<> begin_phase(Node& node, std::uint16_t index);
  class Steps;
  Task<> paired_phase(Node& node, const Phase& phase, Bytes effective_bytes);
  Task<> paired_steps(Steps& steps);
  Task<> one_sided_phase(Node& node, const Phase& phase, Bytes effective_bytes);
  Task<> one_sided_steps(Steps& steps);
  /// Where messages of a phase go that are sent without asking; the same for all nodes.
  struct Arrivals {
    const BlockStore* blocks;
    Subcube sources;
    Region layout;  ///< of an effective block
    Bytes apart;    ///< from one effective block to the next
  };
  static Region place_of(const void* context, NodeId receiver, NodeId source);
  [[nodiscard]] std::uint64_t tag(NodeId from, NodeId to, std::uint16_t phase) const;

  ExchangeWorkload workload_;
  unsigned dim_;
  std::vector<Phase> phases_;
  std::vector<double> phase_ends_us_;
  BlockStore blocks_;
  std::vector<Arrivals> arrivals_;  ///< by phase
  PhaseClock clock_;
  std::uint64_t wrong_tags_ = 0;
  Firmware firmware_;
};

}  // namespace ecube
