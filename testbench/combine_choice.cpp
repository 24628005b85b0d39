// SPDX-License-Identifier: Apache-2.0
// The best strategy over every number of ports.
#include "testbench/combine_choice.h"

#include "models/combine_queue.h"
#include "testbench/port_choices.h"

namespace ecube {

namespace {

/// Equal times may differ in their last bits.
bool is_less(const CombineTerms& a, const CombineTerms& b) { return a.total() < b.total() * (1 - 1e-9); }

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

}  // namespace

std::vector<CombineChoice> combine_choices(const CombineProblem& problem, const CombineParameters& parameters) {
  std::vector<CombineChoice> choices;
  for (const Ports ports : port_choices(problem.ports, problem.dim)) {
    choices.push_back(best_over(problem, ports, parameters));
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

}  // namespace ecube
