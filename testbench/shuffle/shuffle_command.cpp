// SPDX-License-Identifier: Apache-2.0
// The equation of the shuffle, and its best algorithm, as tables or JSON.
#include <fmt/core.h>

#include <algorithm>

#include "models/fit/equation_gaps.h"
#include "models/shuffle/shuffle_workload.h"
#include "testbench/collective/recommendation.h"
#include "testbench/run/commands.h"
#include "testbench/run/experiment.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/system/process.h"
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
    throw InputError("route has no equation: how long messages wait for links is left to the network")
        .hint("measure it with " + own_command() + " run shuffle --algorithm route");
  }
  TestBench bench(max_tried_dim);
  const PacketParameters parameters =
      arguments.params.given() ? given_parameters(arguments) : fitted_parameters(bench, machine);
  if (workload.packet == 0) workload.packet = best_packet_choice(workload, dim, parameters).packet;
  const ShuffleParameters p = parameters(workload.packet);
  const auto formula = formula_of(workload, dim);
  const ShuffleCount count = formula ? *formula : count_of(workload, dim);
  const ShuffleTerms terms = workload_cost(workload, dim, count, p);
  const double bound = lower_bound_us(workload, p);
  std::vector<std::string> gaps;
  if (!arguments.params.given()) gaps = shuffle_gaps(machine, dim);
  const LeftOut left_out(gaps, terms.total(), dim, Bytes{workload.packet} * element_bytes, bench,
                         [&](Benches& benches) { return shuffle_run(arguments, benches); });
  const nlohmann::ordered_json object = {
      {"machine", asked_machine_json(machine, dim, arguments.params.given())},
      {"workload", shuffle_json(workload, dim)},
      {"predicted", shuffle_prediction_json(terms, count, p, bound, formula.has_value())}};
  return left_out.tell("shuffle", arguments.run.json, object, [&] {
    fmt::print("{}  d={}  shuffle {}  {} elements, packets of {}  {}\n\n",
               !arguments.params.given() ? machine.name : "--params", dim, workload.permutation.name(),
               grouped(workload.elements), workload.packet, algorithm_name(workload));
    fmt::print("{:>12} start-ups  {:>14.3f} us\n{:>12} steps      {:>14.3f} us\n", grouped(count.startups),
               terms.startup_us, grouped(count.steps), terms.transmission_us);
    if (p.processor) fmt::print("{:>12} queued     {:>14.3f} us\n", "", terms.queued_startup_us);
    fmt::print("{:>12} moved      {:>14.3f} us\ntotal                    {:>14.3f} us   lower bound {:.3f} us\n\n",
               grouped(count.moved), terms.local_us, terms.total(), bound);
    print_two_cycles(workload, dim);
    print_parameters(p);
  });
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

Candidate candidate_of(const ShuffleChoice& one) {
  const std::string algorithm = algorithm_name(one.workload);
  return {.name = algorithm,
          .choice = {{"algorithm", algorithm},
                     {"packet", one.workload.packet},
                     {"steps", one.count.steps},
                     {"startups", one.count.startups}},
          .options = (algorithm == "local" ? "" : " --algorithm " + algorithm) +
                     fmt::format(" --packet {}", one.workload.packet),
          .ports = one.workload.ports,
          .predicted_us = one.measured ? one.predicted_us : one.us,
          .was_run = one.measured,
          .measured_us = one.measured ? std::optional(one.us) : std::nullopt,
          .cells = {std::to_string(one.workload.packet), grouped(one.count.startups), grouped(one.count.steps)}};
}

std::string route_note(bool measured) {
  if (measured) return "route has no equation: its time is measured\n";
  return fmt::format(
      "route has no equation, and this run is too large to measure it here: {} run shuffle --algorithm route\n",
      own_command());
}

