// SPDX-License-Identifier: Apache-2.0
// The equation of the shuffle, and the best of its algorithms over every number of ports, as tables or JSON.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "models/machine/error.h"
#include "testbench/run/commands.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/system/process.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace {

/// In packets of this size, or of the best; nothing where it takes none of this size.
std::optional<ShuffleChoice> choice_of(const ShuffleQuestion& asked, ShuffleWorkload workload,
                                       std::optional<std::uint32_t> packet) {
  const unsigned dim = asked.dim;
  const ShuffleFormula formula(workload, dim);
  workload.packet = packet ? *packet : best_packet_choice(workload, dim, asked.parameters).packet;
  if (workload.packet > formula.largest_packet() || (formula.exists() && !formula.fits(workload.packet))) {
    return std::nullopt;
  }
  const ShuffleCount count = formula.exists() ? formula.count(workload.packet) : count_of(workload, dim);
  const double us = workload_cost(workload, dim, count, asked.parameters(workload.packet)).total();
  return ShuffleChoice{{.ports = workload.ports, .predicted_us = us}, workload, count, formula.exists()};
}

constexpr std::uint64_t most_routed = std::uint64_t{1} << 20;
/// Elements of all nodes up to which `route` is measured in every packet over every number of ports.
constexpr std::uint64_t most_routed_often = std::uint64_t{1} << 14;

template <class Visit>
void each_algorithm(const ShuffleQuestion& asked, const Visit& visit) {
  const unsigned dim = asked.dim;
  const std::optional<RealAlgorithm> two_cycle_choices[] = {std::nullopt, RealAlgorithm::a2x2,
                                                            RealAlgorithm::a2x2_sequential};
  std::set<std::pair<std::string, std::uint32_t>> tried;
  const auto consider = [&](const ShuffleWorkload& workload) {
    try {
      if (unfit(workload, dim)) return;
      // On fewer ports than dimensions all mixed algorithms are pipelined alike.
      if (!ShuffleFormula(workload, dim).exists() && workload.mixed != MixedAlgorithm::pipelined) return;
      if (tried.emplace(algorithm_name(workload), workload.ports.engines).second) visit(workload);
    } catch (const InputError&) {  // two communications need storage dimensions, and this permutation leaves none
    }
  };
  for (const Ports ports :
       asked.fewer_ports ? port_choices(asked.machine, dim) : std::vector{asked.permutation.ports}) {
    for (const ShuffleMethod method :
         {ShuffleMethod::constituents, ShuffleMethod::two_aapcs, ShuffleMethod::transpositions}) {
      for (const auto& mixed : mixed_algorithms) {
        for (const auto& real : real_algorithms) {
          ShuffleWorkload workload = asked.permutation;
          workload.ports = ports;
          workload.method = method;
          workload.mixed = mixed.value;
          workload.real = real.value;
          if (ports.engines == 1 && dim > 1 &&
              (workload.mixed != MixedAlgorithm::one_port || workload.real == RealAlgorithm::a1_pipelined)) {
            continue;
          }
          for (const std::optional<RealAlgorithm>& two_cycles : two_cycle_choices) {
            workload.two_cycles = two_cycles;
            consider(workload);
          }
        }
      }
    }
  }
}

/// Keeps one of each name: the first, unless another takes less than this share of its time.
void add_if_faster(std::vector<ShuffleChoice>& choices, const ShuffleChoice& one, double share) {
  const std::string name = algorithm_name(one.workload);
  const auto known =
      std::ranges::find_if(choices, [&](const ShuffleChoice& other) { return algorithm_name(other.workload) == name; });
  if (known == choices.end()) {
    choices.push_back(one);
  } else if (*one.us() < *known->us() * share) {
    *known = one;
  }
}

void keep_fastest_methods(std::vector<ShuffleChoice>& candidates) {
  std::ranges::stable_sort(candidates, {}, [](const ShuffleChoice& one) { return *one.us(); });
  std::set<ShuffleMethod> seen;
  std::erase_if(candidates, [&](const ShuffleChoice& one) {
    const ShuffleMethod method = one.workload.method;
    return method != ShuffleMethod::constituents && !seen.insert(method).second;
  });
}

