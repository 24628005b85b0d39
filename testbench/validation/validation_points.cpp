// SPDX-License-Identifier: Apache-2.0
// Runs of exchange, combine and shuffle beside their equations.
#include "testbench/validation/validation_points.h"

#include <fmt/core.h>

#include "models/presets/presets.h"
#include "testbench/collective/port_choices.h"
#include "testbench/combine/combine_experiment.h"
#include "testbench/exchange/exchange_experiment.h"
#include "testbench/exchange/exchange_request.h"
#include "testbench/run/run_arguments.h"
#include "testbench/shuffle/shuffle_experiment.h"
#include "testbench/shuffle/shuffle_request.h"

namespace ecube {

Machine ValidationSetup::machine(std::string_view preset_name) const {
  std::vector<Setting> settings = preset_settings(preset(preset_name));
  settings.insert(settings.end(), changes.begin(), changes.end());
  return resolve(settings);
}

Machine with_ports(Machine machine, std::uint32_t ports) {
  machine.node.ports.engines = ports;
  return machine;
}

namespace {

ValidationPoint point_of(std::string run, double predicted_us, const RunMeasurement& measured,
                         std::optional<bool> verified) {
  return {.run = std::move(run),
          .predicted_us = predicted_us,
          .measured_us = measured.result.us,
          .blocked_circuits = measured.network.link_blocked.circuits,
          .port_blocked_circuits = measured.network.port_blocked.circuits,
          .serialised_circuits = measured.network.serialised.circuits,
          .lost_messages = measured.network.lost,
          .finished = measured.result.status == RunResult::Status::finished,
          .verified = verified == true};
}

/// The options of `ecube run exchange` for a workload, without the machine.
std::string exchange_command_line(const Machine& machine, const ExchangeWorkload& workload) {
  std::string run = fmt::format("exchange --dim {} --partition {} --bytes {}", workload.partition.dim(),
                                workload.partition.name(), workload.bytes);
  if (machine.node.ports != Ports{} || workload.ports != Ports{}) {
    run += fmt::format(" --ports {}", ports_word(workload.ports));
  }
  if (workload.pairing == MaskPairing::off) run += " --pair-masks off";
  if (workload.order != BlockOrder::high) run += fmt::format(" --order {}", word_of(workload.order, block_orders));
  if (workload.schedule != Schedule::xor_pairs) {
    run += fmt::format(" --schedule {}", word_of(workload.schedule, exchange_schedules));
  }
  if (workload.sync == PairwiseSync::off) run += " --pairwise-sync off";
  return run;
}

}  // namespace

ExchangePoint ExchangePoint::of(const Partition& partition, Bytes bytes) {
  ExchangePoint point;
  point.workload.partition = partition;
  point.workload.bytes = bytes;
  return point;
}

ValidationPoint exchange_point(TestBench& bench, const Machine& machine, const ExchangePoint& point,
                               ValidationDistance distance) {
  ExchangeExperiment experiment;
  experiment.workload = point.workload;
  ExchangeWorkload& workload = experiment.workload;
  workload.barrier = machine.library.barrier;
  workload.identity_shuffle = machine.library.identity_shuffle;
  const unsigned dim = workload.partition.dim();
  experiment.setup = {
      .machine = with_ports(machine, workload.ports.engines), .dim = dim, .conditions = point.conditions};
  const ExchangeMeasurement measured = run_exchange(
      bench, experiment,
      bench.calibrate(experiment.setup.machine).exchange(dim, sends_synchronisation(machine, workload.sync)));
  return point_of(exchange_command_line(machine, workload),
                  distance == ValidationDistance::average ? measured.average_distance_us : measured.predicted.total(),
                  measured.run, measured.verified);
}

ValidationPoint combine_point(TestBench& bench, const Machine& machine, const CombinePoint& point) {
  CombineExperiment experiment;
  experiment.setup = {.machine = machine, .dim = point.dim, .conditions = point.conditions};
  CombineWorkload& workload = experiment.workload;
  workload.items = point.items;
  workload.target = point.target;
  workload.root = point.root;
  workload.pad = point.pad;
  workload.tree = point.version == "v1";
  adapt(workload, experiment.setup);
  const CombineParameters parameters = bench.calibrate(machine).combine(Machine::item_bytes);
  const CombineProblem problem = problem_of(workload, experiment.setup);
  if (point.version == "v3") {
    workload.rule = HalvingRule::by(Strategy::halving(point.dim));
  } else {
    workload.rule =
        HalvingRule::by(point.version == "hybrid" ? best_strategy(problem, parameters) : Strategy::full(point.dim));
  }
  const CombineMeasurement measured = run_combine(bench, experiment, parameters);
  return point_of(
      fmt::format("combine --dim {} --ports {} --items {} --strategy {}{}{}{}", point.dim,
                  ports_word(machine.node.ports), point.items, point.version,
                  point.target == CombineTarget::root ? " --target root" : "",
                  point.root > 0 ? fmt::format(" --root {}", point.root) : "", point.pad > 0 ? " --pad on" : ""),
      measured.predicted.terms.total(), measured.run, measured.verified);
}

DimensionPermutation::Cycle shuffle_cycle(unsigned first, unsigned order, std::optional<unsigned> storage) {
  DimensionPermutation::Cycle cycle;
  for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
  if (storage) cycle.push_back({.storage = true, .bit = *storage});
  return cycle;
}

ValidationPoint shuffle_point(TestBench& bench, const Machine& machine, const ShufflePoint& point) {
  ShuffleExperiment experiment;
  const ShuffleWorkload& workload = point.workload;
  experiment.setup = {
      .machine = with_ports(machine, workload.ports.engines), .dim = point.dim, .conditions = point.conditions};
  experiment.workload = workload;
  const ShuffleMeasurement measured = run_shuffle(
      bench, experiment,
      bench.calibrate(experiment.setup.machine).shuffle(static_cast<std::uint32_t>(element_bytes), workload.packet));
  std::string cycles;
  std::string complement;
  for (const DimensionPermutation::Cycle& cycle : workload.permutation.cycles()) {
    cycles += " --cycle ";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      cycles += (i > 0 ? "," : "") + cycle[i].name();
      if (workload.permutation.complements(cycle[i])) complement += (complement.empty() ? "" : ",") + cycle[i].name();
    }
  }
  if (!complement.empty()) cycles += " --complement " + complement;
  if (!workload.align) cycles += " --align off";
  if (workload.extend > 0) cycles += fmt::format(" --extend {}", workload.extend);
  return point_of(
      fmt::format("shuffle --dim {} --ports {} --elements {} --packet {} --algorithm {}{}", point.dim,
                  ports_word(workload.ports), workload.elements, workload.packet, algorithm_name(workload), cycles),
      measured.predicted->total(), measured.run, measured.verified);
}

}  // namespace ecube
