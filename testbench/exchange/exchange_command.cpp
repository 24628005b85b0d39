// SPDX-License-Identifier: Apache-2.0
// From typed options to an exchange experiment, and from a measurement to a table or JSON.
#include "testbench/exchange/exchange_command.h"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/fit/deviation.h"
#include "testbench/collective/equation_note.h"
#include "testbench/exchange/exchange_choice.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/run_session.h"
#include "testbench/system/program_files.h"

namespace ecube {

namespace {

nlohmann::ordered_json terms_json(const ExchangeTerms& terms, bool staged) {
  nlohmann::ordered_json json = {{"startup_us", terms.startup_us},
                                 {"distance_us", terms.distance_us},
                                 {"transmission_us", terms.transmission_us},
                                 {"permutation_us", terms.permutation_us},
                                 {"barrier_us", terms.barrier_us}};
  if (staged) {
    json["engine_us"] = terms.engine_us;
    json["serialised_us"] = terms.serialised_us;
  }
  return json;
}

nlohmann::ordered_json phases_json(const ExchangeMeasurement& m) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const PhaseMeasurement& phase : m.phases) {
    const Subcube& subcube = phase.phase.subcube;
    phases.push_back({{"lowest_bit", subcube.low},
                      {"bits", subcube.dim},
                      {"steps", subcube.size() - 1},
                      {"predicted", {{"us", phase.predicted.total()}, {"terms", terms_json(phase.predicted, false)}}},
                      {"measured_us", phase.us},
                      {"blocked_circuits", phase.blocked_circuits}});
  }
  return phases;
}

nlohmann::ordered_json stages_json(const ExchangeExperiment& experiment, const ExchangeMeasurement& m) {
  const ExchangeWorkload& workload = experiment.workload;
  const ExchangeStages schedule(workload.partition, workload.order);
  const BlockParts block(workload.bytes, schedule.count());
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const StageMeasurement& stage : m.stages) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const StagePart& what : stage.parts) {
      const unsigned dims = schedule.phase_dims(what.phase);
      parts.push_back({{"bytes", block.length(what.part)},
                       {"phase", what.phase + 1},
                       {"lowest_bit", schedule.phase_low(what.phase)},
                       {"bits", dims},
                       {"steps", steps_of_phase(dims, workload.pairing)}});
    }
    stages.push_back({{"parts", parts},
                      {"steps", stage.steps},
                      {"predicted", {{"us", stage.predicted.total()}, {"terms", terms_json(stage.predicted, true)}}},
                      {"measured_us", stage.us},
                      {"blocked_circuits", stage.blocked_circuits}});
  }
  return stages;
}

constexpr std::string_view phase_equation = "Nicol & Bokhari 1994 (2), real hops";
constexpr std::string_view stage_equation =
    "Nicol & Bokhari 1994 (1) for parts in stages (models/exchange/README.md), real hops";

nlohmann::ordered_json predicted_json(const ExchangeTerms& terms, double average_us, const ExchangeParameters& p,
                                      bool staged) {
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
  return {{"equation", staged ? stage_equation : phase_equation},
          {"us", terms.total()},
          {"average_distance_us", average_us},
          {"terms", terms_json(terms, staged)},
          {"parameters", parameters}};
}

nlohmann::ordered_json workload_json(const RunSetup& setup, const ExchangeWorkload& workload) {
  nlohmann::ordered_json json = {{"bytes", workload.bytes},
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
  add_ports_json(json, workload.staged(), workload.ports, workload.pairing);
  return json;
}

void print_header(const ExchangeExperiment& experiment) {
  const RunSetup& setup = experiment.setup;
  const NodeId nodes = NodeId{1} << setup.dim;
  fmt::print("{}  d={} ({} nodes, {} links)  multiphase {}{}  {} B/block  engine {}  seed {}\n\n", setup.machine.name,
             setup.dim, grouped(nodes), grouped(std::uint64_t{setup.dim} * nodes),
             experiment.workload.partition.braced_name(),
             experiment.workload.staged() ? fmt::format("  {} ports", ports_text(experiment.workload.ports)) : "",
             grouped(experiment.workload.bytes), word_of(setup.engine, engines), setup.conditions.seed);
}

/// The phases that the parts run, "2,3,1"; of many the first two and the last.
std::string phases_text(const std::vector<StagePart>& parts) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (parts.size() > most && part == 2) text += ",..";
    if (parts.size() > most && part >= 2 && part + 1 < parts.size()) continue;
    text += (part == 0 ? "" : ",") + std::to_string(parts[part].phase + 1);
  }
  return text;
}

