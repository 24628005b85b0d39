// SPDX-License-Identifier: Apache-2.0
// The best partition of a complete exchange on several ports, for one block size and for all.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "models/exchange/hull.h"
#include "models/exchange/staged_exchange_cost.h"

namespace ecube {

/// Dimensions up to which all partitions are tried.
inline constexpr unsigned max_staged_search_dim = max_simulated_dim;

/// Called before one of `all` is tried.
using OnTrial = std::function<void(std::size_t all)>;

/// The partition whose stages take the least time for blocks of `bytes` bytes, of all partitions of `dim`; of equals
/// the one with fewest phases. InputError above max_staged_search_dim. May take many seconds; ends before all are tried
/// where the others cannot be better.
[[nodiscard]] Partition best_staged_partition(unsigned dim, Bytes bytes, const ExchangeParameters& parameters,
                                              const StageOptions& options, const OnTrial& on_partition = {});

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
  /// InputError above max_staged_search_dim. Trying sizes may take minutes.
  StagedHull(unsigned dim, const ExchangeParameters& parameters, const StageOptions& options,
             const OnTrial& on_size = {});

  /// With their lines where times are lines.
  [[nodiscard]] const std::vector<RealHopsFace>& faces() const { return faces_; }
  [[nodiscard]] bool lines() const { return lines_; }
  /// Time of a partition in equal parts.
  [[nodiscard]] double us(const Partition& partition, double bytes) const;

 private:
  void follow_lines();
  void search(const OnTrial& on_size);
  [[nodiscard]] const Partition& best_at(double bytes) const;

  ExchangeParameters parameters_;
  StageOptions options_;
  bool lines_;
  std::vector<Partition> partitions_;
  std::vector<RealHopsFace> faces_;
};

}  // namespace ecube
