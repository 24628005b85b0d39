// SPDX-License-Identifier: Apache-2.0
// JSON of predictions and workloads of the combine.
#include "testbench/combine/combine_output.h"

#include <fmt/core.h>

#include "testbench/text/text.h"

namespace ecube {

namespace {

nlohmann::ordered_json neighbour_json(const NeighbourCost& cost, const std::string& infix) {
  return {{"alpha_" + infix + "zero_us", cost.alpha_zero_us},
          {"alpha_" + infix + "short_us", cost.alpha_short_us},
          {"alpha_" + infix + "us", cost.alpha_us},
          {"beta_" + infix + "us_per_item", cost.beta_us_per_item}};
}

}  // namespace

std::string algorithm_name(const CombineWorkload& workload, const Strategy& strategy) {
  if (workload.tree) return workload.target == CombineTarget::all ? "tree and broadcast" : "tree";
  return "strategy " + strategy.name();
}

nlohmann::ordered_json terms_json(const CombineTerms& terms) {
  return {{"startup_us", terms.startup_us},
          {"queued_startup_us", terms.queued_startup_us},
          {"transmission_us", terms.transmission_us},
          {"combine_us", terms.combine_us}};
}

nlohmann::ordered_json predicted_json(const CombineTerms& terms, const CombineParameters& p) {
  nlohmann::ordered_json parameters = {{"source", p.source}};
  parameters.update(neighbour_json(p.one_way, ""));
  parameters.update(neighbour_json(p.exchange, "exchange_"));
  parameters["short_items"] = p.short_items;
  parameters["gamma_us_per_item"] = p.gamma_us_per_item;
  if (p.processor) {
    parameters["processor_startup_us"] = p.processor->startup_us;
    parameters["processor_receipt_us"] = p.processor->receipt_us;
  }
  return {{"equation", "van de Geijn 1991, section 3, uneven halves"},
          {"us", terms.total()},
          {"terms", terms_json(terms)},
          {"parameters", parameters}};
}

nlohmann::ordered_json strategy_json(const Strategy& strategy) {
  nlohmann::ordered_json digits = nlohmann::ordered_json::array();
  for (const bool halve : strategy.digits()) digits.push_back(halve ? 1 : 0);
  return digits;
}

nlohmann::ordered_json workload_json(const CombineArguments& arguments, const CombineRequest& request,
                                     const Strategy& strategy) {
  const CombineWorkload& workload = request.workload;
  const std::string algorithm = chosen_algorithm(arguments, workload);
  nlohmann::ordered_json json = {
      {"items", workload.items}, {"algorithm", algorithm}, {"strategy", strategy_json(strategy)}, {"rule", nullptr}};
  if (algorithm == "hybrid") json["rule"] = arguments.rule.json();
  add_json(json, {&arguments.target, &arguments.root, &arguments.op, &arguments.type, &arguments.pad});
  return json;
}

std::string title_of(const CombineArguments& arguments, const CombineQuestion& question) {
  const CombineWorkload& workload = question.request.workload;
  const unsigned parts = question.problem.parts().count();
  return fmt::format("{}  d={}  combine of {} {} items to {}{}", question.name, question.problem.dim,
                     grouped(workload.items), arguments.type.text(), word_of(workload.target, combine_targets),
                     parts > 1 ? fmt::format(" over {} links at once", parts) : "");
}

}  // namespace ecube
