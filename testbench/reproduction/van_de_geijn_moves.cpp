// SPDX-License-Identifier: Apache-2.0
// van de Geijn 1991, Figures 1, 2, 3, 5 and 6: the messages of four nodes, and their items after each step.
#include <fmt/core.h>

#include <bit>
#include <map>

#include "testbench/reproduction/measured_machine.h"
#include "testbench/reproduction/recorded_moves.h"
#include "testbench/reproduction/results.h"

namespace ecube {

namespace {

constexpr unsigned dim = 2;
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

/// The messages of each step are worked out from the algorithm's text.
Reproduction movement(TestBench& bench, const Machine& preset, std::string_view figure) {
  std::map<std::string, std::string> version;
  std::vector<std::string> printed_steps;
  for (const auto& [name, text] : printed(figure)) {
    version[name] = text;
    if (name == "step") printed_steps.push_back(text);
  }
  const bool hybrid = version["algorithm"] == "hybrid root";
  const bool to_root = hybrid || version["algorithm"] == "root";
  const bool in_parts = to_root || version["algorithm"] == "halving";  // as the figure shows the vector
  CombineWorkload workload;
  workload.items = items;
  workload.operation = CombineOperation::of(CombineFunction::sum, ItemType::int64);
  workload.initial = [](std::uint32_t node, std::uint64_t /*first*/, std::uint64_t count, std::byte* into) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const Sum only = Sum{1} << node;
      std::memcpy(into + i * sizeof(Sum), &only, sizeof(Sum));
    }
  };
  workload.rule = HalvingRule::by(hybrid     ? Strategy::halving_from(1, dim)
                                  : in_parts ? Strategy::halving(dim)
                                             : Strategy::full(dim));
  workload.tree = version["algorithm"] == "tree";
  workload.target = to_root ? CombineTarget::root : CombineTarget::all;
  GlobalCombine combine(workload, dim);
  MoveRecorder recorder;
  // Where combining costs nothing, no time tells how much is combined.
  Machine combining = preset;
  Ratio& per_item = combining.core.combine.compiled;
  if (per_item.num == 0) per_item = {20, 1};
  MeasuredMachine machine(bench, combining);
  const CombineParameters costs = machine.calibration().combine(sizeof(Sum));
  const double us = machine.combine_us(dim, workload, combine, recorder);

  Reproduction result;
  result.columns = in_parts ? 2 : 1;
  Sum state[nodes][items];
  for (unsigned node = 0; node < nodes; ++node) {
    for (Sum& item : state[node]) item = Sum{1} << node;
  }
  const auto show = [&](const std::string& title, const Sum(&before)[nodes][items]) {
    Grid grid{.title = title, .columns = {"P0", "P1", "P2", "P3"}, .rows = {}};
    for (unsigned item = 0; item < (in_parts ? items : 1); ++item) {
      std::vector<Cell>& cells = grid.add(in_parts ? fmt::format("part {}", item) : "x");
      for (unsigned node = 0; node < nodes; ++node) {
        const bool changed = before[node][item] != state[node][item];
        const bool whole = std::popcount(static_cast<std::uint64_t>(state[node][item])) == nodes;
        cells.push_back(
            {.text = name_of(state[node][item], in_parts ? std::string(1, static_cast<char>('0' + item)) : ""),
             .colour = changed ? std::optional(whole ? 2U : 0U) : std::nullopt});
      }
    }
    result.panels.emplace_back(std::move(grid));
  };
  show("before", state);

  bool consistent = true;
  const std::vector<RecordedMove> moves = judged(recorder.moves(), "messages");
  std::vector<std::string> steps;
  for (std::size_t at = 0; at < moves.size();) {
    const unsigned label = moves[at].label;
    Sum before[nodes][items];
    std::memcpy(before, state, sizeof before);
    std::string step;
    for (; at < moves.size() && moves[at].label == label; ++at) {
      const RecordedMove& move = moves[at];
      const auto first = static_cast<std::size_t>(move.address - combine.vector(move.from).data()) / sizeof(Sum);
      step += (step.empty() ? "" : " ") + name_of(move, first);
      const std::vector<Sum> carried = move.items<Sum>();
      for (std::size_t i = 0; i < carried.size() && first + i < items; ++i) {
        consistent = consistent && carried[i] == before[move.from][first + i];
        Sum& item = state[move.to][first + i];
        item = label < dim ? item | carried[i] : carried[i];
      }
    }
    const unsigned direction = label < dim ? dim - 1 - label : label - dim;
    show(fmt::format("step {}, direction {}: {}", steps.size() + 1, direction, step), before);
    steps.push_back(step);
  }
  // Start-ups, items sent and items combined in sequence.
  const double predicted = std::stod(version["alpha"]) * costs.exchange.alpha_us +
                           std::stod(version["beta"]) * costs.exchange.beta_us_per_item +
                           std::stod(version["gamma"]) * costs.gamma_us_per_item;
  if (hybrid) {
    result.text(print, "messages of the last step by the routine as printed", version["printed"], steps.back());
  } else {
    result.no_number("what the figure shows of each step, which our copy has lost");
  }
  result.number(print, fmt::format("time on the machine: {}, n = 4, p = 4", version["time"]), predicted, us,
                {0.1, "alpha, beta and gamma are fitted on the machine"}, "us");
  result.count(ours, "steps", printed_steps.size(), steps.size());
  for (std::size_t i = 0; i < printed_steps.size() && i < steps.size(); ++i) {
    result.text(ours, fmt::format("messages of step {}, from>to:items", i + 1), printed_steps[i], steps[i]);
  }
  result.statement(ours, "every message carried what its sender held", consistent);
  bool complete = true;
  for (unsigned node = 0; node < nodes; ++node) {
    if (to_root && node > 0) continue;
    for (const Sum item : state[node]) complete = complete && judged(item, "sum") == (Sum{1} << nodes) - 1;
    complete = complete && std::memcmp(combine.vector(node).data(), state[node], sizeof state[node]) == 0;
  }
  result.statement(print,
                   to_root ? "node 0 has the sum of all, in its memory as in the messages"
                           : "all nodes have the sum of all, in their memory as in the messages",
                   complete);
  result.remarks = fmt::format("The messages of {} are worked out from the algorithm's text.", version["name"]);
  return result;
}

}  // namespace

Reproduction vdg_fig1(TestBench& bench, const Machine& machine) { return movement(bench, machine, "vdg-fig1"); }
Reproduction vdg_fig2(TestBench& bench, const Machine& machine) { return movement(bench, machine, "vdg-fig2"); }
Reproduction vdg_fig3(TestBench& bench, const Machine& machine) { return movement(bench, machine, "vdg-fig3"); }
Reproduction vdg_fig5(TestBench& bench, const Machine& machine) { return movement(bench, machine, "vdg-fig5"); }
Reproduction vdg_fig6(TestBench& bench, const Machine& machine) { return movement(bench, machine, "vdg-fig6"); }

}  // namespace ecube
