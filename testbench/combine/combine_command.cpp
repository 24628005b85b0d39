// SPDX-License-Identifier: Apache-2.0
// The equation of the combine, as a table or JSON.
#include <fmt/core.h>

#include "models/combine/combine_queue.h"
#include "models/fit/equation_gaps.h"
#include "testbench/collective/equation_note.h"
#include "testbench/combine/combine_choice.h"
#include "testbench/combine/combine_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/experiment.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

int predict(CombineArguments arguments) {
  CombineQuestion question = combine_question_of(arguments);
  choose_strategy(arguments, question.request, question.problem, question.parameters);
  const CombineWorkload& workload = question.request.workload;
  const Strategy strategy = strategy_of(workload.rule, question.problem);
  const CombineCost cost = followed_cost(question.problem, question.parameters, workload.rule, workload.tree);
  std::vector<std::string> gaps;
  if (!arguments.params.given()) gaps = combine_gaps(question.machine, question.problem.dim);
  if (arguments.run.json) {
    nlohmann::ordered_json json = {{"machine", question.machine_json},
                                   {"workload", workload_json(arguments, question.request, strategy)},
                                   {"predicted", predicted_json(cost.terms, question.parameters)}};
    add_leaves_out(json, gaps);
    print_json("predict combine", json);
    return 0;
  }
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
  fmt::print("{}", leaves_out_note(gaps));
  return 0;
}

}  // namespace

void add_predict_combine(Command& predict_command, Invocation& invocation) {
  add_question<CombineArguments>(
      predict_command, invocation, "combine", "Global combine", [](CombineArguments& a) { return a.question_rows(); },
      [](const CombineArguments& a) { return predict(a); },
      "Examples:\n"
      "  ecube predict combine --machine ipsc860-combine --dim 6 --items 320 --strategy v2\n"
      "  ecube predict combine --params alpha=525,beta=2,gamma=0.35 --dim 6 --items 384 --strategy hybrid");
}

}  // namespace ecube
