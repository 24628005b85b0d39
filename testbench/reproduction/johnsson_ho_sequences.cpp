// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, section 4: sequences of exchanges, done dimension by dimension and address by address.

#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "models/shuffle/dimension_permutation.h"
#include "models/shuffle/shuffle_schedule.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

/// Pairs of dimensions, one after the other.
using Exchanges = std::vector<std::pair<unsigned, unsigned>>;

/// The dimension whose value each dimension has after the exchanges.
std::vector<unsigned> contents_after(const Exchanges& exchanges, unsigned dimensions) {
  std::vector<unsigned> contents(dimensions);
  std::iota(contents.begin(), contents.end(), 0U);
  for (const auto& [a, b] : exchanges) std::swap(contents[a], contents[b]);
  return contents;
}

/// a_i has the value of a_(i-1), i < order; all further dimensions their own.
bool shifts(const std::vector<unsigned>& contents, unsigned order) {
  for (unsigned i = 0; i < contents.size(); ++i) {
    if (contents[i] != (i < order ? (i + order - 1) % order : i)) return false;
  }
  return true;
}

unsigned parity(unsigned bits) { return static_cast<unsigned>(std::popcount(bits)) & 1U; }

/// The address with two of its bits exchanged.
unsigned swapped(unsigned address, unsigned a, unsigned b) {
  const unsigned differ = (address >> a ^ address >> b) & 1U;
  return address ^ differ << a ^ differ << b;
}

/// The three sequences of section 4, from a dimension on: of adjacent pairs to the right, of that dimension with the
/// others, and of v, the dimension `order`; with their lengths and how often each dimension is used.
void check_three(Findings& result) {
  constexpr std::string_view names[] = {"adjacent_pairs", "fixed_dimension", "extra_dimension"};
  for (unsigned order = 2; order <= 12; ++order) {
    for (unsigned start = 0; start < order; ++start) {
      std::array<Exchanges, 3> sequences;
      for (unsigned i = 0; i < order; ++i) {
        const unsigned upper = (start + order - i) % order;
        if (i + 1 < order) sequences[0].emplace_back(upper, (upper + order - 1) % order);
        if (i > 0) sequences[1].emplace_back(start, (start + i) % order);
        sequences[2].emplace_back(order, (start + i) % order);
      }
      sequences[2].emplace_back(order, start);
      for (std::size_t which = 0; which < sequences.size(); ++which) {
        const Exchanges exchanges = judged(sequences[which], "sequence");
        std::vector<unsigned> used(order + 1);
        for (const auto& [a, b] : exchanges) {
          ++used[a];
          ++used[b];
        }
        std::vector<unsigned> wanted(order + 1, which == 0 ? 2 : 1);
        wanted[order] = which == 2 ? order + 1 : 0;
        if (which == 0) wanted[start] = wanted[(start + 1) % order] = 1;
        if (which == 1) wanted[start] = order - 1;
        if (which == 2) wanted[start] = 2;
        result[names[which]].add(shifts(contents_after(exchanges, order + 1), order) &&
                                     exchanges.size() == (which == 2 ? order + 1 : order - 1) && used == wanted,
                                 "sigma {}, from {}", order, start);
      }
    }
  }
}

/// A mixed shuffle of a_real .. a_1 | a_0, and a set that starts with v in a_start; v is the dimension above them.
void check_synchronisation(Findings& result) {
  for (unsigned real = 2; real <= 10; ++real) {
    for (unsigned start = 2; start <= real; ++start) {
      const unsigned v = real + 1;
      Exchanges with;
      for (unsigned i = start; i <= real; ++i) with.emplace_back(v, i);
      for (unsigned i = 0; i <= start; ++i) with.emplace_back(v, i);
      with = judged(with, "exchanges of a set");
      // Without the exchange of v and a_0 the others go on with a_0.
      Exchanges without;
      unsigned control = v;
      for (const auto& [a, b] : with) {
        if (b == 0) control = 0;
        if (b != 0) without.emplace_back(control, b);
      }
      const std::string where = fmt::format("sigma_r {}, from {}", real, start);
      result["explicit_one"].add(shifts(contents_after(with, real + 2), real + 1), where);
      result["omitted"].add(shifts(contents_after(without, real + 2), real + 1), where);
      without.emplace_back(0, v);
      result["local"].add(shifts(contents_after(without, real + 2), real + 1), where);
    }
  }
}

/// The local address, on an aligned dimension, of an element with this value of it.
unsigned aligned(unsigned node, unsigned value) { return judged(parity(node), "parity of a node") ^ value; }

