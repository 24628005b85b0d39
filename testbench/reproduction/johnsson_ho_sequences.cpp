// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, section 4: sequences of exchanges, done dimension by dimension and address by address.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "models/shuffle/shuffle_schedule.h"
#include "testbench/reproduction/theory.h"

namespace ecube {

namespace {

using Exchanges = ShuffleFormulas::Exchanges;

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

/// The three sequences of section 4, with their lengths and how often each dimension is used.
void check_three(const ShuffleFormulas& by, Findings& result) {
  constexpr std::string_view names[] = {"adjacent_pairs", "fixed_dimension", "extra_dimension"};
  for (std::size_t which = 0; which < by.sequences.size(); ++which) {
    for (unsigned order = 2; order <= 12; ++order) {
      for (unsigned start = 0; start < order; ++start) {
        const Exchanges exchanges = by.sequences[which](order, start);
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
                                 fmt::format("sigma {}, from {}", order, start));
      }
    }
  }
}

/// A mixed shuffle of a_real .. a_1 | a_0, and a set that starts with v in a_start; v is the dimension above them.
void check_synchronisation(const ShuffleFormulas& by, Findings& result) {
  for (unsigned real = 2; real <= 10; ++real) {
    for (unsigned start = 2; start <= real; ++start) {
      const unsigned v = real + 1;
      const Exchanges with = by.synchronised(real, start);
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

/// The aligned algorithm of 4.1.1, element by element: a_1 .. a_real are bits 0 .. real - 1 of the node.
void check_aligned(const ShuffleFormulas& by, Findings& result) {
  for (unsigned real = 1; real <= 8; ++real) {
    const std::string where = fmt::format("sigma_r {}", real);
    for (unsigned node = 0; node < 1U << real; ++node) {
      for (unsigned a0 = 0; a0 < 2; ++a0) {
        unsigned at = node;
        unsigned plain_node = node;
        unsigned plain_local = a0;
        const unsigned local = by.aligned(node, a0);
        for (unsigned i = 0; i < real; ++i) {
          if ((parity(at & ~(1U << i)) ^ local) == 1) at ^= 1U << i;
          const unsigned low = (1U << (i + 1)) - 1;
          const unsigned expected = (node & ~low) | ((node << 1 | a0) & low);
          result["trace"].add(at == expected, where);
          if (by.crosses(plain_node >> i & 1U, plain_local)) {
            plain_node ^= 1U << i;
            plain_local ^= 1U;
          }
          if (i == 0) result["subcubes"].add((plain_node & 1U) == a0, where);
        }
        result["trace"].add((local ^ parity(at)) == node >> (real - 1), where);
        // v and a_0 both aligned, or v alone: does an element that moves keep its local address?
        for (unsigned v = 0; v < 2; ++v) {
          for (unsigned i = 0; i < real; ++i) {
            const unsigned bit = node >> i & 1U;
            if (bit == v) continue;
            const unsigned then = node ^ 1U << i;
            const bool v_keeps = by.aligned(node, v) == by.aligned(then, bit);
            result["both"].add(v_keeps && by.aligned(node, a0) == by.aligned(then, a0), where);
            result["one"].add(v_keeps, where);
          }
        }
      }
    }
  }
}

/// Complements of a_1 .. a_real: other elements of the pairs cross, in the same exchanges. a_0 then holds complements.
void check_complements(const ShuffleFormulas& by, Findings& result) {
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
          if (by.crosses_complemented(bit, local, flipped, complement)) {
            at ^= 1U << i;
            local ^= 1U;
          }
          flipped = flipped != complement;
        }
        const unsigned expected = ((node << 1 | (start & 1U)) & ((1U << real) - 1)) ^ complements;
        result["plain"].add(at == expected, fmt::format("sigma_r {}, complements {:b}", real, complements));
      }
    }
  }
}

