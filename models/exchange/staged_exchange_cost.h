// SPDX-License-Identifier: Apache-2.0
// The cost of a complete exchange on several ports, stage by stage.
#pragma once

#include <vector>

#include "models/exchange/exchange_cost.h"
#include "models/exchange/exchange_stages.h"

namespace ecube {

/// The parts of a message's time for which several messages of a node compete: on its processor, where start-ups queue,
/// and in an engine, where there are fewer engines than ports. The parts come from the machine's description; their
/// sums, lambda and delta, are fitted.
struct NodeService {
  Ports ports{Ports::n};
  Startups startups = Startups::overlapped;
  /// False where only the equation's parameters are known. Then the whole of lambda is start-up, and a message holds
  /// its engine until it has arrived.
  bool described = false;
  double startup_us = 0;
  double receipt_us = 0;
  double startup_zero_us = 0;  ///< of messages of zero bytes, which synchronise partners
  double receipt_zero_us = 0;
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
/// timeline of one node (node_timeline.h); all nodes do the same at the same time.
///
/// With Barrier::step the parts begin their steps together, and each step costs its longest message.
///
/// InputError when the time does not fit a double, or when such a timeline would have more than 2^25 messages.
[[nodiscard]] ExchangeTerms stage_cost(const ExchangeStages& stages, unsigned stage, const std::vector<double>& lengths,
                                       const ExchangeParameters& parameters, const StageOptions& options);

/// Lengths of the parts that travel: exact for blocks of `bytes` bytes, and m / n for hulls.
[[nodiscard]] std::vector<double> part_lengths(Bytes bytes, unsigned phases);
[[nodiscard]] std::vector<double> equal_part_lengths(double bytes, unsigned phases);

/// The sum over the stages.
[[nodiscard]] ExchangeTerms staged_cost(const Partition& partition, const std::vector<double>& lengths,
                                        const ExchangeParameters& parameters, const StageOptions& options);

/// Dimensions up to which all partitions are tried.
inline constexpr unsigned max_staged_search_dim = max_simulated_dim;

/// The partition whose stages take the least time for blocks of `bytes` bytes, of all partitions of `dim`; of equals
/// the one with fewest phases. InputError above max_staged_search_dim.
[[nodiscard]] Partition best_staged_partition(unsigned dim, Bytes bytes, const ExchangeParameters& parameters,
                                              const StageOptions& options);

/// A partition, and the smallest block for which it is best.
struct StagedFace {
  Partition partition = Partition::direct(1);
  double from_bytes = 0;
};

/// Largest blocks that StagedHull considers where times are not lines.
inline constexpr double max_staged_hull_bytes = 1 << 20;

/// Which partition is best for which block, parts taken to be equal (m / n, not in whole bytes), distances real.
///
/// Where start-ups overlap, every node has an engine for each port and all messages have one lambda, the time of a
/// partition is a line: in equal parts the phase with the most dimensions takes longest, and the transmission of every
/// partition takes tau m 2^(d-1) in all (with pairs of masks), so that
///
///   t = n [2^(w-1) (lambda + delta) + delta_hop H_w + Q] + [tau / 2 + n rho] 2^d m,   w = the largest d_i
///
/// and faces begin where two lines meet. Otherwise they begin at the first whole byte, up to max_staged_hull_bytes, at
/// which the best partition changes; sizes are tried in steps of a factor of 2^(1/4), and between two sizes with
/// different best partitions by bisection.
class StagedHull {
 public:
  /// InputError above max_staged_search_dim.
  StagedHull(unsigned dim, const ExchangeParameters& parameters, const StageOptions& options);

  [[nodiscard]] const std::vector<StagedFace>& faces() const { return faces_; }
  [[nodiscard]] bool lines() const { return lines_; }
  /// Time of a partition in equal parts.
  [[nodiscard]] double us(const Partition& partition, double bytes) const;

 private:
  void follow_lines();
  void search();
  [[nodiscard]] const Partition& best_at(double bytes) const;

  ExchangeParameters parameters_;
  StageOptions options_;
  bool lines_;
  std::vector<Partition> partitions_;
  std::vector<StagedFace> faces_;
};

}  // namespace ecube
