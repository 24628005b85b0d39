// SPDX-License-Identifier: Apache-2.0
// Grids of exchange, combine and shuffle.
#include "testbench/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "models/presets.h"
#include "testbench/combine_experiment.h"
#include "testbench/exchange_experiment.h"
#include "testbench/port_choices.h"
#include "testbench/run_arguments.h"
#include "testbench/shuffle_experiment.h"

namespace ecube {

const ValidationPoint& ValidationFamily::worst() const {
  return *std::max_element(points.begin(), points.end(), [](const ValidationPoint& a, const ValidationPoint& b) {
    return std::abs(a.error_percent()) < std::abs(b.error_percent());
  });
}

double ValidationFamily::rms_percent() const {
  double sum = 0;
  for (const ValidationPoint& point : points) sum += point.error_percent() * point.error_percent();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

std::size_t ValidationFamily::broken() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const ValidationPoint& one) { return !one.assumptions_held(); }));
}

bool ValidationFamily::pass() const { return std::abs(worst().error_percent()) <= tolerance_percent && broken() == 0; }

namespace {

Machine machine_of(std::string_view name) { return resolve(preset_settings(preset(name))); }

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

// --- Complete exchange ---------------------------------------------------------------------------------------------

struct ExchangePoint {
  Partition partition;
  Bytes bytes;
  Schedule schedule = Schedule::xor_pairs;
  PairwiseSync sync = PairwiseSync::on;
  RunConditions conditions{};
};

ExchangeMeasurement measure(TestBench& bench, const Machine& machine, const ExchangePoint& point) {
  ExchangeExperiment experiment;
  experiment.setup = {.machine = machine, .dim = point.partition.dim(), .conditions = point.conditions};
  ExchangeWorkload& workload = experiment.workload;
  workload.partition = point.partition;
  workload.bytes = point.bytes;
  workload.schedule = point.schedule;
  workload.sync = point.sync;
  workload.barrier = machine.library.barrier;
  workload.identity_shuffle = machine.library.identity_shuffle;
  return run_exchange(
      bench, experiment,
      bench.calibrate(machine).exchange(point.partition.dim(), sends_synchronisation(machine, point.sync)));
}

ValidationPoint exchange_point(TestBench& bench, const Machine& machine, const ExchangePoint& point) {
  const ExchangeMeasurement measured = measure(bench, machine, point);
  return point_of(fmt::format("exchange --dim {} --partition {} --bytes {}", point.partition.dim(),
                              point.partition.name(), point.bytes),
                  measured.predicted.total(), measured.run, measured.verified);
}

std::vector<ValidationPoint> exchange_grid(TestBench& bench, const Machine& machine) {
  std::vector<ValidationPoint> points;
  for (unsigned dim = 1; dim <= validation_dim; ++dim) {
    for (const Partition& partition : partitions_of(dim)) {
      for (const Bytes bytes : {1U, 4U, 20U, 100U, 256U, 1000U, 4096U}) {
        points.push_back(exchange_point(bench, machine, {.partition = partition, .bytes = bytes}));
      }
    }
  }
  return points;
}

constexpr std::string_view exchange_axes = "d 1 .. 6, all partitions, blocks of 1, 4, 20, 100, 256, 1,000, 4,096 B";

ValidationFamily exchange_family(TestBench& bench, std::string_view preset_name, double tolerance_percent,
                                 std::string_view reason) {
  return {.name = fmt::format("exchange {}", preset_name),
          .grid = std::string(exchange_axes),
          .tolerance_percent = tolerance_percent,
          .reason = std::string(reason),
          .points = exchange_grid(bench, machine_of(preset_name))};
}

constexpr std::string_view whole_cycles = "integer cycles and one-byte phits: nothing is rounded";
constexpr std::string_view whole_phits = "phits of 4 bytes: a block of 1 byte takes as long as one of 4";

ValidationFamily exchange_on_ideal(TestBench& bench) { return exchange_family(bench, "ideal", 0.001, whole_cycles); }
ValidationFamily exchange_on_hull(TestBench& bench) { return exchange_family(bench, "hull", 0.001, whole_cycles); }
ValidationFamily exchange_on_ipsc860(TestBench& bench) { return exchange_family(bench, "ipsc860", 0.5, whole_phits); }
ValidationFamily exchange_on_ipsc2(TestBench& bench) { return exchange_family(bench, "ipsc2", 0.5, whole_phits); }

ValidationFamily exchange_on_ncube2(TestBench& bench) { return exchange_family(bench, "ncube2", 0.001, whole_cycles); }

// --- Global combine ------------------------------------------------------------------------------------------------

struct CombinePoint {
  unsigned dim;
  std::uint64_t items;
  std::string_view version;
  CombineTarget target = CombineTarget::all;
  std::uint64_t pad = 0;
  RunConditions conditions{};
};

ValidationPoint combine_point(TestBench& bench, const Machine& machine, const CombinePoint& point) {
  CombineExperiment experiment;
  experiment.setup = {.machine = machine, .dim = point.dim, .conditions = point.conditions};
  CombineWorkload& workload = experiment.workload;
  workload.items = point.items;
  workload.target = point.target;
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
      fmt::format("combine --dim {} --ports {} --items {} --strategy {}{}{}", point.dim, ports_word(machine.node.ports),
                  point.items, point.version, point.target == CombineTarget::root ? " --target root" : "",
                  point.pad > 0 ? " --pad on" : ""),
      measured.predicted.terms.total(), measured.run, measured.verified);
}

