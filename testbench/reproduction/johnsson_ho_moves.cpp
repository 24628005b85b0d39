// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 1, 3, 4, 7 and 10: the places of elements, and the locations that exchange.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "testbench/reproduction/measured_machine.h"
#include "testbench/reproduction/recorded_moves.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr AddressDimension p(unsigned bit) { return {.storage = false, .bit = bit}; }
constexpr AddressDimension s(unsigned bit) { return {.storage = true, .bit = bit}; }

std::string binary(std::uint64_t number, unsigned digits) {
  std::string text;
  for (unsigned digit = digits; digit-- > 0;) text += (number >> digit & 1) != 0 ? '1' : '0';
  return text;
}

/// A run, and the contents of its messages.
class MovedShuffle {
 public:
  MovedShuffle(MeasuredMachine& machine, unsigned dim, ShuffleWorkload workload)
      : dim_(dim), workload_(std::move(workload)), shuffle_(workload_, dim) {
    machine.shuffle(dim, workload_, shuffle_, &recorder_);
    moves_ = judged(recorder_.moves(), "messages");
  }

  [[nodiscard]] NodeId nodes() const { return NodeId{1} << dim_; }
  [[nodiscard]] std::uint64_t elements() const { return workload_.elements; }
  [[nodiscard]] const std::vector<RecordedMove>& moves() const { return moves_; }
  [[nodiscard]] unsigned steps() const { return moves_.empty() ? 0 : moves_.back().label; }
  /// The element that is in a location in the end.
  [[nodiscard]] std::uint32_t final(NodeId node, std::uint64_t local) const {
    return judged(shuffle_.elements(node)[local], "final element");
  }
  [[nodiscard]] std::uint64_t local(const RecordedMove& move) const {
    return static_cast<std::uint64_t>(move.address -
                                      reinterpret_cast<const std::byte*>(shuffle_.elements(move.from).data())) /
           sizeof(std::uint32_t);
  }

 private:
  unsigned dim_;
  ShuffleWorkload workload_;
  GeneralisedShuffle shuffle_;
  MoveRecorder recorder_;
  std::vector<RecordedMove> moves_;
};

/// [local address][node]: the elements, as in the paper's figures.
using Allocation = std::vector<std::vector<std::string>>;

Grid allocation_grid(const std::string& title, const Allocation& allocation, unsigned binary_digits) {
  Grid grid{.title = title, .columns = {}, .rows = {}};
  for (std::size_t node = 0; node < allocation.front().size(); ++node) {
    grid.columns.push_back(binary_digits > 0 ? binary(node, binary_digits) : fmt::format("P{}", node));
  }
  const auto local_digits = static_cast<unsigned>(std::bit_width(allocation.size() - 1));
  for (std::size_t local = 0; local < allocation.size(); ++local) {
    std::vector<Cell>& cells = grid.add(binary_digits > 0 ? binary(local, local_digits) : fmt::format("{}", local));
    for (const std::string& text : allocation[local]) cells.push_back({.text = text, .colour = {}});
  }
  return grid;
}

/// `name_of(node, local)` for each location.
Allocation allocation_of(const MovedShuffle& shuffle, const auto& name_of) {
  Allocation allocation(shuffle.elements());
  for (std::uint64_t local = 0; local < shuffle.elements(); ++local) {
    for (NodeId node = 0; node < shuffle.nodes(); ++node) allocation[local].push_back(name_of(node, local));
  }
  return allocation;
}

/// Colours the locations whose contents are others than before.
void colour_changes(Grid& grid, const Allocation& before, const Allocation& after) {
  for (std::size_t local = 0; local < after.size(); ++local) {
    for (std::size_t node = 0; node < after[local].size(); ++node) {
      if (after[local][node] != before[local][node]) grid.cells[local][node].colour = 0;
    }
  }
}

/// One cycle on one port.
ShuffleWorkload one_port(const DimensionPermutation::Cycle& cycle, std::uint64_t elements, bool align = true) {
  ShuffleWorkload workload;
  workload.permutation = DimensionPermutation({cycle}, {});
  workload.elements = elements;
  workload.mixed = MixedAlgorithm::one_port;
  workload.align = align;
  return workload;
}
/// The pipelined shuffle (p2 p1 p0 | s0) of 2 elements on each of 8 nodes.
ShuffleWorkload mixed_of_order_three(bool align) { return one_port({p(2), p(1), p(0), s(0)}, 2, align); }

/// For each location of step `label` the number of the exchange it takes part in: two locations have each number.
Allocation exchanges_of(const MovedShuffle& shuffle, unsigned label) {
  Allocation marks(2, std::vector<std::string>(shuffle.nodes()));
  unsigned number = 0;
  for (const RecordedMove& move : shuffle.moves()) {
    if (move.label != label || move.from > move.to) continue;
    for (const RecordedMove& back : shuffle.moves()) {
      if (back.label != label || back.from != move.to) continue;
      const std::string mark = fmt::format("X{}", number++);
      marks[shuffle.local(move)][move.from] = mark;
      marks[shuffle.local(back)][back.from] = mark;
    }
  }
  return marks;
}

