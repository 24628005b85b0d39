// SPDX-License-Identifier: Apache-2.0
// The equation of the shuffle, and its best algorithm, as tables or JSON.
#include "testbench/shuffle/shuffle_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "models/fit/deviation.h"
#include "models/fit/equation_gaps.h"
#include "models/shuffle/shuffle_queue.h"
#include "testbench/collective/equation_note.h"
#include "testbench/collective/port_choices.h"
#include "testbench/run/experiment.h"
#include "testbench/shuffle/shuffle_choice.h"
#include "testbench/shuffle/shuffle_experiment.h"
#include "testbench/shuffle/shuffle_output.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/system/program_files.h"
#include "testbench/text/json_text.h"

namespace ecube {

namespace {

void print_parameters(const ShuffleParameters& p) {
  fmt::print("parameters, {}: tau {:.6g} us, t_c {:.6g} us/element, rho {:.6g} us/element\n", p.source, p.tau_us,
             p.tc_us_per_element, p.rho_us_per_element);
}

int predict(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  ShuffleWorkload workload = shuffle_workload_of(arguments, machine, dim);
  if (workload.method == ShuffleMethod::route) {
    throw ErrorText("route has no equation: how long messages wait for links is left to the network")
        .hint("measure it with " + own_command() + " run shuffle --algorithm route")
        .error();
  }
  const PacketParameters parameters = parameters_for(arguments, machine);
  if (workload.packet == 0) workload.packet = best_packet_choice(workload, dim, parameters).packet;
  const ShuffleParameters p = parameters(workload.packet);
  const auto formula = formula_of(workload, dim);
  const ShuffleCount count = formula ? *formula : count_of(workload, dim);
  const ShuffleTerms terms = workload_cost(workload, dim, count, p);
  const double bound = lower_bound_us(workload, p);
  std::vector<std::string> gaps;
  if (arguments.params.empty()) gaps = shuffle_gaps(machine, dim);
  if (arguments.run.json) {
    nlohmann::ordered_json machine_part = machine_json(machine, dim, EngineChoice::event);
    machine_part.erase("engine");
    if (!arguments.params.empty()) machine_part = {{"name", nullptr}, {"dim", dim}};
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "predict shuffle"},
                                   {"machine", machine_part},
                                   {"workload", shuffle_json(workload, dim)},
                                   {"predicted", shuffle_prediction_json(terms, count, p, bound, formula.has_value())}};
    add_leaves_out(json, gaps);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  shuffle {}  {} elements, packets of {}  {}\n\n",
             arguments.params.empty() ? machine.name : "--params", dim, workload.permutation.name(),
             grouped(workload.elements), workload.packet, algorithm_name(workload));
  fmt::print("{:>12} start-ups  {:>14.3f} us\n{:>12} steps      {:>14.3f} us\n", grouped(count.startups),
             terms.startup_us, grouped(count.steps), terms.transmission_us);
  if (p.processor) fmt::print("{:>12} queued     {:>14.3f} us\n", "", terms.queued_startup_us);
  fmt::print("{:>12} moved      {:>14.3f} us\ntotal                    {:>14.3f} us   lower bound {:.3f} us\n\n",
             grouped(count.moved), terms.local_us, terms.total(), bound);
  print_two_cycles(workload, dim);
  print_parameters(p);
  fmt::print("{}", leaves_out_note(gaps));
  return 0;
}

/// The packets that the papers' formulas give, where they have one.
void print_packet_formulas(const ShuffleWorkload& workload, unsigned dim, const ShuffleParameters& p) {
  if (p.tau_us < 0) return;  // the formulas take its root
  const Factors factors = factor(workload.permutation);
  const std::uint64_t elements = workload.spread_elements();
  if (factors.mixed.size() == 1 && factors.real.empty() && factors.mixed.front().order() > 1) {
    const std::uint32_t order = factors.mixed.front().order();
    fmt::print("best packet by formula: pipelined {:.2f}", best_pipelined_packet(order, elements, p));
    if (order >= 4) fmt::print(", concurrent {:.2f}", best_concurrent_packet(order, elements, p));
    fmt::print("\n");
  }
  ShuffleWorkload squared = workload;
  squared.method = ShuffleMethod::constituents;
  squared.real = RealAlgorithm::a2x2;
  const RealParts parts = real_parts(factors, squared, dim);
  if (factors.mixed.empty() && parts.by_a2.empty() && parts.rounds.size() == 1 && !unfit(squared, dim)) {
    fmt::print("best packet by formula: a2x2 {:.2f}\n", best_a2x2_packet(factors.real.size(), elements, p));
  }
  if (factors.mixed.empty() && factors.real.size() == 1 && factors.real.front().order() > 2) {
    const std::uint32_t order = factors.real.front().order();
    const bool one_port = workload.ports.engines == 1;
    fmt::print("packets without bound: a2 is faster than a1 where tau is above {:.6g} us\n",
               a1_a2_break_even_us(order, elements, one_port, p.tc_us_per_element));
  }
}

