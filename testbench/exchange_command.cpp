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

#include "models/presets.h"
#include "models/quantity.h"
#include "models/settings.h"

namespace ecube {

namespace {

template <class Value>
struct Word {
  std::string_view word;
  Value value;
};

/// The value a word stands for. InputError with the valid words.
template <class Value, std::size_t count>
Value choose(std::string_view option, std::string_view typed, const Word<Value> (&words)[count]) {
  std::vector<std::string_view> candidates;
  std::string valid;
  for (const Word<Value>& word : words) {
    if (word.word == typed) return word.value;
    candidates.push_back(word.word);
    valid += (valid.empty() ? "" : " | ") + std::string(word.word);
  }
  throw ErrorText(fmt::format("unknown value {} for {}", ecube::quoted(typed), option))
      .hint(did_you_mean(typed, candidates))
      .valid(valid)
      .error();
}

constexpr Word<BlockOrder> orders[] = {
    {"high", BlockOrder::high}, {"low", BlockOrder::low}, {"inplace", BlockOrder::inplace}};
constexpr Word<Schedule> schedules[] = {{"xor", Schedule::xor_pairs},
                                        {"shift", Schedule::shift},
                                        {"ordered", Schedule::ordered},
                                        {"random", Schedule::random}};
constexpr Word<PairwiseSync> syncs[] = {{"on", PairwiseSync::rendezvous}, {"off", PairwiseSync::off}};
constexpr Word<Payload> payloads[] = {{"bytes", Payload::bytes}, {"tags", Payload::tags}, {"none", Payload::none}};
enum class HierarchyChoice : std::uint8_t { automatic, full, flat };
constexpr Word<HierarchyChoice> hierarchies[] = {
    {"auto", HierarchyChoice::automatic}, {"full", HierarchyChoice::full}, {"flat", HierarchyChoice::flat}};

Bytes available_memory() {
  const auto pages = sysconf(_SC_AVPHYS_PAGES);
  const auto cached = sysconf(_SC_PHYS_PAGES);
  return static_cast<Bytes>(pages > cached / 2 ? pages : cached / 2) * static_cast<Bytes>(sysconf(_SC_PAGESIZE));
}

std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw ErrorText(fmt::format("{} {} is out of range", option, value))
        .valid(fmt::format("{} .. {}", least, most))
        .error();
  }
  return value;
}

ExchangeExperiment experiment_of(const ExchangeArguments& arguments, std::int64_t max_dim) {
  std::vector<Setting> settings = preset_settings(preset(arguments.machine));
  for (const std::string& set : arguments.set) settings.push_back(parse_set(set));
  const auto option = [&settings](std::string_view key, const std::string& value, std::string_view name) {
    if (!value.empty()) settings.push_back(option_setting(key, value, fmt::format("{} {}", name, value)));
  };
  option("node.ports", arguments.ports, "--ports");
  option("node.startups", arguments.startups, "--startups");
  option("library.barrier", arguments.barrier, "--barrier");
  option("library.protocol", arguments.protocol, "--protocol");
  option("library.identity_shuffle", arguments.identity_shuffle, "--identity-shuffle");

  ExchangeExperiment experiment;
  experiment.machine = resolve(settings);
  experiment.dim = static_cast<unsigned>(in_range("--dim", arguments.dim, 1, max_dim));
  check_dimension(experiment.machine, experiment.dim);
  ExchangeWorkload& workload = experiment.workload;
  workload.bytes = static_cast<Bytes>(in_range("--bytes", arguments.bytes, 0, std::int64_t{1} << 30));
  workload.partition = Partition::parse(arguments.partition, experiment.dim);
  workload.order = choose("--order", arguments.order, orders);
  workload.schedule = choose("--schedule", arguments.schedule, schedules);
  workload.sync = choose("--pairwise-sync", arguments.pairwise_sync, syncs);
  workload.payload = choose("--payload", arguments.payload, payloads);
  workload.barrier = experiment.machine.library.barrier;
  workload.identity_shuffle = experiment.machine.library.identity_shuffle;
  workload.seed = static_cast<std::uint64_t>(in_range("--seed", arguments.seed, 0, std::int64_t{1} << 62));
  experiment.conditions.seed = workload.seed;
  const auto jitter = parse_time(arguments.jitter);
  if (!jitter)
    throw InputError(fmt::format("--jitter {}: {}", ecube::quoted(arguments.jitter), jitter.problem().message));
  const auto cycles = whole_cycles(*jitter, static_cast<std::uint64_t>(experiment.machine.clock_hz));
  if (!cycles)
    throw InputError(fmt::format("--jitter {}: {}", ecube::quoted(arguments.jitter), cycles.problem().message));
  experiment.conditions.jitter = *cycles;
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

nlohmann::ordered_json machine_json(const ExchangeExperiment& experiment) {
  const std::uint32_t engines = experiment.machine.node.ports.engines;
  const std::string ports = engines == 1 ? "one" : engines == Ports::n ? "n" : std::to_string(engines);
  return {{"name", experiment.machine.name},
          {"dim", experiment.dim},
          {"nodes", 1U << experiment.dim},
          {"clock_mhz", experiment.machine.clock_hz / 1e6},
          {"engine", "event"},
          {"ports", ports}};
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
      {"machine", machine_json(experiment)},
      {"workload", workload_json(arguments, experiment)},
      {"measured", {{"cycles", m.result.cycles}, {"us", experiment.machine.us(static_cast<double>(m.result.cycles))}}},
      {"predicted", predicted_json(m.predicted, m.average_distance_us, m.parameters)},
      {"error_percent", m.error_percent(experiment.machine)},
      {"network",
       {{"circuits", m.network.circuits},
        {"payload_bytes", m.network.payload_bytes},
        {"blocked_circuits", m.network.link_blocked.circuits},
        {"blocked_cycles", m.network.link_blocked.cycles},
        {"port_blocked_circuits", m.network.port_blocked.circuits},
        {"port_blocked_cycles", m.network.port_blocked.cycles},
        {"lost_messages", m.network.lost},
        {"utilisation_mean", m.utilisation_mean},
        {"utilisation_max", m.utilisation_max}}},
      {"verified", nullptr},
      {"host",
       {{"wall_s", wall_s},
        {"peak_rss_mib", static_cast<double>(usage.ru_maxrss) / 1024.0},
        {"circuits_per_s", wall_s > 0 ? static_cast<double>(m.network.circuits) / wall_s : 0.0}}}};
  if (m.verified) json["verified"] = *m.verified;
  fmt::print("{}\n", json.dump(2));
}

