// SPDX-License-Identifier: Apache-2.0
// Nicol & Bokhari 1994, section 4, and van de Geijn 1991: which loops of a detailed node take the published rho and
// gamma.

#include <array>
#include <bit>
#include <optional>

#include "models/machine/error.h"
#include "models/node/loop.h"
#include "models/node/memory_system.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr double printed_rho = 0.54;    ///< Nicol & Bokhari 1994, section 4, us/B
constexpr double printed_gamma = 0.35;  ///< van de Geijn 1991, section 6, us a float

constexpr double straight_percent = 3;  ///< of "one rho for all sizes", as in checks.tsv

/// One way to write and to run the loops of the library.
struct LoopForm {
  std::uint32_t element_bytes = 1;
  Variables variables = Variables::memory;
  std::optional<Allocate> allocate{};
  Loops loops = Loops::compiled;
};

/// In the order of the curves of nicol-rho, which have their names.
constexpr std::array forms = {LoopForm{},
                              LoopForm{1, Variables::memory, Allocate::write},
                              LoopForm{1, Variables::registers},
                              LoopForm{4},
                              LoopForm{4, Variables::registers},
                              LoopForm{1, Variables::memory, std::nullopt, Loops::tuned}};
constexpr std::size_t byte_loop = 0;
constexpr std::size_t byte_loop_in_registers = 2;
constexpr std::size_t tuned_loop = forms.size() - 1;

constexpr std::uint64_t rows = 8;
constexpr std::array<Bytes, 8> shown_blocks = {1, 4, 8, 16, 32, 64, 512, 4096};
constexpr Bytes longest_block = 4096;
constexpr Bytes usual_block = 64;
constexpr std::array<Bytes, 2> vectors = {1024, 65'536};  ///< within the cache, and beyond it

Machine with(const Machine& machine, const LoopForm& form) {
  Machine changed = machine;
  changed.core.loops = form.loops;
  if (form.loops == Loops::tuned) return changed;
  changed.detailed.loops = {};
  changed.detailed.loops.element_bytes = form.element_bytes;
  changed.detailed.loops.variables = form.variables;
  changed.detailed.cache.allocate = form.allocate.value_or(machine.detailed.cache.allocate);
  return changed;
}

/// Cycles of the core, the loop run a second time: in the state in which the first run left cache and TLB.
double cycles_of(const Machine& machine, const node::Loop& loop) {
  node::MemorySystem system(machine, 1);
  node::MemoryState state = node::MemoryState::empty(machine);
  (void)system.run(loop, state);
  return static_cast<double>(system.run(loop, state).cycles);
}

double permute_cycles(const Machine& machine, Bytes block) {
  const node::Loop loop = node::permute_loop(machine, {.block_bytes = block, .rows = rows, .columns = rows});
  return judged(cycles_of(machine, loop) / static_cast<double>(rows * rows * block), "cycles a byte of {} B", block);
}

double combine_cycles(const Machine& machine, Bytes vector) {
  const std::uint64_t items = vector / Machine::item_bytes;
  const node::Loop loop = node::combine_loop(machine, items, Machine::item_bytes);
  return judged(cycles_of(machine, loop) / static_cast<double>(items), "cycles a float of {} B", vector);
}

double us_of(const Machine& machine, double cycles) {
  return cycles * 1e6 / static_cast<double>(machine.core.clock_hz);
}

/// A form of the loop that permutes, at every size.
struct Curve {
  Machine machine;
  std::string name;
  std::vector<double> cycles{};  ///< of the core for each byte, by the power of two of the block

  /// Fills in the series.
  Curve(const Machine& of, const LoopForm& form, Series& series) : machine(with(of, form)), name(series.name) {
    for (Bytes block = 1; block <= longest_block; block *= 2) {
      cycles.push_back(permute_cycles(machine, block));
      series.points.emplace_back(block, us(block));
    }
  }
  [[nodiscard]] double at(Bytes block) const { return cycles[static_cast<std::size_t>(std::countr_zero(block))]; }
  [[nodiscard]] double us(Bytes block) const { return us_of(machine, at(block)); }
  /// The least block from which on rho stays within the tolerance of that of the longest blocks.
  [[nodiscard]] Bytes straight_from() const {
    Bytes from = longest_block;
    for (Bytes block = longest_block; block >= 1; block /= 2) {
      if (std::abs(at(block) / cycles.back() - 1) * 100 > straight_percent) break;
      from = block;
    }
    return from;
  }
};

void add_permutations(const std::vector<Curve>& curves, Findings& result) {
  Grid& grid = result.grid("nicol-rho permute");
  for (const Curve& curve : curves) {
    std::vector<Cell>& cells = grid.add(curve.name);
    for (const Bytes block : shown_blocks) {
      const bool near = std::abs(curve.us(block) / printed_rho - 1) * 100 <= read_off.percent;
      cells.push_back({fmt::format("{:.2f}", curve.at(block)), near ? std::optional(2U) : std::nullopt});
    }
    cells.push_back({.text = fmt::format("{} B", curve.straight_from())});
    result.number("rho", printed_rho, curve.us(usual_block), usual_block, curve.name);
  }
}

void add_combines(const Machine& machine, Findings& result) {
  Grid& grid = result.grid("nicol-rho combine");
  // A combine moves floats whatever the size of an element of the loops that permute.
  for (const auto& [form, name] : {std::pair(byte_loop, "variables in memory"),
                                   {byte_loop_in_registers, "variables in registers"},
                                   {tuned_loop, "tuned: unrolled, both instructions of a cycle"}}) {
    const Machine changed = with(machine, forms[form]);
    std::vector<Cell>& cells = grid.add(name);
    for (const Bytes vector : vectors) {
      const double cycles = combine_cycles(changed, vector);
      cells.push_back({.text = fmt::format("{:.2f}", cycles)});
      result.number("gamma", printed_gamma, us_of(changed, cycles), vector, name);
    }
  }
}

}  // namespace

