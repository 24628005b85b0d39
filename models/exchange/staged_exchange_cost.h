// SPDX-License-Identifier: Apache-2.0
// The cost of a complete exchange on several ports, stage by stage.
#pragma once

#include <optional>
#include <vector>

#include "models/exchange/exchange_cost.h"
#include "models/uncontended/timeline.h"

namespace ecube {

/// The parts of a message's time for which several messages of a node compete: on its processor, where start-ups queue,
/// and in an engine, where there are fewer engines than ports. The parts come from the machine's description; their
/// sums, lambda and delta, are fitted.
struct NodeService {
  Ports ports{Ports::n};
  Startups startups = Startups::overlapped;
  /// Empty where only the equation's parameters are known. Then the whole of lambda is start-up, and a message holds
  /// its engine until it has arrived: what follows has no values.
  std::optional<ProcessorTimes> processor{};
  /// Store and forward: start-up of a packet that is sent on. For each hop of its own packets beyond the first, a node
  /// sends on one packet of its neighbours, at the times at which its own packets are sent on elsewhere.
  bool stores = false;
  double forward_us = 0;
  /// Messages of more bytes than this first send a reservation and wait for its grant; negative: no message does.
  double reserve_above_bytes = -1;
  double control_startup_us = 0;
  double control_receipt_us = 0;
  /// The sender's engine is free this long before the arrival, and longer for each hop.
  double early_us = 0;
  double early_hop_us = 0;
};

/// The service times in the description of `machine`.
[[nodiscard]] NodeService node_service(const Machine& machine);
/// Only ports, engines and the rule for start-ups of `machine`: for `--params` and for the ideal engine, where
/// start-ups are all of lambda.
[[nodiscard]] NodeService undescribed_service(const Machine& machine);

struct StageOptions {
  ExchangeOptions exchange;
  MaskPairing pairing = MaskPairing::on;
  NodeService service;
};

/// A stage in which part j of every block has `lengths[j]` bytes and runs the phase that `stages` says; parts beyond
/// the end of `lengths` are empty and do nothing. With d_i, b_i dimensions and bytes of the part that runs phase i,
///
///   max over i of [ S_i (lambda + tau b_i 2^(d - d_i) + delta) + delta_hop H_i ] + rho (sum of b_i) 2^d + Q
///   pairs of masks:  S_i = 2^(d_i - 1),  H_i = [d_i 2^(d_i - 1) + c C(d_i, c)] / 2,  c = ceil(d_i / 2)
///   single masks:    S_i = 2^d_i - 1,    H_i = d_i 2^(d_i - 1)
///
/// H_i is the sum over the steps of the hops of the longer circuit, with which the step ends. The equation is Nicol &
/// Bokhari 1994 (1) applied to each part; README.md has the argument why parts do not meet. startup_us, distance_us and
/// transmission_us are those of the longest part.
///
/// Where a node serves start-ups one after the other or has fewer engines than messages, the stage takes longer:
/// waiting for engines adds engine_us, and waiting for the processor then adds serialised_us. Both terms come from the
/// timeline of one node (timeline_us()); all nodes do the same at the same time.
///
/// With Barrier::step the parts begin their steps together, and each step costs its longest message.
///
/// InputError when the time does not fit a double, or when such a timeline would have more than 2^25 messages.
[[nodiscard]] ExchangeTerms stage_cost(const ExchangeStages& stages, unsigned stage, const std::vector<double>& lengths,
                                       const ExchangeParameters& parameters, const StageOptions& options);

/// Lengths of the parts that travel, for blocks of `bytes` bytes.
[[nodiscard]] std::vector<double> part_lengths(Bytes bytes, unsigned phases);

/// The sum over the stages.
[[nodiscard]] ExchangeTerms staged_cost(const Partition& partition, const std::vector<double>& lengths,
                                        const ExchangeParameters& parameters, const StageOptions& options);

/// A lower bound of staged_cost in us: no partition takes less time than its longest parts, or than its processor is
/// busy.
[[nodiscard]] double least_staged_us(const ExchangeStages& stages, const std::vector<double>& lengths,
                                     const ExchangeParameters& parameters, const StageOptions& options);

}  // namespace ecube