void print_table(const ExchangeArguments& arguments, const ExchangeExperiment& experiment,
                 const ExchangeMeasurement& m) {
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
  row("total", "", "", m.predicted.total(), machine.us(static_cast<double>(m.result.cycles)),
      m.network.link_blocked.circuits);
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
  (void)arguments;
}

int report_failure(const ExchangeMeasurement& m) {
  if (m.network.lost > 0) {
    const LostMessage& first = m.network.first_lost.front();
    fmt::print(stderr, "lost {} forced messages, the first {}->{} at cycle {}\n", m.network.lost, first.source,
               first.destination, first.at);
  }
  switch (m.result.status) {
    case RunResult::Status::finished:
      return m.network.lost > 0 ? 3 : m.verified == false ? 1 : 0;
    case RunResult::Status::fault:
      fmt::print(stderr, "stopped at cycle {}: {}\n", m.result.cycles, m.result.fault);
      return 3;
    case RunResult::Status::interrupted:
      fmt::print(stderr, "interrupted at cycle {}\n", m.result.cycles);
      return 130;
    case RunResult::Status::stalled:
      break;
  }
  fmt::print(stderr, "stalled at cycle {}: nothing can move, {} nodes have not finished\n", m.result.cycles,
             m.unfinished);
  for (const WaitingNode& wait : m.waiting) {
    static constexpr std::array<std::string_view, 5> what{"has nothing under way", "waits for a message from",
                                                          "waits for the other half of an exchange with",
                                                          "waits for a port to send to", "waits for its circuit to"};
    fmt::print(stderr, "  node {} {}", wait.node, what[static_cast<std::size_t>(wait.waits_for)]);
    if (wait.waits_for != WaitingNode::For::nothing) {
      fmt::print(stderr, " {} (type {}, since cycle {})",
                 wait.peer == any_node ? std::string("any node") : "node " + std::to_string(wait.peer), wait.type,
                 wait.since);
    }
    fmt::print(stderr, "\n");
  }
  return 3;
}

}  // namespace

int run_exchange_command(const ExchangeArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const ExchangeExperiment experiment = experiment_of(arguments, max_simulated_dim);
  check_memory(experiment);
  const HierarchyChoice choice = choose("--hierarchy", arguments.hierarchy, hierarchies);
  const bool full =
      choice == HierarchyChoice::full || (choice == HierarchyChoice::automatic && experiment.dim <= max_auto_full_dim);
  Cube cube("cube", std::max(experiment.dim, calibration_dim), full ? Hierarchy::full : Hierarchy::flat);
  const ExchangeMeasurement measurement = run_exchange(cube, experiment);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (measurement.result.status == RunResult::Status::finished) {
    if (arguments.json) {
      print_json(arguments, experiment, measurement, wall.count());
    } else {
      print_table(arguments, experiment, measurement);
    }
  }
  return report_failure(measurement);
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
  if (arguments.json) {
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
