// SPDX-License-Identifier: Apache-2.0
// The output that all runs have in common, whatever their workload, and the figures that are in it.
#include "testbench/run/experiment.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "hw/folded/cube.h"
#include "models/fit/equation_gaps.h"
#include "models/machine/spelling.h"
#include "testbench/run/figures.h"
#include "testbench/run/run_files.h"
#include "testbench/system/program_files.h"
#include "testbench/text/csv.h"
#include "testbench/text/json_text.h"

namespace ecube {

/// The members of Figure; "-" is nothing.
extern const char* const figures_table;

namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point process_begin = Clock::now();

nlohmann::ordered_json network_json(const RunSetup& setup, const RunMeasurement& m) {
  const RunStatistics& network = m.network;
  nlohmann::ordered_json json = {{"circuits", network.circuits},
                                 {"payload_bytes", network.payload_bytes},
                                 {"blocked_circuits", network.link_blocked.circuits},
                                 {"blocked_cycles", network.link_blocked.cycles},
                                 {"port_blocked_circuits", network.port_blocked.circuits},
                                 {"port_blocked_cycles", network.port_blocked.cycles},
                                 {"control_circuits", network.control_circuits},
                                 {"serialised_circuits", network.serialised.circuits},
                                 {"serialised_cycles", network.serialised.cycles},
                                 {"lost_messages", network.lost},
                                 {"utilisation_mean", m.utilisation_mean},
                                 {"utilisation_max", m.utilisation_max}};
  const bool stores = setup.machine.network.switching == Switching::store_and_forward;
  if (stores) json["most_stored_bytes"] = network.most_stored;
  if (!setup.conditions.failures.empty()) json["cut_circuits"] = network.cut;
  if (setup.machine.network.planes == 0) return json;
  json.update({{"plane_changes", network.planes.changes},
               {"plane_closing_cycles", network.planes.closing},
               {"plane_dark_cycles", network.planes.dark},
               {"plane_exposed_cycles", network.planes.exposed},
               {"plane_hidden_cycles", network.planes.hidden}});
  return json;
}

/// An output that tells about single nodes or circuits; empty where there is none.
std::string unfolded_output(const RunArguments& arguments, const RunSetup& setup) {
  if (arguments.circuits) return "--circuits lists the circuits of all nodes";
  if (!arguments.trace.empty()) return "--trace shows all nodes";
  if (arguments.contention) return "--contention tells of all circuits, and folded runs have no contention";
  if (!arguments.export_goal.empty()) return "--export-goal writes the programs of all nodes";
  if (!arguments.directory.empty() && leaves_node_times(setup.machine, setup.dim)) {
    return "a run directory of detailed nodes has the times of all nodes (node_times.csv)";
  }
  return {};
}

}  // namespace

std::string leaves_out_note(const std::vector<std::string>& gaps) {
  return gaps.empty() ? std::string() : "the equation leaves out: " + joined(gaps, ";\n  ") + "\n";
}

void Experiment::run_folded_or_not(const std::function<void(bool folded)>& run) {
  if (setup_.may_fold()) {
    try {
      return run(true);
    } catch (const NotFolded& reason) {
      settle_fold(setup_, reason.what());
    }
    require_machine_memory(setup_.dim);
  }
  run(false);
}

void Experiment::print_title(const std::string& what) const {
  const Topology topology = setup_.topology();
  fmt::print("{}  {} ({} nodes, {} links)  {}  engine {}  seed {}\n\n", setup_.machine.name,
             network_name(setup_.machine, setup_.dim), grouped(topology.nodes()), grouped(topology.links()), what,
             word_of(setup_.engine, engines), setup_.conditions.seed);
}

void Experiment::print_data(const Style& style, Payload payload, std::uint64_t wrong, const std::string& carried,
                            const std::string& done) const {
  const std::optional<bool> right = verified();
  if (verified_nodes() > 0) {
    fmt::print("{} of node 0 verified by translation\n", payload == Payload::checks ? "check words" : carried);
  } else if (right == false) {
    fmt::print("{}\n", style.bad(fmt::format("DATA WRONG: {} {}{}", grouped(wrong), carried,
                                             payload == Payload::checks ? " or check words" : "")));
  } else if (right == std::nullopt) {
    fmt::print("data not checked: {}\n", measurement().folded && payload != Payload::none
                                             ? "a folded run carries no " + carried
                                             : "no payload was carried");
  } else if (payload == Payload::checks) {
    fmt::print("check words verified: one of 8 bytes per message, no {} carried\n", carried);
  } else {
    fmt::print("data verified: {}\n", done);
  }
}