void print_table(const ExchangeExperiment& experiment, const ExchangeMeasurement& m, const Style& style) {
  print_header(experiment);
  fmt::print("{:<6} {:<10} steps  predicted us   measured us     error  blocked\n",
             experiment.workload.staged() ? "stage" : "phase", experiment.workload.staged() ? "phases" : "subcube");
  const auto row = [&](const std::string& name, const std::string& subcube, const std::string& steps, double predicted,
                       double measured, std::uint64_t blocked) {
    const std::string count = fmt::format("{:>7}", grouped(blocked));
    fmt::print("{:<6} {:<10} {:>5}  {:>12.3f}  {:>12.3f}  {:>8}  {}\n", name, subcube, steps, predicted, measured,
               percent(deviation_percent(measured, predicted)), blocked > 0 ? style.warn(count) : count);
  };
  for (const PhaseMeasurement& phase : m.phases) {
    const Subcube& subcube = phase.phase.subcube;
    row(std::to_string(phase.phase.index + 1), fmt::format("bits {}-{}", subcube.low + subcube.dim - 1, subcube.low),
        grouped(subcube.size() - 1), phase.predicted.total(), phase.us, phase.blocked_circuits);
  }
  for (std::size_t number = 0; number < m.stages.size(); ++number) {
    const StageMeasurement& stage = m.stages[number];
    row(std::to_string(number + 1), phases_text(stage.parts), grouped(stage.steps), stage.predicted.total(), stage.us,
        stage.blocked_circuits);
  }
  row("total", "", "", m.predicted.total(), m.run.result.us, m.run.network.link_blocked.circuits);
}

/// "3 parts of 10 to 11 B".
std::string parts_text(const BlockParts& block) {
  const unsigned parts = block.travelling();
  if (parts == 1) return fmt::format("one part of {} B", grouped(block.length(0)));
  const Bytes longest = block.length(0);
  const Bytes shortest = block.length(parts - 1);
  return longest == shortest ? fmt::format("{} parts of {} B", parts, grouped(longest))
                             : fmt::format("{} parts of {} to {} B", parts, grouped(shortest), grouped(longest));
}

/// What the ports of a node are used for.
void print_ports(const ExchangeExperiment& experiment, const ExchangeTerms& predicted) {
  const ExchangeWorkload& workload = experiment.workload;
  if (!workload.staged()) {
    if (workload.ports != Ports{}) {
      fmt::print("ports: a node of this machine has {}, of which --schedule {} uses one at a time\n",
                 ports_text(workload.ports), word_of(workload.schedule, exchange_schedules));
    }
    return;
  }
  const BlockParts block(workload.bytes, static_cast<unsigned>(workload.partition.size()));
  fmt::print("ports: {}; every block in {}{}; masks {}\n", ports_text(workload.ports), parts_text(block),
             block.travelling() > 1 ? ", each in another phase of a stage (phases: of part 1, 2, ..)" : "",
             workload.pairing == MaskPairing::on ? "go with their complements" : "go one at a time");
  if (predicted.serialised_us != 0 || predicted.engine_us != 0) {
    fmt::print("predicted waiting of messages: {:.3f} us for the processor, {:.3f} us for engines\n",
               predicted.serialised_us, predicted.engine_us);
  }
}

/// How phases began that are started by clocks.
void print_clock(const ExchangeExperiment& experiment, const ClockMeasurement& clock, const Style& style) {
  const double slack_us = experiment.workload.slack_us;
  if (clock.late == 0) {
    fmt::print("clocks: every node was ready for every phase, the last of them {:.3f} us before its start\n",
               0.0 - clock.last_after_us);
    return;
  }
  fmt::print("{}: of {} starts of phases {} were late, by up to {:.3f} us; --slack is {:.6g} us\n",
             style.warn("clocks"), grouped(clock.begun), grouped(clock.late), clock.last_after_us, slack_us);
}

/// Clocks that agree are of no use where nodes are later than the slack allows for.
std::string jitter_warning(const ExchangeExperiment& experiment) {
  const double jitter_us = experiment.setup.machine.us(static_cast<double>(experiment.setup.conditions.jitter));
  if (experiment.workload.barrier != Barrier::clock || jitter_us <= experiment.workload.slack_us) return {};
  return fmt::format(
      "warning: every node and every start-up is late by up to {:.6g} us (--jitter), more than --slack {:.6g} us: "
      "phases may run into each other\n",
      jitter_us, experiment.workload.slack_us);
}