void nicol_rho(Findings& result, MeasuredMachine& machine) {
  const Machine& preset = machine.machine();
  if (preset.node.model != NodeModel::detailed) {
    throw InputError("nicol-rho runs the loops of a detailed node, and node.model is rates")
        .hint("leave node.model as the preset ipsc860-node has it");
  }
  Chart& chart = result.chart("nicol-rho");
  std::vector<Curve> curves;
  for (const LoopForm& form : forms) curves.emplace_back(preset, form, chart.series[curves.size()]);
  chart.series.back().points = {{1, printed_rho}, {longest_block, printed_rho}};
  add_permutations(curves, result);
  add_combines(preset, result);

  const Curve& bytes = curves[byte_loop];
  const double longest = bytes.at(longest_block);
  result.number("rho_64", 1, bytes.at(usual_block) / longest);
  result.number("rho_1", 1, bytes.at(1) / longest);
  // 14 operations; three loads of variables whose result is needed in the next cycle but one; a line of 32 bytes keeps
  // the cache from the next access for 16 cycles (hw/node/README.md, N2, N3, N6).
  result.number("byte_loop", 17.5, longest);
  // A line is read in 8 + 4 * 2 cycles; of its four words the first is written in 8 + 2 and the others in 2 each.
  result.number("tuned", 1, curves[tuned_loop].at(longest_block));

  // 0.54 us are 21.6 cycles of 40 MHz.
  result.number("short_by", 4, printed_rho * static_cast<double>(preset.core.clock_hz) * 1e-6 - longest);
  double next = 0;
  for (std::size_t i = byte_loop_in_registers; i < curves.size(); ++i) next = std::max(next, curves[i].us(usual_block));
  result.statement("others", 3 * next < printed_rho, fmt::format("{:.3f} us at most", next));

  result.number("fitted", printed_rho, judged(machine.calibration().exchange(6, true).rho_us_per_byte, "fitted rho"));
  result.number("cross_5", 100, machine.crossing(Partition({3, 2}), Partition::direct(5)));
  result.number("cross_6", 140, machine.crossing(Partition({3, 3}), Partition::direct(6)));
  result.number("best_32", 8, machine.exchange_us(Partition({3, 3}), 32) / 1000);

  result.no_number(
      "Moyer 1991, abstract: hand-written kernels up to an order of magnitude below the peak",
      fmt::format("{:.1f} cycles for an addition in a tuned combine of 64 KB, of the one that the adder takes",
                  combine_cycles(curves[tuned_loop].machine, vectors.back())));
  result.remarks = fmt::format(
      "Only loops over bytes that keep their variables in memory are in the neighbourhood of 0.54 us: {:.3f} us for "
      "long blocks, a constant from {} B on. No form of the loops has both published numbers.",
      bytes.us(longest_block), bytes.straight_from());
}

}  // namespace ecube