/// 1, 2, 3, 4, 6, 8, 12, .. up to `most`, and `best`.
std::set<std::uint32_t> tried_packets(std::uint64_t most, std::uint32_t best) {
  std::set<std::uint32_t> packets = {best};
  for (std::uint64_t size = 1; size <= most; size *= 2) {
    packets.insert(static_cast<std::uint32_t>(size));
    if (size > 1 && size + size / 2 <= most) packets.insert(static_cast<std::uint32_t>(size + size / 2));
  }
  return packets;
}

std::vector<ShuffleChoice> shuffle_trials(const ShuffleQuestion& asked) {
  const std::optional<std::uint32_t> packet = asked.packet;
  std::vector<ShuffleChoice> trials;
  each_algorithm(asked, [&](const ShuffleWorkload& workload) {
    const std::optional<ShuffleChoice> best = choice_of(asked, workload, packet);
    if (packet && best) trials.push_back(*best);
    if (packet || !best) return;
    for (const std::uint32_t size :
         tried_packets(ShuffleFormula(workload, asked.dim).largest_packet(), best->workload.packet)) {
      if (const auto one = choice_of(asked, workload, size)) trials.push_back(*one);
    }
  });
  if (!measures_route(asked.permutation, asked.dim)) return trials;
  for (const Ports ports : port_choices(asked.machine, asked.dim)) {
    ShuffleWorkload route = asked.permutation;
    route.ports = ports;
    route.method = ShuffleMethod::route;
    const auto whole = static_cast<std::uint32_t>(route.elements);
    for (const std::uint32_t size : packet ? std::set{*packet} : tried_packets(whole, whole)) {
      route.packet = size;
      trials.push_back({{.ports = ports}, route, {}, false});
    }
  }
  return trials;
}

ShuffleMeasurement measured_shuffle(const ShuffleQuestion& asked, const ShuffleWorkload& workload, TestBench& bench) {
  ShuffleExperiment experiment{.setup = {.machine = asked.machine, .dim = asked.dim, .conditions = {}},
                               .workload = workload};
  experiment.setup.machine.node.ports = workload.ports;
  return run_shuffle(bench, experiment, {});
}

/// The same algorithms over every number of ports, in the packets of least predicted time and in those of 1, 2, 3, 4,
/// 6, 8, 12, .. elements, or in the packet asked for; and `route` likewise. Runs all of them on `bench` and returns the
/// fastest form of each, the fastest first. Nothing where there are too many messages or elements to run them all.
std::vector<ShuffleChoice> measured_shuffles(const ShuffleQuestion& asked, TestBench& bench) {
  // On the host a message takes about as long as moving and checking this many elements.
  constexpr std::uint64_t elements_like_a_message = 64;
  const std::uint64_t moved = (asked.permutation.spread_elements() << asked.dim) / elements_like_a_message;
  const auto messages = [&](const ShuffleChoice& one) {
    return measured_messages(asked.machine, one.workload.method == ShuffleMethod::route ? asked.dim : 1,
                             GeneralisedShuffle::messages(one.workload, asked.dim),
                             one.workload.packet * element_bytes) +
           moved;
  };
  const auto run = [&](ShuffleChoice& one) {
    const ShuffleMeasurement m = measured_shuffle(asked, one.workload, bench);
    if (m.verified == true) one.measured_us = m.run.result.us;
    if (one.workload.method == ShuffleMethod::route) one.count = m.counted;
  };
  std::vector<ShuffleChoice> trials = shuffle_trials(asked);
  if (!run_all(trials, messages, run)) return {};
  std::vector<ShuffleChoice> fastest;
  for (const ShuffleChoice& one : trials) {
    if (one.measured_us) add_if_faster(fastest, one, 1);
  }
  keep_fastest_methods(fastest);
  return fastest;
}

const ShuffleChoice& first_of(const std::vector<ShuffleChoice>& choices) {
  if (choices.empty()) {
    throw InputError("no algorithm takes packets of this size").valid("a smaller --packet | --packet best");
  }
  return choices.front();
}