ValidationFamily combine_family(TestBench& bench, std::string_view name, const Machine& machine, std::uint64_t pad,
                                double tolerance_percent, std::string_view reason) {
  ValidationFamily family{
      .name = std::string(name),
      .grid = "d 1 .. 6, v1 v2 v3 and hybrid, to all and to a root, 1, 7, 64, 100, 384, 1,000, 4,096 floats",
      .tolerance_percent = tolerance_percent,
      .reason = std::string(reason)};
  for (unsigned dim = 1; dim <= validation_dim; ++dim) {
    for (const std::uint64_t items : {1U, 7U, 64U, 100U, 384U, 1000U, 4096U}) {
      for (const std::string_view version : {"v1", "v2", "v3", "hybrid"}) {
        for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
          family.points.push_back(combine_point(
              bench, machine, {.dim = dim, .items = items, .version = version, .target = target, .pad = pad}));
        }
      }
    }
  }
  return family;
}

Machine with_ports(Machine machine, std::uint32_t engines) {
  machine.node.ports.engines = engines;
  return machine;
}

ValidationFamily combine_on_ideal(TestBench& bench) {
  Machine machine = machine_of("ideal");
  machine.core.combine.compiled = Ratio{3, 1};  // gamma > 0
  return combine_family(bench, "combine ideal", machine, 0, 0.001, whole_cycles);
}

ValidationFamily combine_on_all_ports(TestBench& bench) {
  Machine machine = with_ports(machine_of("ideal"), Ports::n);
  machine.core.combine.compiled = Ratio{3, 1};
  return combine_family(bench, "combine ideal n-port", machine, 0, 0.001, whole_cycles);
}

ValidationFamily combine_on_nx(TestBench& bench) {
  return combine_family(bench, "combine ipsc860-nx", machine_of("ipsc860-nx"), 0, 0.5,
                        "phits of 4 bytes take whole cycles, and of an empty half the tail alone is sent");
}

ValidationFamily combine_padded(TestBench& bench) {
  return combine_family(bench, "combine ipsc860-combine", machine_of("ipsc860-combine"), 30, 0.5,
                        "as for ipsc860-nx; messages are 30 floats longer, so that none is short");
}

ValidationFamily combine_on_ncube2(TestBench& bench) {
  return combine_family(bench, "combine ncube2", with_ports(machine_of("ncube2"), 1), 0, 0.001, whole_cycles);
}

constexpr double queued_percent = 0.1;
constexpr std::string_view queues =
    "start-ups queue; a sender goes on some cycles before its message arrives, the equation when it arrives";

ValidationFamily combine_on_ncube2_all_ports(TestBench& bench) {
  return combine_family(bench, "combine ncube2 n-port", machine_of("ncube2"), 0, queued_percent, queues);
}

