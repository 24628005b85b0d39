// SPDX-License-Identifier: Apache-2.0
// Johnsson & Ho 1991, Figures 1, 3, 4, 7 and 10: the places of elements, and the locations that exchange.
#include <fmt/format.h>

#include <bit>
#include <optional>
#include <set>

#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr AddressDimension p(unsigned bit) { return {.storage = false, .bit = bit}; }
constexpr AddressDimension s(unsigned bit) { return {.storage = true, .bit = bit}; }

std::string binary(std::uint64_t number, unsigned digits) { return fmt::format("{:0{}b}", number, digits); }

/// A run, and the contents of its messages.
class MovedShuffle {
 public:
  MovedShuffle(MeasuredMachine& machine, unsigned dim, ShuffleWorkload workload)
      : dim_(dim), workload_(std::move(workload)), shuffle_(workload_, dim) {
    MoveRecorder recorder(machine);
    machine.shuffle(dim, workload_, shuffle_);
    moves_ = recorder.moves();
  }

  [[nodiscard]] NodeId nodes() const { return NodeId{1} << dim_; }
  [[nodiscard]] std::uint64_t elements() const { return workload_.elements; }
  [[nodiscard]] const std::vector<RecordedMove>& moves() const { return moves_; }
  /// The element that is in a location in the end.
  [[nodiscard]] std::uint32_t final(NodeId node, std::uint64_t local) const {
    return judged(shuffle_.elements(node)[local], "final element");
  }
  [[nodiscard]] std::uint64_t local(const RecordedMove& move) const {
    return static_cast<std::uint64_t>(move.address -
                                      reinterpret_cast<const std::byte*>(shuffle_.elements(move.from).data())) /
           sizeof(std::uint32_t);
  }
  /// The message that the receiver sends in the same step, if there is one.
  [[nodiscard]] const RecordedMove* answer(const RecordedMove& move) const {
    const auto found = std::ranges::find_if(
        moves_, [&](const RecordedMove& back) { return back.label == move.label && back.from == move.to; });
    return found == moves_.end() ? nullptr : &*found;
  }
  /// As in the paper's figures: `text_of(node, local)` for each location, nodes and local addresses in binary or, with
  /// no digits, by number.
  [[nodiscard]] Grid grid(const std::string& title, unsigned binary_digits, const auto& text_of) const {
    Grid grid{.title = title};
    for (NodeId node = 0; node < nodes(); ++node) {
      grid.columns.push_back(binary_digits > 0 ? binary(node, binary_digits) : fmt::format("P{}", node));
    }
    const auto local_digits = static_cast<unsigned>(std::bit_width(elements() - 1));
    for (std::uint64_t local = 0; local < elements(); ++local) {
      std::vector<Cell>& cells = grid.add(binary_digits > 0 ? binary(local, local_digits) : std::to_string(local));
      for (NodeId node = 0; node < nodes(); ++node) cells.push_back({.text = text_of(node, local), .colour = {}});
    }
    return grid;
  }
  /// Locations that are marked later.
  [[nodiscard]] Grid empty_grid(const std::string& title) const {
    return grid(title, 0, [](NodeId /*node*/, std::uint64_t /*local*/) { return std::string(); });
  }

 private:
  unsigned dim_;
  ShuffleWorkload workload_;
  GeneralisedShuffle shuffle_;
  std::vector<RecordedMove> moves_;
};

/// Colours the locations whose contents are others than before, and no others.
void colour_changes(Grid& grid, const Grid& before) {
  for (std::size_t local = 0; local < grid.cells.size(); ++local) {
    for (std::size_t node = 0; node < grid.columns.size(); ++node) {
      Cell& cell = grid.cells[local][node];
      cell.colour = cell.text != before.cells[local][node].text ? std::optional(0U) : std::nullopt;
    }
  }
}

/// One cycle on one port.
ShuffleWorkload one_port(const DimensionPermutation::Cycle& cycle, std::uint64_t elements, bool align = true) {
  return {.permutation = {{cycle}, {}}, .elements = elements, .mixed = MixedAlgorithm::one_port, .align = align};
}
/// The pipelined shuffle (p2 p1 p0 | s0) of 2 elements on each of 8 nodes.
ShuffleWorkload mixed_of_order_three(bool align) { return one_port({p(2), p(1), p(0), s(0)}, 2, align); }

