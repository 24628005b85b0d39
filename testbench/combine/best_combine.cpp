// SPDX-License-Identifier: Apache-2.0
// The strategy and number of ports with the least time: by the equation, or on the machine where the equation leaves
// out something.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "models/fit/deviation.h"
#include "models/fit/equation_gaps.h"
#include "testbench/collective/equation_note.h"
#include "testbench/collective/port_choices.h"
#include "testbench/combine/combine_choice.h"
#include "testbench/combine/combine_command.h"
#include "testbench/combine/combine_output.h"
#include "testbench/run/experiment.h"
#include "testbench/text/json_text.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// The command that runs the best choice; empty without a machine, or for a cube that is too large to run.
std::string command_of(const CombineArguments& arguments, const CombineChoice& best) {
  if (!arguments.params.empty() || best.problem.dim > max_simulated_dim) return {};
  std::string command =
      run_command("combine", arguments.run, best.problem.ports) +
      fmt::format(" --items {} --strategy {}", arguments.items, best.tree ? "v1" : best.strategy.name());
  if (arguments.target != "all") command += " --target " + arguments.target;
  if (arguments.type != "float") command += " --type " + arguments.type;
  if (arguments.pad != "off") command += " --pad " + arguments.pad;
  return command;
}

void print_tried(const TriedCombines& tried) {
  if (tried.leaves_out.empty()) return;
  fmt::print("\n{}", leaves_out_note(tried.leaves_out, !tried.candidates.empty()));
  if (tried.candidates.empty()) return;
  fmt::print("\n{:<7} {:<26} {:>5} {:>14} {:>14} {:>9}\n", "", "strategy", "ports", "predicted us", "measured us",
             "error");
  constexpr std::size_t most_rows = 20;
  for (std::size_t i = 0; i < std::min(tried.candidates.size(), most_rows); ++i) {
    const CombineChoice& one = tried.candidates[i];
    const double predicted = one.terms.total();
    fmt::print("{:<7} {:<26} {:>5} {:>14.3f} ", i == 0 ? "best" : "", one.tree ? "v1" : one.strategy.name(),
               ports_word(one.problem.ports), predicted);
    if (one.measured_us) {
      fmt::print("{:>14.3f} {:>9}\n", *one.measured_us, percent(deviation_percent(*one.measured_us, predicted)));
    } else {
      fmt::print("{:>14}\n", "unfinished");
    }
  }
  fmt::print("\n{} were run\n", counted(tried.candidates.size(), "candidate"));
}

nlohmann::ordered_json choice_json(const CombineChoice& one) {
  nlohmann::ordered_json json = {{"ports", ports_word(one.problem.ports)},
                                 {"algorithm", one.tree ? "v1" : "hybrid"},
                                 {"strategy", strategy_json(one.strategy)},
                                 {"us", one.measured_us.value_or(one.terms.total())}};
  if (one.measured_us) {
    json["predicted_us"] = one.terms.total();
    json["from"] = "measurement";
  }
  return json;
}

