// SPDX-License-Identifier: Apache-2.0
// The predicted cost of a multiphase complete exchange, term by term.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/exchange/partition.h"
#include "models/machine/machine.h"
#include "models/machine/topology.h"

namespace ecube {

/// The parameters of the cost equations. All are finite and not negative.
struct ExchangeParameters {
  double lambda_us = 0;            ///< start-up of a message with bytes
  double lambda0_us = 0;           ///< start-up of a message of zero bytes; only pairwise synchronisation sends them
  double tau_us_per_byte = 0;      ///< transmission
  double delta_us = 0;             ///< distance, per message, independent of hops
  double delta_hop_us = 0;         ///< distance, per hop; adds to delta_us
  double tau_hop_us_per_byte = 0;  ///< transmission, per hop, of a packet that is stored and forwarded; adds to tau
  double rho_us_per_byte = 0;      ///< permutation
  double barrier_us = 0;           ///< Q, one barrier of this whole cube (150 d us on the iPSC/860: depends on d)
  /// Messages of at most this many bytes have a start-up and a distance of their own; 0: all messages have the same.
  double short_bytes = 0;
  double lambda_short_us = 0;
  double delta_hop_short_us = 0;
  /// A zero-byte exchange precedes every exchange and adds lambda0_us and the distance once more (Nicol & Bokhari
  /// 1994, section 4: "effective" lambda 177.5 = 95.0 + 82.5 us, delta 10.3 d = 2 x 5.15 d us).
  bool pairwise_sync_messages = false;
  std::string source = "given";  ///< "fitted", "published" or "given"

  [[nodiscard]] bool is_short(double bytes) const { return short_bytes > 0 && bytes <= short_bytes; }
  [[nodiscard]] double startup_us(double bytes) const {
    return bytes == 0 ? lambda0_us : is_short(bytes) ? lambda_short_us : lambda_us;
  }
  /// Distance of a hop. Messages without bytes are short wherever short messages have parameters of their own.
  [[nodiscard]] double hop_us(double bytes) const { return is_short(bytes) ? delta_hop_short_us : delta_hop_us; }
  /// All that follows the start-up of a message over so many hops.
  [[nodiscard]] double transit_us(double bytes, double hops) const {
    return tau_us_per_byte * bytes + delta_us + (hop_us(bytes) + tau_hop_us_per_byte * bytes) * hops;
  }
  [[nodiscard]] double message_us(double bytes, double hops) const {
    return startup_us(bytes) + transit_us(bytes, hops);
  }
};

/// Times and sizes of cubes up to dimension max_predicted_dim need exponents beyond those of double.
using Wide = long double;

/// A phase in figures: all that its time depends on besides parameters.
struct PhaseExtent {
  Wide size = 2;   ///< nodes of a group, one step fewer
  Wide nodes = 2;  ///< of the network
  /// Hops of all steps over `size`, of each step those of its longest circuit, and of a message between any two nodes
  /// of the network. In a cube half of its dimensions.
  double hops = 0.5;
  double mean_hops = 0.5;
  LinkWaits waits{};  ///< of all steps

  /// Over `part` dimensions of a cube.
  [[nodiscard]] static PhaseExtent of_cube(unsigned part, unsigned dim) {
    return {.size = std::ldexp(Wide{1}, static_cast<int>(part)),
            .nodes = std::ldexp(Wide{1}, static_cast<int>(dim)),
            .hops = part / 2.0,
            .mean_hops = dim / 2.0};
  }
};

/// The phases over all groups of neighbouring dimensions of a network, as steps of nodes whose labels differ by one
/// number, digit by digit (Topology::step_load()): contention-free on complete dimensions. A link of a line is taken by
/// several circuits of a step, one after the other.
class PhaseExtents {
 public:
  explicit PhaseExtents(const Topology& topology) : topology_(topology), dims_(topology.dimensions().size()) {}
  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// Over `count` dimensions from `first` on; counted when it is asked for first.
  [[nodiscard]] const PhaseExtent& of(unsigned first, unsigned count);

 private:
  Topology topology_;
  std::size_t dims_;
  std::vector<std::optional<PhaseExtent>> counted_ = std::vector<std::optional<PhaseExtent>>(dims_ * dims_);
};

/// The distance with which a message is charged.
enum class HopCount : std::uint8_t {
  /// XOR step j is popcount(j) hops for every node: a phase over d_i dimensions has d_i 2^(d_i - 1) hops in sequence.
  real,
  /// d / 2 hops for every message of every phase. Nicol & Bokhari 1994 charge delta = 5.15 d us, an average over the
  /// whole cube, also where a phase stays within a small subcube. d / 2 is the mean over all pairs of labels, including
  /// the pairs of a node with itself; without these pairs the mean would be d 2^(d-1) / (2^d - 1). With the average
  /// Direct is charged d / 2 hops less than with real distances, and phases in smaller subcubes at least as much.
  average,
};

/// On planes: all are tuned together when the last of their masks has been used, before the permutation between phases
/// or after it; or each as soon as its own mask has been used.
enum class Retuning : std::uint8_t { together, after, each };

struct ExchangeOptions {
  HopCount hops = HopCount::real;
  BlockOrder order = BlockOrder::high;  ///< blocks kept in place are never permuted
  IdentityShuffle identity_shuffle = IdentityShuffle::charge;
  /// No barrier, one per phase (as in the equation), one per step (2^(d_i) - 1 in a phase), or, with a clock, slack_us
  /// in place of Q.
  Barrier barrier = Barrier::phase;
  double slack_us = 0;      ///< with Barrier::clock
  bool keeps_steps = true;  ///< else no circuit waits for others of its step: none is on the way in step with it
  double retune_us = 0;     ///< R, plane.retune and one cycle more
  Retuning retuning = Retuning::together;
};

struct ExchangeTerms {
  double startup_us = 0;
  double distance_us = 0;
  double transmission_us = 0;
  double permutation_us = 0;
  double barrier_us = 0;
  double retuning_us = 0;  ///< on planes only
  double waiting_us = 0;   ///< for links that circuits of a step share: a bound, the least there is
  // On several ports only (staged_exchange_cost.h).
  double engine_us = 0;      ///< waiting for an engine where there are fewer engines than messages
  double serialised_us = 0;  ///< start-ups and receipts that a node's processor serves one after the other