void Experiment::print_engine() const {
  if (setup_.engine != EngineChoice::ideal) return;
  fmt::print("engine ideal: no network; every operation costs what the equation says\n");
}

void Experiment::print_control() const {
  const RunStatistics& network = measurement().network;
  if (network.control_circuits == 0 && network.serialised.circuits == 0) return;
  fmt::print("circuits: {}, of which {} control; {} delayed by the receiver's own send\n", grouped(network.circuits),
             grouped(network.control_circuits), grouped(network.serialised.circuits));
}

IdealCosts PlainRun::costs_for(const RunArguments& arguments) const {
  if (setup().engine != EngineChoice::ideal) return {};
  return ideal_costs(parameters_for(arguments, bench(), setup().machine, setup().dim), setup().machine, setup().dim);
}

void PlainRun::print_measured() const {
  fmt::print("measured  {} cycles, {:.3f} us\ncircuits  {}, {} blocked, {} port-blocked\n", grouped(m_.result.cycles),
             m_.result.us, grouped(m_.network.circuits), grouped(m_.network.link_blocked.circuits),
             grouped(m_.network.port_blocked.circuits));
}

std::string compared_cells(std::optional<double> predicted_us, double measured_us, std::uint64_t blocked,
                           const Style& style) {
  const std::string count = fmt::format("{:>7}", grouped(blocked));
  return fmt::format("{:>12}  {:>12.3f}  {:>8}  {}", predicted_us ? fmt::format("{:.3f}", *predicted_us) : "-",
                     measured_us, predicted_us ? percent(deviation_percent(measured_us, *predicted_us)) : "-",
                     blocked > 0 ? style.warn(count) : count);
}

std::string Experiment::where() const {
  if (ends_us_ == nullptr) return {};
  const auto ended = std::ranges::find_if(*ends_us_, [](double us) { return !(us > 0); }) - ends_us_->begin();
  const std::size_t parts = ends_us_->size();
  return fmt::format("{} {}/{}", part_, std::min(static_cast<std::size_t>(ended) + 1, parts), parts);
}

nlohmann::ordered_json machine_json(const Machine& machine, unsigned dim, EngineChoice engine) {
  nlohmann::ordered_json json = {{"name", machine.name}, {"topology", fmt::format("cube:{}", dim)}, {"dim", dim}};
  if (dim < 64) json["nodes"] = std::uint64_t{1} << dim;
  if (machine.network.topology && !machine.network.topology->is_cube()) {
    json["topology"] = machine.network.topology->name();
    json["dim"] = nullptr;
    json["nodes"] = machine.network.topology->nodes();
  }
  if (machine.link.channels != 1) json["channels"] = machine.link.channels;
  json["clock_mhz"] = machine.clock_hz / 1e6;
  json["engine"] = word_of(engine, engines);
  json["ports"] = ports_word(machine.node.ports);
  return json;
}

nlohmann::ordered_json asked_machine_json(const Machine& machine, unsigned dim, bool params) {
  nlohmann::ordered_json json = machine_json(machine, dim, EngineChoice::event);
  if (params && json["dim"].is_null()) return {{"name", nullptr}, {"topology", json["topology"]}, {"dim", nullptr}};
  if (params) return {{"name", nullptr}, {"dim", dim}};
  json.erase("engine");
  return json;
}

Json exchange_parameters_json(const ExchangeParameters& p) {
  Json parameters = {{"source", p.source},
                     {"lambda_us", p.lambda_us},
                     {"lambda0_us", p.lambda0_us},
                     {"tau_us_per_byte", p.tau_us_per_byte},
                     {"delta_us_per_hop", p.delta_hop_us},
                     {"rho_us_per_byte", p.rho_us_per_byte},
                     {"barrier_us", p.barrier_us},
                     {"delta_us", p.delta_us},
                     {"tau_us_per_byte_and_hop", p.tau_hop_us_per_byte}};
  if (p.short_bytes > 0) {
    parameters["short_bytes"] = p.short_bytes;
    parameters["lambda_short_us"] = p.lambda_short_us;
    parameters["delta_short_us_per_hop"] = p.delta_hop_short_us;
  }
  parameters["pairwise_sync_messages"] = p.pairwise_sync_messages;
  return parameters;
}

void add_conditions(nlohmann::ordered_json& workload, const RunConditions& conditions) {
  workload["jitter_cycles"] = conditions.jitter;
  if (conditions.late != Late::all) workload["jitter_of"] = word_of(conditions.late, late_words);
  workload["seed"] = conditions.seed;
}

