// SPDX-License-Identifier: Apache-2.0
// The hull of optimality of the multiphase complete exchange: the best partition for every size of block. The best on
// several ports, for one block size and for all.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "models/exchange/staged_exchange_cost.h"

namespace ecube {

/// The parameters of a partition's time, in x = 2^d m (Bokhari 1993 (6); Nicol & Bokhari 1994 (2)):
///
///   t = [(n - sum 2^-d_i) tau + n rho] x + (sum 2^d_i - n) L + n Q
struct HullParameters {
  double message_us = 0;  ///< L = lambda + delta, of a message at any distance
  double tau_us_per_byte = 0;
  double rho_us_per_byte = 0;
  double barrier_us = 0;  ///< Q, of a phase
  /// Whether the shuffle of Direct, which moves nothing, is charged.
  IdentityShuffle identity_shuffle = IdentityShuffle::charge;
};

/// Why the time of a partition is not a straight line in m, as a clause: short messages or stored packets have costs of
/// their own. Empty where the time is a straight line.
[[nodiscard]] std::string_view why_no_lines(const ExchangeParameters& parameters);

/// The parameters of the exchange equation with the distance averaged, d/2 hops for every message, and with the time
/// that synchronisation adds to a message. InputError where times are not lines.
[[nodiscard]] HullParameters hull_parameters(const ExchangeParameters& parameters, unsigned dim,
                                             const ExchangeOptions& options);

/// A partition's line over x.
struct HullLine {
  unsigned phases = 1;
  Wide slope = 0;      ///< us for each byte of x = 2^d m
  Wide intercept = 0;  ///< us
};

/// E(d, n), best from `from` to the next face.
struct HullFace {
  HullLine line;
  Wide from = 0;  ///< x = 2^d m, bytes
};

/// Faces in order of x: from many phases to Direct.
class Hull {
 public:
  /// In O(sqrt d). At Q = 0 the cardinalities of faces are ceil(d / (q+1)) and floor(d / q) for q >= 1, whatever the
  /// parameters (Bokhari 1993, properties 6 to 9). A barrier removes some of these faces. Only equipartitions are
  /// needed (Theorem 1). A partition whose line only touches a vertex has no face.
  Hull(unsigned dim, const HullParameters& parameters);

  [[nodiscard]] unsigned dim() const { return dim_; }
  [[nodiscard]] const std::vector<HullFace>& faces() const { return faces_; }
  /// The face of blocks of m bytes, in O(log d); of two faces that meet there the one with fewer phases.
  [[nodiscard]] const HullFace& at_block(Wide bytes) const;
  /// m where a face begins, bytes.
  [[nodiscard]] Wide block(const HullFace& face) const;
  [[nodiscard]] Partition partition(const HullFace& face) const {
    return Partition::equipartition(dim_, face.line.phases);
  }

 private:
  unsigned dim_;
  std::vector<HullFace> faces_;
};

/// A partition's line over m with the distances of its own steps, and the smallest block for which it is best.
struct RealHopsFace {
  Partition partition = Partition::direct(1);
  double from_bytes = 0;
  double slope_us_per_byte = 0;
  double intercept_us = 0;
};

/// The lines that are lowest somewhere, in order of m; of equal lines the one with fewest phases. Lines that agree to
/// nine digits are equal.
[[nodiscard]] std::vector<RealHopsFace> lower_envelope(const std::vector<RealHopsFace>& lines);

/// The lower envelope of exchange_cost() with HopCount::real, whatever `options` says of hops, over all
/// partitions_of() the network; where it hides_tunings(), over all compositions, below and beyond the block at which a
/// permutation takes as long as a tuning; slope and intercept of a face are then those where it begins. All are tried,
/// because Theorem 1 assumes the same distance for all messages, which real hops do not give. InputError where times
/// are not lines.
[[nodiscard]] std::vector<RealHopsFace> real_hops_hull(const Topology& topology, const ExchangeParameters& parameters,
                                                       const ExchangeOptions& options);

/// The line of E(d, n).
[[nodiscard]] HullLine equipartition_line(unsigned dim, unsigned phases, const HullParameters& parameters);

/// Cardinalities that can have a face, in increasing order: at most 3 floor(sqrt d).
[[nodiscard]] std::vector<unsigned> face_candidates(unsigned dim);

/// D(n) = S(n-1) - S(n) + 1, where S(n) is the sum of 2^d_i over E(d, n); E(d, n), n > 1, touches the hull if and only
/// if D(n) >= Q / L (Theorem 2, with a barrier).
[[nodiscard]] Wide face_difference(unsigned dim, unsigned phases);

/// s* of Nicol & Bokhari 1994, section 3: 2 log2 u for the u > 1 that solves L (u-1)^2 = x tau (u-1)^2 / u^2 + x rho +
/// Q. Parts of an optimal partition obey d_i + d_j >= floor(s*) and d_i <= ceil(s*).
[[nodiscard]] double optimal_sum(unsigned dim, double block_bytes, const HullParameters& parameters);

/// Nicol & Bokhari's bounds on L / (m tau): at or below `direct` Direct is optimal, at or above `standard` Standard is.
struct OptimalityBounds {
  double direct = 0;
  double standard = 0;
};
[[nodiscard]] OptimalityBounds optimality_bounds(unsigned dim, double block_bytes, const HullParameters& parameters);

/// Dimensions up to which all partitions are tried.
inline constexpr unsigned max_staged_search_dim = max_simulated_dim;

/// Called before one of `all` is tried.
using OnTrial = std::function<void(std::size_t all)>;

/// The partition whose stages take the least time for blocks of `bytes` bytes, of all partitions of `dim`; of equals
/// the one with fewest phases. InputError above max_staged_search_dim. May take many seconds; ends before all are tried
/// where the others cannot be better.
[[nodiscard]] Partition best_staged_partition(unsigned dim, Bytes bytes, const ExchangeParameters& parameters,
                                              const StageOptions& options, const OnTrial& on_partition = {});

/// Largest blocks that staged_hull() considers where times are not lines.
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
struct StagedHull {
  std::vector<RealHopsFace> faces;  ///< with their lines where times are lines
  bool lines = false;
};
/// InputError above max_staged_search_dim. Trying sizes may take minutes.
[[nodiscard]] StagedHull staged_hull(unsigned dim, const ExchangeParameters& parameters, const StageOptions& options,
                                     const OnTrial& on_size = {});

/// Time of a partition in equal parts.
[[nodiscard]] double equal_parts_us(const Partition& partition, double bytes, const ExchangeParameters& parameters,
                                    const StageOptions& options);

}  // namespace ecube
