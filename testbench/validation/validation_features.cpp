// SPDX-License-Identifier: Apache-2.0
// Families of one feature each: ports of exchanges, protocols, barriers, transfers, roots, and algorithms of shuffles.
#include "testbench/validation/validation_features.h"

#include <fmt/core.h>

#include "testbench/validation/validation_points.h"

namespace ecube {

namespace {

constexpr std::string_view exact = "integer cycles and one-byte phits: nothing is rounded";
constexpr std::string_view queueing =
    "start-ups queue; a sender goes on some cycles before its message arrives, the equation when it arrives";
constexpr std::string_view rounded = "phits of 4 bytes: a block of 1 byte takes as long as one of 4";

// --- Complete exchange ---------------------------------------------------------------------------------------------

constexpr Bytes blocks[] = {1, 4, 20, 100, 256, 1000};
constexpr std::string_view blocks_text = "blocks of 1, 4, 20, 100, 256, 1,000 B";

/// All partitions of d 1 .. 6 with each of `blocks`. `vary` takes each of these points and `add`, and adds the points
/// to run.
template <class Vary>
void add_exchanges(const ValidationSetup& setup, const Machine& machine, ValidationFamily& family, const Vary& vary) {
  const auto add = [&](const ExchangePoint& point) {
    family.points.push_back(exchange_point(setup.bench, machine, point));
  };
  for (unsigned dim = 1; dim <= validation_dim; ++dim) {
    for (const Partition& partition : partitions_of(dim)) {
      for (const Bytes bytes : blocks) vary(ExchangePoint::of(partition, bytes), add);
    }
  }
}

ValidationFamily exchange_in_stages(const ValidationSetup& setup, std::string_view preset_name, bool all_ports,
                                    double tolerance_percent, std::string_view reason) {
  const Machine machine = setup.machine(preset_name);
  ValidationFamily family{.name = fmt::format("exchange {} {}", preset_name, all_ports ? "n-port" : "K ports"),
                          .grid = fmt::format("d 1 .. 6, all partitions, {}{}, masks paired and not", blocks_text,
                                              all_ports ? "" : ", 2 and 3 ports"),
                          .tolerance_percent = tolerance_percent,
                          .reason = std::string(reason)};
  add_exchanges(setup, machine, family, [&](ExchangePoint point, const auto& add) {
    for (const std::uint32_t ports : {2U, 3U}) {
      if (all_ports && ports == 3) continue;
      if (!all_ports && ports >= point.workload.partition.dim()) continue;
      point.workload.ports.engines = all_ports ? Ports::n : ports;
      for (const MaskPairing pairing : {MaskPairing::on, MaskPairing::off}) {
        point.workload.pairing = pairing;
        add(point);
      }
    }
  });
  return family;
}

ValidationFamily exchange_unforced(const ValidationSetup& setup) {
  ValidationFamily family{.name = "exchange ipsc860-nx",
                          .grid = fmt::format("d 1 .. 6, all partitions, {}, partners synchronised", blocks_text),
                          .tolerance_percent = 1,
                          .reason = std::string(rounded)};
  add_exchanges(setup, setup.machine("ipsc860-nx"), family,
                [](const ExchangePoint& point, const auto& add) { add(point); });
  return family;
}

ValidationFamily exchange_with_step_barriers(const ValidationSetup& setup) {
  ValidationFamily family{.name = "exchange ipsc860 step barriers",
                          .grid = fmt::format("d 1 .. 6, all partitions, {}, a barrier before every step", blocks_text),
                          .tolerance_percent = 0.5,
                          .reason = std::string(rounded)};
  Machine machine = setup.machine("ipsc860");
  machine.library.barrier = Barrier::step;
  add_exchanges(setup, machine, family, [](const ExchangePoint& point, const auto& add) { add(point); });
  for (ValidationPoint& point : family.points) point.run += " --set library.barrier=step";
  return family;
}

ValidationFamily exchange_programmed(const ValidationSetup& setup) {
  ValidationFamily family{.name = "exchange ipsc860 programmed transfer",
                          .grid = fmt::format("d 1 .. 6, all partitions, {}, node.transfer programmed", blocks_text),
                          .tolerance_percent = 0.5,
                          .reason = std::string(rounded)};
  Machine machine = setup.machine("ipsc860");
  machine.node.transfer = Transfer::programmed;
  add_exchanges(setup, machine, family, [](const ExchangePoint& point, const auto& add) { add(point); });
  for (ValidationPoint& point : family.points) point.run += " --set node.transfer=programmed";
  return family;
}

// --- Global combine ------------------------------------------------------------------------------------------------

ValidationFamily combine_at_roots(const ValidationSetup& setup, std::string_view preset_name, bool all_ports,
                                  double tolerance_percent, std::string_view reason) {
  const Machine machine = with_ports(setup.machine(preset_name), all_ports ? Ports::n : 1);
  ValidationFamily family{
      .name = fmt::format("combine {} {}roots", preset_name, all_ports ? "n-port " : ""),
      .grid =
          "d 1 .. 6, roots 1, 2^(d-1) and 2^d - 1, v1 v2 v3 and hybrid to the root, v1 to all, 7, 100, 1,000 floats",
      .tolerance_percent = tolerance_percent,
      .reason = std::string(reason)};
  for (unsigned dim = 1; dim <= validation_dim; ++dim) {
    for (const NodeId root : {NodeId{1}, NodeId{1} << (dim - 1), (NodeId{1} << dim) - 1}) {
      for (const std::uint64_t items : {7U, 100U, 1000U}) {
        const auto add = [&](std::string_view version, CombineTarget target) {
          family.points.push_back(combine_point(
              setup.bench, machine, {.dim = dim, .items = items, .version = version, .target = target, .root = root}));
        };
        for (const std::string_view version : {"v1", "v2", "v3", "hybrid"}) add(version, CombineTarget::root);
        add("v1", CombineTarget::all);
      }
    }
  }
  return family;
}

// --- Generalised shuffle -------------------------------------------------------------------------------------------

/// One algorithm of the shuffle. `vary` takes a workload with elements and packet, the order and `add`.
template <class Vary>
ValidationFamily shuffles(const ValidationSetup& setup, std::string_view preset_name, std::string_view feature,
                          std::string_view axes, const Vary& vary) {
  const Machine machine = setup.machine(preset_name);
  const bool queued = machine.node.startups == Startups::queued;
  ValidationFamily family{.name = fmt::format("shuffle {} {}", preset_name, feature),
                          .grid = fmt::format("{}, K 8, 16, 64, packets of 1, 2, 4 that fit", axes),
                          .tolerance_percent = queued ? 0.1 : 0.001,
                          .reason = std::string(queued ? queueing : exact)};
  for (unsigned order = 2; order <= validation_dim; ++order) {
    for (const std::uint64_t elements : {8U, 16U, 64U}) {
      for (const std::uint32_t packet : {1U, 2U, 4U}) {
        ShuffleWorkload workload;
        workload.elements = elements;
        workload.packet = packet;
        workload.ports.engines = Ports::n;
        vary(workload, order, [&](const ShuffleWorkload& one, unsigned dim) {
          const ShuffleFormula formula(one, dim);
          if (!formula.exists() || !formula.fits(packet) || packet > formula.largest_packet()) return;
          family.points.push_back(shuffle_point(setup.bench, machine, {dim, one}));
        });
      }
    }
  }
  return family;
}

ValidationFamily shuffle_by_a2x2(const ValidationSetup& setup, std::string_view preset_name) {
  return shuffles(setup, preset_name, "a2x2", "1 .. 3 real 2-cycles, together and one after the other",
                  [](ShuffleWorkload workload, unsigned order, const auto& add) {
                    if (order % 2 != 0) return;
                    std::vector<DimensionPermutation::Cycle> cycles;
                    for (unsigned first = 0; first < order; first += 2) {
                      cycles.push_back(shuffle_cycle(first, 2, std::nullopt));
                    }
                    workload.permutation = DimensionPermutation(cycles, {});
                    workload.real = RealAlgorithm::a2x2;
                    add(workload, order);
                    workload.real = RealAlgorithm::a2x2_sequential;
                    add(workload, order);
                  });
}

ValidationFamily shuffle_by_a1_pipelined(const ValidationSetup& setup, std::string_view preset_name) {
  return shuffles(setup, preset_name, "a1-pipelined", "one real constituent of 2 .. 6",
                  [](ShuffleWorkload workload, unsigned order, const auto& add) {
                    workload.permutation = DimensionPermutation({shuffle_cycle(0, order, std::nullopt)}, {});
                    workload.real = RealAlgorithm::a1_pipelined;
                    add(workload, order);
                  });
}

ValidationFamily shuffle_by_aapc(const ValidationSetup& setup, std::string_view preset_name) {
  return shuffles(setup, preset_name, "aapc", "1 .. 3 mixed constituents of one order, 2 .. 6 dimensions in all",
                  [](ShuffleWorkload workload, unsigned order, const auto& add) {
                    for (const unsigned count : {1U, 2U, 3U}) {
                      if (order % count != 0 || workload.elements % (2ULL << (count - 1)) != 0) continue;
                      std::vector<DimensionPermutation::Cycle> cycles;
                      for (unsigned i = 0; i < count; ++i) {
                        cycles.push_back(shuffle_cycle(i * (order / count), order / count, i));
                      }
                      workload.permutation = DimensionPermutation(cycles, {});
                      workload.mixed = MixedAlgorithm::aapc;
                      add(workload, order);
                      workload.mixed = MixedAlgorithm::aapc_concurrent;
                      add(workload, order);
                    }
                  });
}

ValidationFamily shuffle_with_complement(const ValidationSetup& setup, std::string_view preset_name) {
  ValidationFamily family = shuffles(
      setup, preset_name, "complement", "one constituent of 2 .. 6, mixed or real, every second dimension complemented",
      [](ShuffleWorkload workload, unsigned order, const auto& add) {
        std::vector<AddressDimension> complemented;
        for (unsigned bit = 0; bit < order; bit += 2) complemented.push_back({.storage = false, .bit = bit});
        workload.permutation = DimensionPermutation({shuffle_cycle(0, order, std::nullopt)}, complemented);
        for (const RealAlgorithm real : {RealAlgorithm::a1, RealAlgorithm::a1_pipelined, RealAlgorithm::a2}) {
          workload.real = real;
          add(workload, order);
        }
        complemented.push_back({.storage = true, .bit = 0});
        workload.permutation = DimensionPermutation({shuffle_cycle(0, order, 0)}, complemented);
        for (const MixedAlgorithm mixed : {MixedAlgorithm::pipelined, MixedAlgorithm::concurrent}) {
          workload.mixed = mixed;
          add(workload, order);
        }
        workload.mixed = MixedAlgorithm::one_port;
        workload.ports.engines = 1;
        add(workload, order);
      });
  if (setup.machine(preset_name).permute_cycles(element_bytes) > 0) {
    family.tolerance_percent = 2;
    family.reason = "nodes that have nothing to move out of A2's second buffer go ahead of those that have";
  }
  return family;
}

ValidationFamily shuffle_extended(const ValidationSetup& setup, std::string_view preset_name) {
  ValidationFamily family =
      shuffles(setup, preset_name, "extension", "one constituent of 2 .. 5, mixed or real, on 1 or 2 dimensions more",
               [](ShuffleWorkload workload, unsigned order, const auto& add) {
                 for (const unsigned extend : {1U, 2U}) {
                   if (order + extend > validation_dim || workload.elements >> extend < workload.packet) continue;
                   workload.extend = extend;
                   workload.permutation = DimensionPermutation({shuffle_cycle(0, order, 0)}, {});
                   add(workload, order + extend);
                   workload.permutation = DimensionPermutation({shuffle_cycle(0, order, std::nullopt)}, {});
                   for (const RealAlgorithm real : {RealAlgorithm::a1, RealAlgorithm::a2}) {
                     workload.real = real;
                     add(workload, order + extend);
                   }
                 }
               });
  if (setup.machine(preset_name).node.startups == Startups::queued) {
    family.tolerance_percent = 5;
    family.reason = "start-ups queue: a node spreads its next part while receipts of the one before are still served";
  }
  return family;
}

}  // namespace

std::vector<FamilyPlan> feature_families() {
  std::vector<FamilyPlan> plans = {
      {"exchange ideal n-port",
       [](const auto& setup) { return exchange_in_stages(setup, "ideal", true, 0.001, exact); }},
      {"exchange ncube2 n-port",
       [](const auto& setup) { return exchange_in_stages(setup, "ncube2", true, 0.1, queueing); }},
      {"exchange ncube2 K ports",
       [](const auto& setup) { return exchange_in_stages(setup, "ncube2", false, 0.1, queueing); }},
      {"exchange ipsc860-nx", exchange_unforced},
      {"exchange ipsc860 step barriers", exchange_with_step_barriers},
      {"exchange ipsc860 programmed transfer", exchange_programmed},
      {"combine ideal roots", [](const auto& setup) { return combine_at_roots(setup, "ideal", false, 0.001, exact); }},
      {"combine ideal n-port roots",
       [](const auto& setup) { return combine_at_roots(setup, "ideal", true, 0.001, exact); }},
      {"combine ncube2 n-port roots",
       [](const auto& setup) { return combine_at_roots(setup, "ncube2", true, 0.1, queueing); }}};
  using Family = ValidationFamily (*)(const ValidationSetup&, std::string_view);
  const std::pair<std::string_view, Family> algorithms[] = {{"a2x2", shuffle_by_a2x2},
                                                            {"a1-pipelined", shuffle_by_a1_pipelined},
                                                            {"aapc", shuffle_by_aapc},
                                                            {"complement", shuffle_with_complement},
                                                            {"extension", shuffle_extended}};
  for (const std::string_view preset_name : {"ideal", "ncube2"}) {
    for (const auto& [feature, family] : algorithms) {
      plans.push_back({fmt::format("shuffle {} {}", preset_name, feature),
                       [family = family, preset_name](const auto& setup) { return family(setup, preset_name); }});
    }
  }
  return plans;
}

}  // namespace ecube
