// SPDX-License-Identifier: Apache-2.0
// Grids of exchange, combine and shuffle.
#include "testbench/validation/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "testbench/validation/validation_collectives.h"
#include "testbench/validation/validation_features.h"
#include "testbench/validation/validation_points.h"
#include "testbench/validation/validation_samples.h"

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

// --- Complete exchange ---------------------------------------------------------------------------------------------

std::vector<ValidationPoint> exchange_grid(const ValidationSetup& setup, const Machine& machine) {
  std::vector<ValidationPoint> points;
  for (unsigned dim = 1; dim <= validation_dim; ++dim) {
    for (const Partition& partition : partitions_of(dim)) {
      for (const Bytes bytes : {1U, 4U, 20U, 100U, 256U, 1000U, 4096U}) {
        points.push_back(exchange_point(setup.bench, machine, ExchangePoint::of(partition, bytes)));
      }
    }
  }
  return points;
}

constexpr std::string_view exchange_axes = "d 1 .. 6, all partitions, blocks of 1, 4, 20, 100, 256, 1,000, 4,096 B";

ValidationFamily exchange_family(const ValidationSetup& setup, std::string_view preset_name, double tolerance_percent,
                                 std::string_view reason) {
  return {.name = fmt::format("exchange {}", preset_name),
          .grid = std::string(exchange_axes),
          .tolerance_percent = tolerance_percent,
          .reason = std::string(reason),
          .points = exchange_grid(setup, setup.machine(preset_name))};
}

constexpr std::string_view in_whole_cycles = "integer cycles and one-byte phits: nothing is rounded";
constexpr std::string_view whole_phits = "phits of 4 bytes: a block of 1 byte takes as long as one of 4";

ValidationFamily exchange_on_ideal(const ValidationSetup& setup) {
  return exchange_family(setup, "ideal", 0.001, in_whole_cycles);
}
ValidationFamily exchange_on_hull(const ValidationSetup& setup) {
  return exchange_family(setup, "hull", 0.001, in_whole_cycles);
}
ValidationFamily exchange_on_ipsc860(const ValidationSetup& setup) {
  return exchange_family(setup, "ipsc860", 0.5, whole_phits);
}
ValidationFamily exchange_on_ipsc2(const ValidationSetup& setup) {
  return exchange_family(setup, "ipsc2", 0.5, whole_phits);
}

ValidationFamily exchange_on_ncube2(const ValidationSetup& setup) {
  return exchange_family(setup, "ncube2", 0.001, in_whole_cycles);
}

// --- Global combine ------------------------------------------------------------------------------------------------

ValidationFamily combine_family(const ValidationSetup& setup, std::string_view name, const Machine& machine,
                                std::uint64_t pad, double tolerance_percent, std::string_view reason) {
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
              setup.bench, machine, {.dim = dim, .items = items, .version = version, .target = target, .pad = pad}));
        }
      }
    }
  }
  return family;
}

ValidationFamily combine_on_ideal(const ValidationSetup& setup) {
  Machine machine = setup.machine("ideal");
  machine.core.combine.compiled = Ratio{3, 1};  // gamma > 0
  return combine_family(setup, "combine ideal", machine, 0, 0.001, in_whole_cycles);
}

ValidationFamily combine_on_all_ports(const ValidationSetup& setup) {
  Machine machine = with_ports(setup.machine("ideal"), Ports::n);
  machine.core.combine.compiled = Ratio{3, 1};
  return combine_family(setup, "combine ideal n-port", machine, 0, 0.001, in_whole_cycles);
}

ValidationFamily combine_on_nx(const ValidationSetup& setup) {
  return combine_family(setup, "combine ipsc860-nx", setup.machine("ipsc860-nx"), 0, 0.5,
                        "phits of 4 bytes take whole cycles, and of an empty half the tail alone is sent");
}

ValidationFamily combine_padded(const ValidationSetup& setup) {
  return combine_family(setup, "combine ipsc860-combine", setup.machine("ipsc860-combine"), 30, 0.5,
                        "as for ipsc860-nx; messages are 30 floats longer, so that none is short");
}

ValidationFamily combine_on_ncube2(const ValidationSetup& setup) {
  return combine_family(setup, "combine ncube2", with_ports(setup.machine("ncube2"), 1), 0, 0.001, in_whole_cycles);
}

constexpr double queued_percent = 0.1;
constexpr std::string_view queues =
    "start-ups queue; a sender goes on some cycles before its message arrives, the equation when it arrives";

ValidationFamily combine_on_ncube2_all_ports(const ValidationSetup& setup) {
  return combine_family(setup, "combine ncube2 n-port", setup.machine("ncube2"), 0, queued_percent, queues);
}

