// SPDX-License-Identifier: Apache-2.0
// From typed options to an exchange experiment, and from a measurement to a table or JSON.
#include "testbench/exchange_command.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "testbench/exchange_experiment.h"
#include "testbench/exchange_request.h"
#include "testbench/run_session.h"

namespace ecube {

namespace {

nlohmann::ordered_json terms_json(const ExchangeTerms& terms) {
  return {{"startup_us", terms.startup_us},
          {"distance_us", terms.distance_us},
          {"transmission_us", terms.transmission_us},
          {"permutation_us", terms.permutation_us},
          {"barrier_us", terms.barrier_us}};
}

nlohmann::ordered_json phases_json(const ExchangeMeasurement& m) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const PhaseMeasurement& phase : m.phases) {
    const Subcube& subcube = phase.phase.subcube;
    phases.push_back({{"lowest_bit", subcube.low},
                      {"bits", subcube.dim},
                      {"steps", subcube.size() - 1},
                      {"predicted", {{"us", phase.predicted.total()}, {"terms", terms_json(phase.predicted)}}},
                      {"measured_us", phase.us},
                      {"blocked_circuits", phase.blocked_circuits}});
  }
  return phases;
}

nlohmann::ordered_json predicted_json(const ExchangeTerms& terms, double average_us, const ExchangeParameters& p) {
  nlohmann::ordered_json parameters = {{"source", p.source},
                                       {"lambda_us", p.lambda_us},
                                       {"lambda0_us", p.lambda0_us},
                                       {"tau_us_per_byte", p.tau_us_per_byte},
                                       {"delta_us_per_hop", p.delta_hop_us},
                                       {"rho_us_per_byte", p.rho_us_per_byte},
                                       {"barrier_us", p.barrier_us}};
  if (p.delta_us != 0) parameters["delta_us"] = p.delta_us;
  if (p.tau_hop_us_per_byte != 0) parameters["tau_us_per_byte_and_hop"] = p.tau_hop_us_per_byte;
  if (p.short_bytes > 0) {
    parameters["short_bytes"] = p.short_bytes;
    parameters["lambda_short_us"] = p.lambda_short_us;
    parameters["delta_short_us_per_hop"] = p.delta_hop_short_us;
  }
  parameters["pairwise_sync_messages"] = p.pairwise_sync_messages;
  return {{"equation", "Nicol & Bokhari 1994 (2), real hops"},
          {"us", terms.total()},
          {"average_distance_us", average_us},
          {"terms", terms_json(terms)},
          {"parameters", parameters}};
}

nlohmann::ordered_json workload_json(const RunSetup& setup, const ExchangeWorkload& workload) {
  return {{"bytes", workload.bytes},
          {"partition", parts_json(workload.partition)},
          {"order", word_of(workload.order, block_orders)},
          {"schedule", word_of(workload.schedule, exchange_schedules)},
          {"barrier", word_of(workload.barrier, barrier_words)},
          {"pairwise_sync", word_of(workload.sync, sync_switches)},
          {"protocol", word_of(setup.machine.library.protocol, protocol_words)},
          {"identity_shuffle", word_of(workload.identity_shuffle, identity_words)},
          {"payload", word_of(workload.payload, exchange_payloads)},
          {"jitter_cycles", setup.conditions.jitter},
          {"seed", setup.conditions.seed}};
}

void print_header(const ExchangeExperiment& experiment) {
  const RunSetup& setup = experiment.setup;
  const NodeId nodes = NodeId{1} << setup.dim;
  fmt::print("{}  d={} ({} nodes, {} links)  multiphase {}  {} B/block  engine {}  seed {}\n\n", setup.machine.name,
             setup.dim, grouped(nodes), grouped(std::uint64_t{setup.dim} * nodes),
             experiment.workload.partition.braced_name(), grouped(experiment.workload.bytes),
             word_of(setup.engine, engines), setup.conditions.seed);
}