  [[nodiscard]] double total() const {
    return startup_us + distance_us + transmission_us + permutation_us + barrier_us + waiting_us + retuning_us +
           engine_us + serialised_us;
  }
  ExchangeTerms& operator+=(const ExchangeTerms& other);
};

/// A phase over `part` dimensions of a cube of dimension `dim`, m = `block_bytes` (>= 0, a fraction is allowed).
///
///   (2^part - 1)(lambda + tau m 2^(dim - part) + delta) + rho m 2^dim + Q
///
/// Nicol & Bokhari 1994 (1); Bokhari 1993 (1) with Q = 0. Both papers charge the shuffle also to a phase over the whole
/// cube, where the shuffle moves nothing. IdentityShuffle::skip leaves this charge out, as both papers do in their
/// equation of Direct alone (Bokhari 1993, section 3; Nicol & Bokhari 1994, section 2.2). The time is a straight line
/// in m: m = 0 gives its intercept, with lambda and not lambda0.
///
/// Where short messages have parameters of their own, a phase whose effective blocks are short uses these parameters:
/// the line then has a break at 2^(dim - part) m = short_bytes.
///
/// The equation assumes that no circuit waits for another, which is true of the XOR schedule. The one-sided schedules
/// (shift, ordered, random, masks) have the same equation: their time beyond it is contention and idling.
///
/// InputError when the time does not fit a double, from d of about 1,000 up depending on m and parameters; the text
/// names a dimension up to which every partition can be costed (at most one below the largest).
[[nodiscard]] ExchangeTerms phase_cost(unsigned part, unsigned dim, double block_bytes,
                                       const ExchangeParameters& parameters, const ExchangeOptions& options);
/// The same over groups of n of N nodes that take n - 1 steps, whose circuits may share links:
///
///   (n - 1)(lambda + tau m N / n + delta) + rho m N + Q + the sum over steps of (load - 1)(tau m N / n + delta),
///
/// where load is the number of circuits on the fullest link of a step (LinkWaits). This last term is 0 where nodes keep
/// no steps, and for packets that are stored, which pass the link at times of their own.
[[nodiscard]] ExchangeTerms phase_cost(const PhaseExtent& extent, double block_bytes,
                                       const ExchangeParameters& parameters, const ExchangeOptions& options);

/// How long phase `number` waits for planes to be tuned. A phase over a dimensions needs 2^a - 1 masks, one step each;
/// p planes have p masks at a time, and the next p after R, together. Over all phases, S = sum (2^a - 1),
///
///   R (ceil(S / p) - 1)
///
/// with the first masks free. Where a new set begins with a phase and planes are tuned before the permutation, R is
/// shorter by the permutation. Where each plane is tuned as soon as it is free, this is an upper bound.
[[nodiscard]] double retuning_us(const Partition& partition, unsigned number, PhaseExtents& extents, double block_bytes,
                                 const ExchangeParameters& parameters, const ExchangeOptions& options);

/// The sum over the phases of `partition`: Nicol & Bokhari 1994 (2); Bokhari 1993 (2), with Q = 0, which is (6) in
/// closed form (right as printed; the line before it leaves out the n of 2^A - n). Errors as phase_cost().
[[nodiscard]] ExchangeTerms exchange_cost(const Partition& partition, double block_bytes,
                                          const ExchangeParameters& parameters, const ExchangeOptions& options);

/// The same in groups of dimensions of any network. Keep the extents for further partitions.
[[nodiscard]] ExchangeTerms exchange_cost(const Partition& partition, PhaseExtents& extents, double block_bytes,
                                          const ExchangeParameters& parameters, const ExchangeOptions& options);

/// True if a permutation between phases may hide a tuning: where a phase ends with the last mask that the planes have,
/// which depends on the order of the parts.
[[nodiscard]] bool hides_tunings(const Topology& topology, const ExchangeOptions& options);

/// The partition with the least exchange_cost() of all partitions_of() the network, and of all compositions where it
/// hides_tunings(), by trying them all; of equals the one with fewest phases.
[[nodiscard]] Partition best_partition(const Topology& topology, double block_bytes,
                                       const ExchangeParameters& parameters, const ExchangeOptions& options);

/// `--params` of the exchange: lambda, tau and, 0 unless given, delta, delta_hop, rho, barrier in us and us per byte;
/// lambda0 is lambda unless given. InputError as parse_parameters().
[[nodiscard]] ExchangeParameters parse_exchange_parameters(std::string_view text);

}  // namespace ecube