ValidationFamily combine_on_ncube2_some_ports(const ValidationSetup& setup) {
  ValidationFamily family{.name = "combine ncube2 K ports",
                          .grid = "d 3 .. 6, K 2 .. d-1, v2 v3 and hybrid, to all and to a root, 7, 100, 1,000 floats",
                          .tolerance_percent = queued_percent,
                          .reason = std::string(queues)};
  for (unsigned dim = 3; dim <= validation_dim; ++dim) {
    for (std::uint32_t ports = 2; ports < dim; ++ports) {
      const Machine machine = with_ports(setup.machine("ncube2"), ports);
      for (const std::uint64_t items : {7U, 100U, 1000U}) {
        for (const std::string_view version : {"v2", "v3", "hybrid"}) {
          for (const CombineTarget target : {CombineTarget::all, CombineTarget::root}) {
            family.points.push_back(combine_point(setup.bench, machine,
                                                  {.dim = dim, .items = items, .version = version, .target = target}));
          }
        }
      }
    }
  }
  return family;
}

// --- Generalised shuffle -------------------------------------------------------------------------------------------

ValidationFamily shuffle_family(const ValidationSetup& setup, std::string_view preset_name, bool n_port,
                                double tolerance_percent, std::string_view reason) {
  const Machine machine = setup.machine(preset_name);
  ValidationFamily family{
      .name = fmt::format("shuffle {}", preset_name),
      .grid = "sigma 1 .. 6, one and two mixed constituents, real ones by A1 and A2, K 4 .. 64, packets of 1, 2, K/4",
      .tolerance_percent = tolerance_percent,
      .reason = std::string(reason)};
  const auto add = [&](unsigned dim, ShuffleWorkload workload) {
    workload.ports.engines = !n_port || workload.mixed == MixedAlgorithm::one_port ? 1 : Ports::n;
    if (!ShuffleFormula(workload, dim).fits(workload.packet)) return;
    family.points.push_back(shuffle_point(setup.bench, machine, {dim, workload}));
  };
  for (unsigned order = 1; order <= validation_dim; ++order) {
    for (const std::uint64_t elements : {4U, 8U, 16U, 64U}) {
      for (const std::uint32_t packet : {1U, 2U, static_cast<std::uint32_t>(elements / 4)}) {
        ShuffleWorkload workload;
        workload.elements = elements;
        workload.packet = packet;
        workload.permutation = DimensionPermutation({shuffle_cycle(0, order, 0)}, {});
        workload.mixed = MixedAlgorithm::one_port;
        add(order, workload);
        if (n_port) {
          workload.mixed = MixedAlgorithm::pipelined;
          add(order, workload);
          workload.mixed = MixedAlgorithm::concurrent;
          add(order, workload);
        }
        workload.mixed = n_port ? MixedAlgorithm::concurrent : MixedAlgorithm::one_port;
        if (order >= 2) {
          workload.permutation = DimensionPermutation({shuffle_cycle(0, order, std::nullopt)}, {});
          workload.real = RealAlgorithm::a1;
          add(order, workload);
          workload.real = RealAlgorithm::a2;
          add(order, workload);
        }
        if (order % 2 == 0) {
          workload.permutation =
              DimensionPermutation({shuffle_cycle(0, order / 2, 0), shuffle_cycle(order / 2, order / 2, 1)}, {});
          add(order, workload);
        }
      }
    }
  }
  return family;
}

ValidationFamily shuffle_on_ideal(const ValidationSetup& setup) {
  return shuffle_family(setup, "ideal", true, 0.001, in_whole_cycles);
}
ValidationFamily shuffle_on_cm2(const ValidationSetup& setup) {
  return shuffle_family(setup, "cm2", true, 0.001, in_whole_cycles);
}
ValidationFamily shuffle_on_ncube2(const ValidationSetup& setup) {
  return shuffle_family(setup, "ncube2", true, queued_percent, queues);
}

ValidationFamily shuffle_on_ncube2_some_ports(const ValidationSetup& setup) {
  const Machine machine = setup.machine("ncube2");
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
        workload.permutation = DimensionPermutation({shuffle_cycle(0, order, 0)}, {});
        family.points.push_back(shuffle_point(setup.bench, machine, {order, workload}));
        workload.permutation = DimensionPermutation({shuffle_cycle(0, ports, std::nullopt)}, {});
        workload.real = RealAlgorithm::a1;
        family.points.push_back(shuffle_point(setup.bench, machine, {order, workload}));
        workload.real = RealAlgorithm::a2;
        family.points.push_back(shuffle_point(setup.bench, machine, {order, workload}));
      }
    }
  }
  return family;
}

ValidationFamily shuffle_on_ipsc1(const ValidationSetup& setup) {
  return shuffle_family(setup, "ipsc1", false, 0.05,
                        "what is sent to a neighbour is not forwarded; times are whole cycles of 8 MHz");
}

}  // namespace

std::vector<FamilyPlan> validation_families() {
  std::vector<FamilyPlan> plans = {{"exchange ideal", exchange_on_ideal},
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
  for (auto& plan : collective_families()) plans.push_back(std::move(plan));
  for (auto& plan : feature_families()) plans.push_back(std::move(plan));
  for (auto& plan : sampled_families()) plans.push_back(std::move(plan));
  return plans;
}

}  // namespace ecube