ValidationFamily combine_on_ncube2_some_ports(TestBench& bench) {
  ValidationFamily family{.name = "combine ncube2 K ports",
                          .grid = "d 3 .. 6, K 2 .. d-1, v2 v3 and hybrid, to all and to a root, 7, 100, 1,000 floats",
                          .tolerance_percent = queued_percent,
                          .reason = std::string(queues)};
  for (unsigned dim = 3; dim <= validation_dim; ++dim) {
    for (std::uint32_t ports = 2; ports < dim; ++ports) {
      const Machine machine = with_ports(machine_of("ncube2"), ports);
      for (const std::uint64_t items : {7U, 100U, 1000U}) {
        for (const std::string_view version : {"v2", "v3", "hybrid"}) {
          for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
            family.points.push_back(
                combine_point(bench, machine, {.dim = dim, .items = items, .version = version, .target = target}));
          }
        }
      }
    }
  }
  return family;
}

// --- Generalised shuffle -------------------------------------------------------------------------------------------

DimensionPermutation::Cycle cycle_of(unsigned first, unsigned order, std::optional<unsigned> storage) {
  DimensionPermutation::Cycle cycle;
  for (unsigned i = order; i-- > 0;) cycle.push_back({.storage = false, .bit = first + i});
  if (storage) cycle.push_back({.storage = true, .bit = *storage});
  return cycle;
}

struct ShufflePoint {
  unsigned dim;
  ShuffleWorkload workload;
  std::string algorithm;
  RunConditions conditions{};
};

ValidationPoint shuffle_point(TestBench& bench, const Machine& machine, const ShufflePoint& point) {
  ShuffleExperiment experiment;
  experiment.setup = {
      .machine = with_ports(machine, point.workload.ports.engines), .dim = point.dim, .conditions = point.conditions};
  experiment.workload = point.workload;
  const ShuffleMeasurement measured =
      run_shuffle(bench, experiment,
                  bench.calibrate(experiment.setup.machine)
                      .shuffle(static_cast<std::uint32_t>(element_bytes), point.workload.packet));
  std::string cycles;
  for (const DimensionPermutation::Cycle& cycle : point.workload.permutation.cycles()) {
    cycles += " --cycle ";
    for (std::size_t i = 0; i < cycle.size(); ++i) cycles += (i > 0 ? "," : "") + cycle[i].name();
  }
  return point_of(fmt::format("shuffle --dim {} --ports {} --elements {} --packet {} --algorithm {}{}", point.dim,
                              ports_word(point.workload.ports), point.workload.elements, point.workload.packet,
                              point.algorithm, cycles),
                  measured.predicted->total(), measured.run, measured.verified);
}

ValidationFamily shuffle_family(TestBench& bench, std::string_view preset_name, bool n_port, double tolerance_percent,
                                std::string_view reason) {
  const Machine machine = machine_of(preset_name);
  ValidationFamily family{
      .name = fmt::format("shuffle {}", preset_name),
      .grid = "sigma 1 .. 6, one and two mixed constituents, real ones by A1 and A2, K 4 .. 64, packets of 1, 2, K/4",
      .tolerance_percent = tolerance_percent,
      .reason = std::string(reason)};
  const auto add = [&](unsigned dim, ShuffleWorkload workload, std::string_view algorithm) {
    workload.ports.engines = algorithm == "one-port" || !n_port ? 1 : Ports::n;
    if (!ShuffleFormula(workload, dim).fits(workload.packet)) return;
    family.points.push_back(shuffle_point(bench, machine, {dim, workload, std::string(algorithm)}));
  };
  for (unsigned order = 1; order <= validation_dim; ++order) {
    for (const std::uint64_t elements : {4U, 8U, 16U, 64U}) {
      for (const std::uint32_t packet : {1U, 2U, static_cast<std::uint32_t>(elements / 4)}) {
        ShuffleWorkload workload;
        workload.elements = elements;
        workload.packet = packet;
        workload.permutation = DimensionPermutation({cycle_of(0, order, 0)}, {});
        workload.mixed = MixedAlgorithm::one_port;
        add(order, workload, "one-port");
        if (n_port) {
          workload.mixed = MixedAlgorithm::pipelined;
          add(order, workload, "pipelined");
          workload.mixed = MixedAlgorithm::concurrent;
          add(order, workload, "concurrent");
        }
        workload.mixed = n_port ? MixedAlgorithm::concurrent : MixedAlgorithm::one_port;
        if (order >= 2) {
          workload.permutation = DimensionPermutation({cycle_of(0, order, std::nullopt)}, {});
          workload.real = RealAlgorithm::a1;
          add(order, workload, "a1");
          workload.real = RealAlgorithm::a2;
          add(order, workload, "a2");
        }
        if (order % 2 == 0) {
          workload.permutation =
              DimensionPermutation({cycle_of(0, order / 2, 0), cycle_of(order / 2, order / 2, 1)}, {});
          add(order, workload, n_port ? "concurrent" : "one-port");
        }
      }
    }
  }
  return family;
}