/// What the numbers above do not show: assumptions, and what was checked.
void print_notes(const ExchangeExperiment& experiment, const ExchangeMeasurement& m, const Style& style) {
  const RunSetup& setup = experiment.setup;
  const ExchangeWorkload& workload = experiment.workload;
  if (setup.engine == EngineChoice::ideal) {
    fmt::print("engine ideal: no network; every operation costs what the equation says\n");
  }
  print_ports(experiment, m.predicted);
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
  if (m.clock) print_clock(experiment, *m.clock, style);
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
  experiment.workload.partition =
      partition_of(arguments, setup.dim, experiment.workload.bytes, parameters,
                   equation_options(experiment.workload, HopCount::real),
                   stage_options(experiment.workload, setup.machine, setup.engine, HopCount::real));
  const bool staged = experiment.workload.staged();
  const bool synchronises = sends_synchronisation(setup.machine, sync);
  const std::uint64_t messages = staged ? StagedExchange::messages(experiment.workload, setup.dim, synchronises)
                                        : CompleteExchange::messages(experiment.workload, setup.dim, synchronises);
  if (invocation.estimate) {
    invocation.estimate({.circuits = messages, .data = required_memory(setup.dim, experiment.workload)});
    return 0;
  }

  // Before the exchange is made and may fill the memory, everything about the input has been checked.
  std::optional<CompleteExchange> in_phases;
  std::optional<StagedExchange> in_stages;
  if (staged) {
    in_stages.emplace(experiment.workload, setup.dim);
  } else {
    in_phases.emplace(experiment.workload, setup.dim);
  }
  const auto where = [&] {
    const std::vector<double>& ends = staged ? in_stages->stage_ends_us() : in_phases->phase_ends_us();
    std::size_t begun = 0;
    while (begun < ends.size() && ends[begun] > 0) ++begun;
    return fmt::format("{} {}/{}", staged ? "stage" : "phase", std::min(begun + 1, ends.size()), ends.size());
  };
  RunSession session(arguments.run, setup, bench, {.circuits = messages, .where = where});
  if (!arguments.run.quiet) fmt::print(stderr, "{}", jitter_warning(experiment));
  const ExchangeMeasurement m = staged ? run_exchange(bench, experiment, parameters, *in_stages)
                                       : run_exchange(bench, experiment, parameters, *in_phases);
  RunReport report{.command = "run exchange",
                   .workload = workload_json(setup, experiment.workload),
                   .predicted = predicted_json(m.predicted, m.average_distance_us, m.parameters, staged),
                   .extra = {{"phases", phases_json(m)}},
                   .error_percent = m.error_percent(),
                   .verified = m.verified};
  if (staged) report.extra["stages"] = stages_json(experiment, m);
  if (m.clock) {
    report.extra["clock"] = {{"slack_us", experiment.workload.slack_us},
                             {"starts", m.clock->begun},
                             {"late_starts", m.clock->late},
                             {"last_after_start_us", m.clock->last_after_us}};
  }
  std::vector<std::string> gaps;
  if (setup.engine != EngineChoice::ideal) {
    gaps = exchange_gaps(setup.machine, setup.dim, experiment.workload.bytes, experiment.workload.partition);
  }
  add_leaves_out(report.extra, gaps);
  const int status = session.finish(m.run, report, invocation, [&] {
    print_table(experiment, m, session.style());
    print_notes(experiment, m, session.style());
    fmt::print("{}", leaves_out_note(gaps));
    fmt::print("{}", idle_options_note(arguments, staged, experiment.workload.barrier));
    if (m.run.network.link_blocked.circuits > 0 && !session.reports_contention()) {
      session.hint("the same with --contention, or with -o DIR --trace waves.fst, then " + own_command() + " view DIR");
    } else {
      session.hint(fmt::format("{} predict exchange --machine {}{} --dim {} --bytes {} --partition best", own_command(),
                               arguments.run.machine,
                               arguments.run.ports.empty() ? "" : " --ports " + arguments.run.ports, setup.dim,
                               experiment.workload.bytes));
    }
  });
  return status;
}

