// SPDX-License-Identifier: Apache-2.0
// The equation of the combine, and the strategy with the least time, on the machine where the equation has gaps.
#include <fmt/core.h>

#include <algorithm>

#include "models/combine/combine_cost.h"
#include "models/fit/equation_gaps.h"
#include "sw/combine/global_combine.h"
#include "testbench/collective/recommendation.h"
#include "testbench/combine/combine_choice.h"
#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/experiment.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

int predict(CombineArguments arguments) {
  TestBench bench(max_tried_dim);
  CombineQuestion question = combine_question_of(arguments, &bench);
  choose_strategy(arguments, question.request, question.problem, question.parameters);
  const CombineWorkload& workload = question.request.workload;
  const Strategy strategy = strategy_of(workload.rule, question.problem);
  const CombineCost cost = followed_cost(question.problem, question.parameters, workload.rule, workload.tree);
  std::vector<std::string> gaps;
  if (!arguments.params.given()) gaps = combine_gaps(question.machine, question.problem.dim);
  const LeftOut left_out(gaps, cost.terms.total(), question.problem.dim,
                         (workload.items + workload.pad) * workload.operation.item_bytes(), bench,
                         [&](Benches& benches) { return combine_run(without_payload(arguments), benches); });
  const nlohmann::ordered_json object = {{"machine", question.machine_json},
                                         {"workload", workload_json(arguments, question.request, strategy)},
                                         {"predicted", predicted_json(cost.terms, question.parameters)}};
  return left_out.tell("combine", arguments.run.json, object, [&] {
    fmt::print("{}\n\n{}\n", title_of(arguments, question), algorithm_name(workload, strategy));
    fmt::print("start-up      {:>14.3f} us\n", cost.terms.startup_us);
    if (question.problem.startups == Startups::queued && question.problem.parts().count() > 1) {
      fmt::print("queued        {:>14.3f} us   start-ups and receipts that wait for the node's one processor\n",
                 cost.terms.queued_startup_us);
    }
    fmt::print("transmission  {:>14.3f} us\ncombination   {:>14.3f} us\n", cost.terms.transmission_us,
               cost.terms.combine_us);
    fmt::print("total         {:>14.3f} us\n\n", cost.terms.total());
    print_combine_parameters(question.parameters);
  });
}

Candidate candidate_of(const CombineChoice& one) {
  return {.name = one.tree ? "v1" : one.strategy.name(),
          .choice = {{"algorithm", one.tree ? "v1" : "hybrid"}, {"strategy", strategy_json(one.strategy)}},
          .options = " --strategy " + (one.tree ? "v1" : one.strategy.name()),
          .ports = one.problem.ports,
          .predicted_us = one.terms.total(),
          .was_run = one.was_run,
          .measured_us = one.measured_us};
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
  if (!arguments.params.given()) use_combine_library(arguments.run);
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim =
      std::min(dim_of(arguments.run, machine, max_predicted_dim, Networks::logical_cubes), max_tried_dim);
  const bool measures = !arguments.params.given() && !combine_gaps(machine, dim).empty();
  TestBench bench(measures ? std::max(dim, calibration_dim) : calibration_dim);
  const CombineQuestion question = combine_question_of(arguments, &bench);
  const CombineParameters& p = question.parameters;
  const std::vector<CombineChoice> by_ports = combine_choices(question);
  const TriedCombines tried = tried_combines(arguments, question, bench);
  const CombineChoice& by_equation = least_of(by_ports);
  const CombineChoice& best = tried.candidates.empty() ? by_equation : tried.candidates.front();
  const CombineProblem& problem = by_equation.problem;
  CombineQuestion chosen = question;
  chosen.problem = problem;
  Recommendation answer{
      .workload = "combine",
      .run = arguments.run,
      .options = fmt::format(" --items {}", arguments.items.value()) +
                 given_words({&arguments.target, &arguments.type, &arguments.pad}),
      .runnable = !arguments.params.given() && problem.dim <= max_simulated_dim &&
                  arguments.items.value() <= max_run_combine_items,
      .data_bytes = GlobalCombine::required(problem.dim, problem.items, bytes_of(question.request.type)),
      .title = title_of(arguments, chosen),
      .kind = "strategy",
      .about = {{"machine", question.machine_json},
                {"workload", workload_json(arguments, question.request, best.strategy)},
                {"predicted", predicted_json(best.terms, p)}},
      .leaves_out = tried.leaves_out};
  const auto with = [&](bool tree, const Strategy& strategy) {
    const CombineTerms terms =
        tree ? tree_cost(problem, p).terms : combine_cost(problem, p, HalvingRule::by(strategy)).terms;
    return candidate_of({.problem = problem, .strategy = strategy, .tree = tree, .terms = terms});
  };
  for (const CombineChoice& one : tried.candidates.empty() ? by_ports : tried.candidates) {
    answer.candidates.push_back(candidate_of(one));
  }
  if (tried.candidates.empty()) {
    std::iter_swap(answer.candidates.begin(), answer.candidates.begin() + (&by_equation - by_ports.data()));
  } else {
    answer.by_equation = candidate_of(by_equation);
  }
  const Strategy full = Strategy::full(problem.dim);
  answer.beside.emplace_back("v1", with(true, full));
  answer.beside.emplace_back("v2", with(false, full));
  answer.beside.emplace_back("v3", with(false, Strategy::halving(problem.dim)));
  return tell(answer, arguments.run.json, [&] {
    fmt::print("v1: tree and broadcast; v2: full vectors; v3: halves\n{}", origin_of(problem, p));
    print_combine_parameters(p);
  });
}

}  // namespace

void add_predict_combine(Command& predict_command, Invocation& invocation) {
  add_question<CombineArguments>(
      predict_command, invocation, "combine", "Global combine", [](CombineArguments& a) { return a.question_rows(); },
      [](const CombineArguments& a) { return predict(a); });
}

void add_best_combine(Command& best_command, Invocation& invocation) {
  add_question<CombineArguments>(
      best_command, invocation, "combine",
      "Strategy and number of ports with the least predicted time, beside versions 1, 2 and 3",
      [](CombineArguments& a) -> std::vector<OptionRow*> {
        return {&a.items, &a.target, &a.type, &a.pad, &a.params, &a.run.embed};
      },
      [](const CombineArguments& a) { return best(a); }, measured_limit_help());
}

}  // namespace ecube