ValidationFamily shuffle_on_ideal(TestBench& bench) {
  return shuffle_family(bench, "ideal", true, 0.001, whole_cycles);
}
ValidationFamily shuffle_on_cm2(TestBench& bench) { return shuffle_family(bench, "cm2", true, 0.001, whole_cycles); }
ValidationFamily shuffle_on_ncube2(TestBench& bench) {
  return shuffle_family(bench, "ncube2", true, queued_percent, queues);
}

ValidationFamily shuffle_on_ncube2_some_ports(TestBench& bench) {
  const Machine machine = machine_of("ncube2");
  ValidationFamily family{
      .name = "shuffle ncube2 K ports",
      .grid =
          "sigma 3 .. 6, K 2 .. sigma-1 ports, one mixed constituent, real ones of K by A1 and A2, 64 elements, "
          "packets of 1, 4, 16",
      .tolerance_percent = queued_percent,
      .reason = std::string(queues)};
  for (unsigned order = 3; order <= validation_dim; ++order) {
    for (std::uint32_t ports = 2; ports < order; ++ports) {
      for (const std::uint32_t packet : {1U, 4U, 16U}) {
        ShuffleWorkload workload;
        workload.elements = 64;
        workload.packet = packet;
        workload.ports.engines = ports;
        workload.mixed = MixedAlgorithm::pipelined;
        workload.permutation = DimensionPermutation({cycle_of(0, order, 0)}, {});
        family.points.push_back(shuffle_point(bench, machine, {order, workload, "pipelined"}));
        workload.permutation = DimensionPermutation({cycle_of(0, ports, std::nullopt)}, {});
        workload.real = RealAlgorithm::a1;
        family.points.push_back(shuffle_point(bench, machine, {order, workload, "a1"}));
        workload.real = RealAlgorithm::a2;
        family.points.push_back(shuffle_point(bench, machine, {order, workload, "a2"}));
      }
    }
  }
  return family;
}

ValidationFamily shuffle_on_ipsc1(TestBench& bench) {
  return shuffle_family(bench, "ipsc1", false, 0.05,
                        "what is sent to a neighbour is not forwarded; times are whole cycles of 8 MHz");
}

}  // namespace

std::vector<FamilyPlan> validation_families() {
  return {{"exchange ideal", exchange_on_ideal},
          {"exchange hull", exchange_on_hull},
          {"exchange ipsc860", exchange_on_ipsc860},
          {"exchange ipsc2", exchange_on_ipsc2},
          {"exchange ncube2", exchange_on_ncube2},
          {"combine ideal", combine_on_ideal},
          {"combine ideal n-port", combine_on_all_ports},
          {"combine ipsc860-nx", combine_on_nx},
          {"combine ipsc860-combine", combine_padded},
          {"combine ncube2", combine_on_ncube2},
          {"combine ncube2 n-port", combine_on_ncube2_all_ports},
          {"combine ncube2 K ports", combine_on_ncube2_some_ports},
          {"shuffle ideal", shuffle_on_ideal},
          {"shuffle cm2", shuffle_on_cm2},
          {"shuffle ipsc1", shuffle_on_ipsc1},
          {"shuffle ncube2", shuffle_on_ncube2},
          {"shuffle ncube2 K ports", shuffle_on_ncube2_some_ports}};
}