/// The times of Table 3, term by term, over all packets.
void check_packets(const ShuffleFormulas& by, Findings& result) {
  for (unsigned order = 2; order <= 6; ++order) {
    for (unsigned k = 4 * order; k <= 240; k += 4 * order) {
      for (const double startup : {0.5, 4.0, 60.0}) {
        // Messages of so many elements, one after the other, each in packets of B.
        const auto in_packets = [&](unsigned messages, unsigned elements, unsigned b) {
          const unsigned packets = messages * ((elements + b - 1) / b);
          return messages * elements + packets * startup;
        };
        const std::array messages = {order + 1, order, order + 1, order};
        const std::array elements = {k / 2, k, k / (2 * order), k / order};
        for (std::size_t row = 0; row < messages.size(); ++row) {
          double least = INFINITY;
          for (unsigned b = 1; b <= k; ++b) least = std::min(least, in_packets(messages[row], elements[row], b));
          const auto best = static_cast<unsigned>(by.best_packets[row](k, order, startup));
          result["best"].add(in_packets(messages[row], elements[row], best) <= least,
                             fmt::format("row {}, K {}, tau {}", row, k, startup));
        }
        // A2^2: packets follow one another over both dimensions of a cycle; half a packet more is not rounded up.
        const auto pipelined = [&](double b) { return k / 2.0 + b + (k / (2 * b) + 1) * startup; };
        double least = INFINITY;
        for (double b = 1; b <= k / 2.0; b += 0.125) least = std::min(least, pipelined(b));
        const double best = std::clamp(by.best_packets[4](k, order, startup), 1.0, k / 2.0);
        result["best_of_two"].add(pipelined(best) <= least, fmt::format("K {}, tau {}", k, startup));
      }
    }
  }
}

/// Schedules of this project, whose steps the machine takes (jh-table1), against statements on their shape.
void check_schedules(const ShuffleFormulas& by, Findings& result) {
  for (unsigned order = 2; order <= 12; ++order) {
    const std::vector<std::uint32_t> orders = {order};
    for (unsigned rows = 2; rows <= 40; ++rows) {
      const RowSchedule schedule = concurrent_schedule(orders, rows);
      const unsigned elements = 2 * rows;
      const std::string where = fmt::format("sigma_r {}, K {}", order, elements);
      if (order >= 4 && rows > order + 1) {
        result[order % 2 == 0 ? "even" : "odd"].add(4 * schedule.sets.size() == by.elsewhere(order), where);
      }
      const bool first_and = order <= 3 && elements <= 8;
      const bool second = elements >= 8 && elements <= 2 * (order + 1);
      const bool third = elements >= 2 * (order + 1) && order >= 3;
      result["covered"].add(first_and || second || third, where);
      result["either"].add(schedule.steps == by.theorem_1(order, rows), where);
      const unsigned waits = by.a1_pipelined(order, rows);
      const std::uint32_t at_once = a1_schedule(order, rows, false).steps;
      result["always_more"].add(waits > at_once, where);
      result["never_fewer"].add(waits >= at_once, where);
    }
    result["linear"].add(a1_schedule(order, 8, true).steps == by.a1_one_port(order, 8),
                         fmt::format("sigma_r {}", order));
  }
}

/// A1 and A2 on nodes that hold one set of elements each, bits 0 .. order - 1 of a node.
void check_real(const ShuffleFormulas& by, Findings& result) {
  for (unsigned order = 2; order <= 8; ++order) {
    const unsigned nodes = 1U << order;
    const auto wanted = [&](unsigned node) { return (node << 1 | node >> (order - 1)) & (nodes - 1); };
    const std::vector<unsigned> dims = by.real_dimensions(order);
    // A1: v exchanges with a_0 .. a_(order-1), then a_0 once more.
    unsigned in_place = 0;
    for (unsigned node = 0; node < nodes; ++node) {
      for (unsigned v = 0; v < 2; ++v) {
        unsigned at = node;
        unsigned local = v;
        for (const unsigned i : dims) {
          const unsigned bit = at >> i & 1U;
          at = (at & ~(1U << i)) | local << i;
          local = bit;
        }
        in_place += at == wanted(node) && local == v ? 1 : 0;
      }
    }
    result["half"].add(in_place == nodes, fmt::format("sigma_r {}", order));
    // A2: a_0 takes the value of a_(order-1), the old one is kept in v; then v goes through the others.
    std::vector<unsigned> at(nodes);
    std::vector<unsigned> local(nodes);
    unsigned most = 0;
    for (const unsigned i : dims) {
      std::vector<unsigned> held(nodes);
      for (unsigned node = 0; node < nodes; ++node) {
        if (i == dims.front()) {
          local[node] = node & 1U;
          at[node] = (node & ~1U) | node >> (order - 1);
        } else {
          const unsigned bit = at[node] >> i & 1U;
          at[node] = (at[node] & ~(1U << i)) | local[node] << i;
          local[node] = bit;
        }
        ++held[at[node]];
      }
      most = std::max(most, *std::ranges::max_element(held));
    }
    bool arrived = true;
    for (unsigned node = 0; node < nodes; ++node) arrived = arrived && at[node] == wanted(node);
    result["twice"].add(arrived && most == 2, fmt::format("sigma_r {}", order));
  }
}

