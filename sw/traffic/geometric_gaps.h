// SPDX-License-Identifier: Apache-2.0
// Random gaps between the messages of a node.
#pragma once

#include <cstdint>
#include <vector>

#include "models/machine/cube.h"

namespace ecube {

/// Gaps of a Bernoulli process: 1 + the failures before a success, by inversion (Devroye 1986, section X.2): 1 +
/// floor(log(u) / log(1 - p)), where u in (0, 1) is the upper 53 bits of a random number. Most gaps are looked up: the
/// numbers u are cut into pieces, and each piece in which the gap changes at most once stores where. The result is
/// always that of the formula.
class GeometricGaps {
 public:
  /// `probability` of a success is above 0; 1 or more: every gap is 1. The table is made for at least `worth_it` draws.
  GeometricGaps(double probability, std::uint64_t draws);
  static constexpr std::uint64_t worth_it = 50'000;

  [[nodiscard]] Cycles operator()(std::uint64_t random) const {
    const std::uint64_t place = random >> 11;
    const Piece& piece = pieces_[place >> piece_bits];
    if (piece.gap == 0) return by_formula(random);
    return place < piece.shorter_from ? piece.gap : piece.gap - 1;
  }
  [[nodiscard]] Cycles by_formula(std::uint64_t random) const;

 private:
  static constexpr unsigned piece_bits = 42;
  static constexpr std::uint64_t pieces = std::uint64_t{1} << (53 - piece_bits);
  struct Piece {
    std::uint64_t shorter_from = 0;  ///< from here on, in units of 2^-53, the gap is one less
    Cycles gap = 0;                  ///< 0: it changes more than once
  };

  double log_of_failure_ = 0;  ///< of a cycle in which no message leaves; 0 if one leaves in every cycle
  std::vector<Piece> pieces_;
};

}  // namespace ecube
