// SPDX-License-Identifier: Apache-2.0
// The equation of the combine; the strategy with the least time, on the machine where the equation has gaps; and the
// work of one node, step by step: van de Geijn 1991, sections 3.1 and 3.4.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "models/combine/combine_cost.h"
#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// Up to this dimension all strategies are candidates.
constexpr unsigned max_all_strategies_dim = 6;

CombineChoice choice_of(const CombineProblem& problem, const Strategy& strategy, bool tree,
                        const CombineParameters& parameters) {
  const std::string name = tree ? "v1" : strategy.name();
  const CombineTerms terms = followed_cost(problem, parameters, HalvingRule::by(strategy), tree).terms;
  return {{.name = name,
           .choice = {{"algorithm", tree ? "v1" : "hybrid"}, {"strategy", strategy_json(strategy)}},
           .options = " --strategy " + name,
           .ports = problem.ports,
           .predicted_us = terms.total()},
          strategy,
          tree,
          terms};
}

/// All strategies, or on large cubes the best ones, and version 1, over every number of ports; least predicted first.
std::vector<CombineChoice> combine_candidates(const CombineQuestion& question) {
  const CombineProblem& problem = question.workload;
  const CombineParameters& parameters = question.parameters;
  std::vector<CombineChoice> candidates;
  for (const Ports ports : port_choices(question.machine, problem.dim)) {
    CombineProblem over = problem;
    over.ports = ports;
    std::vector<Strategy> strategies;
    if (problem.dim <= max_all_strategies_dim) {
      strategies = Strategy::all(problem.dim);
    } else {
      for (unsigned k = 0; k <= problem.dim; ++k) strategies.push_back(Strategy::halving_from(k, problem.dim));
      strategies.push_back(best_strategy(over, parameters));
    }
    for (const Strategy& strategy : strategies) candidates.push_back(choice_of(over, strategy, false, parameters));
    candidates.push_back(choice_of(over, Strategy::full(problem.dim), true, parameters));
  }
  std::ranges::stable_sort(candidates, is_faster);
  return candidates;
}

std::string title_of(const CombineArguments& arguments, const CombineQuestion& question) {
  const CombineWorkload& workload = question.workload;
  const unsigned parts = workload.parts().count();
  return fmt::format("{}  {}  combine of {} {} items to {}{}", question.name,
                     network_name(question.machine, workload.dim), grouped(workload.items), arguments.type.text(),
                     word_of(workload.target, combine_targets),
                     parts > 1 ? fmt::format(" over {} links at once", parts) : "");
}

int predict(CombineArguments arguments) {
  TestBench bench(max_tried_dim);
  CombineQuestion question = combine_question_of(arguments, bench);
  choose_strategy(arguments, question.workload, question.parameters);
  const CombineWorkload& workload = question.workload;
  const Strategy strategy = strategy_of(workload);
  const CombineCost cost = followed_cost(workload, question.parameters, workload.rule, workload.tree);
  const LeftOut left_out(arguments.params, combine_gaps(question.machine, workload.dim, cost.terms.waiting_us),
                         cost.terms.total(), workload.dim,
                         (workload.items + workload.pad) * workload.operation.item_bytes(), bench,
                         [&](Benches& benches) { return combine_run(without_payload(arguments), benches); });
  const Json object = {{"machine", question.machine_json},
                       {"workload", workload_json(arguments, workload, strategy)},
                       {"predicted", predicted_json(cost.terms, question.parameters)}};
  return left_out.tell("combine", arguments.run.json, object, [&] {
    fmt::print("{}\n\n{}\n", title_of(arguments, question), algorithm_name(workload, strategy));
    fmt::print("start-up      {:>14.3f} us\n", cost.terms.startup_us);
    if (workload.startups == Startups::queued && workload.parts().count() > 1) {
      fmt::print("queued        {:>14.3f} us   start-ups and receipts that wait for the node's one processor\n",
                 cost.terms.queued_startup_us);
    }
    fmt::print("transmission  {:>14.3f} us\ncombination   {:>14.3f} us\n", cost.terms.transmission_us,
               cost.terms.combine_us);
    print_network_terms(cost.terms);
    fmt::print("total         {:>14.3f} us\n\n", cost.terms.total());
    print_combine_parameters(question.parameters);
  });
}