Grid marks_grid(const std::string& title, const Allocation& marks) {
  Grid grid = allocation_grid(title, marks, 0);
  for (auto& row : grid.cells) {
    for (Cell& cell : row) {
      if (!cell.text.empty()) cell.colour = static_cast<unsigned>(cell.text.back() - '0') % 4;
    }
  }
  return grid;
}

/// A row of a figure, "." where it is empty.
std::string row_text(std::vector<std::string> row) {
  std::ranges::replace(row, std::string(), std::string("."));
  return fmt::format("{}", fmt::join(row, " "));
}

/// A panel for each step, and its two rows as printed against those of the machine.
void check_steps(const MovedShuffle& shuffle, std::string_view figure, Findings& result) {
  const std::vector<PrintedRow> rows = printed(figure);
  for (unsigned step = 1; step <= 3; ++step) {
    const Allocation marks = exchanges_of(shuffle, step);
    result.panels.emplace_back(marks_grid(fmt::format("step {}", step), marks));
    for (unsigned local = 0; local < 2; ++local) {
      const PrintedRow& row = rows[std::size_t{2} * (step - 1) + local];
      result.add(text_check(print, row.name, row.text, row_text(marks[local])));
    }
  }
}

}  // namespace

void jh_fig1(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 2, one_port({p(1), s(1)}, 4));
  const auto name = [](std::uint32_t element) { return binary(element >> 2U, 2) + "." + binary(element & 3U, 2); };
  const Allocation before = allocation_of(shuffle, [&](NodeId node, std::uint64_t local) {
    return name(static_cast<unsigned>(std::uint64_t{node} * 4 + local));
  });
  const Allocation after =
      allocation_of(shuffle, [&](NodeId node, std::uint64_t local) { return name(shuffle.final(node, local)); });
  const std::vector<PrintedRow> figure = printed("jh-fig1");
  result.panels.emplace_back(allocation_grid("before: node.local address", before, 2));
  Grid grid = allocation_grid("after", after, 2);
  colour_changes(grid, before, after);
  result.panels.emplace_back(std::move(grid));
  const bool equal = std::equal(after.begin(), after.end(), figure.begin(), figure.end(),
                                [](const auto& row, const PrintedRow& as) { return row_text(row) == as.text; });
  result.statement("places", equal);
  result.count("elsewhere", 8, shuffle.moves().size());
}

void jh_fig3(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 3, mixed_of_order_three(false));
  const Allocation initial = allocation_of(
      shuffle, [](NodeId node, std::uint64_t local) { return std::to_string(std::uint64_t{node} * 2 + local); });
  result.panels.emplace_back(allocation_grid("initial allocation", initial, 0));
  check_steps(shuffle, "jh-fig3", result);
  const Allocation last = allocation_of(
      shuffle, [&](NodeId node, std::uint64_t local) { return std::to_string(shuffle.final(node, local)); });
  result.panels.emplace_back(allocation_grid("final allocation", last, 0));
  result.text("final", "0 1 2 3 4 5 6 7", row_text(last[0]));
  result.no_number("final allocation, local address 1, which the figure leaves out", row_text(last[1]));
}

void jh_fig4(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 3, mixed_of_order_three(true));
  Allocation reordered(2, std::vector<std::string>(8));
  Allocation realigned = reordered;
  unsigned before = 0;
  unsigned after = 0;
  bool equal_addresses = true;
  for (const RecordedMove& move : shuffle.moves()) {
    const std::uint32_t element = move.items<std::uint32_t>().front();
    if (move.label == 1 && element % 2 != shuffle.local(move)) {
      reordered[0][move.from] = reordered[1][move.from] = fmt::format("X{}", before++);
    }
    for (const RecordedMove& back : shuffle.moves()) {
      if (back.label == move.label && back.from == move.to) {
        equal_addresses = equal_addresses && shuffle.local(back) == shuffle.local(move);
      }
    }
  }
  for (NodeId node = 0; node < 8; ++node) {
    for (const RecordedMove& move : shuffle.moves()) {
      if (move.label != 3 || move.to != node) continue;
      if (shuffle.final(node, shuffle.local(move)) != move.items<std::uint32_t>().front()) {
        realigned[0][node] = realigned[1][node] = fmt::format("X{}", after++);
      }
    }
  }
  result.panels.emplace_back(marks_grid("initial reordering, within nodes", reordered));
  check_steps(shuffle, "jh-fig4", result);
  result.panels.emplace_back(marks_grid("final reordering, within nodes", realigned));
  result.statement("one_address", equal_addresses);
  constexpr std::string_view odd = ". X0 X1 . X2 . . X3";
  result.text("initial", std::string(odd), row_text(reordered[1]));
  result.text("final", std::string(odd), row_text(realigned[1]));
}

namespace {

/// Whether the parts one after the other, and the virtual one at last, take every element where the cycle does.
bool are_the_cycle(const std::vector<DimensionPermutation>& parts, const Factors& factors,
                   const DimensionPermutation& cycle, unsigned dim, unsigned storage) {
  for (NodeId node = 0; node < NodeId{1} << dim; ++node) {
    for (std::uint64_t local = 0; local < 1U << storage; ++local) {
      Address at{node, local};
      for (const DimensionPermutation& part : parts) at = part.destination(at);
      if (Address{at.node, factors.local(at.local)} != cycle.destination({node, local})) return false;
    }
  }
  return true;
}

}  // namespace

