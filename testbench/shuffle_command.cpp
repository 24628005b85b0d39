// SPDX-License-Identifier: Apache-2.0
// From typed options to a shuffle experiment, and from a measurement or a schedule to a table or JSON.
#include "testbench/shuffle_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "testbench/run_session.h"
#include "testbench/shuffle_experiment.h"

namespace ecube {

namespace {

constexpr Word<ShuffleAlgorithm> algorithms[] = {{"one-port", ShuffleAlgorithm::one_port},
                                                 {"pipelined", ShuffleAlgorithm::pipelined},
                                                 {"concurrent", ShuffleAlgorithm::concurrent},
                                                 {"a1", ShuffleAlgorithm::a1},
                                                 {"a1-pipelined", ShuffleAlgorithm::a1_pipelined},
                                                 {"a2", ShuffleAlgorithm::a2},
                                                 {"a2x2", ShuffleAlgorithm::a2x2}};
constexpr Word<bool> switches[] = {{"on", true}, {"off", false}};

/// Options of the shuffle as typed, before any is checked.
struct ShuffleArguments {
  RunArguments run;
  std::int64_t elements = 16;
  std::vector<std::string> cycles;
  std::string complement;
  std::string permutation;
  std::string algorithm;
  std::int64_t packet = 1;
  std::string align = "on";
  std::string params;
};

void add_workload_options(CLI::App& app, ShuffleArguments& arguments) {
  app.add_option("--elements", arguments.elements, "K, elements of 4 bytes on each node")->capture_default_str();
  app.add_option("--cycle", arguments.cycles,
                 "Dimensions from a_sigma down to a_0, as p2,p1,p0,s0: p of the node's label, s of the local address; "
                 "repeatable; default all p and s0")
      ->allow_extra_args(false);
  app.add_option("--complement", arguments.complement, "Dimensions of the cycles that take the complement, as p1,s0");
  app.add_option(
      "--algorithm", arguments.algorithm,
      "one-port, pipelined or concurrent; for cycles without s a1, a1-pipelined, a2 or a2x2; default by the ports");
  app.add_option("--permutation", arguments.permutation,
                 "In place of cycles, of 2^k elements: shuffle, unshuffle (shuffle:2 twice), bit-reversal, transpose, "
                 "vector-reversal, consecutive-to-cyclic or cyclic-to-consecutive");
  app.add_option("--packet", arguments.packet, "B, elements of a message")->capture_default_str();
  app.add_option("--align", arguments.align, "on: elements are first moved so that exchanges use equal local addresses")
      ->capture_default_str();
}

ShuffleAlgorithm algorithm_of(const ShuffleArguments& arguments, const Factors& factors, bool one_port) {
  const bool real = factors.mixed.empty() && !factors.real.empty();
  if (arguments.algorithm.empty()) {
    if (real) return ShuffleAlgorithm::a1;
    return one_port ? ShuffleAlgorithm::one_port : ShuffleAlgorithm::concurrent;
  }
  const ShuffleAlgorithm algorithm = choose("--algorithm", arguments.algorithm, algorithms);
  const bool for_real =
      algorithm == ShuffleAlgorithm::a1 || algorithm == ShuffleAlgorithm::a1_pipelined || is_a2(algorithm);
  const bool fixed = std::any_of(factors.real.begin(), factors.real.end(),
                                 [](const RealConstituent& cycle) { return cycle.order() < 2; });
  if (is_a2(algorithm) && fixed) {
    throw ErrorText(fmt::format("--algorithm {} is for cycles of two dimensions or more", arguments.algorithm))
        .valid("a1 | a1-pipelined")
        .error();
  }
  if (is_a2(algorithm) && !factors.mixed.empty()) {
    throw ErrorText(fmt::format("--algorithm {} is for cycles of processor dimensions alone", arguments.algorithm))
        .valid("one-port | pipelined | concurrent | a1 | a1-pipelined")
        .error();
  }
  if (algorithm == ShuffleAlgorithm::a2x2) {
    for (const RealConstituent& cycle : factors.real) {
      if (cycle.order() != 2) {
        throw ErrorText(fmt::format("--algorithm a2x2 is for cycles of two dimensions, but one has {}", cycle.order()))
            .valid("a1 | a1-pipelined | a2")
            .error();
      }
      if (cycle.complement[0] || cycle.complement[1]) {
        throw ErrorText("--algorithm a2x2 has no form with --complement").valid("a1 | a1-pipelined | a2").error();
      }
    }
  }
  if (for_real && factors.real.empty()) {
    throw ErrorText(fmt::format("--algorithm {} is for cycles of processor dimensions alone", arguments.algorithm))
        .valid("one-port | pipelined | concurrent")
        .error();
  }
  return algorithm;
}

ShuffleWorkload workload_of(const ShuffleArguments& arguments, const Machine& machine, unsigned dim) {
  ShuffleWorkload workload;
  workload.elements = static_cast<std::uint64_t>(in_range("--elements", arguments.elements, 2, std::int64_t{1} << 24));
  if (workload.elements % 2 != 0) {
    throw ErrorText(fmt::format("--elements {} is odd", arguments.elements)).valid("2, 4, 6, ..").error();
  }
  std::vector<std::string> cycles = arguments.cycles;
  if (!arguments.permutation.empty() && (!cycles.empty() || !arguments.complement.empty())) {
    throw ErrorText("--permutation stands in place of --cycle and --complement")
        .hint("leave out one of the two")
        .error();
  }
  if (cycles.empty() && arguments.permutation.empty()) {
    std::string all;
    for (unsigned bit = dim; bit-- > 0;) all += fmt::format("p{},", bit);
    cycles.push_back(all + "s0");
  }
  workload.permutation = arguments.permutation.empty()
                             ? DimensionPermutation::parse(cycles, arguments.complement, dim, workload.elements)
                             : DimensionPermutation::named(arguments.permutation, dim, workload.elements);
  workload.packet = static_cast<std::uint32_t>(
      in_range("--packet", arguments.packet, 1, static_cast<std::int64_t>(workload.elements / 2)));
  workload.align = choose("--align", arguments.align, switches);
  workload.ports = machine.node.ports;
  const Factors factors = factor(workload.permutation);
  workload.algorithm = algorithm_of(arguments, factors, machine.node.ports.engines == 1 && dim > 1);
  const bool concurrent = workload.algorithm == ShuffleAlgorithm::concurrent || factors.mixed.size() > 1;
  const std::uint64_t unit = std::uint64_t{workload.packet} << factors.mixed.size();
  if (workload.packet > 1 && concurrent && workload.algorithm != ShuffleAlgorithm::one_port && !factors.mixed.empty() &&
      workload.elements % unit != 0) {
    throw ErrorText(fmt::format("--packet {} does not fit: {} packets of it do not make up --elements {}",
                                workload.packet, std::uint64_t{1} << factors.mixed.size(), workload.elements))
        .valid(fmt::format("--elements as a multiple of {} | --algorithm one-port", unit))
        .error();
  }
  return workload;
}

void check_size(const ShuffleWorkload& workload, unsigned dim) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  if (workload.elements << dim > most) {
    throw ErrorText(fmt::format("{} elements are more than can be told apart", grouped(workload.elements << dim)))
        .valid(fmt::format("--elements up to {} at --dim {}", most >> dim, dim))
        .error();
  }
  const Bytes needed = 2 * (workload.elements << dim) * element_bytes;
  const Bytes available = available_memory();
  if (needed > available) {
    throw ErrorText(fmt::format("the elements need {} MiB of memory, of which {} MiB are available",
                                grouped(needed >> 20), grouped(available >> 20)))
        .valid("fewer --elements | a smaller --dim")
        .error();
  }
}

nlohmann::ordered_json predicted_json(const ShuffleTerms& terms, const ShuffleCount& count, const ShuffleParameters& p,
                                      double bound_us, bool has_formula) {
  return {
      {"equation", has_formula ? "Johnsson & Ho 1991, Tables 1 to 3, corrected" : "counted in the schedule"},
      {"us", terms.total()},
      {"steps", count.steps},
      {"startups", count.startups},
      {"lower_bound_us", bound_us},
      {"terms",
       {{"startup_us", terms.startup_us}, {"transmission_us", terms.transmission_us}, {"local_us", terms.local_us}}},
      {"parameters",
       {{"source", p.source},
        {"tau_us", p.tau_us},
        {"tc_us_per_element", p.tc_us_per_element},
        {"rho_us_per_element", p.rho_us_per_element}}}};
}

nlohmann::ordered_json workload_json(const ShuffleWorkload& workload) {
  return {{"elements", workload.elements},
          {"permutation", workload.permutation.name()},
          {"algorithm", word_of(workload.algorithm, algorithms)},
          {"packet", workload.packet},
          {"align", word_of(workload.align, switches)}};
}

int run(const ShuffleArguments& arguments, const Invocation& invocation) {
  ShuffleExperiment experiment;
  experiment.setup = setup_of(arguments.run, settings_of(arguments.run));
  const RunSetup& setup = experiment.setup;
  experiment.workload = workload_of(arguments, setup.machine, setup.dim);
  const ShuffleWorkload& workload = experiment.workload;
  check_size(workload, setup.dim);
  TestBench bench = bench_for(arguments.run, setup);
  const ShuffleParameters p = bench.calibrate(setup.machine).shuffle(element_bytes, workload.packet);
  GeneralisedShuffle shuffle(workload, setup.dim);
  RunSession session(arguments.run, setup, bench, {.circuits = shuffle.messages(), .where = {}});
  const ShuffleMeasurement m = run_shuffle(bench, experiment, p, shuffle);
  const double bound =
      lower_bound_us(workload.permutation, workload.elements, setup.machine.node.ports.engines == 1, p);
  nlohmann::ordered_json options = workload_json(workload);
  options["jitter_cycles"] = setup.conditions.jitter;
  options["seed"] = setup.conditions.seed;
  nlohmann::ordered_json figures = {{"steps", m.counted.steps}, {"startups", m.counted.startups}};
  if (m.unpaced_us) figures["unpaced_us"] = *m.unpaced_us;
  RunReport report{.command = "run shuffle",
                   .workload = options,
                   .measured = figures,
                   .predicted = predicted_json(m.predicted, m.expected, p, bound, m.has_formula),
                   .error_percent = m.error_percent(),
                   .verified = m.verified};
  return session.finish(m.run, report, invocation, [&] {
    const NodeId nodes = NodeId{1} << setup.dim;
    fmt::print("{}  d={} ({} nodes, {} links)  shuffle {}  {} elements, packets of {}  {}  engine {}  seed {}\n\n",
               setup.machine.name, setup.dim, grouped(nodes), grouped(std::uint64_t{setup.dim} * nodes),
               workload.permutation.name(), grouped(workload.elements), workload.packet,
               word_of(workload.algorithm, algorithms), word_of(setup.engine, engines), setup.conditions.seed);
    fmt::print("             predicted       measured     error\n");
    const auto row = [](const char* name, double predicted, double measured, int digits) {
      fmt::print("{:<10} {:>11.{}f}    {:>11.{}f}  {:>8}\n", name, predicted, digits, measured, digits,
                 percent(predicted > 0 ? 100 * (measured - predicted) / predicted : measured));
    };
    row("steps", static_cast<double>(m.expected.steps), static_cast<double>(m.counted.steps), 0);
    row("start-ups", static_cast<double>(m.expected.startups), static_cast<double>(m.counted.startups), 0);
    row("us", m.predicted.total(), m.run.result.us, 3);
    if (workload.packet == 1 && m.predicted.local_us == 0) {
      fmt::print("measured time is {:.6g} exchanges of {:.6g} us; no schedule takes less than {:.6g} us\n",
                 m.run.result.us / (p.tau_us + p.tc_us_per_element), p.tau_us + p.tc_us_per_element, bound);
    } else {
      fmt::print("no schedule takes less than {:.6g} us\n", bound);
    }
    if (!m.has_formula) fmt::print("fewer ports than dimensions: predicted steps are counted in the schedule\n");
    if (m.unpaced_us) {
      fmt::print("messages one way are paced as exchanges with an empty half; unpaced the run takes {:.3f} us\n",
                 *m.unpaced_us);
    } else if (workload.align) {
      fmt::print("elements aligned before and after: {:.6g} us of local moves\n", m.predicted.local_us);
    } else {
      fmt::print("not aligned: partners use different local addresses\n");
    }
    fmt::print("{} circuits, {} of them blocked\n", grouped(m.run.network.circuits),
               grouped(m.run.network.link_blocked.circuits));
    if (m.verified == true) {
      fmt::print("data verified: {} elements where the permutation sends them\n",
                 grouped(workload.elements << setup.dim));
    } else if (m.verified == false) {
      fmt::print("{}\n", session.style().bad(fmt::format("DATA WRONG: {} elements", grouped(m.wrong))));
    }
  });
}

int predict(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  const ShuffleWorkload workload = workload_of(arguments, machine, dim);
  ShuffleParameters p;
  if (arguments.params.empty()) {
    TestBench bench(calibration_dim);
    p = bench.calibrate(machine).shuffle(element_bytes, workload.packet);
  } else {
    p = parse_shuffle_parameters(arguments.params);
  }
  const auto formula = formula_of(workload, dim);
  ShuffleCount count = formula ? *formula : count_of(workload, plans_of(workload, dim));
  const Factors factors = factor(workload.permutation);
  const std::uint64_t plans = (is_a2(workload.algorithm) ? 0 : factors.real.size()) + (factors.mixed.empty() ? 0 : 1);
  count.moved = workload.align ? 2 * workload.elements * plans : 0;
  const ShuffleTerms terms = shuffle_cost(count, p);
  const double bound = lower_bound_us(workload.permutation, workload.elements, machine.node.ports.engines == 1, p);
  if (arguments.run.json) {
    nlohmann::ordered_json machine_part = machine_json(machine, dim, EngineChoice::event);
    machine_part.erase("engine");
    if (!arguments.params.empty()) machine_part = {{"name", nullptr}, {"dim", dim}};
    const nlohmann::ordered_json json = {{"schema", 1},
                                         {"command", "predict shuffle"},
                                         {"machine", machine_part},
                                         {"workload", workload_json(workload)},
                                         {"predicted", predicted_json(terms, count, p, bound, formula.has_value())}};
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  shuffle {}  {} elements, packets of {}  {}\n\n",
             arguments.params.empty() ? machine.name : "--params", dim, workload.permutation.name(),
             grouped(workload.elements), workload.packet, word_of(workload.algorithm, algorithms));
  fmt::print("{:>12} start-ups  {:>14.3f} us\n{:>12} steps      {:>14.3f} us\n", grouped(count.startups),
             terms.startup_us, grouped(count.steps), terms.transmission_us);
  fmt::print("{:>12} moved      {:>14.3f} us\ntotal                    {:>14.3f} us   lower bound {:.3f} us\n\n",
             grouped(count.moved), terms.local_us, terms.total(), bound);
  fmt::print("parameters, {}: tau {:.6g} us, t_c {:.6g} us/element, rho {:.6g} us/element\n", p.source, p.tau_us,
             p.tc_us_per_element, p.rho_us_per_element);
  return 0;
}

// --- The table of exchange sequences --------------------------------------------------------------------------------

std::string entry_name(const RowEntry& entry, std::size_t constituents) {
  const std::string primes(constituents > 1 ? entry.constituent : 0U, '\'');
  return fmt::format("{}{},{}{}", entry.extra ? "v" : "0", primes, entry.index, primes);
}

nlohmann::ordered_json schedule_json(const RowSchedule& schedule) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const ScheduleRow& row : schedule.rows) {
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const RowEntry& entry : row.entries) {
      entries.push_back({{"step", entry.step},
                         {"constituent", entry.constituent},
                         {"control", entry.extra ? "v" : "a0"},
                         {"dimension", entry.index}});
    }
    nlohmann::ordered_json one = {{"entries", entries}};
    one["set"] = row.set ? nlohmann::ordered_json(*row.set) : nlohmann::ordered_json();
    one["synchronised_after"] =
        row.set ? nlohmann::ordered_json(schedule.sets[*row.set].sync_after) : nlohmann::ordered_json();
    rows.push_back(one);
  }
  return rows;
}