/// The mark of an exchange, or of a move within a node.
Cell marked(unsigned number) { return {.text = fmt::format("X{}", number), .colour = number % 4}; }

/// For each location of a step the number of the exchange it takes part in: two locations have each number.
Grid exchanges_of(const MovedShuffle& shuffle, unsigned step) {
  Grid grid = shuffle.empty_grid(fmt::format("step {}", step));
  unsigned number = 0;
  for (const RecordedMove& move : shuffle.moves()) {
    const RecordedMove* const back = shuffle.answer(move);
    if (move.label != step || move.from > move.to || back == nullptr) continue;
    grid.cells[shuffle.local(move)][move.from] = grid.cells[shuffle.local(*back)][back->from] = marked(number++);
  }
  return grid;
}

/// A row of a figure, "." where it is empty.
std::string row_text(const std::vector<Cell>& row) {
  std::string text;
  for (const Cell& cell : row) text += (text.empty() ? "" : " ") + (cell.text.empty() ? "." : cell.text);
  return text;
}

/// A panel for each step, and its two rows as printed against those of the machine.
void check_steps(const MovedShuffle& shuffle, std::string_view figure, Findings& result) {
  const std::vector<PrintedRow> rows = printed(figure);
  for (unsigned step = 1; step <= 3; ++step) {
    const Grid marks = exchanges_of(shuffle, step);
    for (unsigned local = 0; local < 2; ++local) {
      const PrintedRow& row = rows[std::size_t{2} * (step - 1) + local];
      result.add(text_check(print, row.name, row.text, row_text(marks.cells[local])));
    }
    result.panels.emplace_back(marks);
  }
}

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

void jh_fig1(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 2, one_port({p(1), s(1)}, 4));
  const auto name = [](std::uint32_t element) { return binary(element >> 2U, 2) + "." + binary(element & 3U, 2); };
  const Grid before = shuffle.grid("before: node.local address", 2, [&](NodeId node, std::uint64_t local) {
    return name(static_cast<unsigned>(std::uint64_t{node} * 4 + local));
  });
  Grid after =
      shuffle.grid("after", 2, [&](NodeId node, std::uint64_t local) { return name(shuffle.final(node, local)); });
  colour_changes(after, before);
  const bool equal = std::ranges::equal(after.cells, printed("jh-fig1"),
                                        [](const auto& row, const PrintedRow& as) { return row_text(row) == as.text; });
  result.panels = {before, after};
  result.statement("places", equal);
  result.number("elsewhere", 8, shuffle.moves().size());
}

void jh_fig3(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 3, mixed_of_order_three(false));
  result.panels.emplace_back(shuffle.grid("initial allocation", 0, [](NodeId node, std::uint64_t local) {
    return std::to_string(std::uint64_t{node} * 2 + local);
  }));
  check_steps(shuffle, "jh-fig3", result);
  const Grid last = shuffle.grid("final allocation", 0, [&](NodeId node, std::uint64_t local) {
    return std::to_string(shuffle.final(node, local));
  });
  result.panels.emplace_back(last);
  result.text("final", "0 1 2 3 4 5 6 7", row_text(last.cells[0]));
  result.no_number("final allocation, local address 1, which the figure leaves out", row_text(last.cells[1]));
}

