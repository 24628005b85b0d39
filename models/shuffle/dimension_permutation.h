// SPDX-License-Identifier: Apache-2.0
// Stable dimension permutations: the destinations of elements when the bits of their addresses change places; and
// permutations as products of simpler ones, with which Johnsson & Ho 1991 compare their algorithms.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/machine/cube.h"

namespace ecube {

/// A dimension of the global address: bit `bit` of the node's label (p0, p1, ..) or of the local address (s0, s1, ..).
struct AddressDimension {
  bool storage = false;
  unsigned bit = 0;

  [[nodiscard]] std::string name() const { return (storage ? "s" : "p") + std::to_string(bit); }
  friend constexpr auto operator<=>(const AddressDimension&, const AddressDimension&) = default;
};

/// A global address: the element in location `local` of node `node`.
struct Address {
  NodeId node = 0;
  std::uint64_t local = 0;
  friend constexpr bool operator==(const Address&, const Address&) = default;
};

inline constexpr unsigned max_storage_dimensions = 40;

/// A generalised shuffle (Johnsson & Ho 1991, definition 2): the dimensions a_sigma .. a_0 in the order of the paper;
/// a_i takes the value of a_(i-1), a_0 that of a_sigma. The bits of `complemented` take the complement.
class DimensionPermutation {
 public:
  using Cycle = std::vector<AddressDimension>;

  /// The identity.
  DimensionPermutation() = default;
  /// InputError for a cycle of one dimension that is not complemented, for a dimension that is in two places, and for a
  /// complemented dimension that is in no cycle.
  DimensionPermutation(std::vector<Cycle> cycles, std::vector<AddressDimension> complemented);

  /// "p2,p1,p0,s0" for each cycle, and "p1,s0" for the complemented dimensions, on a cube of `dim` dimensions with
  /// `elements` elements on each node. InputError with the token that is wrong: not a dimension, a dimension beyond
  /// this cube, or a bit beyond the number of elements.
  [[nodiscard]] static DimensionPermutation parse(std::span<const std::string> cycles, std::string_view complemented,
                                                  unsigned dim, std::uint64_t elements);

  /// A permutation known by name, of all address bits p_(n-1) .. p_0 s_(k-1) .. s_0 of 2^k elements on each of 2^n
  /// nodes: "shuffle" or "shuffle:2" (every bit takes the value of the bit 2 to its right), "unshuffle",
  /// "bit-reversal", "transpose" (the upper and the lower half of the address change places), "vector-reversal" (every
  /// bit takes its complement), "consecutive-to-cyclic" and "cyclic-to-consecutive". InputError for other names, for
  /// elements that are not a power of 2, and for the transpose of an odd number of bits.
  [[nodiscard]] static DimensionPermutation named(std::string_view name, unsigned dim, std::uint64_t elements);

  [[nodiscard]] const std::vector<Cycle>& cycles() const { return cycles_; }
  [[nodiscard]] bool complements(const AddressDimension& dimension) const;
  /// The address to which the element at `from` goes.
  [[nodiscard]] Address destination(const Address& from) const { return moved(from, false); }
  /// The address from which the element at `to` comes.
  [[nodiscard]] Address origin(const Address& to) const { return moved(to, true); }
  /// The dimensions of all cycles, one cycle after the other.
  [[nodiscard]] std::vector<AddressDimension> dimensions() const;
  /// Processor dimensions in the cycles: the real order.
  [[nodiscard]] unsigned real_order() const;
  /// "(p2 p1 p0 s0)(p4 s1)", complemented dimensions with a ~ before them.
  [[nodiscard]] std::string name() const;

 private:
  [[nodiscard]] Address moved(const Address& address, bool back) const;

  std::vector<Cycle> cycles_;
  std::vector<AddressDimension> complemented_;
};

/// A constituent: processor dimensions in the order of the exchanges a_1 .. a_sigma. A mixed one has a storage
/// dimension a_0 besides; in a real one a_1 takes the value of a_sigma, and algorithm A1 has an extra dimension in
/// place of a_0.
struct Constituent {
  std::vector<unsigned> dims;    ///< a_1 .. a_sigma, bits of the label
  std::vector<bool> complement;  ///< of a_1 .. a_sigma
  unsigned control = 0;          ///< a_0 of a mixed one, a bit of the local address

  [[nodiscard]] unsigned order() const { return static_cast<unsigned>(dims.size()); }
};

/// A move within each node: bit `to` of the local address takes the value of bit `from`, or its complement.
struct LocalBit {
  unsigned to = 0;
  unsigned from = 0;
  bool complement = false;
};

/// A permutation as the product of mixed constituents with disjoint processor and storage dimensions, of real ones, and
/// of a virtual one that comes last (Johnsson & Ho 1991, section 4.1.2, Figure 7).
struct Factors {
  std::vector<Constituent> mixed;
  std::vector<Constituent> real;
  std::vector<LocalBit> virtual_bits;

  /// The virtual part.
  [[nodiscard]] std::uint64_t local(std::uint64_t address) const;
};

[[nodiscard]] Factors factor(const DimensionPermutation& permutation);

/// A permutation as successive transpositions, each of which exchanges disjoint pairs of dimensions, as a matrix
/// transposition does (section 6). A cycle is shifted by shifting each of its halves, then exchanging the last
/// dimensions of the two: ceil(log2 sigma) rounds for a cycle of sigma dimensions.
[[nodiscard]] std::vector<DimensionPermutation> transpositions(const DimensionPermutation& permutation);

/// A permutation as two all-to-all personalised communications (section 5). The first brings every processor dimension
/// of the cycles into a storage dimension that is in no cycle, the second from there to the dimension that takes its
/// value. InputError where `elements` have too few storage dimensions besides those of the cycles.
[[nodiscard]] std::vector<DimensionPermutation> two_aapcs(const DimensionPermutation& permutation,
                                                          std::uint64_t elements);

}  // namespace ecube
