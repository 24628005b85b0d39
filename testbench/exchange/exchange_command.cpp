// SPDX-License-Identifier: Apache-2.0
// Predictions of the exchange and its best partition over any number of ports, with real hops where all are tried.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "models/machine/error.h"
#include "testbench/collective/planned_steps.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/commands.h"
#include "testbench/run/progress_line.h"
#include "testbench/text/text.h"

namespace ecube {

namespace {

/// Up to this dimension partitions are searched for every number of ports, above it for all ports and for one.
constexpr unsigned max_searched_ports_dim = 8;

std::vector<Ports> exchange_ports(const Machine& machine, unsigned dim) {
  return machine.on_cube() ? port_choices(machine, dim) : std::vector{machine.node.ports};
}

ExchangeCandidate candidate_by_equation(const ExchangeEquation& equation, Bytes bytes, const Partition& partition) {
  ExchangeCandidate one;
  one.partition = partition;
  one.ports = equation.machine.node.ports;
  one.predicted_us = equation.terms(partition, bytes).total();
  one.average_distance_us = equation.with(HopCount::average).terms(partition, bytes).total();
  return one;
}

void print_prediction(const ExchangeTerms& terms, double average_us, const ExchangeParameters& p, bool staged) {
  fmt::print("start-up      {:>14.3f} us\ndistance      {:>14.3f} us\ntransmission  {:>14.3f} us\n", terms.startup_us,
             terms.distance_us, terms.transmission_us);
  fmt::print("permutation   {:>14.3f} us\nbarrier       {:>14.3f} us\n", terms.permutation_us, terms.barrier_us);
  if (terms.waiting_us > 0) fmt::print(shared_links_row, terms.waiting_us);
  if (terms.retuning_us > 0) fmt::print("retuning      {:>14.3f} us\n", terms.retuning_us);
  if (staged) {
    fmt::print("engines       {:>14.3f} us\nserialised    {:>14.3f} us\n", terms.engine_us, terms.serialised_us);
  }
  fmt::print("total         {:>14.3f} us   with the average distance {:.3f} us\n\n", terms.total(), average_us);
  fmt::print("parameters, {}: lambda {:.6g} us, tau {:.6g} us/byte, delta ", p.source, p.lambda_us, p.tau_us_per_byte);
  if (p.delta_us > 0) fmt::print("{:.6g} us{}", p.delta_us, p.delta_hop_us > 0 ? " + " : "");
  if (p.delta_us == 0 || p.delta_hop_us > 0) fmt::print("{:.6g} us/hop", p.delta_hop_us);
  if (p.tau_hop_us_per_byte > 0) fmt::print(" + {:.6g} us/byte and hop", p.tau_hop_us_per_byte);
  fmt::print(", rho {:.6g} us/byte, barrier {:.6g} us\n", p.rho_us_per_byte, p.barrier_us);
  if (p.short_bytes > 0) {
    fmt::print("  up to {:.0f} B: lambda {:.6g} us, delta {:.6g} us/hop\n", p.short_bytes, p.lambda_short_us,
               p.delta_hop_short_us);
  }
  if (p.pairwise_sync_messages) {
    fmt::print("  synchronised: {:.6g} us and the distance once more before every exchange\n", p.lambda0_us);
  }
}

int predict(const ExchangeArguments& arguments) {
  if (arguments.sizes.given()) return predict_unequal_exchange(arguments);
  TestBench bench(max_tried_dim);
  ExchangeQuestion question = exchange_question_of(arguments, bench);
  const unsigned dim = question.dim;
  const ExchangeParameters& parameters = question.parameters;
  const ExchangeOptions& options = question.options;
  const bool staged = question.stages.has_value();
  const Bytes bytes = arguments.bytes.value();
  const Partition& partition = question.workload.partition = partition_of(arguments, question, bytes);
  const ExchangeTerms terms = question.terms(partition, bytes);
  const double average_us = question.with(HopCount::average).terms(partition, bytes).total();
  const Bytes longest = question.of_cube() ? longest_message(bytes, partition) : bytes << std::min(dim, max_tried_dim);
  const LeftOut left_out(arguments.params, exchange_gaps(question.machine, dim, bytes, partition, options),
                         terms.total(), dim, longest, bench,
                         [&](Benches& benches) { return exchange_run(without_payload(arguments), benches); });
  const Json object = {{"machine", question.machine_json},
                       {"workload", exchange_json(question.workload, question.machine,
                                                  {&arguments.bytes, &arguments.partition, &arguments.order})},
                       {"predicted", exchange_prediction_json(terms, average_us, parameters, staged)}};
  const auto print = [&] {
    fmt::print("{}  {}  multiphase {}{}  {} B/block\n\n", question.name, network_name(question.machine, dim),
               partition.braced_name(),
               staged ? fmt::format("  {} ports", ports_word(question.machine.node.ports)) : "", grouped(bytes));
    print_prediction(terms, average_us, parameters, staged);
  };
  return left_out.tell("exchange", arguments.run.json, object, print);
}

Recommendation answer_of(const ExchangeArguments& arguments, const ExchangeQuestion& question) {
  return {
      .workload = "exchange",
      .run = arguments.run,
      .options =
          given_words({&arguments.bytes, &arguments.order, &arguments.sync, &arguments.pairing, &arguments.retuning}),
      .runnable = !arguments.params.given() && question.dim <= max_simulated_dim,
      .data_bytes =
          question.dim <= max_simulated_dim ? contents_memory(question.topology(), arguments.bytes.value()) : 0,
      .title = fmt::format("{}  {}  complete exchange  {} B/block", question.name,
                           network_name(question.machine, question.dim), grouped(arguments.bytes.value())),
      .kind = "partition",
      .about = {{"machine", question.machine_json},
                {"workload", exchange_json(question.workload, question.machine, {&arguments.bytes, &arguments.order})}},
      .columns = {question.of_cube() ? "at d/2 hops" : "at mean hops"}};
}

/// With what the answer says of its partition.
ExchangeCandidate told_partition(ExchangeCandidate one) {
  one.name = short_name(one.partition);
  one.choice = {
      {"partition", parts_json(one.partition)}, {"hops", "real"}, {"average_distance_us", one.average_distance_us}};
  one.options = " --partition " + one.partition.name();
  one.cells = {fmt::format("{:.3f}", one.average_distance_us)};
  return one;
}

void print_optimal_sum(const ExchangeQuestion& question, Bytes bytes, const HullParameters& p) {
  if (bytes == 0) return;
  const double s = optimal_sum(question.dim, static_cast<double>(bytes), p);
  const OptimalityBounds bounds = optimality_bounds(question.dim, static_cast<double>(bytes), p);
  fmt::print(
      "s* = {:.4g}: parts of an optimal partition are at most {:.0f}, and two of them at least {:.0f} together\n", s,
      std::min(std::ceil(s), static_cast<double>(question.dim)), std::floor(s));
  fmt::print("L / (m tau) = {:.4g}: Direct is best up to {:.4g}, Standard from {:.4g} on\n",
             p.message_us / (static_cast<double>(bytes) * p.tau_us_per_byte), bounds.direct, bounds.standard);
}

/// Up to max_simulated_dim: of every number of ports the same partition and time as predict exchange --partition best.
int best_of_all(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                const Tried<ExchangeCandidate>& by_machine) {
  const Bytes bytes = arguments.bytes.value();
  Recommendation answer = answer_of(arguments, question);
  const std::vector<ExchangeCandidate> choices = exchange_choices(question, bytes, arguments.run.quiet);
  answer.find_among(choices, by_machine, told_partition);
  const auto beside = [&](const Partition& partition) {
    return told_partition(candidate_by_equation(question, bytes, partition));
  };
  answer.beside = {{"direct", beside(Partition::direct(question.dims()))},
                   {"standard", beside(Partition::standard(question.dims()))}};
  const ExchangeEquation average = question.with(HopCount::average);
  const Partition with_average = average.fastest(bytes, arguments.run.quiet);
  const double average_us = average.terms(with_average, bytes).total();
  answer.more["average_distance"] = {{"partition", parts_json(with_average)}, {"us", average_us}};
  const std::string_view no_lines =
      question.of_cube() ? why_no_lines(question.parameters) : "its bounds are those of the cube";
  const bool lines = !question.stages && no_lines.empty();
  const HullParameters p =
      lines ? hull_parameters(question.parameters, question.dim, question.options) : HullParameters{};
  if (lines && bytes > 0) {
    answer.more["optimal_sum"] = optimal_sum(question.dim, static_cast<double>(bytes), p);
  }
  return tell(answer, arguments.run.json, [&] {
    fmt::print("with the average distance{} for every message: {}, {:.3f} us\n", question.of_cube() ? ", d/2 hops" : "",
               short_name(with_average), average_us);
    if (question.stages) {
      print_real_parameters(question);
    } else if (lines) {
      print_optimal_sum(question, bytes, p);
      print_hull_parameters(question, p);
    } else {
      fmt::print("no s*: {}\n", no_lines);
    }
  });
}

/// Above max_simulated_dim, by the hull with the average distance.
int best_of_hull(const ExchangeArguments& arguments, const ExchangeQuestion& question) {
  const Bytes bytes = arguments.bytes.value();
  const HullParameters p = hull_parameters(question.parameters, question.dim, question.options);
  const Hull hull(question.dim, p);
  const Wide x = std::ldexp(static_cast<Wide>(bytes), static_cast<int>(question.dim));
  const auto candidate = [&](const HullLine& line) {
    const Partition partition = Partition::equipartition(question.dim, line.phases);
    const Wide us = line.slope * x + line.intercept;
    const auto log2_us = static_cast<double>(std::log2(us));
    Candidate one{.name = short_name(partition),
                  .choice = {{"partition", parts_json(partition)}, {"hops", "average"}},
                  .cells = {fmt::format("2^{:.2f}", log2_us)}};
    if (us < Wide{1e300}) {
      one.predicted_us = static_cast<double>(us);
    } else {
      one.choice["log2_us"] = log2_us;
    }
    return one;
  };
  Recommendation answer = answer_of(arguments, question);
  answer.candidates = {candidate(hull.at_block(static_cast<Wide>(bytes)).line)};
  answer.beside = {{"direct", candidate(equipartition_line(question.dim, 1, p))},
                   {"standard", candidate(equipartition_line(question.dim, question.dim, p))}};
  answer.more["average_distance"] = answer.candidates.front().choice;
  if (const auto us = answer.candidates.front().predicted_us) answer.more["average_distance"]["us"] = *us;
  if (bytes > 0) answer.more["optimal_sum"] = optimal_sum(question.dim, static_cast<double>(bytes), p);
  return tell(answer, arguments.run.json, [&] {
    fmt::print("with the average distance, d/2 hops for every message; real hops are followed up to --dim {}\n",
               max_simulated_dim);
    print_optimal_sum(question, bytes, p);
    print_hull_parameters(question, p);
  });
}

int best(const ExchangeArguments& arguments) {
  if (arguments.run.measure && arguments.sizes.given()) {
    throw InputError("--measure is for blocks of one size").hint("leave out --measure or --sizes");
  }
  if (arguments.run.measure) return measured_best(arguments);
  if (arguments.run.jitter.given() || arguments.run.seed.given()) {
    throw InputError("--jitter and --seed are for runs, and nothing is run").hint("add --measure");
  }
  if (arguments.sizes.given()) return best_unequal_exchange(arguments);
  TestBench bench(max_tried_dim);
  const ExchangeQuestion question = exchange_question_of(arguments, bench);
  const Tried<ExchangeCandidate> by_machine = tried_exchanges(arguments, question, bench);
  return question.dim <= max_simulated_dim || question.stages ? best_of_all(arguments, question, by_machine)
                                                              : best_of_hull(arguments, question);
}

}  // namespace

Bytes longest_message(Bytes block, const Partition& partition) {
  constexpr Bytes most = Bytes{1} << 40;
  const auto parts = partition.parts();
  const unsigned least = *std::min_element(parts.begin(), parts.end());
  return std::min(block, most) << std::min(partition.dim() - least, max_simulated_dim);
}

std::vector<ExchangeCandidate> exchange_choices(const ExchangeQuestion& question, Bytes bytes, bool quiet) {
  std::vector<ExchangeCandidate> choices;
  for (const Ports ports : exchange_ports(question.machine, question.dim)) {
    const bool fewer = question.stages && ports != Ports{} && ports != question.machine.node.ports;
    if (fewer && question.dim > max_searched_ports_dim) continue;
    const ExchangeEquation over = question.over(ports);
    choices.push_back(candidate_by_equation(over, bytes, over.fastest(bytes, quiet)));
  }
  std::iter_swap(choices.begin(), std::ranges::min_element(choices, is_faster));
  return choices;
}

std::vector<std::string> exchange_gaps(const Machine& machine, unsigned dim, Bytes block, const Partition& partition,
                                       const ExchangeOptions& options) {
  if (machine.on_cube()) return exchange_gaps(machine, dim, longest_message(block, partition));
  Bytes longest = 0;
  bool shared = false;
  const Topology network = machine.topology(dim);
  PhaseExtents extents(network);
  for (const Phase& phase : phases(partition, options.order, network)) {
    longest = std::max(longest, block * phase.effective());
    shared = shared || extents.of(phase.first, phase.dims).waits.circuits > 0;
  }
  std::vector<std::string> gaps = exchange_gaps(machine, dim, longest);
  if (shared && !options.keeps_steps) {
    gaps.emplace_back("circuits of nodes that keep no steps share links and wait for one another");
  } else if (shared && machine.network.switching != Switching::store_and_forward) {
    gaps.emplace_back(shared_links_gap);
  }
  if (network.planes() > 0 && options.barrier == Barrier::clock) {
    gaps.emplace_back(
        "planes are tuned while nodes wait for the clock: of the delay and library.slack the longer counts");
  }
  if (network.planes() > 0 && options.retuning == Retuning::each) {
    gaps.emplace_back(
        "a plane is tuned as soon as it is free, beside the steps of others: the delay is an upper bound");
  }
  return gaps;
}

Tried<ExchangeCandidate> tried_exchanges(const ExchangeArguments& arguments, const ExchangeQuestion& question,
                                         TestBench& bench) {
  Tried<ExchangeCandidate> tried;
  if (arguments.params.given()) return tried;
  tried.leaves_out = exchange_gaps(question.machine, question.dim, arguments.bytes.value(),
                                   Partition::standard(question.dims()), question.options);
  if (!tried.are_due(question.dim)) return tried;
  RunSetup setup = setup_of(arguments.run, Networks::any);
  const Topology topology = setup.topology();
  std::vector<ExchangeCandidate> all;
  for (const Ports ports : exchange_ports(setup.machine, setup.dim)) {
    for (const Partition& partition : partitions_of(topology)) {
      ExchangeCandidate& one = all.emplace_back();
      one.partition = partition;
      one.ports = ports;
    }
  }
  const bool synchronises = sends_synchronisation(setup.machine, PairwiseSync::on);
  const auto messages = [&](const ExchangeCandidate& one) {
    ExchangeWorkload workload{.bytes = arguments.bytes.value()};
    workload.partition = one.partition;
    if (topology.is_cube()) workload.ports = one.ports;
    workload.pairing = arguments.pairing.value();
    return measured_messages(setup.machine, setup.dim,
                             workload.staged() ? StagedExchange::messages(workload, setup.dim, synchronises)
                                               : CompleteExchange::messages(workload, topology, synchronises),
                             longest_message(workload.bytes, one.partition));
  };
  CountProgress progress(all.size(), "steps", arguments.run.quiet);
  tried.run(std::move(all), messages, [&](ExchangeCandidate& one) {
    progress.next("exchanges run on the machine");
    setup.machine.node.ports = one.ports;
    one = measured_exchange(bench, arguments, setup, one.partition);
  });
  return tried;
}

void add_exchange_questions(const Questions& to) {
  add_question<ExchangeArguments>(
      to.predict, to.invocation, "exchange", "Multiphase complete exchange",
      [](ExchangeArguments& a) -> std::vector<OptionRow*> {
        return {&a.bytes, &a.partition, &a.order, &a.sync, &a.pairing, &a.retuning, &a.sizes, &a.params};
      },
      [](const ExchangeArguments& a) { return predict(a); });
  add_question<ExchangeArguments>(
      to.best, to.invocation, "exchange", "Partition with the least predicted time, beside Direct and Standard",
      [](ExchangeArguments& a, Command& command) -> std::vector<OptionRow*> {
        command.add_flag("--measure", a.run.measure,
                         "Run partitions on every schedule, xor with and without pairwise synchronisation, and list "
                         "them by measured time (--dim up to 10)");
        return {&a.bytes, &a.sizes, &a.order, &a.sync, &a.pairing, &a.retuning, &a.params, &a.run.jitter, &a.run.seed};
      },
      [](const ExchangeArguments& a) { return best(a); }, measured_limit_help());
}

}  // namespace ecube
