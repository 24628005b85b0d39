// SPDX-License-Identifier: Apache-2.0
// van de Geijn 1991, Figures 1, 2, 3, 5 and 6: the messages of four nodes, and their items after each step.

#include <bit>
#include <map>

#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr unsigned square_dim = 2;
constexpr unsigned nodes = 4;
constexpr unsigned items = 4;

/// The nodes whose vectors are summed in an item: bit i for node i. Node i contributes the number 2^i, so an item is
/// this sum.
using Sum = std::int64_t;

std::string name_of(Sum sum, std::string_view part) {
  std::string text;
  for (unsigned node = 0; node < nodes; ++node) {
    if ((sum >> node & 1) != 0) text += fmt::format("{}x{}{}", text.empty() ? "" : "+", node, part);
  }
  return text;
}

/// "2>0" or, of a part of the vector, "2>0:0-1".
std::string name_of(const RecordedMove& move, std::size_t first) {
  const std::size_t count = move.contents.size() / sizeof(Sum);
  std::string text = fmt::format("{}>{}", move.from, move.to);
  if (count == items) return text;
  text += fmt::format(":{}", first);
  return count == 1 ? text : text + fmt::format("-{}", first + count - 1);
}

/// A version of the combine, as the table of figures has it.
struct MovedVersion {
  std::map<std::string, std::string> says;
  std::vector<std::string> steps;  ///< the messages of each, worked out from the algorithm's text

  explicit MovedVersion(std::string_view figure) {
    for (const auto& [name, text] : printed(figure)) {
      says[name] = text;
      if (name == "step") steps.push_back(text);
    }
  }
  [[nodiscard]] bool hybrid() const { return says.at("algorithm") == "hybrid root"; }
  [[nodiscard]] bool to_root() const { return hybrid() || says.at("algorithm") == "root"; }
  /// As the figure shows the vector.
  [[nodiscard]] bool in_parts() const { return to_root() || says.at("algorithm") == "halving"; }
  [[nodiscard]] CombineWorkload workload() const {
    CombineWorkload workload;
    workload.dim = square_dim;
    workload.items = items;
    workload.operation = CombineOperation::of(CombineFunction::sum, ItemType::int64);
    workload.initial = [](std::uint32_t node, std::uint64_t /*first*/, std::uint64_t count, std::byte* into) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const Sum only = Sum{1} << node;
        std::memcpy(into + i * sizeof(Sum), &only, sizeof(Sum));
      }
    };
    workload.rule = HalvingRule::by(hybrid()     ? Strategy::halving_from(1, square_dim)
                                    : in_parts() ? Strategy::halving(square_dim)
                                                 : Strategy::full(square_dim));
    workload.tree = says.at("algorithm") == "tree";
    workload.target = to_root() ? CombineTarget::root : CombineTarget::all;
    return workload;
  }
  /// Start-ups, items sent and items combined in sequence.
  [[nodiscard]] double predicted_us(const CombineParameters& costs) const {
    return std::stod(says.at("alpha")) * costs.exchange.alpha_us +
           std::stod(says.at("beta")) * costs.exchange.beta_us_per_item +
           std::stod(says.at("gamma")) * costs.gamma_us_per_item;
  }
};

/// The items of all nodes, as the messages make them.
struct NodeItems {
  Sum of[nodes][items];

  NodeItems() {
    for (unsigned node = 0; node < nodes; ++node) {
      for (Sum& item : of[node]) item = Sum{1} << node;
    }
  }
  /// A message whose items begin with the item `first`; counts those that its sender had.
  void take(const RecordedMove& move, std::size_t first, const NodeItems& before, Tally& had) {
    const std::vector<Sum> carried = move.items<Sum>();
    for (std::size_t i = 0; i < carried.size() && first + i < items; ++i) {
      had.add(carried[i] == before.of[move.from][first + i], "{}>{}, item {}", move.from, move.to, first + i);
      Sum& item = of[move.to][first + i];
      item = move.label < square_dim ? item | carried[i] : carried[i];
    }
  }
  [[nodiscard]] Grid grid(const std::string& title, const NodeItems& before, bool in_parts) const {
    Grid grid{.title = title, .columns = {"P0", "P1", "P2", "P3"}, .rows = {}};
    for (unsigned item = 0; item < (in_parts ? items : 1); ++item) {
      std::vector<Cell>& cells = grid.add(in_parts ? fmt::format("part {}", item) : "x");
      for (unsigned node = 0; node < nodes; ++node) {
        const bool changed = before.of[node][item] != of[node][item];
        const bool whole = std::popcount(static_cast<std::uint64_t>(of[node][item])) == nodes;
        cells.push_back({.text = name_of(of[node][item], in_parts ? std::string(1, static_cast<char>('0' + item)) : ""),
                         .colour = changed ? std::optional(whole ? 2U : 0U) : std::nullopt});
      }
    }
    return grid;
  }
};

}  // namespace

void vdg_moves(Findings& result, MeasuredMachine& machine) {
  const MovedVersion version(result.id());
  const CombineWorkload workload = version.workload();
  GlobalCombine combine(workload, square_dim);
  // Where combining costs nothing, no time tells how much is combined.
  Ratio& per_item = machine.machine().core.combine.compiled;
  if (per_item.num == 0) per_item = {20, 1};
  const double predicted = version.predicted_us(machine.calibration().combine(sizeof(Sum)));
  MoveRecorder recorder(machine);
  const double us = machine.combine_us(square_dim, workload, combine);

  NodeItems now;
  result.panels.emplace_back(now.grid("before", now, version.in_parts()));
  const std::vector<RecordedMove> moves = recorder.moves();
  std::vector<std::string> steps;
  for (std::size_t at = 0; at < moves.size();) {
    const unsigned label = moves[at].label;
    const NodeItems before = now;
    std::string step;
    for (; at < moves.size() && moves[at].label == label; ++at) {
      const RecordedMove& move = moves[at];
      const auto first = static_cast<std::size_t>(move.address - combine.vector(move.from).data()) / sizeof(Sum);
      step += (step.empty() ? "" : " ") + name_of(move, first);
      now.take(move, first, before, result["carried"]);
    }
    const unsigned direction = label < square_dim ? square_dim - 1 - label : label - square_dim;
    result.panels.emplace_back(now.grid(fmt::format("step {}, direction {}: {}", steps.size() + 1, direction, step),
                                        before, version.in_parts()));
    steps.push_back(step);
  }
  if (version.hybrid()) result.text("last_step", version.says.at("printed"), steps.back());
  result.number("time", predicted, us, version.says.at("time"));
  result.number("steps", version.steps.size(), steps.size());
  for (std::size_t i = 0; i < version.steps.size() && i < steps.size(); ++i) {
    result.text("messages", version.steps[i], steps[i], i + 1);
  }
  Tally& sums = result[version.to_root() ? "root" : "all"];
  for (unsigned node = 0; node < (version.to_root() ? 1 : nodes); ++node) {
    for (const Sum item : now.of[node]) sums.add(judged(item, "sum") == (Sum{1} << nodes) - 1, "node {}", node);
    sums.add(std::memcmp(combine.vector(node).data(), now.of[node], sizeof now.of[node]) == 0, "memory of {}", node);
  }
  result.remarks = fmt::format("The messages of {} are worked out from the algorithm's text.", version.says.at("name"));
}

}  // namespace ecube