int best(CombineArguments arguments) {
  if (arguments.params.empty()) use_combine_library(arguments.run);
  const auto dim = static_cast<unsigned>(std::clamp<std::int64_t>(arguments.run.dim, 1, max_tried_dim));
  const bool measures = arguments.params.empty() && !combine_gaps(resolve(settings_of(arguments.run)), dim).empty();
  TestBench bench(measures ? std::max(dim, calibration_dim) : calibration_dim);
  const CombineQuestion question = combine_question_of(arguments, &bench);
  const CombineParameters& p = question.parameters;
  const std::vector<CombineChoice> by_ports = combine_choices(question.problem, p);
  const TriedCombines tried = tried_combines(arguments, question, bench);
  const CombineChoice* const by_equation = &least_of(by_ports);
  const CombineChoice* const best = tried.candidates.empty() ? by_equation : &tried.candidates.front();
  const CombineProblem& problem = by_equation->problem;
  const std::string command = command_of(arguments, *best);
  const std::string algorithm = best->tree ? "v1" : "hybrid";
  if (arguments.run.json) {
    arguments.strategy = algorithm;
    nlohmann::ordered_json json = {
        {"schema", json_schema}, {"command", "best combine"}, {"machine", question.machine_json}};
    json["workload"] = workload_json(arguments, question.request, best->strategy);
    json["predicted"] = predicted_json(best->terms, p);
    json["best"] = {{"algorithm", algorithm},
                    {"strategy", strategy_json(best->strategy)},
                    {"ports", ports_word(best->problem.ports)},
                    {"us", best->measured_us.value_or(best->terms.total())}};
    if (best->measured_us) {
      json["best"]["predicted_us"] = best->terms.total();
      json["best"]["from"] = "measurement";
      json["by_equation"] = choice_json(*by_equation);
    }
    if (!command.empty()) json["best"]["run"] = command;
    nlohmann::ordered_json candidates = nlohmann::ordered_json::array();
    for (const CombineChoice& one : tried.candidates.empty() ? by_ports : tried.candidates) {
      candidates.push_back(choice_json(one));
    }
    json["candidates"] = candidates;
    add_leaves_out(json, tried.leaves_out);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  CombineQuestion chosen = question;
  chosen.problem = by_equation->problem;
  print_question(arguments, chosen);
  const double least = by_equation->terms.total();
  const auto row = [&](const std::string& name, const std::string& what, double us) {
    fmt::print("{:<7} {:<42} {:>14.3f} us  {:>7.3f} x\n", name, what, us, least > 0 ? us / least : 1.0);
  };
  row(tried.candidates.empty() ? "best" : "equation", by_equation->tree ? "v1" : by_equation->strategy.name(), least);
  row("v1", problem.target == CombineTarget::all ? "tree and broadcast" : "tree", tree_cost(problem, p).terms.total());
  row("v2", "full vectors in every direction",
      combine_cost(problem, p, HalvingRule::by(Strategy::full(problem.dim))).terms.total());
  row("v3", "halves in every direction",
      combine_cost(problem, p, HalvingRule::by(Strategy::halving(problem.dim))).terms.total());
  fmt::print("\n");
  if (by_ports.size() > 1) {
    constexpr std::size_t most_rows = 20;
    for (std::size_t i = 0; i < std::min(by_ports.size(), most_rows); ++i) {
      const CombineChoice& one = by_ports[i];
      row(i == 0 ? "ports" : "", ports_word(one.problem.ports) + ": " + (one.tree ? "v1" : one.strategy.name()),
          one.terms.total());
    }
    fmt::print("\n");
  }
  if (p.one_alpha() && problem.pad == 0 && (problem.startups == Startups::overlapped || problem.parts().count() == 1)) {
    const double beta = p.exchange.beta_us_per_item / problem.parts().count();
    const unsigned k =
        theorem_1(problem.dim, static_cast<double>(problem.items), p.exchange.alpha_us, beta, p.gamma_us_per_item);
    fmt::print(
        "van de Geijn 1991, Theorem 1, for a multiple of p items: halve first, full vectors in the last {} of {}\n", k,
        problem.dim);
  } else if (p.one_alpha() && problem.pad == 0) {
    fmt::print("start-ups queue on the processor: found among all 2^{} strategies\n", problem.dim);
  } else {
    fmt::print("start-ups differ by length or direction: found among all 2^{} strategies\n", problem.dim);
  }
  print_combine_parameters(p);
  print_tried(tried);
  if (!command.empty()) fmt::print("run it: {}\n", command);
  return 0;
}

}  // namespace

void add_best_combine(Command& best_command, Invocation& invocation) {
  const auto arguments = std::make_shared<CombineArguments>();
  Command& command = best_command.add_command(
      "combine", "Strategy and number of ports with the least predicted time, beside versions 1, 2 and 3");
  command.add_option("--items", arguments->items, "Items of the vector on each node").show_default().common();
  command.add_option("--target", arguments->target, "Who gets the result: all or root").show_default();
  command.add_option("--type", arguments->type, "float, double, int32 or int64").show_default();
  command.add_option("--pad", arguments->pad, "on: every message is 30 items longer, so that none is short")
      .show_default();
  add_machine_options(command, arguments->run);
  add_combine_params_option(command, *arguments);
  add_footer(command, measured_limit_help() +
                          "Examples:\n"
                          "  ecube best combine --machine ipsc860 --dim 6 --items 512\n"
                          "  ecube best combine --params alpha=525,beta=2,gamma=0.35 --dim 6 --items 384 --ports n");
  command.on_run([arguments, &invocation] { invocation.status = best(*arguments); });
}

}  // namespace ecube