/// The aligned algorithm of 4.1.1, element by element: a_1 .. a_real are bits 0 .. real - 1 of the node.
void check_aligned(Findings& result) {
  for (unsigned real = 1; real <= 8; ++real) {
    const std::string where = fmt::format("sigma_r {}", real);
    for (unsigned node = 0; node < 1U << real; ++node) {
      for (unsigned a0 = 0; a0 < 2; ++a0) {
        // Not aligned, the first exchange puts a_0 into the lowest bit of the node.
        const bool crosses = judged((node & 1U) != a0, "crosses");
        result["subcubes"].add(((node ^ (crosses ? 1U : 0U)) & 1U) == a0, where);
        unsigned at = node;
        const unsigned local = aligned(node, a0);
        for (unsigned i = 0; i < real; ++i) {
          if ((parity(at & ~(1U << i)) ^ local) == 1) at ^= 1U << i;
          const unsigned low = (1U << (i + 1)) - 1;
          const unsigned expected = (node & ~low) | ((node << 1 | a0) & low);
          result["trace"].add(at == expected, where);
        }
        result["trace"].add((local ^ parity(at)) == node >> (real - 1), where);
        // v and a_0 both aligned, or v alone: does an element that moves keep its local address?
        for (unsigned v = 0; v < 2; ++v) {
          for (unsigned i = 0; i < real; ++i) {
            const unsigned bit = node >> i & 1U;
            if (bit == v) continue;
            const unsigned then = node ^ 1U << i;
            const bool v_keeps = aligned(node, v) == aligned(then, bit);
            result["both"].add(v_keeps && aligned(node, a0) == aligned(then, a0), where);
            result["one"].add(v_keeps, where);
          }
        }
      }
    }
  }
}

/// Complements of a_1 .. a_real: other elements of the pairs cross, in the same exchanges. a_0 then holds complements.
void check_complements(Findings& result) {
  for (unsigned real = 1; real <= 6; ++real) {
    for (unsigned complements = 0; complements < 1U << real; ++complements) {
      for (unsigned start = 0; start < 2U << real; ++start) {
        const unsigned node = start >> 1;
        unsigned at = node;
        unsigned local = start & 1U;
        bool flipped = false;
        for (unsigned i = 0; i < real; ++i) {
          const unsigned bit = at >> i & 1U;
          const bool complement = (complements >> i & 1U) != 0;
          if (judged((bit != local) != (flipped != complement), "crosses")) {
            at ^= 1U << i;
            local ^= 1U;
          }
          flipped = flipped != complement;
        }
        const unsigned expected = ((node << 1 | (start & 1U)) & ((1U << real) - 1)) ^ complements;
        result["plain"].add(at == expected, "sigma_r {}, complements {:b}", real, complements);
      }
    }
  }
}

/// The times of Table 3, term by term, over all packets.
void check_packets(Findings& result) {
  for (unsigned order = 2; order <= 6; ++order) {
    for (unsigned k = 4 * order; k <= 240; k += 4 * order) {
      for (const double startup : {0.5, 4.0, 60.0}) {
        // Messages of so many elements, one after the other, each in packets of B.
        const auto in_packets = [&](unsigned messages, unsigned elements, unsigned b) {
          const unsigned packets = messages * ((elements + b - 1) / b);
          return messages * elements + packets * startup;
        };
        const std::array messages = {order + 1, order, order + 1, order};
        const std::array elements = {k / 2, k, k / (2 * order), k / order};  // and B_opt, where nothing is rounded up
        for (std::size_t row = 0; row < messages.size(); ++row) {
          double least = INFINITY;
          for (unsigned b = 1; b <= k; ++b) least = std::min(least, in_packets(messages[row], elements[row], b));
          const unsigned best = judged(elements[row], "B_opt");
          result["best"].add(in_packets(messages[row], elements[row], best) <= least, "row {}, K {}, tau {}", row, k,
                             startup);
        }
        // A2^2: packets follow one another over both dimensions of a cycle; half a packet more is not rounded up.
        const auto pipelined = [&](double b) { return k / 2.0 + b + (k / (2 * b) + 1) * startup; };
        double least = INFINITY;
        for (double b = 1; b <= k / 2.0; b += 0.125) least = std::min(least, pipelined(b));
        const double best = std::clamp(judged(std::sqrt(k * startup / 2), "B_opt"), 1.0, k / 2.0);
        result["best_of_two"].add(pipelined(best) <= least, "K {}, tau {}", k, startup);
      }
    }
  }
}