std::vector<BrokenAssumption> break_assumptions(TestBench& bench) {
  std::vector<BrokenAssumption> result;
  const Machine ideal = machine_of("ideal");
  const Machine ipsc860 = machine_of("ipsc860");
  const std::array both = {ideal, ipsc860};
  const Partition partition({3, 2});
  constexpr Bytes bytes = 1000;
  const auto jitter_of = [](const Machine& machine, double us) {
    return static_cast<Cycles>(std::lround(us * 1e-6 * machine.clock_hz));
  };
  const auto exchange = [&](const std::string& what, const Machine& machine, const ExchangePoint& point) {
    BrokenAssumption one{.assumption = what, .point = exchange_point(bench, machine, point)};
    one.point.run += fmt::format(" --machine {}", machine.name);
    if (point.schedule == Schedule::ordered) one.point.run += " --schedule ordered";
    if (point.schedule == Schedule::random) one.point.run += " --schedule random";
    if (point.sync == PairwiseSync::off) one.point.run += " --pairwise-sync off";
    if (point.conditions.jitter > 0) {
      one.point.run += fmt::format(" --jitter '{} cycles'", point.conditions.jitter);
    }
    result.push_back(std::move(one));
  };
  for (const Machine& machine : both) {
    exchange("no pairwise synchronisation", machine,
             {.partition = partition, .bytes = bytes, .sync = PairwiseSync::off});
    for (const double us : {5.0, 50.0, 500.0}) {
      const RunConditions conditions = {.jitter = jitter_of(machine, us), .seed = 1};
      exchange(fmt::format("jitter of {:.0f} us", us), machine,
               {.partition = partition, .bytes = bytes, .conditions = conditions});
      // Forced messages that meet no receive would be lost: there the barrier is what keeps them.
      exchange(fmt::format("jitter of {:.0f} us, no pairwise synchronisation", us), machine,
               {.partition = partition, .bytes = bytes, .sync = PairwiseSync::off, .conditions = conditions});
    }
    exchange("ordered schedule: everyone sends to 0, 1, 2, ..", machine,
             {.partition = Partition::direct(5), .bytes = bytes, .schedule = Schedule::ordered});
    exchange("random schedule", machine,
             {.partition = Partition::direct(5), .bytes = bytes, .schedule = Schedule::random});
  }
  // The papers' equation has one distance for all messages.
  for (const Machine& machine : both) {
    for (const Partition& one : {Partition::direct(6), Partition({3, 3}), Partition::standard(6)}) {
      const ExchangeMeasurement measured = measure(bench, machine, {.partition = one, .bytes = 1});
      BrokenAssumption average{.assumption = "real distances against the average of d/2 hops",
                               .point = point_of(fmt::format("exchange --dim 6 --partition {} --bytes 1 --machine {}",
                                                             one.name(), machine.name),
                                                 measured.average_distance_us, measured.run, measured.verified)};
      result.push_back(std::move(average));
    }
  }
  for (const double us : {50.0, 500.0}) {
    const Machine nx = machine_of("ipsc860-nx");
    BrokenAssumption one{
        .assumption = fmt::format("jitter of {:.0f} us", us),
        .point = combine_point(
            bench, nx,
            {.dim = 5, .items = 1000, .version = "hybrid", .conditions = {.jitter = jitter_of(nx, us), .seed = 1}})};
    one.point.run += fmt::format(" --machine ipsc860-nx --jitter '{} cycles'", jitter_of(nx, us));
    result.push_back(std::move(one));
  }
  ShuffleWorkload workload;
  workload.permutation = DimensionPermutation({cycle_of(0, 5, 0)}, {});
  workload.elements = 32;
  workload.ports.engines = Ports::n;
  BrokenAssumption jittered{
      .assumption = "jitter of 5 us",
      .point = shuffle_point(bench, ideal, {5, workload, "concurrent", {.jitter = jitter_of(ideal, 5), .seed = 1}})};
  jittered.point.run += fmt::format(" --machine ideal --jitter '{} cycles'", jitter_of(ideal, 5));
  result.push_back(std::move(jittered));
  return result;
}

}  // namespace ecube