/// Permutations by name against what they do to indices.
void check_names(const ShuffleFormulas& by, Findings& result) {
  for (unsigned m = 2; m <= 8; ++m) {
    const unsigned size = 1U << m;
    for (unsigned dim = 1; dim < m; ++dim) {
      const std::uint64_t elements = size >> dim;
      const auto goes = [&](std::string_view name, unsigned address) {
        const Address to = by.named(name, dim, elements).destination({address >> (m - dim), address & (elements - 1)});
        return static_cast<unsigned>(to.node * elements + to.local);
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
        std::vector<unsigned> to;
        for (unsigned local = 0; local < 1U << dim; ++local) {
          to.push_back(by.exchanged(node << dim | local, dim) >> dim);
        }
        std::ranges::sort(to);
        for (unsigned i = 0; i < to.size(); ++i) result["aapc"].add(to[i] == i, where);
      }
    }
  }
  for (const auto& [a, b] : by.pairs_of_three)
    result["pairs"].add((a ^ b) == 0b111, fmt::format("{:03b}, {:03b}", a, b));
}

/// Whether a map of numbers of `bits` bits sends bits to bits.
bool is_dimension_permutation(const std::function<unsigned(unsigned)>& map, unsigned bits) {
  unsigned all = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned to = map(1U << i) ^ map(0);
    if (!std::has_single_bit(to) || (all & to) != 0) return false;
    all |= to;
  }
  for (unsigned x = 1; x < 1U << bits; ++x) {
    const unsigned lowest = x & ~(x - 1);
    if ((map(x) ^ map(0)) != ((map(x ^ lowest) ^ map(0)) ^ (map(lowest) ^ map(0)))) return false;
  }
  return true;
}

/// Element x, by rows, of an array in other shapes and on other grids of nodes, which hold one section of it each.
void check_shapes_of_arrays(const ShuffleFormulas& by, Findings& result) {
  constexpr unsigned bits = 6;
  for (unsigned rows = 0; rows <= bits; ++rows) {
    for (unsigned nodes = 0; nodes <= rows; ++nodes) {
      for (unsigned across = 0; across <= bits - rows; ++across) {
        const SectionedArray array{rows, bits - rows, nodes, across};
        const auto place = [&](unsigned x) { return by.place(array, x); };
        const std::string where = fmt::format("2^{} rows on 2^{} by 2^{} nodes", rows, nodes, across);
        result["reshaped"].add(is_dimension_permutation(place, bits), where);
        // The sections, by rows of 8, are cut into four again.
        const auto dealt = [&](unsigned x) { return by.place({bits / 2, bits / 2, 1, 1}, place(x)); };
        result["sections"].add(is_dimension_permutation(dealt, bits), where);
      }
    }
  }
}

}  // namespace

void shuffle_sequences_by(Findings& result, const ShuffleFormulas& formulas) {
  check_three(formulas, result);
  check_synchronisation(formulas, result);
  check_aligned(formulas, result);
  check_complements(formulas, result);
  check_packets(formulas, result);
  check_schedules(formulas, result);
  check_real(formulas, result);
  check_names(formulas, result);
  check_shapes_of_arrays(formulas, result);
}

void jh_sequences(Findings& result, MeasuredMachine& /*machine*/) { shuffle_sequences_by(result, {}); }

}  // namespace ecube
