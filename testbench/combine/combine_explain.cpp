// SPDX-License-Identifier: Apache-2.0
// The work of one node in a global combine, step by step: van de Geijn 1991, sections 3.1 and 3.4.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

using Json = nlohmann::ordered_json;

struct ExplainArguments {
  CombineArguments combine;
  std::optional<std::int64_t> node;
};

/// The steps of one part of the vector, numbered without those that gather nothing.
std::vector<Json> steps_of(const CombineWorkload& workload, NodeId node, unsigned part) {
  const bool to_root = workload.tree || workload.target == CombineTarget::root;
  const CombineParts parts(workload.tree ? Ports{} : workload.ports, workload.dim);
  const CombineMoves moves(workload.rule, parts,
                           {.items = workload.items,
                            .tree = workload.tree && workload.target == CombineTarget::all,
                            .one_way = to_root,
                            .origin = to_root ? workload.root : 0});
  std::vector<Json> rows;
  unsigned number = 0;
  for (unsigned place = 0; place < 2 * workload.dim; ++place) {
    const bool back = place >= workload.dim;
    const unsigned step = back ? 2 * workload.dim - 1 - place : place;
    const CombinePiece held = moves.held(node, part, step);
    const bool halves = workload.rule.halves(workload.dim - 1 - step, held.items.count);
    if (!back || halves || workload.tree) ++number;
    const auto transfer = back ? moves.back(node, part, step, held) : moves.forward(node, part, step, held);
    if (!transfer) continue;
    const CombinePiece after = back ? held : moves.kept(node, part, step, held);
    const bool holds = back ? workload.tree || transfer->receives : after.held();
    rows.push_back({{"step", number},
                    {"part", part},
                    {"direction", parts.direction(part, step)},
                    {"partner", transfer->partner},
                    {"move", back      ? (workload.tree ? "broadcast" : "gather")
                             : halves  ? "halve"
                             : to_root ? "to root"
                                       : "exchange"},
                    {"sends", items_json(transfer->sends ? transfer->outgoing.items : Items{})},
                    {"receives", items_json(transfer->receives ? transfer->incoming.items : Items{})},
                    {"combines", !back && transfer->receives},
                    {"holds", items_json(holds ? after.items : Items{})}});
  }
  return rows;
}

void print_equation(const CombineWorkload& workload) {
  fmt::print("\ncost: alpha for a message to a neighbour, beta and gamma to transmit and to combine an item\n");
  if (workload.tree) {
    fmt::print("  {} d (alpha + n beta) + d n gamma    van de Geijn 1991, section 3.1\n",
               workload.target == CombineTarget::all ? "2" : " ");
    return;
  }
  fmt::print(
      "  exchange  T(m, d) = alpha + m beta + m gamma + T(m, d-1)    van de Geijn 1991, section 3.4\n"
      "  halve     T(m, d) = 2 alpha + {} + ceil(m/2) gamma + T(ceil(m/2), d-1)\n"
      "each step's own cost: ecube run combine with the same options\n",
      workload.target == CombineTarget::all ? "2 ceil(m/2) beta" : "m beta");
}

int explain(ExplainArguments given) {
  CombineArguments& arguments = given.combine;
  TestBench bench(calibration_dim);
  CombineQuestion question = combine_question_of(arguments, bench);
  const CombineWorkload& workload = question.workload;
  if (workload.dim > max_simulated_dim) {
    throw InputError(fmt::format("--dim {} is too large to explain", workload.dim))
        .valid(fmt::format("1 .. {}", max_simulated_dim));
  }
  choose_strategy(arguments, question.workload, question.parameters);
  const NodeId nodes = NodeId{1} << workload.dim;
  const auto node =
      given.node ? static_cast<NodeId>(in_range("--node", *given.node, 0, std::int64_t{nodes} - 1)) : workload.root;
  const unsigned count = workload.tree ? 1 : workload.parts().count();
  std::vector<Json> rows;
  for (unsigned part = 0; part < count; ++part)
    std::ranges::move(steps_of(workload, node, part), std::back_inserter(rows));
  std::ranges::stable_sort(rows, {}, [](const Json& row) { return row["step"].get<unsigned>(); });
  const std::string algorithm = algorithm_name(workload, strategy_of(workload));
  if (arguments.run.json) {
    print_json("explain combine", {{"machine", question.machine_json},
                                   {"workload",
                                    {{"items", workload.items},
                                     {"algorithm", algorithm},
                                     {"target", word_of(workload.target, combine_targets)},
                                     {"root", workload.root}}},
                                   {"node", node},
                                   {"parts", count},
                                   {"steps", rows}});
    return 0;
  }
  fmt::print("global combine  {} nodes, {} items to {}, {}\n", grouped(nodes), grouped(workload.items),
             workload.target == CombineTarget::all ? "all" : fmt::format("node {}", workload.root), algorithm);
  if (!workload.tree) {
    fmt::print("a 1 in the strategy halves: partners exchange halves, combine what each keeps, and gather it back\n");
  }
  if (count > 1) {
    fmt::print("the vector has {} parts; at every step each of them is in a direction of its own\n", count);
  }
  fmt::print("\nitems that node {} sends, receives and holds\n", node);
  fmt::print("{:<5} {}{:<10} {:<8} {:<10} {:<20} {:<20} {:<9} {}\n", "step", count > 1 ? "part  " : "", "direction",
             "partner", "move", "sends", "receives", "combines", "holds then");
  for (const Json& row : rows) {
    const auto at = [&](const char* key) { return row[key].get<NodeId>(); };
    fmt::print("{:<5} {}{:<10} {:<8} {:<10} {:<20} {:<20} {:<9} {}\n", at("step"),
               count > 1 ? fmt::format("{:<6}", at("part")) : "", at("direction"), at("partner"),
               row["move"].get<std::string>(), items_text(row["sends"]), items_text(row["receives"]),
               row["combines"].get<bool>() ? "yes" : "-", items_text(row["holds"]));
  }
  print_equation(workload);
  return 0;
}

}  // namespace

void add_explain_combine(Command& explain_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExplainArguments>();
  Command& command =
      explain_command.add_command("combine", "What a node of the global combine sends and holds, step by step");
  declare_options(command, arguments->combine.rows());
  command.add_option("--node", arguments->node, "Whose steps; the root's when not given");
  add_machine_options(command, arguments->combine.run);
  arguments->combine.params.declare(command);
  command.on_run([arguments, &invocation] { invocation.status = explain(*arguments); });
}

}  // namespace ecube
