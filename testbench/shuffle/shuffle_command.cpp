// SPDX-License-Identifier: Apache-2.0
// From typed options to a shuffle experiment, and from a measurement or a schedule to a table or JSON.
#include "testbench/shuffle/shuffle_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/fit/deviation.h"
#include "models/fit/equation_gaps.h"
#include "models/shuffle/shuffle_queue.h"
#include "testbench/collective/equation_note.h"
#include "testbench/collective/port_choices.h"
#include "testbench/run/run_session.h"
#include "testbench/shuffle/shuffle_choice.h"
#include "testbench/shuffle/shuffle_experiment.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace {

nlohmann::ordered_json predicted_json(const ShuffleTerms& terms, const ShuffleCount& count, const ShuffleParameters& p,
                                      double bound_us, bool has_formula) {
  nlohmann::ordered_json parameters = {{"source", p.source},
                                       {"tau_us", p.tau_us},
                                       {"tc_us_per_element", p.tc_us_per_element},
                                       {"rho_us_per_element", p.rho_us_per_element}};
  if (p.processor) {
    parameters["processor_startup_us"] = p.processor->startup_us;
    parameters["processor_receipt_us"] = p.processor->receipt_us;
  }
  return {{"equation", has_formula ? "Johnsson & Ho 1991, Tables 1 to 3, corrected" : "counted in the schedule"},
          {"us", terms.total()},
          {"steps", count.steps},
          {"startups", count.startups},
          {"lower_bound_us", bound_us},
          {"terms",
           {{"startup_us", terms.startup_us},
            {"queued_startup_us", terms.queued_startup_us},
            {"transmission_us", terms.transmission_us},
            {"local_us", terms.local_us}}},
          {"parameters", parameters}};
}

}  // namespace

nlohmann::ordered_json shuffle_json(const ShuffleWorkload& workload, unsigned dim) {
  nlohmann::ordered_json json = {{"elements", workload.elements},
                                 {"permutation", workload.permutation.name()},
                                 {"algorithm", algorithm_name(workload)},
                                 {"packet", workload.packet},
                                 {"align", word_of(workload.align, align_switches)},
                                 {"extend", workload.extend}};
  if (const auto rounds = two_cycle_rounds(workload, dim); !rounds.empty()) json["two_cycle_rounds"] = rounds;
  return json;
}