void print_schedule(const RowSchedule& schedule, std::size_t constituents) {
  std::size_t width = 1;
  for (const ScheduleRow& row : schedule.rows) {
    for (const RowEntry& entry : row.entries) width = std::max(width, entry_name(entry, constituents).size());
  }
  const bool synchronises = !schedule.sets.empty();  // a column for the mark after an entry
  std::string header = fmt::format("{:<8}", "step");
  for (std::uint32_t step = 1; step <= schedule.steps; ++step) {
    header += fmt::format(" {:<{}}", step, width + (synchronises ? 1 : 0));
  }
  header.erase(header.find_last_not_of(' ') + 1);
  fmt::print("{}\n", header);
  std::uint32_t plain = 0;
  for (const ScheduleRow& row : schedule.rows) {
    const std::string name = row.set ? fmt::format("set {}.{}", *row.set, row.half) : fmt::format("d{}", plain++);
    fmt::print("{:<8}", name);
    std::vector<std::string> cells(schedule.steps + std::size_t{1});
    for (const RowEntry& entry : row.entries) cells[entry.step] = entry_name(entry, constituents);
    std::string line;
    for (std::uint32_t step = 1; step <= schedule.steps; ++step) {
      const bool sync = row.set && schedule.sets[*row.set].sync_after == step;
      line += fmt::format(" {:<{}}", cells[step], width);
      if (synchronises) line += sync ? '*' : ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

int explain(const ShuffleArguments& arguments) {
  const Machine machine = resolve(settings_of(arguments.run));
  const unsigned dim = dim_of(arguments.run, machine, max_simulated_dim);
  const ShuffleWorkload workload = workload_of(arguments, machine, dim);
  const std::vector<RowSchedule> schedules = schedules_of(workload, dim);
  const Factors factors = factor(workload.permutation);
  if (arguments.run.json) {
    nlohmann::ordered_json json = {{"schema", 1}, {"command", "explain shuffle"}};
    json["workload"] = workload_json(workload);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const RowSchedule& schedule : schedules) {
      all.push_back({{"steps", schedule.steps}, {"rows", schedule_json(schedule)}});
    }
    json["schedules"] = all;
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("shuffle {}  {} elements, packets of {}  {}\n", workload.permutation.name(), grouped(workload.elements),
             workload.packet, word_of(workload.algorithm, algorithms));
  for (std::size_t j = 0; j < factors.mixed.size(); ++j) {
    std::string dims;
    for (const unsigned bit : factors.mixed[j].dims) dims += fmt::format(" p{}", bit);
    fmt::print("constituent {}: a_1 .. a_{} ={}, a_0 = s{}\n", j, factors.mixed[j].order(), dims,
               factors.mixed[j].control);
  }
  if (is_a2(workload.algorithm)) {
    fmt::print(
        "no table: {} moves whole buffers, half of the nodes to the others in the first dimension, back in the last\n",
        word_of(workload.algorithm, algorithms));
  }
  for (const RealConstituent& real : factors.real) {
    if (is_a2(workload.algorithm)) break;
    std::string dims;
    for (const unsigned bit : real.dims) dims += fmt::format(" p{}", bit);
    fmt::print("real constituent: a_1 .. a_{} ={}, the first one twice; the control is s0\n", real.order(), dims);
  }
  for (const LocalBit& bit : factors.virtual_bits) {
    fmt::print("in local memory: s{} takes {}s{}\n", bit.to, bit.complement ? "the complement of " : "", bit.from);
  }
  for (std::size_t number = 0; number < schedules.size(); ++number) {
    const bool mixed = number == 0 && !factors.mixed.empty();
    fmt::print("\n{} rows of local pairs, {} steps; control, dimension{}\n", schedules[number].rows.size(),
               schedules[number].steps, schedules[number].sets.empty() ? "" : "; * synchronisation point");
    print_schedule(schedules[number], mixed ? factors.mixed.size() : 1);
  }
  return 0;
}

}  // namespace

void add_run_shuffle(CLI::App& run_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  CLI::App* const command = run_command.add_subcommand(
      "shuffle", "Generalised shuffle: elements move as the bits of their address change places");
  add_workload_options(*command, *arguments);
  add_run_options(*command, arguments->run);
  add_footer(
      *command,
      "Examples:\n"
      "  ecube run shuffle --ports n --dim 6 --elements 18 --cycle p5,p4,p3,p2,p1,p0,s0\n"
      "  ecube run shuffle --dim 4 --elements 64 --cycle p3,p2,s1 --cycle p1,p0,s0 --ports n --complement p2,s1\n"
      "  ecube run shuffle --dim 3 --elements 8 --cycle p2,p1,p0 --algorithm a1\n"
      "  ecube run shuffle --dim 6 --elements 64 --permutation bit-reversal --ports n");
  command->callback([arguments, &invocation] { invocation.status = run(*arguments, invocation); });
}

void add_predict_shuffle(CLI::App& predict_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  CLI::App* const command = predict_command.add_subcommand("shuffle", "Generalised shuffle");
  add_workload_options(*command, *arguments);
  add_machine_options(*command, arguments->run);
  command->add_option("--params", arguments->params,
                      "In place of a machine: tc=1,tau=100 (us per element, us per packet; rho per element)");
  add_footer(*command,
             "Examples:\n"
             "  ecube predict shuffle --ports n --dim 6 --elements 64\n"
             "  ecube predict shuffle --params tc=1,tau=100 --dim 5 --elements 1024 --packet 32 --algorithm one-port");
  command->callback([arguments, &invocation] { invocation.status = predict(*arguments); });
}

void add_explain_shuffle(CLI::App& explain_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ShuffleArguments>();
  CLI::App* const command =
      explain_command.add_subcommand("shuffle", "The table of exchange sequences: rows of local pairs by steps");
  add_workload_options(*command, *arguments);
  add_machine_options(*command, arguments->run);
  add_footer(*command,
             "Examples:\n"
             "  ecube explain shuffle --ports n --dim 6 --elements 18 --cycle p5,p4,p3,p2,p1,p0,s0\n"
             "  ecube explain shuffle --ports n --dim 10 --elements 24 --cycle p4,p3,p2,p1,p0,s0 "
             "--cycle p9,p8,p7,p6,p5,s1 --json");
  command->callback([arguments, &invocation] { invocation.status = explain(*arguments); });
}

}  // namespace ecube
