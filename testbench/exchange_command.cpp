// SPDX-License-Identifier: Apache-2.0
// From typed options to an experiment, and from a measurement to a table or JSON.
#include "testbench/exchange_command.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace ecube {

namespace {

constexpr Word<BlockOrder> orders[] = {
    {"high", BlockOrder::high}, {"low", BlockOrder::low}, {"inplace", BlockOrder::inplace}};
constexpr Word<Schedule> schedules[] = {{"xor", Schedule::xor_pairs},
                                        {"shift", Schedule::shift},
                                        {"ordered", Schedule::ordered},
                                        {"random", Schedule::random}};
constexpr Word<PairwiseSync> syncs[] = {{"on", PairwiseSync::rendezvous}, {"off", PairwiseSync::off}};
constexpr Word<Payload> payloads[] = {{"bytes", Payload::bytes}, {"tags", Payload::tags}, {"none", Payload::none}};
Bytes available_memory() {
  const auto pages = sysconf(_SC_AVPHYS_PAGES);
  const auto cached = sysconf(_SC_PHYS_PAGES);
  return static_cast<Bytes>(pages > cached / 2 ? pages : cached / 2) * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

ExchangeExperiment experiment_of(const ExchangeArguments& arguments, std::int64_t max_dim) {
  ExchangeExperiment experiment;
  std::vector<Setting> settings = settings_of(arguments.run);
  if (!arguments.identity_shuffle.empty()) {
    settings.push_back(option_setting("library.identity_shuffle", arguments.identity_shuffle,
                                      "--identity-shuffle " + arguments.identity_shuffle));
  }
  experiment.machine = resolve(settings);
  experiment.dim = dim_of(arguments.run, experiment.machine, max_dim);
  experiment.conditions = conditions_of(arguments.run, experiment.machine);
  ExchangeWorkload& workload = experiment.workload;
  workload.bytes = static_cast<Bytes>(in_range("--bytes", arguments.bytes, 0, std::int64_t{1} << 30));
  workload.partition = Partition::parse(arguments.partition, experiment.dim);
  workload.order = choose("--order", arguments.order, orders);
  workload.schedule = choose("--schedule", arguments.schedule, schedules);
  workload.sync = choose("--pairwise-sync", arguments.pairwise_sync, syncs);
  workload.payload = choose("--payload", arguments.payload, payloads);
  workload.barrier = experiment.machine.library.barrier;
  workload.identity_shuffle = experiment.machine.library.identity_shuffle;
  workload.seed = experiment.conditions.seed;
  return experiment;
}

void check_memory(const ExchangeExperiment& experiment) {
  const ExchangeWorkload& workload = experiment.workload;
  if (workload.payload != Payload::bytes) return;
  if (experiment.dim > 12) {
    throw InputError(fmt::format(
        "--dim {} is too large to carry payload bytes\n  valid: --payload tags | none above --dim 12", experiment.dim));
  }
  const Bytes needed =
      BlockStore::required(experiment.dim, workload.bytes, CompleteExchange::buffers(workload.schedule));
  const Bytes available = available_memory();
  if (needed > available) {
    throw InputError(
        fmt::format("the blocks need {} MiB of memory, of which {} MiB are available\n  valid: fewer --bytes, a "
                    "smaller --dim, or --payload tags | none",
                    needed >> 20, available >> 20));
  }
}

nlohmann::ordered_json terms_json(const ExchangeTerms& terms) {
  return {{"startup_us", terms.startup_us},
          {"distance_us", terms.distance_us},
          {"transmission_us", terms.transmission_us},
          {"permutation_us", terms.permutation_us},
          {"barrier_us", terms.barrier_us}};
}

nlohmann::ordered_json predicted_json(const ExchangeTerms& terms, double average_us,
                                      const ExchangeParameters& parameters) {
  return {{"equation", "Nicol & Bokhari 1994 (2), real hops"},
          {"us", terms.total()},
          {"average_distance_us", average_us},
          {"terms", terms_json(terms)},
          {"parameters",
           {{"source", parameters.source},
            {"lambda_us", parameters.lambda_us},
            {"lambda0_us", parameters.lambda0_us},
            {"tau_us_per_byte", parameters.tau_us_per_byte},
            {"delta_us_per_hop", parameters.delta_hop_us},
            {"rho_us_per_byte", parameters.rho_us_per_byte},
            {"barrier_us", parameters.barrier_us}}}};
}

nlohmann::ordered_json workload_json(const ExchangeArguments& arguments, const ExchangeExperiment& experiment) {
  std::vector<unsigned> parts(experiment.workload.partition.parts().begin(),
                              experiment.workload.partition.parts().end());
  static constexpr std::array<std::string_view, 3> barriers{"none", "phase", "step"};
  static constexpr std::array<std::string_view, 3> protocols{"none", "forced", "unforced"};
  return {{"bytes", experiment.workload.bytes},
          {"partition", parts},
          {"order", arguments.order},
          {"schedule", arguments.schedule},
          {"barrier", barriers[static_cast<std::size_t>(experiment.workload.barrier)]},
          {"pairwise_sync", arguments.pairwise_sync},
          {"protocol", protocols[static_cast<std::size_t>(experiment.machine.library.protocol)]},
          {"identity_shuffle", experiment.workload.identity_shuffle == IdentityShuffle::charge ? "charge" : "skip"},
          {"payload", arguments.payload},
          {"jitter_cycles", experiment.conditions.jitter},
          {"seed", experiment.conditions.seed}};
}

void print_json(const ExchangeArguments& arguments, const ExchangeExperiment& experiment, const ExchangeMeasurement& m,
                double wall_s) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::ordered_json json = {
      {"schema", 1},
      {"command", "run exchange"},
      {"machine", machine_json(experiment.machine, experiment.dim)},
      {"workload", workload_json(arguments, experiment)},
      {"measured",
       {{"cycles", m.run.result.cycles}, {"us", experiment.machine.us(static_cast<double>(m.run.result.cycles))}}},
      {"predicted", predicted_json(m.predicted, m.average_distance_us, m.parameters)},
      {"error_percent", m.error_percent(experiment.machine)},
      {"network",
       {{"circuits", m.run.network.circuits},
        {"payload_bytes", m.run.network.payload_bytes},
        {"blocked_circuits", m.run.network.link_blocked.circuits},
        {"blocked_cycles", m.run.network.link_blocked.cycles},
        {"port_blocked_circuits", m.run.network.port_blocked.circuits},
        {"port_blocked_cycles", m.run.network.port_blocked.cycles},
        {"lost_messages", m.run.network.lost},
        {"utilisation_mean", m.utilisation_mean},
        {"utilisation_max", m.utilisation_max}}},
      {"verified", nullptr},
      {"host",
       {{"wall_s", wall_s},
        {"peak_rss_mib", static_cast<double>(usage.ru_maxrss) / 1024.0},
        {"circuits_per_s", wall_s > 0 ? static_cast<double>(m.run.network.circuits) / wall_s : 0.0}}}};
  if (m.verified) json["verified"] = *m.verified;
  fmt::print("{}\n", json.dump(2));
}

void print_table(const ExchangeExperiment& experiment, const ExchangeMeasurement& m) {
  const Machine& machine = experiment.machine;
  const unsigned dim = experiment.dim;
  const NodeId nodes = NodeId{1} << dim;
  fmt::print("{}  d={} ({} nodes, {} links)  multiphase {}  {} B/block  engine event  seed {}\n\n", machine.name, dim,
             nodes, dim * nodes, experiment.workload.partition.braced_name(), experiment.workload.bytes,
             experiment.conditions.seed);
  fmt::print("phase  subcube    steps  predicted us   measured us     error  blocked\n");
  const auto row = [&](const std::string& name, const std::string& subcube, const std::string& steps, double predicted,
                       double measured, std::uint64_t blocked) {
    const std::string error =
        predicted > 0 ? fmt::format("{:+.3f}%", 100.0 * (measured - predicted) / predicted) : std::string("-");
    fmt::print("{:<6} {:<10} {:>5}  {:>12.3f}  {:>12.3f}  {:>8}  {:>7}\n", name, subcube, steps, predicted, measured,
               error, blocked);
  };
  for (const PhaseMeasurement& phase : m.phases) {
    const Subcube& subcube = phase.phase.subcube;
    row(std::to_string(phase.phase.index + 1), fmt::format("bits {}-{}", subcube.low + subcube.dim - 1, subcube.low),
        std::to_string(subcube.size() - 1), phase.predicted.total(), machine.us(static_cast<double>(phase.cycles)),
        phase.blocked_circuits);
  }
  row("total", "", "", m.predicted.total(), machine.us(static_cast<double>(m.run.result.cycles)),
      m.run.network.link_blocked.circuits);
  const bool paired = experiment.workload.schedule == Schedule::xor_pairs;
  if (paired && experiment.workload.sync == PairwiseSync::rendezvous) {
    fmt::print("pairwise synchronisation: a rendezvous that costs nothing\n");
  } else if (!paired) {
    fmt::print("pairwise synchronisation: ignored, the schedule is one-sided; own blocks are copied free of charge\n");
  }
  if (m.verified == std::nullopt) {
    fmt::print("data not checked: no payload was carried\n");
  } else if (!*m.verified) {
    fmt::print("DATA WRONG: {} blocks or tags\n", m.wrong);
  } else if (experiment.workload.payload == Payload::tags) {
    fmt::print("tags verified: one of 8 bytes per message, no blocks carried\n");
  } else {
    fmt::print("data verified: {} blocks in place\n", std::uint64_t{nodes} * nodes);
  }
}

}  // namespace