nlohmann::ordered_json run_json(const Experiment& experiment) {
  const RunSetup& setup = experiment.setup();
  const RunMeasurement& m = experiment.measurement();
  const RunReport report = experiment.report();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double wall_s = std::chrono::duration<double>(Clock::now() - process_begin).count();
  nlohmann::ordered_json json = {{"schema", json_schema},
                                 {"command", report.command},
                                 {"machine", machine_json(setup.machine, setup.dim, setup.engine)},
                                 {"workload", report.workload},
                                 {"measured", {{"cycles", m.result.cycles}, {"us", m.result.us}}},
                                 {"predicted", report.predicted},
                                 {"error_percent", nullptr}};
  add_conditions(json["workload"], setup.conditions);
  if (!report.predicted.is_null()) {
    json["error_percent"] = deviation_percent(m.result.us, report.predicted["us"].get<double>());
  }
  json["network"] = network_json(setup, m);
  if (!report.measured.is_null()) json["measured"].update(report.measured);
  if (!setup.router.empty()) json["machine"]["router"] = setup.router;
  if (!setup.conditions.failures.empty()) json["failures"] = failures_json(setup);
  json["simulation"] = {{"events", m.events}};
  json["verified"] = json_or_null(experiment.verified());
  if (setup.fold != Fold::off) {
    json["folded"] = m.folded;
    if (m.folded) {
      json["verified_nodes"] = experiment.verified_nodes();
    } else {
      json["not_folded"] = setup.not_folded;
    }
  }
  if (!report.extra.is_null()) json.update(report.extra);
  if (!experiment.gaps().empty()) json["leaves_out"] = experiment.gaps();
  json["host"] = {{"wall_s", wall_s},
                  {"peak_rss_mib", static_cast<double>(usage.ru_maxrss) / 1024.0},
                  {"circuits_per_s", wall_s > 0 ? static_cast<double>(m.network.circuits) / wall_s : 0.0}};
  return json;
}

std::string Experiment::next_command(bool contention_told) const {
  // A page with more circuits is slow to open, and pages draw cubes.
  constexpr std::uint64_t most_to_replay = 100'000;
  if (setup().engine == EngineChoice::ideal) return {};
  const RunStatistics& network = measurement().network;
  if (network.link_blocked.circuits > 0 && !contention_told) {
    return "the same with --contention, or with -o DIR --trace waves.fst, then " + own_command() + " view DIR";
  }
  if (network.circuits > most_to_replay || !setup().topology().is_cube()) return {};
  return fmt::format("the same with -o DIR --circuits, then {} report DIR, the run as a page to replay", own_command());
}

void read_fold(RunSetup& setup, const RunArguments& arguments) {
  setup.fold = arguments.fold.value();
  if (setup.fold == Fold::off) return;
  if (setup.engine != EngineChoice::event) {
    settle_fold(setup, fmt::format("--engine {} simulates all nodes", word_of(setup.engine, engines)));
  }
  if (setup.machine.network.planes == 0 && !setup.topology().is_cube())
    settle_fold(setup, "only the nodes of a cube all do the same");
  settle_fold(setup, why_never_folded(setup.machine, setup.conditions));
  settle_fold(setup, unfolded_output(arguments, setup));
}

void settle_fold(RunSetup& setup, const std::string& reason) {
  if (reason.empty() || !setup.may_fold()) return;
  if (setup.fold == Fold::on) {
    throw InputError(fmt::format("--fold on: the run cannot be folded: {}", reason))
        .hint("--fold auto then simulates all nodes");
  }
  setup.not_folded = reason;
}

std::span<const Figure> figures() {
  static const std::vector<std::vector<std::string>> rows = table_rows(figures_table, 5);
  static const std::vector<Figure> all = [] {
    const auto word = [](const std::string& field) { return field == "-" ? std::string_view() : field; };
    std::vector<Figure> list;
    for (const std::vector<std::string>& row : rows) {
      list.push_back({row[0], word(row[1]), row[2], word(row[3]), row[4]});
    }
    return list;
  }();
  return all;
}

const Figure* figure_of(std::string_view column) {
  const auto found = std::ranges::find(figures(), column, &Figure::column);
  return found == figures().end() ? nullptr : &*found;
}

nlohmann::ordered_json value_in(const nlohmann::ordered_json& result, const Figure& figure) {
  std::string path = "/" + std::string(figure.member);
  std::ranges::replace(path, '.', '/');
  const nlohmann::ordered_json::json_pointer place(path);
  return result.contains(place) ? result[place] : nlohmann::ordered_json();
}

nlohmann::ordered_json figure_json(const Figure& figure) {
  return {{"unit", figure.unit}, {"help", figure.help}, {"better", figure.better}};
}

}  // namespace ecube