std::string origin_of(const CombineProblem& problem, const CombineParameters& p) {
  if (!p.one_alpha() || problem.pad > 0) {
    return fmt::format("start-ups differ by length or direction: found among all 2^{} strategies\n", problem.dim);
  }
  if (problem.startups == Startups::queued && problem.parts().count() > 1) {
    return fmt::format("start-ups queue on the processor: found among all 2^{} strategies\n", problem.dim);
  }
  const double beta = p.exchange.beta_us_per_item / problem.parts().count();
  return fmt::format(
      "van de Geijn 1991, Theorem 1, for a multiple of p items: halve first, full vectors in the last {} of {}\n",
      theorem_1(problem.dim, static_cast<double>(problem.items), p.exchange.alpha_us, beta, p.gamma_us_per_item),
      problem.dim);
}

int best(CombineArguments arguments) {
  TestBench bench(max_tried_dim);
  const CombineQuestion question = combine_question_of(arguments, bench);
  const CombineParameters& p = question.parameters;
  const std::vector<CombineChoice> by_ports = combine_choices(question);
  const Tried<CombineChoice> tried = tried_combines(arguments, question, bench);
  const std::vector<CombineChoice>& candidates = tried.candidates.empty() ? by_ports : tried.candidates;
  CombineQuestion chosen = question;
  chosen.workload.ports = by_ports.front().ports;
  const CombineProblem& problem = chosen.workload;
  Recommendation answer{
      .workload = "combine",
      .run = arguments.run,
      .options = given_words({&arguments.items, &arguments.target, &arguments.type, &arguments.pad}),
      .runnable = !arguments.params.given() && problem.dim <= max_simulated_dim &&
                  arguments.items.value() <= max_run_combine_items,
      .data_bytes = GlobalCombine::required(problem.dim, problem.items, question.workload.operation.item_bytes()),
      .title = title_of(arguments, chosen),
      .kind = "strategy",
      .about = {{"machine", question.machine_json},
                {"workload", workload_json(arguments, question.workload, candidates.front().strategy)},
                {"predicted", predicted_json(candidates.front().terms, p)}}};
  const auto with = [&](const Strategy& strategy) {
    CombineChoice one = choice_of(problem, strategy, false, p);
    one.predicted_us = combine_cost(problem, p, HalvingRule::by(strategy)).terms.total();
    return one;
  };
  answer.find_among(by_ports, tried);
  const Strategy full = Strategy::full(problem.dim);
  answer.beside.emplace_back("v1", choice_of(problem, full, true, p));
  answer.beside.emplace_back("v2", with(full));
  answer.beside.emplace_back("v3", with(Strategy::halving(problem.dim)));
  return tell(answer, arguments.run.json, [&] {
    fmt::print("v1: tree and broadcast; v2: full vectors; v3: halves\n{}", origin_of(problem, p));
    print_combine_parameters(p);
  });
}