/// Whether `best_shuffles` runs anything on a bench for the dimension.
bool measures_shuffles(const ShuffleWorkload& permutation, unsigned dim, const Machine& machine) {
  return measures_route(permutation, dim) || (dim <= max_tried_dim && !shuffle_gaps(machine, dim).empty());
}

void print_parameters(const ShuffleParameters& p) {
  fmt::print("parameters, {}: tau {:.6g} us, t_c {:.6g} us/element, rho {:.6g} us/element\n", p.source, p.tau_us,
             p.tc_us_per_element, p.rho_us_per_element);
}

int predict(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  TestBench bench(max_tried_dim);
  const ShuffleWorkload workload = whole_shuffle_of(arguments, machine, dim, [&]() -> TestBench& { return bench; });
  if (workload.method == ShuffleMethod::route) {
    throw InputError("route has no equation: how long messages wait for links is left to the network")
        .hint("measure it with " + own_command() + " run shuffle --algorithm route");
  }
  const ShuffleParameters p = asked_parameters(arguments, bench, machine)(workload.packet);
  const auto formula = formula_of(workload, dim);
  const ShuffleCount count = formula ? *formula : count_of(workload, dim);
  const ShuffleTerms terms = workload_cost(workload, dim, count, p);
  const double bound = lower_bound_us(workload, p);
  const LeftOut left_out(arguments.params, shuffle_gaps(machine, dim), terms.total(), dim,
                         Bytes{workload.packet} * element_bytes, bench,
                         [&](Benches& benches) { return shuffle_run(arguments, benches); });
  const Json object = {{"machine", asked_machine_json(machine, dim, arguments.params.given())},
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

/// With what the answer says of its algorithm and packets.
ShuffleChoice told_shuffle(ShuffleChoice one) {
  one.name = algorithm_name(one.workload);
  one.choice = {{"algorithm", one.name},
                {"packet", one.workload.packet},
                {"steps", one.count.steps},
                {"startups", one.count.startups}};
  one.options =
      (one.name == "local" ? "" : " --algorithm " + one.name) + fmt::format(" --packet {}", one.workload.packet);
  one.cells = {std::to_string(one.workload.packet), grouped(one.count.startups), grouped(one.count.steps)};
  return one;
}

int best(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  const ShuffleWorkload permutation = permutation_of(arguments, machine, dim);
  const auto packet = packet_of(arguments.packet.value(), permutation.elements, true);
  const bool asks_machine = !arguments.params.given();
  const bool runs = asks_machine && measures_shuffles(permutation, dim, machine);
  TestBench bench(runs ? dim : calibration_dim);
  const PacketParameters parameters = asked_parameters(arguments, bench, machine);
  const ShuffleQuestion asked{permutation, packet, dim, parameters, machine};
  const Tried<ShuffleChoice> shuffles =
      asks_machine ? best_shuffles(asked, bench) : Tried<ShuffleChoice>{.candidates = shuffle_choices(asked)};
  const std::vector<ShuffleChoice>& candidates = shuffles.candidates;
  const ShuffleChoice& first = first_of(candidates);
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
      .columns = {"packet", "start-ups", "steps"}};
  if (predicted.workload.method != ShuffleMethod::route) {
    const ShuffleTerms terms = workload_cost(predicted.workload, dim, predicted.count, p);
    answer.about["predicted"] = shuffle_prediction_json(terms, predicted.count, p, bound, predicted.has_formula);
  }
  answer.find_among(candidates, {.leaves_out = shuffles.leaves_out}, told_shuffle);
  return tell(answer, arguments.run.json, [&] {
    fmt::print("no schedule of exchanges between neighbours takes less than {:.6g} us\n", bound);
    if (asks_machine && measures_route(permutation, dim)) {
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
    print_packet_formulas(permutation, dim, p);
    print_parameters(p);
  });
}

}  // namespace

std::vector<ShuffleChoice> shuffle_choices(const ShuffleQuestion& asked) {
  std::vector<ShuffleChoice> candidates;
  each_algorithm(asked, [&](const ShuffleWorkload& workload) {
    const std::optional<ShuffleChoice> candidate = choice_of(asked, workload, asked.packet);
    // Equal times may differ in their last bits.
    if (candidate) add_if_faster(candidates, *candidate, 1 - 1e-9);
  });
  keep_fastest_methods(candidates);
  return candidates;
}

ShuffleWorkload whole_shuffle_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim,
                                 const std::function<TestBench&()>& bench) {
  if (arguments.algorithm.value() == "best") {
    const ShuffleWorkload permutation = permutation_of(arguments, machine, dim);
    const auto packet =
        arguments.packet.given() ? packet_of(arguments.packet.value(), permutation.elements, true) : std::nullopt;
    const PacketParameters parameters = asked_parameters(arguments, bench(), machine);
    return first_of(shuffle_choices({permutation, packet, dim, parameters, machine, false})).workload;
  }
  ShuffleWorkload workload = shuffle_workload_of(arguments, machine, dim);
  if (workload.packet == 0) {
    workload.packet = best_packet_choice(workload, dim, asked_parameters(arguments, bench(), machine)).packet;
  }
  return workload;
}