/// The command that runs the best choice.
std::string command_of(const ShuffleArguments& arguments, const ShuffleChoice& best) {
  std::string command =
      run_command("shuffle", arguments.run, best.workload.ports) + fmt::format(" --elements {}", arguments.elements);
  for (const std::string& cycle : arguments.cycles) command += " --cycle " + cycle;
  const auto option = [&command](const char* name, const std::string& value) {
    if (!value.empty()) command += fmt::format(" {} {}", name, value);
  };
  option("--complement", arguments.complement);
  option("--permutation", arguments.permutation);
  if (arguments.extend > 0) option("--extend", std::to_string(arguments.extend));
  if (arguments.align != "on") option("--align", arguments.align);
  const std::string algorithm = algorithm_name(best.workload);
  if (algorithm != "local") option("--algorithm", algorithm);
  return command + fmt::format(" --packet {}", best.workload.packet);
}

int best(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  const ShuffleWorkload permutation = permutation_of(arguments, machine, dim);
  const auto packet = packet_of(arguments.packet, permutation.elements, true);
  const bool asks_machine = arguments.params.empty();
  const bool routes = asks_machine && measures_route(permutation, dim);
  const bool runs = asks_machine && measures_shuffles(permutation, dim, machine);
  TestBench bench(runs ? std::max(dim, calibration_dim) : calibration_dim);
  const PacketParameters parameters = asks_machine ? fitted_parameters(bench, machine) : given_parameters(arguments);
  BestShuffles shuffles;
  if (asks_machine) {
    shuffles = best_shuffles(permutation, packet, dim, parameters, machine, bench);
  } else {
    shuffles.candidates = shuffle_choices(permutation, packet, dim, parameters);
  }
  const auto& [candidates, gaps, all_measured] = shuffles;
  if (candidates.empty()) {
    throw ErrorText("no algorithm takes packets of this size").valid("a smaller --packet | --packet best").error();
  }
  const ShuffleChoice& first = candidates.front();
  // The best of the algorithms that have an equation.
  const auto has_equation = std::find_if(candidates.begin(), candidates.end(), [](const ShuffleChoice& one) {
    return one.workload.method != ShuffleMethod::route;
  });
  const ShuffleChoice& predicted = has_equation == candidates.end() ? first : *has_equation;
  const ShuffleParameters p = parameters(predicted.workload.packet);
  const double bound = lower_bound_us(predicted.workload, p);
  const std::string command = asks_machine ? command_of(arguments, first) : "";
  if (arguments.run.json) {
    nlohmann::ordered_json machine_part = machine_json(machine, dim, EngineChoice::event);
    machine_part.erase("engine");
    if (!asks_machine) machine_part = {{"name", nullptr}, {"dim", dim}};
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const ShuffleChoice& one : candidates) {
      all.push_back({{"algorithm", algorithm_name(one.workload)},
                     {"packet", one.workload.packet},
                     {"ports", ports_word(one.workload.ports)},
                     {"steps", one.count.steps},
                     {"startups", one.count.startups},
                     {"us", one.us},
                     {"from", one.measured ? "measurement" : "equation"}});
      if (one.predicted_us) all.back()["predicted_us"] = *one.predicted_us;
    }
    nlohmann::ordered_json json = {{"schema", json_schema},
                                   {"command", "best shuffle"},
                                   {"machine", machine_part},
                                   {"workload", shuffle_json(predicted.workload, dim)}};
    if (predicted.workload.method != ShuffleMethod::route) {
      const ShuffleTerms terms = workload_cost(predicted.workload, dim, predicted.count, p);
      json["predicted"] = shuffle_prediction_json(terms, predicted.count, p, bound, predicted.has_formula);
    }
    json["best"] = {{"algorithm", algorithm_name(first.workload)},
                    {"packet", first.workload.packet},
                    {"ports", ports_word(first.workload.ports)},
                    {"us", first.us},
                    {"from", first.measured ? "measurement" : "equation"}};
    if (first.predicted_us) json["best"]["predicted_us"] = *first.predicted_us;
    if (!command.empty()) json["best"]["run"] = command;
    json["candidates"] = all;
    add_leaves_out(json, gaps);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  shuffle {}  {} elements\n\n", asks_machine ? machine.name : "--params", dim,
             permutation.permutation.name(), grouped(permutation.elements));
  fmt::print("{:<30} {:>8} {:>5} {:>12} {:>12}", "algorithm", "packet", "ports", "start-ups", "steps");
  fmt::print("{}\n", all_measured ? fmt::format(" {:>14} {:>14} {:>9}", "predicted us", "measured us", "error")
                                  : fmt::format(" {:>14}", "us"));
  for (const ShuffleChoice& one : candidates) {
    fmt::print("{:<30} {:>8} {:>5} {:>12} {:>12}", algorithm_name(one.workload), one.workload.packet,
               ports_word(one.workload.ports), grouped(one.count.startups), grouped(one.count.steps));
    if (one.predicted_us) {
      fmt::print(" {:>14.3f} {:>14.3f} {:>9}", *one.predicted_us, one.us,
                 percent(deviation_percent(one.us, *one.predicted_us)));
    } else if (all_measured) {
      fmt::print(" {:>14} {:>14.3f} {:>9}", "none", one.us, "");
    } else {
      fmt::print(" {:>14.3f}", one.us);
    }
    fmt::print(" {:>7.3f} x\n", first.us > 0 ? one.us / first.us : 1.0);
  }
  fmt::print("\nno schedule of exchanges between neighbours takes less than {:.6g} us\n", bound);
  if (routes) {
    fmt::print("route has no equation: its time is measured\n");
  } else if (asks_machine) {
    fmt::print(
        "route has no equation, and this run is too large to measure it here: {} run shuffle --algorithm route\n",
        own_command());
  }
  const bool counted = std::any_of(candidates.begin(), candidates.end(), [](const ShuffleChoice& one) {
    return !one.has_formula && one.workload.method != ShuffleMethod::route;
  });
  if (counted) fmt::print("on fewer ports than dimensions steps are counted in the schedules\n");
  fmt::print("{}", leaves_out_note(gaps, all_measured));
  print_packet_formulas(permutation, dim, p);
  print_parameters(p);
  if (!command.empty()) fmt::print("run it: {}\n", command);
  return 0;
}

}  // namespace

