// SPDX-License-Identifier: Apache-2.0
// Strategies of the global combine: the directions that halve the vector, and the items that each node holds, sends and
// receives at each step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/machine/machine.h"

namespace ecube {

class LogicalCube;

/// The nodes that have the result in the end: all, or the root alone.
enum class CombineTarget : std::uint8_t { all, root };

/// S in {0,1}^d (van de Geijn 1991, section 3.4): S_j = 1 halves the vector in the step that has j steps after it; on a
/// one-port machine that is the step in direction j.
class Strategy {
 public:
  /// `halves[j]` is S_j; 1 <= d <= max_predicted_dim.
  explicit Strategy(std::vector<bool> halves) : halves_(std::move(halves)) {}

  /// The optimum's form (van de Geijn 1991, Theorem 1): halve in directions j >= k, 0 <= k <= dim.
  [[nodiscard]] static Strategy halving_from(unsigned k, unsigned dim);
  /// Version 2, full vectors in every direction.
  [[nodiscard]] static Strategy full(unsigned dim) { return halving_from(dim, dim); }
  /// Version 3, halves in every direction.
  [[nodiscard]] static Strategy halving(unsigned dim) { return halving_from(0, dim); }
  /// "000111": the leftmost digit is direction 0. InputError for any other digit and for a length that is not `dim`.
  [[nodiscard]] static Strategy parse(std::string_view digits, unsigned dim);
  /// All 2^dim strategies, dim <= max_simulated_dim.
  [[nodiscard]] static std::vector<Strategy> all(unsigned dim);

  [[nodiscard]] unsigned dim() const { return static_cast<unsigned>(halves_.size()); }
  [[nodiscard]] bool halves(unsigned j) const { return halves_[j]; }
  [[nodiscard]] const std::vector<bool>& digits() const { return halves_; }
  /// As parse() reads it; long ones as runs, "0 x 17, 1 x 83".
  [[nodiscard]] std::string name() const;

  friend bool operator==(const Strategy&, const Strategy&) = default;

 private:
  std::vector<bool> halves_;
};

/// Decides at each step whether a vector, or a part of one, is halved. Partners decide the same, because they hold the
/// same part when they meet.
struct HalvingRule {
  /// By direction, for any length.
  [[nodiscard]] static HalvingRule by(const Strategy& strategy) {
    return {[strategy](unsigned left, std::uint64_t /*items*/) { return strategy.halves(left); }};
  }
  /// With d' steps left, this one included, halve iff m >= 2 alpha / ((d' - 1)(beta + gamma) + gamma), m the current
  /// length (van de Geijn 1991, Note 3). For a vector in `parts` parts, m is `parts` times the length of the part. If
  /// the divisor is zero, never halve.
  [[nodiscard]] static HalvingRule run_time(double alpha, double beta, double gamma, unsigned parts);
  /// Halve while the length is above `items` (van de Geijn 1991, section 6).
  [[nodiscard]] static HalvingRule down_to(std::uint64_t items) {
    return {[most = items](unsigned /*left*/, std::uint64_t length) { return length > most; }};
  }

  /// Whether the step with `left` steps after it halves a part of `items` items.
  std::function<bool(unsigned left, std::uint64_t items)> halves;
};

/// A range of a vector's items.
struct Items {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  /// The lower half, which is the larger one by at most one item, and the upper half.
  [[nodiscard]] constexpr Items lower() const { return {first, (count + 1) / 2}; }
  [[nodiscard]] constexpr Items upper() const { return {first + (count + 1) / 2, count / 2}; }
  friend constexpr bool operator==(const Items&, const Items&) = default;
};

/// Piece `number` of `pieces` of a range: pieces differ by at most one item, larger ones first.
[[nodiscard]] constexpr Items piece_of(const Items& range, std::uint64_t number, std::uint64_t pieces) {
  const std::uint64_t least = range.count / pieces;
  const std::uint64_t larger = range.count % pieces;
  return {range.first + number * least + (number < larger ? number : larger), least + (number < larger ? 1 : 0)};
}

/// The vector has as many parts as the node has simultaneous links, part r in direction (r - t) mod d at step t, so
/// that no two parts are ever in the same direction. With one port there is one part, in directions d-1 down to 0. (The
/// generalisation that van de Geijn 1991, section 7, leaves open.)
class CombineParts {
 public:
  CombineParts(Ports ports, unsigned dim) : dim_(dim), count_(ports.used(dim)) {}