int best(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  const ShuffleWorkload permutation = permutation_of(arguments, machine, dim);
  const auto packet = packet_of(arguments.packet.value(), permutation.elements, true);
  const bool asks_machine = !arguments.params.given();
  const bool runs = asks_machine && measures_shuffles(permutation, dim, machine);
  TestBench bench(runs ? std::max(dim, calibration_dim) : calibration_dim);
  const PacketParameters parameters = asks_machine ? fitted_parameters(bench, machine) : given_parameters(arguments);
  BestShuffles shuffles;
  if (asks_machine) {
    shuffles = best_shuffles(permutation, packet, dim, parameters, machine, bench);
  } else {
    shuffles.candidates = shuffle_choices(permutation, packet, dim, parameters, machine);
  }
  const std::vector<ShuffleChoice>& candidates = shuffles.candidates;
  if (candidates.empty()) {
    throw InputError("no algorithm takes packets of this size").valid("a smaller --packet | --packet best");
  }
  const ShuffleChoice& first = candidates.front();
  const auto has_equation = std::ranges::find_if(
      candidates, [](const ShuffleChoice& one) { return one.workload.method != ShuffleMethod::route; });
  const ShuffleChoice& predicted = has_equation == candidates.end() ? first : *has_equation;
  const ShuffleParameters p = parameters(predicted.workload.packet);
  const double bound = lower_bound_us(predicted.workload, p);
  Recommendation answer{
      .workload = "shuffle",
      .run = arguments.run,
      .options = given_words({&arguments.elements, &arguments.cycles, &arguments.complement, &arguments.permutation,
                              &arguments.extend, &arguments.align}),
      .runnable = asks_machine && required_memory(candidates.front().workload, dim) <= available_memory(),
      .title = fmt::format("{}  d={}  shuffle {}  {} elements", asks_machine ? machine.name : "--params", dim,
                           permutation.permutation.name(), grouped(permutation.elements)),
      .kind = "algorithm",
      .about = {{"machine", asked_machine_json(machine, dim, !asks_machine)},
                {"workload", shuffle_json(predicted.workload, dim)}},
      .columns = {"packet", "start-ups", "steps"},
      .leaves_out = shuffles.leaves_out};
  if (predicted.workload.method != ShuffleMethod::route) {
    const ShuffleTerms terms = workload_cost(predicted.workload, dim, predicted.count, p);
    answer.about["predicted"] = shuffle_prediction_json(terms, predicted.count, p, bound, predicted.has_formula);
  }
  for (const ShuffleChoice& one : candidates) answer.candidates.push_back(candidate_of(one));
  return tell(answer, arguments.run.json, [&] {
    fmt::print("no schedule of exchanges between neighbours takes less than {:.6g} us\n", bound);
    if (asks_machine) fmt::print("{}", route_note(measures_route(permutation, dim)));
    const bool counted = std::any_of(candidates.begin(), candidates.end(), [](const ShuffleChoice& one) {
      return !one.has_formula && one.workload.method != ShuffleMethod::route;
    });
    if (counted) fmt::print("on fewer ports than dimensions steps are counted in the schedules\n");
    print_packet_formulas(permutation, dim, p);
    print_parameters(p);
  });
}

}  // namespace

void add_best_shuffle(Command& best_command, Invocation& invocation) {
  add_question<ShuffleArguments>(
      best_command, invocation, "shuffle",
      "Algorithm, packet and number of ports with the least time, beside all others",
      [](ShuffleArguments& a) {
        a.packet.initially("best");
        std::vector<OptionRow*> rows = a.permutation_rows();
        rows.insert(rows.end(), {&a.packet, &a.params});
        return rows;
      },
      [](const ShuffleArguments& a) { return best(a); }, measured_limit_help());
}

void add_predict_shuffle(Command& predict_command, Invocation& invocation) {
  add_question<ShuffleArguments>(
      predict_command, invocation, "shuffle", "Generalised shuffle",
      [](ShuffleArguments& a) {
        std::vector<OptionRow*> rows = a.rows();
        rows.push_back(&a.params);
        return rows;
      },
      [](const ShuffleArguments& a) { return predict(a); });
}

}  // namespace ecube
