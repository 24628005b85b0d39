// SPDX-License-Identifier: Apache-2.0
// Loops of one node, one size after the other.
#include "testbench/machine/loop_curves.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "models/node/loops.h"

namespace ecube {

std::vector<LoopPoint> loop_curves(const Machine& machine) {
  constexpr Bytes longest_block = 4096;
  constexpr Bytes shortest_vector = 64;
  constexpr Bytes longest_vector = 65'536;
  constexpr std::uint64_t rows = 8;
  node::MemorySystem system(machine, 1);
  std::vector<LoopPoint> points;
  const auto measure = [&](const node::Loop& loop, Bytes block, double units) {
    node::MemoryState state = node::MemoryState::empty(machine);
    (void)system.run(loop, state);
    points.push_back({loop.name, block, units, system.run(loop, state)});
  };
  for (Bytes block = 1; block <= longest_block; block *= 2) {
    measure(node::permute_loop(machine, {.block_bytes = block, .rows = rows, .columns = rows}), block,
            static_cast<double>(rows * rows * block));
  }
  for (Bytes bytes = shortest_vector; bytes <= longest_vector; bytes *= 2) {
    const std::uint64_t items = bytes / Machine::item_bytes;
    measure(node::combine_loop(machine, items, Machine::item_bytes), bytes, static_cast<double>(items));
  }
  return points;
}

std::string loop_curves_as_text(const Machine& machine, const std::vector<LoopPoint>& points) {
  constexpr int widest_bar = 40;
  std::string text;
  std::string loop;
  double most = 0;
  for (const LoopPoint& point : points) {
    if (point.loop != loop) {
      loop = point.loop;
      most = 0;
      for (const LoopPoint& each : points) {
        if (each.loop == loop) most = std::max(most, each.cycles_per_unit());
      }
      const bool permutes = loop == "permute";
      text += fmt::format(
          "\n{} against the size of {}, cycles of the core for each {}\n{:>7}  {:>7} {:>8}  {:>6} {:>8} {:>6} {:>6} "
          "{:>6}\n",
          loop, permutes ? "a block" : "the vector", permutes ? "byte" : "item", "bytes", "cycles", "us", "issue",
          "operands", "cache", "drain", "pages");
    }
    const auto share = [&](Cycles cycles) { return static_cast<double>(cycles) / point.units; };
    const node::LoopFigures& f = point.figures;
    const double us = point.cycles_per_unit() * 1e6 / machine.core.clock_hz;
    text += fmt::format(
        "{:>7}  {:>7.3f} {:>8.4f}  {:>6.2f} {:>8.2f} {:>6.2f} {:>6.2f} {:>6.2f}  {}\n", point.block_bytes,
        point.cycles_per_unit(), us, share(f.issue), share(f.operand), share(f.cache), share(f.drain),
        share(f.page_miss),
        std::string(static_cast<std::size_t>(std::lround(widest_bar * point.cycles_per_unit() / most)), '#'));
  }
  text +=
      "\nissue: the core works; operands: it waits for a register; cache: for a fill, a walk or a write buffer; "
      "drain:\n"
      "for the end of all writes; pages: cycles of the bus to open pages of the DRAM, beside the others\n";
  return text;
}

}  // namespace ecube