/// Schedules of this project, whose steps the machine takes (jh-table1), against statements on their shape.
void check_schedules(Findings& result) {
  for (unsigned order = 2; order <= 12; ++order) {
    const std::vector<std::uint32_t> orders = {order};
    for (unsigned rows = 2; rows <= 40; ++rows) {
      const RowSchedule schedule = concurrent_schedule(orders, rows);
      const unsigned elements = 2 * rows;
      const std::string where = fmt::format("sigma_r {}, K {}", order, elements);
      if (order >= 4 && rows > order + 1) {
        const unsigned elsewhere = judged(2 * (order - (order % 2 == 1 ? 1 : 2)), "elements that start elsewhere");
        result[order % 2 == 0 ? "even" : "odd"].add(4 * schedule.sets.size() == elsewhere, where);
      }
      const bool first_and = order <= 3 && elements <= 8;
      const bool second = elements >= 8 && elements <= 2 * (order + 1);
      const bool third = elements >= 2 * (order + 1) && order >= 3;
      result["covered"].add(first_and || second || third, where);
      const unsigned steps = order <= 3 || rows <= 4 ? rows + order - 1 : std::max(rows, order + 1) + 2;
      result["either"].add(schedule.steps == judged(steps, "steps of Theorem 1"), where);
      const unsigned waits = judged(a1_pipelined_schedule(order, rows).steps, "steps of A1 pipelined");
      const std::uint32_t at_once = a1_schedule(order, rows, false).steps;
      result["always_more"].add(waits > at_once, where);
      result["never_fewer"].add(waits >= at_once, where);
    }
    result["linear"].add(a1_schedule(order, 8, true).steps == judged((order + 1) * 8, "steps of A1 on one port"),
                         "sigma_r {}", order);
  }
}

/// A1 and A2 on nodes that hold one set of elements each, bits 0 .. order - 1 of a node.
void check_real(Findings& result) {
  for (unsigned order = 2; order <= 8; ++order) {
    const unsigned nodes = 1U << order;
    const auto wanted = [&](unsigned node) { return (node << 1 | node >> (order - 1)) & (nodes - 1); };
    std::vector<unsigned> dims(order);
    std::iota(dims.begin(), dims.end(), 0U);
    dims = judged(dims, "dimensions in order");
    // A1: v, the bit above the node's, exchanges with a_0 .. a_(order-1), then a_0 once more.
    unsigned in_place = 0;
    for (unsigned start = 0; start < 2 * nodes; ++start) {
      unsigned place = start;
      for (const unsigned i : dims) place = swapped(place, i, order);
      in_place += place == (wanted(start % nodes) | (start & nodes)) ? 1 : 0;
    }
    result["half"].add(in_place == nodes, "sigma_r {}", order);
    // A2: a_0 takes the value of a_(order-1), the old one is kept in v; then v goes through the others.
    std::vector<unsigned> places(nodes);
    unsigned most = 0;
    for (const unsigned i : dims) {
      std::vector<unsigned> held(nodes);
      for (unsigned node = 0; node < nodes; ++node) {
        const unsigned first = (node & ~1U) | node >> (order - 1) | (node & 1U) << order;
        places[node] = i == dims.front() ? first : swapped(places[node], i, order);
        most = std::max(most, ++held[places[node] % nodes]);
      }
    }
    bool arrived = true;
    for (unsigned node = 0; node < nodes; ++node) arrived = arrived && places[node] % nodes == wanted(node);
    result["twice"].add(arrived && most == 2, "sigma_r {}", order);
  }
}