int run_exchange_command(const ExchangeArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const ExchangeExperiment experiment = experiment_of(arguments, max_simulated_dim);
  check_memory(experiment);
  Cube cube("cube", std::max(experiment.dim, calibration_dim), hierarchy_of(arguments.run, experiment.dim));
  const ExchangeMeasurement measurement = run_exchange(cube, experiment);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (measurement.run.result.status == RunResult::Status::finished) {
    if (arguments.run.json) {
      print_json(arguments, experiment, measurement, wall.count());
    } else {
      print_table(experiment, measurement);
    }
  }
  return report_outcome(measurement.run, measurement.verified);
}

int predict_exchange_command(const ExchangeArguments& arguments) {
  const ExchangeExperiment experiment = experiment_of(arguments, max_predicted_dim);
  Cube cube("cube", calibration_dim, Hierarchy::flat);
  const ExchangeParameters parameters = calibrate(cube, experiment.machine).exchange(experiment.dim);
  const auto cost = [&](HopCount hop_count) {
    return exchange_cost(experiment.workload.partition, static_cast<double>(experiment.workload.bytes), parameters,
                         equation_options(experiment.workload, hop_count));
  };
  const ExchangeTerms terms = cost(HopCount::real);
  const double average = cost(HopCount::average).total();
  if (arguments.run.json) {
    const nlohmann::ordered_json json = {{"schema", 1},
                                         {"command", "predict exchange"},
                                         {"machine", {{"name", experiment.machine.name}, {"dim", experiment.dim}}},
                                         {"workload", workload_json(arguments, experiment)},
                                         {"predicted", predicted_json(terms, average, parameters)}};
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}  d={}  multiphase {}  {} B/block\n\n", experiment.machine.name, experiment.dim,
             experiment.workload.partition.braced_name(), experiment.workload.bytes);
  fmt::print("start-up      {:>14.3f} us\ndistance      {:>14.3f} us\ntransmission  {:>14.3f} us\n", terms.startup_us,
             terms.distance_us, terms.transmission_us);
  fmt::print(
      "permutation   {:>14.3f} us\nbarrier       {:>14.3f} us\ntotal         {:>14.3f} us  (average distance: "
      "{:.3f})\n",
      terms.permutation_us, terms.barrier_us, terms.total(), average);
  return 0;
}

}  // namespace ecube