bool measures_route(const ShuffleWorkload& permutation, unsigned dim) {
  return permutation.extend == 0 && permutation.elements << dim <= most_routed;
}

void add_measured_route(std::vector<ShuffleChoice>& choices, const ShuffleQuestion& asked, TestBench& bench) {
  ShuffleWorkload route = asked.permutation;
  route.method = ShuffleMethod::route;
  std::vector<Ports> over = port_choices(asked.machine, asked.dim);
  const bool little = asked.permutation.elements << asked.dim <= most_routed_often;
  if (!little) over.resize(1);
  std::optional<ShuffleChoice> best;
  for (const Ports ports : over) {
    route.ports = ports;
    std::optional<double> longer_us;
    for (std::uint64_t size = asked.packet ? *asked.packet : asked.permutation.elements; size > 0; size /= 2) {
      route.packet = static_cast<std::uint32_t>(size);
      const ShuffleMeasurement m = measured_shuffle(asked, route, bench);
      const double us = m.run.result.us;
      if (m.verified != true || (!little && longer_us && us >= *longer_us)) break;
      longer_us = us;
      if (!best || us < *best->us()) {
        best = ShuffleChoice{{.ports = ports, .was_run = true, .measured_us = us}, route, m.counted, false};
      }
      if (asked.packet) break;
    }
  }
  if (!best) return;
  const auto place = std::ranges::find_if(choices, [&](const ShuffleChoice& one) { return *one.us() > *best->us(); });
  choices.insert(place, *best);
}

Tried<ShuffleChoice> best_shuffles(const ShuffleQuestion& asked, TestBench& bench) {
  Tried<ShuffleChoice> best;
  best.leaves_out = shuffle_gaps(asked.machine, asked.dim);
  if (!best.leaves_out.empty() && measures_shuffles(asked.permutation, asked.dim, asked.machine)) {
    best.candidates = measured_shuffles(asked, bench);
  }
  if (!best.candidates.empty()) return best;
  best.candidates = shuffle_choices(asked);
  if (measures_route(asked.permutation, asked.dim)) add_measured_route(best.candidates, asked, bench);
  return best;
}

void add_shuffle_questions(const Questions& to) {
  add_question<ShuffleArguments>(
      to.predict, to.invocation, "shuffle", "Generalised shuffle",
      [](ShuffleArguments& a) { return with_rows(a.rows(), {&a.params}); },
      [](const ShuffleArguments& a) { return predict(a); });
  add_question<ShuffleArguments>(
      to.best, to.invocation, "shuffle", "Algorithm, packet and number of ports with the least time, beside all others",
      [](ShuffleArguments& a) -> std::vector<OptionRow*> {
        a.packet.initially("best");
        return {&a.elements, &a.cycles, &a.complement, &a.permutation, &a.align, &a.extend, &a.packet, &a.params};
      },
      [](const ShuffleArguments& a) { return best(a); }, measured_limit_help());
}

}  // namespace ecube