void jh_fig7(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned dim = 5;
  constexpr unsigned storage = 2;
  const DimensionPermutation cycle({{p(4), s(1), p(3), p(2), s(0), p(1), p(0)}}, {});
  Factors factors = factor(cycle);
  factors.mixed = judged(factors.mixed, "mixed constituents");
  result.columns = 1;
  Grid grid{
      .title = "the cycle and its factors: each dimension takes the value of the next", .columns = {}, .rows = {}};
  const auto show = [&](const std::string& name, const DimensionPermutation::Cycle& dims, unsigned colour) {
    std::vector<Cell>& cells = grid.add(name);
    for (const AddressDimension& one : dims) cells.push_back({.text = one.name(), .colour = colour});
    cells.resize(grid.columns.size());
  };
  for (std::size_t i = cycle.cycles().front().size(); i-- > 0;) grid.columns.push_back(fmt::format("{}", i));
  show("cycle", cycle.cycles().front(), 3);
  std::vector<DimensionPermutation> parts;
  std::set<std::string> used;
  std::size_t dimensions = 0;
  for (const Constituent& mixed : factors.mixed) {
    DimensionPermutation::Cycle dims;
    for (std::size_t i = mixed.dims.size(); i-- > 0;) dims.push_back(p(mixed.dims[i]));
    dims.push_back(s(mixed.control));
    for (const AddressDimension& one : dims) used.insert(one.name());
    dimensions += dims.size();
    show(fmt::format("constituent {}", parts.size()), dims, static_cast<unsigned>(parts.size()) % 3);
    parts.push_back({{dims}, {}});
  }
  DimensionPermutation::Cycle moved;
  for (const LocalBit& bit : factors.virtual_bits) moved.push_back(s(bit.to));
  show("virtual", moved, 3);
  result.panels.emplace_back(std::move(grid));
  result.count("constituents", storage, parts.size());
  result.statement("own_dimensions", used.size() == dimensions && dimensions == dim + storage && factors.real.empty());
  bool equal = true;
  for (const bool reversed : {false, true}) {
    if (reversed) std::ranges::reverse(parts);
    equal = equal && are_the_cycle(parts, factors, cycle, dim, storage);
  }
  result.statement("any_order", equal);
  const MovedShuffle shuffle(machine, dim, one_port(cycle.cycles().front(), 1U << storage));
  bool arrived = true;
  for (NodeId node = 0; node < shuffle.nodes(); ++node) {
    for (std::uint64_t local = 0; local < shuffle.elements(); ++local) {
      const Address to = cycle.destination({node, local});
      arrived = arrived && shuffle.final(to.node, to.local) == node * shuffle.elements() + local;
    }
  }
  result.statement("arrived", arrived);
}

void jh_fig10(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 3, one_port({p(2), p(1), p(0)}, 2, false));
  // As printed, the local address before the label of the node.
  const std::vector<PrintedRow> figure = printed("jh-fig10");
  const auto name = [](std::uint32_t element) { return std::to_string(element % 2) + "." + binary(element / 2, 3); };
  std::uint32_t state[2][8];
  for (std::uint32_t local = 0; local < 2; ++local) {
    for (std::uint32_t node = 0; node < 8; ++node) state[local][node] = node * 2 + local;
  }
  result.columns = 1;
  bool consistent = true;
  Allocation before;
  for (unsigned step = 0; step <= 4; ++step) {
    std::uint32_t next[2][8];
    std::memcpy(next, state, sizeof next);
    for (const RecordedMove& move : shuffle.moves()) {
      if (move.label != step) continue;
      const std::uint32_t element = move.items<std::uint32_t>().front();
      consistent = consistent && state[shuffle.local(move)][move.from] == element;
      for (const RecordedMove& back : shuffle.moves()) {
        if (back.label == step && back.from == move.to) next[shuffle.local(back)][move.to] = element;
      }
    }
    std::memcpy(state, next, sizeof state);
    const Allocation allocation =
        allocation_of(shuffle, [&](NodeId node, std::uint64_t local) { return name(state[local][node]); });
    const std::string title = step == 0 ? "before" : fmt::format("after exchange {}", step);
    Grid grid = allocation_grid(title, allocation, 3);
    if (step > 0) colour_changes(grid, before, allocation);
    result.panels.emplace_back(std::move(grid));
    before = allocation;
    result.statement("allocation",
                     row_text(allocation[0]) == figure[std::size_t{2} * step].text &&
                         row_text(allocation[1]) == figure[std::size_t{2} * step + 1].text,
                     "", title);
  }
  result.statement("carried", consistent);
  bool in_place = true;
  for (NodeId node = 0; node < 8; ++node) {
    for (std::uint64_t local = 0; local < 2; ++local)
      in_place = in_place && shuffle.final(node, local) == state[local][node];
  }
  result.statement("memories", in_place);
}

}  // namespace ecube