void print_prediction(const ExchangeTerms& terms, double average_us, const ExchangeParameters& p, bool staged) {
  fmt::print("start-up      {:>14.3f} us\ndistance      {:>14.3f} us\ntransmission  {:>14.3f} us\n", terms.startup_us,
             terms.distance_us, terms.transmission_us);
  fmt::print("permutation   {:>14.3f} us\nbarrier       {:>14.3f} us\n", terms.permutation_us, terms.barrier_us);
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
  const ExchangeQuestion question = exchange_question_of(arguments);
  const unsigned dim = question.dim;
  const ExchangeParameters& parameters = question.parameters;
  ExchangeOptions options = question.options;
  const bool staged = question.stages.has_value();
  const Bytes bytes = block_bytes(arguments);
  const Partition partition = partition_of(arguments, dim, bytes, parameters, options, question.stages);
  const auto cost = [&](HopCount hop_count) {
    options.hops = hop_count;
    return predicted_exchange(partition, bytes, parameters, options, question.stages);
  };
  const ExchangeTerms terms = cost(HopCount::real);
  const double average_us = cost(HopCount::average).total();
  std::vector<std::string> gaps;
  if (arguments.params.empty()) gaps = exchange_gaps(question.machine, dim, bytes, partition);
  if (arguments.run.json) {
    nlohmann::ordered_json workload = {{"bytes", bytes},
                                       {"partition", parts_json(partition)},
                                       {"order", word_of(options.order, block_orders)},
                                       {"barrier", word_of(options.barrier, barrier_words)},
                                       {"identity_shuffle", word_of(options.identity_shuffle, identity_words)}};
    add_ports_json(workload, staged, question.machine.node.ports, pairing_of(arguments));
    nlohmann::ordered_json json = {{"schema", 1},
                                   {"command", "predict exchange"},
                                   {"machine", question.machine_json},
                                   {"workload", workload},
                                   {"predicted", predicted_json(terms, average_us, parameters, staged)}};
    add_leaves_out(json, gaps);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  multiphase {}{}  {} B/block\n\n", question.name, dim, partition.braced_name(),
             staged ? fmt::format("  {} ports", ports_text(question.machine.node.ports)) : "", grouped(bytes));
  print_prediction(terms, average_us, parameters, staged);
  fmt::print("{}", leaves_out_note(gaps));
  fmt::print("{}", idle_options_note(arguments, staged, options.barrier));
  return 0;
}

}  // namespace

void add_run_exchange(Command& run_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  Command& command =
      run_command.add_command("exchange", "Multiphase complete exchange: every node has a block for every node");
  add_exchange_options(command, *arguments);
  command.add_option("--schedule", arguments->schedule, "xor (pairwise); one-sided: shift, ordered or random")
      .show_default();
  command.add_option("--payload", arguments->payload, "bytes (checked), tags (8 bytes a message) or none")
      .show_default();
  add_run_options(command, arguments->run);
  add_footer(command,
             "Examples:\n"
             "  ecube run exchange --machine ideal --dim 6 --bytes 32 --partition 3,3\n"
             "  ecube run exchange --machine ipsc860 --dim 5 --partition best --json\n"
             "  ecube run exchange --ports n --dim 6 --partition 3,3 --bytes 32\n"
             "  ecube run exchange --dim 6 --schedule ordered -o runs/ordered --circuits\n"
             "  ecube run exchange --machine ipsc860 --dim 6 --partition 3,3 --barrier clock --slack '20 us'\n"
             "  ecube run exchange --set link.cycles_per_phit='2 cycles' --jitter '3 us' --pairwise-sync off");
  command.on_run([arguments, &invocation] { invocation.status = run(*arguments, invocation); });
}

void add_predict_exchange(Command& predict_command, Invocation& invocation) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  Command& command = predict_command.add_command("exchange", "Multiphase complete exchange");
  add_exchange_options(command, *arguments);
  add_machine_options(command, arguments->run);
  add_exchange_params_option(command, *arguments);
  add_footer(command,
             "Examples:\n"
             "  ecube predict exchange --machine ipsc860 --dim 6 --bytes 32 --partition 3,3\n"
             "  ecube predict exchange --machine ncube2 --dim 6 --bytes 32 --partition 3,3\n"
             "  ecube predict exchange --params lambda=100,delta=10,tau=2,rho=1 --dim 4 --partition best");
  command.on_run([arguments, &invocation] { invocation.status = predict(*arguments); });
}

}  // namespace ecube