/// Permutations by name against what they do to indices.
void check_names(Findings& result) {
  for (unsigned m = 2; m <= 8; ++m) {
    const unsigned size = 1U << m;
    for (unsigned dim = 1; dim < m; ++dim) {
      const std::uint64_t elements = size >> dim;
      const auto goes = [&](std::string_view name, unsigned address) {
        const Address from = {address >> (m - dim), address & (elements - 1)};
        const Address to = DimensionPermutation::named(name, dim, elements).destination(from);
        return judged(static_cast<unsigned>(to.node * elements + to.local), "place by name");
      };
      const auto rotated = [&](unsigned address, unsigned by_bits) {
        return ((address << by_bits) | (address >> (m - by_bits))) & (size - 1);
      };
      const std::string where = fmt::format("{} of {} bits", dim, m);
      for (unsigned address = 0; address < size; ++address) {
        result["reversal"].add(goes("vector-reversal", address) == size - 1 - address, where);
        unsigned reversed = 0;
        for (unsigned i = 0; i < m; ++i) reversed |= (address >> i & 1U) << (m - 1 - i);
        result["bits"].add(goes("bit-reversal", address) == reversed, where);
        result["shuffle"].add(goes("shuffle", address) == rotated(address, 1), where);
        if (m == 2 * dim) result["transposition"].add(goes("transpose", address) == rotated(address, dim), where);
        // Row r, column c of 2^p rows goes to row c, column r.
        const unsigned q = m - dim;
        const unsigned transposed = (address & ((1U << q) - 1)) << dim | address >> q;
        unsigned shuffled = address;
        for (unsigned i = 0; i < dim; ++i) shuffled = rotated(shuffled, 1);
        unsigned unshuffled = address;
        for (unsigned i = 0; i < q; ++i) unshuffled = rotated(unshuffled, m - 1);
        result["transposition"].add(shuffled == transposed && unshuffled == transposed, where);
        // Element x: of node x / elements before, of node x mod nodes after.
        const unsigned cyclic = (address & ((1U << dim) - 1)) << (m - dim) | address >> dim;
        result["consecutive"].add(goes("consecutive-to-cyclic", address) == cyclic, where);
      }
      if (dim > m / 2) continue;
      // Every constituent exchanges one processor and one storage dimension: pieces for every other processor.
      for (unsigned node = 0; node < 1U << dim; ++node) {
        for (unsigned local = 0; local < 1U << dim; ++local) {
          result["aapc"].add(judged(local << dim | node, "place after an exchange") >> dim == local, where);
        }
      }
    }
  }
  const unsigned misprint = judged(0b101U, "misprint for 110");
  for (const auto& [a, b] : {std::pair(0b000U, 0b111U), {0b001U, misprint}, {0b011U, 0b100U}})
    result["pairs"].add((a ^ b) == 0b111, "{:03b}, {:03b}", a, b);
}

/// Whether a map of numbers of `bits` bits sends bits to bits, or to their complements: the maps that keep all
/// distances.
bool is_dimension_permutation(const auto& map, unsigned bits) {
  for (unsigned x = 0; x < 1U << bits; ++x) {
    for (unsigned y = 0; y < x; ++y) {
      if (std::popcount(map(x) ^ map(y)) != std::popcount(x ^ y)) return false;
    }
  }
  return true;
}

/// 2^rows by 2^columns elements on a grid of 2^down by 2^across nodes, which have a section each.
struct SectionedArray {
  unsigned rows;
  unsigned columns;
  unsigned down;
  unsigned across;

  /// The place of an element, counted by rows: its node, and within it.
  [[nodiscard]] unsigned place(unsigned element) const {
    const unsigned row = element >> columns;
    const unsigned column = element & ((1U << columns) - 1);
    const unsigned rows_here = rows - down;  // of a section
    const unsigned columns_here = columns - across;
    const unsigned node = (row >> rows_here) << across | column >> columns_here;
    const unsigned inner = (row & ((1U << rows_here) - 1)) << columns_here | (column & ((1U << columns_here) - 1));
    return judged(node << (rows_here + columns_here) | inner, "place in a section");
  }
};

/// Element x, by rows, of an array in other shapes and on other grids of nodes, which hold one section of it each.
void check_shapes_of_arrays(Findings& result) {
  constexpr unsigned bits = 6;
  for (unsigned rows = 0; rows <= bits; ++rows) {
    for (unsigned nodes = 0; nodes <= rows; ++nodes) {
      for (unsigned across = 0; across <= bits - rows; ++across) {
        const SectionedArray array{rows, bits - rows, nodes, across};
        const auto place = [&](unsigned x) { return array.place(x); };
        const std::string where = fmt::format("2^{} rows on 2^{} by 2^{} nodes", rows, nodes, across);
        result["reshaped"].add(is_dimension_permutation(place, bits), where);
        // The sections, by rows of 8, are cut into four again.
        const auto dealt = [&](unsigned x) { return SectionedArray{bits / 2, bits / 2, 1, 1}.place(place(x)); };
        result["sections"].add(is_dimension_permutation(dealt, bits), where);
      }
    }
  }
}

}  // namespace

void jh_sequences(Findings& result, MeasuredMachine& /*machine*/) {
  check_three(result);
  check_synchronisation(result);
  check_aligned(result);
  check_complements(result);
  check_packets(result);
  check_schedules(result);
  check_real(result);
  check_names(result);
  check_shapes_of_arrays(result);
}

}  // namespace ecube
