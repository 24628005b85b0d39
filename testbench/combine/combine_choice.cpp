// SPDX-License-Identifier: Apache-2.0
// The best strategy over every number of ports.
#include "testbench/combine/combine_choice.h"

#include <algorithm>

#include "models/combine/combine_cost.h"
#include "models/fit/equation_gaps.h"
#include "testbench/collective/recommendation.h"

namespace ecube {

namespace {

/// Equal times may differ in their last bits.
bool is_less(const CombineTerms& a, const CombineTerms& b) { return a.total() < b.total() * (1 - 1e-9); }

/// Up to this dimension all strategies are candidates.
constexpr unsigned max_all_strategies_dim = 6;

CombineChoice best_over(CombineProblem problem, Ports ports, const CombineParameters& p) {
  problem.ports = ports;
  CombineChoice best{.problem = problem, .strategy = best_strategy(problem, p), .tree = false, .terms = {}};
  best.terms = followed_cost(problem, p, HalvingRule::by(best.strategy), false).terms;
  const CombineTerms tree = tree_cost(problem, p).terms;
  if (!is_less(tree, best.terms)) return best;
  best.tree = true;
  best.terms = tree;
  best.strategy = Strategy::full(problem.dim);
  return best;
}

/// All strategies, or on large cubes the best ones, and version 1, over every number of ports; least predicted first.
std::vector<CombineChoice> combine_candidates(const CombineQuestion& question) {
  const CombineProblem& problem = question.problem;
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
    for (const Strategy& strategy : strategies) {
      candidates.push_back({.problem = over,
                            .strategy = strategy,
                            .terms = followed_cost(over, parameters, HalvingRule::by(strategy), false).terms});
    }
    candidates.push_back({.problem = over,
                          .strategy = Strategy::full(problem.dim),
                          .tree = true,
                          .terms = tree_cost(over, parameters).terms});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const CombineChoice& a, const CombineChoice& b) { return is_less(a.terms, b.terms); });
  return candidates;
}

/// Whether candidates send few enough messages to run them all.
bool measures_combines(const std::vector<CombineChoice>& candidates, const CombineWorkload& workload,
                       const RunSetup& setup) {
  if (setup.dim > max_simulated_dim || candidates.empty()) return false;
  std::uint64_t messages = 0;
  for (const CombineChoice& one : candidates) {
    CombineWorkload what = workload;
    what.ports = one.problem.ports;
    what.tree = one.tree;
    messages += measured_messages(setup.machine, 1, GlobalCombine::messages(what, setup.dim, one.strategy),
                                  (workload.items + workload.pad) * workload.operation.item_bytes());
    if (messages > most_measured_messages) return false;
  }
  return true;
}

void measure_combines(std::vector<CombineChoice>& candidates, CombineWorkload workload, RunSetup setup,
                      TestBench& bench) {
  workload.payload = Payload::none;
  for (CombineChoice& one : candidates) {
    setup.machine.node.ports = one.problem.ports;
    adapt(workload, setup);
    workload.tree = one.tree;
    workload.rule = HalvingRule::by(one.strategy);
    one.was_run = true;
    const RunResult result = run_combine(bench, {.setup = setup, .workload = workload}, {}).run.result;
    if (result.status == RunResult::Status::finished) one.measured_us = result.us;
  }
  sort_by_time(candidates, &CombineChoice::measured_us);
}

}  // namespace

std::vector<CombineChoice> combine_choices(const CombineQuestion& question) {
  std::vector<CombineChoice> choices;
  for (const Ports ports : port_choices(question.machine, question.problem.dim)) {
    choices.push_back(best_over(question.problem, ports, question.parameters));
  }
  return choices;
}

const CombineChoice& least_of(const std::vector<CombineChoice>& choices) {
  const CombineChoice* least = &choices.front();
  for (const CombineChoice& one : choices) {
    if (is_less(one.terms, least->terms)) least = &one;
  }
  return *least;
}

TriedCombines tried_combines(const CombineArguments& arguments, const CombineQuestion& question, TestBench& bench) {
  TriedCombines tried;
  if (arguments.params.given()) return tried;
  const CombineWorkload& workload = question.request.workload;
  tried.leaves_out = combine_gaps(question.machine, question.problem.dim);
  if (tried.leaves_out.empty() || question.problem.dim > max_tried_dim) return tried;
  const RunSetup setup = setup_of(arguments.run, settings_of(arguments.run), Networks::logical_cubes);
  std::vector<CombineChoice> candidates = combine_candidates(question);
  if (!measures_combines(candidates, workload, setup)) return tried;
  measure_combines(candidates, workload, setup, bench);
  if (candidates.front().measured_us) tried.candidates = std::move(candidates);
  return tried;
}

}  // namespace ecube