namespace {

void print_two_cycles(const ShuffleWorkload& workload, unsigned dim) {
  if (const std::string note = two_cycle_note(workload, dim); !note.empty()) fmt::print("{}\n", note);
}

void print_figures(const ShuffleMeasurement& m, const ShuffleWorkload& workload, const ShuffleParameters& p,
                   double bound, bool estimated) {
  if (!m.predicted) {
    fmt::print("{} elements and {} packets of a node, {:.3f} us\n", grouped(m.counted.steps),
               grouped(m.counted.startups), m.run.result.us);
    fmt::print("no equation: how long messages wait for links is left to the network\n");
    fmt::print("no schedule of exchanges between neighbours takes less than {:.6g} us\n", bound);
    return;
  }
  fmt::print("             predicted       measured     error\n");
  const auto row = [](const char* name, double predicted, double measured, int digits) {
    fmt::print("{:<10} {:>11.{}f}    {:>11.{}f}  {:>8}\n", name, predicted, digits, measured, digits,
               percent(predicted > 0 ? deviation_percent(measured, predicted) : measured));
  };
  row("steps", static_cast<double>(m.expected.steps), static_cast<double>(m.counted.steps), 0);
  row("start-ups", static_cast<double>(m.expected.startups), static_cast<double>(m.counted.startups), 0);
  row("us", m.predicted->total(), m.run.result.us, 3);
  if (workload.packet == 1 && m.predicted->local_us == 0 && !p.processor) {
    fmt::print("measured time is {:.6g} exchanges of {:.6g} us; no schedule takes less than {:.6g} us\n",
               m.run.result.us / (p.tau_us + p.tc_us_per_element), p.tau_us + p.tc_us_per_element, bound);
  } else {
    fmt::print("no schedule takes less than {:.6g} us\n", bound);
  }
  if (p.processor) {
    fmt::print("start-ups queue on the node's one processor: {:.3f} us of the prediction\n",
               m.predicted->queued_startup_us);
    const char* estimate = nullptr;
    if (estimated) {
      estimate = "messages of the protocol queue too, in an order that the equation does not follow";
    } else if (workload.extend > 0) {
      estimate = "nodes that have their elements begin the permutation, where the equation waits for the last one";
    }
    if (estimate != nullptr)
      fmt::print("  an estimate: {}; this run is {} off\n", estimate, percent(m.error_percent()));
  }
  if (!m.has_formula) fmt::print("fewer ports than dimensions: predicted steps are counted in the schedule\n");
  if (m.unpaced_us) {
    fmt::print("messages one way are paced as exchanges with an empty half; unpaced the run takes {:.3f} us\n",
               *m.unpaced_us);
  }
  if (!workload.align) {
    fmt::print("not aligned: partners use different local addresses\n");
  } else if (m.expected.moved > 0) {
    fmt::print("elements aligned before and after: {:.6g} us of local moves\n", m.predicted->local_us);
  }
}

int run(const ShuffleArguments& arguments, const Invocation& invocation) {
  ShuffleExperiment experiment;
  experiment.setup = setup_of(arguments.run, settings_of(arguments.run));
  const RunSetup& setup = experiment.setup;
  ShuffleWorkload& workload = experiment.workload;
  workload = shuffle_workload_of(arguments, setup.machine, setup.dim);
  if (workload.method == ShuffleMethod::route && setup.engine == EngineChoice::ideal) {
    throw ErrorText("--engine ideal has no network for messages to find their way through")
        .valid("event | clocked | rtl")
        .error();
  }
  check_size(workload, setup.dim);
  TestBench& bench = invocation.bench(arguments.run, setup);
  const Calibration fitted = bench.calibrate(setup.machine);
  if (workload.packet == 0) {
    workload.packet = best_packet_choice(workload, setup.dim, [&](std::uint64_t packet) {
                        return fitted.shuffle(element_bytes, packet);
                      }).packet;
  }
  const std::uint64_t messages = GeneralisedShuffle::messages(workload, setup.dim);
  if (invocation.estimate) {
    invocation.estimate({.circuits = messages, .data = required_memory(workload, setup.dim)});
    return 0;
  }
  const ShuffleParameters p = fitted.shuffle(element_bytes, workload.packet);
  GeneralisedShuffle shuffle(workload, setup.dim);
  RunSession session(arguments.run, setup, bench,
                     {.circuits = messages, .where = {}, .hops = workload.method == ShuffleMethod::route ? 0.0 : 1.0});
  const ShuffleMeasurement m = run_shuffle(bench, experiment, p, shuffle);
  const double bound = lower_bound_us(workload, p);
  nlohmann::ordered_json options = shuffle_json(workload, setup.dim);
  options["jitter_cycles"] = setup.conditions.jitter;
  options["seed"] = setup.conditions.seed;
  nlohmann::ordered_json figures = {{"steps", m.counted.steps}, {"startups", m.counted.startups}};
  if (m.unpaced_us) figures["unpaced_us"] = *m.unpaced_us;
  RunReport report{.command = "run shuffle",
                   .workload = options,
                   .measured = figures,
                   .predicted = m.predicted ? predicted_json(*m.predicted, m.expected, p, bound, m.has_formula)
                                            : nlohmann::ordered_json(),
                   .error_percent = m.error_percent(),
                   .verified = m.verified};
  std::vector<std::string> gaps;
  if (m.predicted && setup.engine != EngineChoice::ideal) gaps = shuffle_gaps(setup.machine, setup.dim);
  add_leaves_out(report.extra, gaps);
  return session.finish(m.run, report, invocation, [&] {
    const NodeId nodes = NodeId{1} << setup.dim;
    fmt::print("{}  d={} ({} nodes, {} links)  shuffle {}  {} elements, packets of {}  {}  engine {}  seed {}\n\n",
               setup.machine.name, setup.dim, grouped(nodes), grouped(std::uint64_t{setup.dim} * nodes),
               workload.permutation.name(), grouped(workload.elements), workload.packet, algorithm_name(workload),
               word_of(setup.engine, engines), setup.conditions.seed);
    print_figures(m, workload, p, bound,
                  setup.machine.library.protocol != Protocol::none && setup.engine != EngineChoice::ideal);
    print_two_cycles(workload, setup.dim);
    fmt::print("{}", leaves_out_note(gaps));
    fmt::print("{} circuits, {} of them blocked\n", grouped(m.run.network.circuits),
               grouped(m.run.network.link_blocked.circuits));
    if (m.verified == true) {
      fmt::print("data verified: {} elements where the permutation sends them\n",
                 grouped(workload.spread_elements() << setup.dim));
    } else if (m.verified == false) {
      fmt::print("{}\n", session.style().bad(fmt::format("DATA WRONG: {} elements", grouped(m.wrong))));
    }
  });
}

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
    nlohmann::ordered_json json = {{"schema", 1},
                                   {"command", "predict shuffle"},
                                   {"machine", machine_part},
                                   {"workload", shuffle_json(workload, dim)},
                                   {"predicted", predicted_json(terms, count, p, bound, formula.has_value())}};
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

/// The command that runs it.
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
  // Of the algorithms that have an equation.
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
    nlohmann::ordered_json json = {{"schema", 1},
                                   {"command", "best shuffle"},
                                   {"machine", machine_part},
                                   {"workload", shuffle_json(predicted.workload, dim)}};
    if (predicted.workload.method != ShuffleMethod::route) {
      const ShuffleTerms terms = workload_cost(predicted.workload, dim, predicted.count, p);
      json["predicted"] = predicted_json(terms, predicted.count, p, bound, predicted.has_formula);
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

void add_run_shuffle(Command& run_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  Command& command = run_command.add_command(
      "shuffle", "Generalised shuffle: elements move as the bits of their address change places");
  add_shuffle_options(command, *arguments);
  add_run_options(command, arguments->run);
  add_footer(
      command,
      "Examples:\n"
      "  ecube run shuffle --ports n --dim 6 --elements 18 --cycle p5,p4,p3,p2,p1,p0,s0\n"
      "  ecube run shuffle --dim 4 --elements 64 --cycle p3,p2,s1 --cycle p1,p0,s0 --ports n --complement p2,s1\n"
      "  ecube run shuffle --dim 3 --elements 8 --cycle p2,p1,p0 --algorithm a1\n"
      "  ecube run shuffle --ports n --dim 6 --elements 24 --cycle p1,p0 --cycle p3,p2 --cycle p5,p4 --algorithm a2x2\n"
      "  ecube run shuffle --dim 6 --elements 64 --permutation bit-reversal --ports n");
  command.on_run([arguments, &invocation] { invocation.status = run(*arguments, invocation); });
}

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