/// The steps of one part of the vector, numbered without those that gather nothing.
std::vector<Json> steps_of(const CombineWorkload& workload, const VectorArguments::Explained& asked, unsigned part) {
  const bool to_root = workload.tree || workload.target == CombineTarget::root;
  const CombineParts parts(workload.tree ? Ports{} : workload.ports, workload.dim);
  const CombineMoves moves(workload.rule, parts, workload, workload.tree);
  std::vector<Json> rows;
  unsigned number = 0;
  for (unsigned place = 0; place < 2 * workload.dim; ++place) {
    const bool back = place >= workload.dim;
    const unsigned step = back ? 2 * workload.dim - 1 - place : place;
    const CombinePiece held = moves.held(asked.label, part, step);
    const bool halves = workload.rule.halves(workload.dim - 1 - step, held.length);
    if (!back || halves || workload.tree) ++number;
    const auto transfer = moves.transfer(asked.label, part, place);
    if (!transfer) continue;
    const CombinePiece after = back ? held : moves.kept(asked.label, part, step, held);
    const bool holds = back ? workload.tree || transfer->receives : after.held();
    rows.push_back({{"step", number},
                    {"part", part},
                    {"direction", parts.direction(part, step)},
                    {"partner", asked.nodes[transfer->partner]},
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

int explain(CombineArguments arguments) {
  TestBench bench(calibration_dim);
  CombineQuestion question = combine_question_of(arguments, bench, max_simulated_dim);
  const CombineWorkload& workload = question.workload;
  choose_strategy(arguments, question.workload, question.parameters);
  const auto asked = arguments.explained(question.machine.topology(workload.dim), workload.root);
  const unsigned count = workload.tree ? 1 : workload.parts().count();
  std::vector<Json> rows;
  for (unsigned part = 0; part < count; ++part)
    std::ranges::move(steps_of(workload, asked, part), std::back_inserter(rows));
  std::ranges::stable_sort(rows, {}, [](const Json& row) { return row["step"].get<unsigned>(); });
  const Strategy strategy = strategy_of(workload);
  const std::string algorithm = algorithm_name(workload, strategy);
  if (arguments.run.json) {
    Json what = workload_json(arguments, workload, strategy);
    what["algorithm"] = algorithm;
    return print_json("explain combine", {{"machine", question.machine_json},
                                          {"workload", what},
                                          {"node", asked.node()},
                                          {"parts", count},
                                          {"steps", rows}});
  }
  fmt::print("global combine  {} nodes, {} items to {}, {}\n", grouped(asked.nodes.size()), grouped(workload.items),
             workload.target == CombineTarget::all ? "all" : fmt::format("node {}", workload.root), algorithm);
  if (!workload.tree) {
    fmt::print("a 1 in the strategy halves: partners exchange halves, combine what each keeps, and gather it back\n");
  }
  if (count > 1) {
    fmt::print("the vector has {} parts; at every step each of them is in a direction of its own\n", count);
  }
  fmt::print("\nitems that node {} sends, receives and holds\n", asked.node());
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

std::vector<CombineChoice> combine_choices(const CombineQuestion& question) {
  const CombineParameters& p = question.parameters;
  CombineProblem over = question.workload;
  std::vector<CombineChoice> choices;
  for (const Ports ports : port_choices(question.machine, over.dim)) {
    over.ports = ports;
    const CombineChoice hybrid = choice_of(over, best_strategy(over, p), false, p);
    const CombineChoice tree = choice_of(over, Strategy::full(over.dim), true, p);
    choices.push_back(is_faster(tree, hybrid) ? tree : hybrid);
  }
  std::iter_swap(choices.begin(), std::ranges::min_element(choices, is_faster));
  return choices;
}

Tried<CombineChoice> tried_combines(const CombineArguments& arguments, const CombineQuestion& question,
                                    TestBench& bench) {
  Tried<CombineChoice> tried{.leaves_out = combine_gaps(question)};
  if (!tried.are_due(question.workload.dim)) return tried;
  CombineExperiment experiment{.setup = setup_of(arguments.run, Networks::logical_cubes),
                               .workload = question.workload};
  auto& [setup, workload] = experiment;
  workload.payload = Payload::none;
  const auto choose = [&setup = setup, &workload = workload](const CombineChoice& one) {
    setup.machine.node.ports = one.ports;
    adapt(workload, setup);
    workload.tree = one.tree;
    workload.rule = HalvingRule::by(one.strategy);
  };
  const auto messages = [&experiment, choose](const CombineChoice& one) {
    choose(one);
    const CombineWorkload& asked = experiment.workload;
    return measured_messages(experiment.setup.machine, 1, GlobalCombine::messages(asked, asked.dim, one.strategy),
                             (asked.items + asked.pad) * asked.operation.item_bytes());
  };
  tried.run(combine_candidates(question), messages, [&](CombineChoice& one) {
    choose(one);
    one.measured_us = finished_us(run_combine(bench, experiment, {}).run.result);
  });
  return tried;
}

void add_combine_questions(const Questions& to) {
  add_question<CombineArguments>(
      to.predict, to.invocation, "combine", "Global combine", [](CombineArguments& a) { return a.question_rows(); },
      [](const CombineArguments& a) { return predict(a); });
  add_question<CombineArguments>(
      to.best, to.invocation, "combine",
      "Strategy and number of ports with the least predicted time, beside versions 1, 2 and 3",
      [](CombineArguments& a) -> std::vector<OptionRow*> {
        return {&a.items, &a.target, &a.type, &a.pad, &a.params, &a.run.embed};
      },
      [](const CombineArguments& a) { return best(a); }, measured_limit_help());
  add_question<CombineArguments>(
      to.explain, to.invocation, "combine", "What a node of the global combine sends and holds, step by step",
      [](CombineArguments& a, Command& command) {
        command.add_option("--node", a.node, "Whose steps; the root's when not given");
        return a.question_rows();
      },
      [](const CombineArguments& a) { return explain(a); });
}

}  // namespace ecube