void jh_fig4(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 3, mixed_of_order_three(true));
  Grid reordered = shuffle.empty_grid("initial reordering, within nodes");
  Grid realigned = shuffle.empty_grid("final reordering, within nodes");
  unsigned before = 0;
  unsigned after = 0;
  const auto element_of = [](const RecordedMove& move) { return move.items<std::uint32_t>().front(); };
  for (const RecordedMove& move : shuffle.moves()) {
    const NodeId node = move.from;
    const RecordedMove* const back = shuffle.answer(move);
    result["one_address"].add(back == nullptr || shuffle.local(*back) == shuffle.local(move), "node {}", node);
    if (move.label == 1 && element_of(move) % 2 != shuffle.local(move)) {
      reordered.cells[0][node] = reordered.cells[1][node] = marked(before++);
    }
    if (move.label == 3 && back != nullptr && element_of(*back) != shuffle.final(node, shuffle.local(*back))) {
      realigned.cells[0][node] = realigned.cells[1][node] = marked(after++);
    }
  }
  result.panels.emplace_back(reordered);
  check_steps(shuffle, "jh-fig4", result);
  result.panels.emplace_back(realigned);
  constexpr std::string_view odd = ". X0 X1 . X2 . . X3";
  result.text("initial", std::string(odd), row_text(reordered.cells[1]));
  result.text("final", std::string(odd), row_text(realigned.cells[1]));
}

void jh_fig7(Findings& result, MeasuredMachine& machine) {
  constexpr unsigned dim = 5;
  constexpr unsigned storage = 2;
  const DimensionPermutation cycle({{p(4), s(1), p(3), p(2), s(0), p(1), p(0)}}, {});
  Factors factors = factor(cycle);
  factors.mixed = judged(factors.mixed, "mixed constituents");
  Grid& grid = result.grid("jh-fig7");
  const auto show = [&](const std::string& name, const DimensionPermutation::Cycle& dims, unsigned colour) {
    std::vector<Cell>& cells = grid.add(name);
    for (const AddressDimension& one : dims) cells.push_back({.text = one.name(), .colour = colour});
    cells.resize(grid.columns.size());
  };
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
  result.number("constituents", storage, parts.size());
  result.statement("own_dimensions", used.size() == dimensions && dimensions == dim + storage && factors.real.empty());
  for (const char* const order : {"forwards", "backwards"}) {
    result["any_order"].add(are_the_cycle(parts, factors, cycle, dim, storage), order);
    std::ranges::reverse(parts);
  }
  const MovedShuffle shuffle(machine, dim, one_port(cycle.cycles().front(), 1U << storage));
  for (NodeId node = 0; node < shuffle.nodes(); ++node) {
    for (std::uint64_t local = 0; local < shuffle.elements(); ++local) {
      const Address to = cycle.destination({node, local});
      result["arrived"].add(shuffle.final(to.node, to.local) == node * shuffle.elements() + local, "node {}", to.node);
    }
  }
}

void jh_fig10(Findings& result, MeasuredMachine& machine) {
  const MovedShuffle shuffle(machine, 3, one_port({p(2), p(1), p(0)}, 2, false));
  // As printed, the local address before the label of the node.
  const std::vector<PrintedRow> figure = printed("jh-fig10");
  const auto name = [](std::uint32_t element) { return std::to_string(element % 2) + "." + binary(element / 2, 3); };
  Grid now = shuffle.grid("before", 3, [&](NodeId node, std::uint64_t local) {
    return name(static_cast<std::uint32_t>(std::uint64_t{node} * 2 + local));
  });
  for (unsigned step = 0; step <= 4; ++step) {
    const Grid before = now;
    if (step > 0) now.title = fmt::format("after exchange {}", step);
    for (const RecordedMove& move : shuffle.moves()) {
      if (move.label != step) continue;
      const std::string element = name(move.items<std::uint32_t>().front());
      result["carried"].add(before.cells[shuffle.local(move)][move.from].text == element, "{}, step {}", element, step);
      if (const RecordedMove* const back = shuffle.answer(move)) {
        now.cells[shuffle.local(*back)][move.to].text = element;
      }
    }
    colour_changes(now, before);
    result.panels.emplace_back(now);
    result.statement("allocation",
                     row_text(now.cells[0]) == figure[std::size_t{2} * step].text &&
                         row_text(now.cells[1]) == figure[std::size_t{2} * step + 1].text,
                     "", now.title);
  }
  for (NodeId node = 0; node < 8; ++node) {
    for (std::uint64_t local = 0; local < 2; ++local) {
      result["memories"].add(name(shuffle.final(node, local)) == now.cells[local][node].text, "node {}", node);
    }
  }
}

}  // namespace ecube