void add_best_shuffle(Command& best_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  arguments->packet = "best";
  Command& command = best_command.add_command(
      "shuffle", "Algorithm, packet and number of ports with the least time, beside all others");
  add_permutation_options(command, *arguments);
  command.add_option("--packet", arguments->packet, "B, elements of a message, or best for each algorithm")
      .show_default();
  add_machine_options(command, arguments->run);
  command.add_option("--params", arguments->params,
                     "In place of a machine: tc=1,tau=100 (us per element, us per packet; rho per element)");
  add_footer(command,
             measured_limit_help() +
                 "Examples:\n"
                 "  ecube best shuffle --ports n --dim 6 --elements 1024\n"
                 "  ecube best shuffle --machine ipsc1 --dim 5 --cycle p4,p3,p2,p1,p0 --elements 256\n"
                 "  ecube best shuffle --params tc=1,tau=100 --ports n --dim 8 --elements 4096 --cycle p3,p2,p1,p0,s0 "
                 "--cycle p7,p6,p5,p4,s1");
  command.on_run([arguments, &invocation] { invocation.status = best(*arguments); });
}

void add_predict_shuffle(Command& predict_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  Command& command = predict_command.add_command("shuffle", "Generalised shuffle");
  add_shuffle_options(command, *arguments);
  add_machine_options(command, arguments->run);
  command.add_option("--params", arguments->params,
                     "In place of a machine: tc=1,tau=100 (us per element, us per packet; rho per element)");
  add_footer(command,
             "Examples:\n"
             "  ecube predict shuffle --ports n --dim 6 --elements 64\n"
             "  ecube predict shuffle --params tc=1,tau=100 --dim 5 --elements 1024 --packet 32 --algorithm one-port");
  command.on_run([arguments, &invocation] { invocation.status = predict(*arguments); });
}

}  // namespace ecube