void print_table(const ExchangeExperiment& experiment, const ExchangeMeasurement& m, const Style& style) {
  print_header(experiment);
  fmt::print("phase  subcube    steps  predicted us   measured us     error  blocked\n");
  const auto row = [&](const std::string& name, const std::string& subcube, const std::string& steps, double predicted,
                       double measured, std::uint64_t blocked) {
    const std::string count = fmt::format("{:>7}", grouped(blocked));
    fmt::print("{:<6} {:<10} {:>5}  {:>12.3f}  {:>12.3f}  {:>8}  {}\n", name, subcube, steps, predicted, measured,
               percent(100.0 * (measured - predicted) / predicted), blocked > 0 ? style.warn(count) : count);
  };
  for (const PhaseMeasurement& phase : m.phases) {
    const Subcube& subcube = phase.phase.subcube;
    row(std::to_string(phase.phase.index + 1), fmt::format("bits {}-{}", subcube.low + subcube.dim - 1, subcube.low),
        grouped(subcube.size() - 1), phase.predicted.total(), phase.us, phase.blocked_circuits);
  }
  row("total", "", "", m.predicted.total(), m.run.result.us, m.run.network.link_blocked.circuits);
}

/// What the numbers above do not show: assumptions, and what was checked.
void print_notes(const ExchangeExperiment& experiment, const ExchangeMeasurement& m, const Style& style) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  if (setup.engine == EngineChoice::ideal) {
    fmt::print("engine ideal: no network; every operation costs what the equation says\n");
  }
  const bool protocol = setup.machine.library.protocol != Protocol::none;
  if (workload.schedule != Schedule::xor_pairs) {
    fmt::print("pairwise synchronisation: ignored, the schedule is one-sided; own blocks are copied free of charge\n");
  } else if (workload.sync == PairwiseSync::on) {
    fmt::print("pairwise synchronisation: {}\n",
               protocol ? "zero-byte messages both ways, circuits of their own" : "a rendezvous that costs nothing");
  } else if (protocol && setup.conditions.jitter == 0) {
    fmt::print(
        "pairwise synchronisation: off; all nodes run in lock step, which hides what it is for (lost messages, "
        "opposite\n"
        "  transmissions one after the other): add --jitter TIME\n");
  }
  if (m.run.network.control_circuits > 0 || m.run.network.serialised.circuits > 0) {
    fmt::print("circuits: {}, {} of them control; {} accepted only after the destination had sent its own\n",
               grouped(m.run.network.circuits), grouped(m.run.network.control_circuits),
               grouped(m.run.network.serialised.circuits));
  }
  const NodeId nodes = NodeId{1} << setup.dim;
  if (m.verified == std::nullopt) {
    fmt::print("data not checked: no payload was carried\n");
  } else if (!*m.verified) {
    fmt::print("{}\n", style.bad(fmt::format("DATA WRONG: {} blocks or tags", grouped(m.wrong))));
  } else if (workload.payload == Payload::tags) {
    fmt::print("tags verified: one of 8 bytes per message, no blocks carried\n");
  } else {
    fmt::print("data verified: {} blocks in place\n", grouped(std::uint64_t{nodes} * nodes));
  }
}

int run(const ExchangeArguments& arguments, const Invocation& invocation) {
  ExchangeExperiment experiment;
  experiment.setup = setup_of(arguments.run, exchange_settings(arguments));
  const RunSetup& setup = experiment.setup;
  experiment.workload = exchange_workload_of(arguments, setup);
  if (arguments.partition != "best") {
    experiment.workload.partition = Partition::parse(arguments.partition, setup.dim);
  }
  TestBench& bench = invocation.bench(arguments.run, setup);
  const PairwiseSync sync =
      experiment.workload.schedule == Schedule::xor_pairs ? experiment.workload.sync : PairwiseSync::off;
  const ExchangeParameters parameters = parameters_for(arguments.run, bench, setup.machine, setup.dim, sync);
  experiment.workload.partition = partition_of(arguments, setup.dim, experiment.workload.bytes, parameters,
                                               equation_options(experiment.workload, HopCount::real));
  const std::uint64_t messages =
      CompleteExchange::messages(experiment.workload, setup.dim, sends_synchronisation(setup.machine, sync));
  if (invocation.estimate) {
    invocation.estimate({.circuits = messages, .data = required_memory(setup.dim, experiment.workload)});
    return 0;
  }

  CompleteExchange exchange(experiment.workload, setup.dim);
  const auto phase = [&exchange] {
    std::size_t begun = 0;
    while (begun < exchange.phases().size() && exchange.phase_ends_us()[begun] > 0) ++begun;
    return fmt::format("phase {}/{}", std::min(begun + 1, exchange.phases().size()), exchange.phases().size());
  };
  RunSession session(arguments.run, setup, bench, {.circuits = messages, .where = phase});
  const ExchangeMeasurement m = run_exchange(bench, experiment, parameters, exchange);
  RunReport report{.command = "run exchange",
                   .workload = workload_json(setup, experiment.workload),
                   .predicted = predicted_json(m.predicted, m.average_distance_us, m.parameters),
                   .extra = {{"phases", phases_json(m)}},
                   .error_percent = m.error_percent(),
                   .verified = m.verified};
  const int status = session.finish(m.run, report, invocation, [&] {
    print_table(experiment, m, session.style());
    print_notes(experiment, m, session.style());
    if (m.run.network.link_blocked.circuits > 0 && !session.reports_contention()) {
      session.hint("the same with --contention, or with -o DIR --trace waves.fst, then ./ecube view DIR");
    } else {
      session.hint(fmt::format("./ecube predict exchange --machine {} --dim {} --bytes {} --partition best",
                               arguments.run.machine, setup.dim, experiment.workload.bytes));
    }
  });
  return status;
}

