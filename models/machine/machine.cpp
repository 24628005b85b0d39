// SPDX-License-Identifier: Apache-2.0
// Costs that follow from several parameters of a machine.
#include "models/machine/machine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/machine/quantity.h"

namespace ecube {

namespace {

// Products of two 64-bit numbers are exact, so that cycle counts never depend on floating point.

/// Cycles of which the products in loop() may not fit 128 bits: denominators have up to 73 bits. At the fastest clock
/// these are two days of one operation.
constexpr UInt128 beyond_products = UInt128{1} << 54;

constexpr unsigned lines_compiled = 3;
constexpr unsigned lines_tuned = 2;
constexpr unsigned lines_combined = 3;

/// The clock of the machine over that of the core.
Ratio clock_ratio(const Machine& machine) {
  const auto clock = static_cast<std::uint64_t>(std::llround(machine.clock_hz));
  const auto core = static_cast<std::uint64_t>(std::llround(machine.core.clock_hz));
  const std::uint64_t common = std::gcd(clock, core);
  return {clock / common, core / common};
}

/// Cycles of a loop over `count` elements and `bytes` bytes that moves `lines` lines for every line of data.
WideRatio loop(const Machine& machine, const LoopCost& cost, std::uint64_t count, Bytes bytes, unsigned lines) {
  const Ratio issue = machine.core.loops == Loops::tuned ? cost.tuned : cost.compiled;
  const Ratio clock = clock_ratio(machine);
  const UInt128 issue_num = UInt128{count} * issue.num * clock.num;
  const UInt128 issue_den = UInt128{issue.den} * clock.den;
  const UInt128 line_num = UInt128{bytes} * lines * machine.line_cycles();
  const UInt128 line_den = machine.memory.line_bytes;
  if (issue_num / issue_den + line_num / line_den >= beyond_products) return {endless, 1};
  return {issue_num * line_den + line_num * issue_den, issue_den * line_den};
}

Cycles rounded_up(const WideRatio& fraction) {
  const UInt128 cycles = (fraction.num + fraction.den - 1) / fraction.den;
  return static_cast<Cycles>(std::min(cycles, UInt128{endless}));
}

unsigned lines_of(const Machine& machine) { return machine.core.loops == Loops::tuned ? lines_tuned : lines_compiled; }

/// The nearest ratio that Ratio::floor_of is exact with; more than largest_phit_cycles where there is none.
Ratio as_ratio(const WideRatio& fraction) {
  if (fraction.num / fraction.den > largest_phit_cycles) return {largest_phit_cycles + 1, 1};
  return nearest_ratio(fraction.num, fraction.den, max_ratio_num);
}

}  // namespace

Cycles Machine::from_core(Cycles cycles) const {
  const Ratio clock = clock_ratio(*this);
  return rounded_up({UInt128{cycles} * clock.num, clock.den});
}

Cycles Machine::to_core(Cycles cycles) const {
  const Ratio clock = clock_ratio(*this);
  return rounded_up({UInt128{cycles} * clock.den, clock.num});
}

Cycles Machine::line_cycles() const {
  const std::uint32_t transfers = (memory.line_bytes + memory.bus_bytes - 1) / memory.bus_bytes;
  return transfers * memory.transfer_cycles + memory.page_miss_cycles;
}

Ratio Machine::phit_cycles() const {
  const Ratio& word = detailed.programmed_word;
  const Ratio moved = as_ratio(
      node.transfer == Transfer::dma ? WideRatio{UInt128{link.phit_bytes} * memory.transfer_cycles, memory.bus_bytes}
      : node.model == NodeModel::detailed
          ? WideRatio{UInt128{link.phit_bytes} * word.num, UInt128{memory.bus_bytes} * word.den}
          : loop(*this, core.copy, link.phit_bytes, link.phit_bytes, lines_of(*this)));
  return moved.value() > link.cycles_per_phit.value() ? moved : link.cycles_per_phit;
}

Cycles Machine::permute_cycles(Bytes bytes) const {
  return rounded_up(loop(*this, core.permute, bytes, bytes, lines_of(*this)));
}

Cycles Machine::combine_cycles(std::uint64_t items, Bytes bytes) const {
  return rounded_up(loop(*this, core.combine, items, bytes, lines_combined));
}

Cycles Machine::call_cycles(std::uint64_t messages, Bytes bytes) const {
  const Ratio clock = clock_ratio(*this);
  const Ratio& each = library.call_per_byte;
  const UInt128 cycles = UInt128{messages} * library.call_cycles * each.den + UInt128{bytes} * each.num;
  return rounded_up({cycles * clock.num, UInt128{each.den} * clock.den});
}

Cycles Machine::copy_cycles(Bytes bytes) const {
  return rounded_up(loop(*this, core.copy, bytes, bytes, lines_of(*this)));
}

}  // namespace ecube