  [[nodiscard]] unsigned dim() const { return dim_; }
  [[nodiscard]] unsigned count() const { return count_; }
  /// Direction of part `part` at step `step`, both counted from 0.
  [[nodiscard]] unsigned direction(unsigned part, unsigned step) const {
    const unsigned first = count_ == 1 ? dim_ - 1 : part;
    return (first + dim_ - step) % dim_;
  }
  /// The part's items of a vector of `items`.
  [[nodiscard]] Items items(unsigned part, std::uint64_t items) const { return piece_of({0, items}, part, count_); }

 private:
  unsigned dim_;
  unsigned count_;
};

/// Items of a part of the vector that a node combines, or none when it has passed them on towards the root.
struct CombinePiece {
  Items items;
  std::uint64_t length = 0;  ///< items of a message of this piece, padding included where halves are levelled

  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  [[nodiscard]] bool held() const { return items.first != nowhere; }
};

/// The transfer of one part of the vector in one step on one node.
struct CombineTransfer {
  NodeId partner = 0;
  bool sends = false;
  bool receives = false;
  CombinePiece outgoing{};
  CombinePiece incoming{};
};

/// The vector to be combined, and the ports and start-ups of the machine.
struct CombineProblem {
  unsigned dim = 1;
  std::uint64_t items = 0;
  Ports ports{};
  Startups startups = Startups::overlapped;
  CombineTarget target = CombineTarget::all;
  NodeId root = 0;        ///< of version 1's tree, and of target root
  std::uint64_t pad = 0;  ///< items by which every message is lengthened
  /// Whether messages of the smaller half are padded by an item to the length of the larger one, and a rule uses this
  /// length: every branch then takes the same time. Where messages leave as soon as their sender is ready, those of a
  /// branch that is ahead would delay the exchanges of the other.
  bool level = false;
  std::shared_ptr<const LogicalCube> network{};  ///< none where partners are neighbours

  [[nodiscard]] CombineParts parts() const { return {ports, dim}; }
};

/// The moves of a combine, step `number` with the piece that a node holds before it. Keeps a reference to `rule`.
class CombineMoves {
 public:
  /// Version 1, a `tree` in which the result comes back from the root as a broadcast, or the hybrid by `rule`.
  CombineMoves(const HalvingRule& rule, const CombineParts& parts, const CombineProblem& problem, bool tree)
      : rule_(rule),
        parts_(parts),
        items_(problem.items),
        level_(problem.level),
        one_way_(tree || problem.target == CombineTarget::root),
        broadcasts_(tree && problem.target == CombineTarget::all),
        origin_(one_way_ ? problem.root : 0) {}

  /// The part as every node holds it before the first step.
  [[nodiscard]] CombinePiece whole(unsigned part) const;
  /// The piece that a node holds after the step.
  [[nodiscard]] CombinePiece kept(NodeId node, unsigned part, unsigned number, const CombinePiece& held) const;
  /// The piece that a node holds before step `number`, followed from the first step.
  [[nodiscard]] CombinePiece held(NodeId node, unsigned part, unsigned number) const;
  /// The transfer in the step of combining, none when the node has already passed on the part; or, `back`, in the step
  /// that undoes it: gathering, or version 1's broadcast.
  [[nodiscard]] std::optional<CombineTransfer> transfer(NodeId node, unsigned part, unsigned number, bool back,
                                                        const CombinePiece& held) const;
  /// The transfer in place 0 .. 2 d - 1 of all steps, those back after the others, followed from the first step.
  [[nodiscard]] std::optional<CombineTransfer> transfer(NodeId node, unsigned part, unsigned place) const;

 private:
  /// The pieces that a node keeps and that it gives to its partner: the halves of a piece, or the whole piece twice.
  struct Halves {
    bool halved = false;
    bool upper = false;  ///< keeps the upper half, or of the whole: sends it towards the root
    CombinePiece kept;
    CombinePiece given;
  };
  [[nodiscard]] Halves halves(NodeId node, unsigned part, unsigned number, const CombinePiece& held) const;
  [[nodiscard]] bool is_upper(NodeId node, unsigned part, unsigned number) const {
    return bit_of(node ^ origin_, parts_.direction(part, number));
  }
  /// True when the node has collected the result of all steps after `number`.
  [[nodiscard]] bool collects_after(NodeId node, unsigned part, unsigned number) const;

  const HalvingRule& rule_;
  CombineParts parts_;
  std::uint64_t items_;
  bool level_;
  bool one_way_;     ///< full vectors go towards the root only
  bool broadcasts_;  ///< and the result comes back from there
  NodeId origin_;    ///< labels are taken relative to it
};

}  // namespace ecube