void print_prediction(const ExchangeTerms& terms, double average_us, const ExchangeParameters& p) {
  fmt::print("start-up      {:>14.3f} us\ndistance      {:>14.3f} us\ntransmission  {:>14.3f} us\n", terms.startup_us,
             terms.distance_us, terms.transmission_us);
  fmt::print("permutation   {:>14.3f} us\nbarrier       {:>14.3f} us\n", terms.permutation_us, terms.barrier_us);
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
  const ExchangeQuestion question = exchange_question_of(arguments);
  const unsigned dim = question.dim;
  const ExchangeParameters& parameters = question.parameters;
  ExchangeOptions options = question.options;
  const Bytes bytes = block_bytes(arguments);
  const Partition partition = partition_of(arguments, dim, bytes, parameters, options);
  const auto cost = [&](HopCount hop_count) {
    options.hops = hop_count;
    return exchange_cost(partition, static_cast<double>(bytes), parameters, options);
  };
  const ExchangeTerms terms = cost(HopCount::real);
  const double average_us = cost(HopCount::average).total();
  if (arguments.run.json) {
    const nlohmann::ordered_json json = {{"schema", 1},
                                         {"command", "predict exchange"},
                                         {"machine", question.machine_json},
                                         {"workload",
                                          {{"bytes", bytes},
                                           {"partition", parts_json(partition)},
                                           {"order", word_of(options.order, block_orders)},
                                           {"barrier", word_of(options.barrier, barrier_words)},
                                           {"identity_shuffle", word_of(options.identity_shuffle, identity_words)}}},
                                         {"predicted", predicted_json(terms, average_us, parameters)}};
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  multiphase {}  {} B/block\n\n", question.name, dim, partition.braced_name(), grouped(bytes));
  print_prediction(terms, average_us, parameters);
  return 0;
}

}  // namespace

void add_run_exchange(CLI::App& run_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  CLI::App* const command =
      run_command.add_subcommand("exchange", "Multiphase complete exchange: every node has a block for every node");
  add_exchange_options(*command, *arguments);
  command->add_option("--schedule", arguments->schedule, "xor (pairwise); one-sided: shift, ordered or random")
      ->capture_default_str();
  command->add_option("--payload", arguments->payload, "bytes (checked), tags (8 bytes a message) or none")
      ->capture_default_str();
  add_run_options(*command, arguments->run);
  add_footer(*command,
             "Examples:\n"
             "  ecube run exchange --machine ideal --dim 6 --bytes 32 --partition 3,3\n"
             "  ecube run exchange --machine ipsc860 --dim 5 --partition best --json\n"
             "  ecube run exchange --dim 6 --schedule ordered -o runs/ordered --circuits\n"
             "  ecube run exchange --set link.cycles_per_phit='2 cycles' --jitter '3 us' --pairwise-sync off");
  command->callback([arguments, &invocation] { invocation.status = run(*arguments, invocation); });
}

void add_predict_exchange(CLI::App& predict_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  CLI::App* const command = predict_command.add_subcommand("exchange", "Multiphase complete exchange");
  add_exchange_options(*command, *arguments);
  add_machine_options(*command, arguments->run);
  command->add_option(
      "--params", arguments->params,
      "In place of a machine: lambda=100,delta=10,tau=2,rho=1,barrier=0 (us, us/byte; delta_hop per hop)");
  add_footer(*command,
             "Examples:\n"
             "  ecube predict exchange --machine ipsc860 --dim 6 --bytes 32 --partition 3,3\n"
             "  ecube predict exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 4 --partition best");
  command->callback([arguments, &invocation] { invocation.status = predict(*arguments); });
}

}  // namespace ecube
