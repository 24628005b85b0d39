// SPDX-License-Identifier: Apache-2.0
// Random samples of the workloads that the presets can run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/machine/error.h"
#include "models/machine/random.h"
#include "models/presets/presets.h"
#include "testbench/shuffle/shuffle_request.h"
#include "testbench/validation/validation.h"

namespace ecube {

namespace {

class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view family) : seed_(seed) {
    for (const char letter : family) stream_ = mix(stream_ ^ static_cast<unsigned char>(letter));
  }

  std::uint64_t below(std::uint64_t count) { return ecube::below(draw(seed_, stream_, count_++), count); }
  bool once_in(std::uint64_t count) { return below(count) == 0; }
  const auto& of(const auto& choices) {
    return *(std::begin(choices) + static_cast<std::ptrdiff_t>(below(std::size(choices))));
  }
  /// 1 .. most, small numbers as often as large ones.
  std::uint64_t size(std::uint64_t most) {
    const double share = static_cast<double>(below(1 << 20)) / (1 << 20);
    return static_cast<std::uint64_t>(std::pow(static_cast<double>(most) + 1, share));
  }
  unsigned dim() { return 1 + static_cast<unsigned>(below(sampled_validation_dim)); }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_ = 0;
  std::uint64_t count_ = 0;
};

std::string sampled_exchange(const Machine& machine, Draws& draws) {
  const unsigned dim = draws.dim();
  const std::vector<Partition> partitions = compositions_of(dim);
  // The blocks of all nodes together are at most a few MiB.
  const std::uint64_t bytes = draws.size(dim > 6 ? 64 : 2048);
  const Partition& partition = draws.of(partitions);
  const std::string_view order = draws.of(std::array<std::string_view, 3>{"high", "low", "inplace"});
  std::string run = fmt::format("--dim {} --partition {} --bytes {} --order {}", dim, partition.name(), bytes, order);
  if (machine.node.ports != Ports{}) {
    run += fmt::format(" --pair-masks {}", draws.of(std::array<std::string_view, 2>{"on", "off"}));
  }
  return run;
}

std::string sampled_combine(const Machine& /*machine*/, Draws& draws) {
  const unsigned dim = draws.dim();
  const std::uint64_t items = draws.size(4096);
  const std::string_view version = draws.of(std::array<std::string_view, 4>{"v1", "v2", "v3", "hybrid"});
  const std::string_view target = draws.of(std::array<std::string_view, 2>{"all", "root"});
  const std::uint64_t root = draws.below(std::uint64_t{1} << dim);
  const std::string_view pad = draws.once_in(3) ? "on" : "off";
  return fmt::format("--dim {} --items {} --strategy {} --target {} --root {} --pad {}", dim, items, version, target,
                     root, pad);
}

/// Cycles of 1 .. 4 dimensions of the label, some of them with a storage dimension, and complements.
DimensionPermutation drawn_permutation(Draws& draws, unsigned dim, unsigned storage_bits) {
  std::vector<unsigned> bits;
  for (unsigned bit = 0; bit < dim; ++bit) {
    bits.insert(bits.begin() + static_cast<std::ptrdiff_t>(draws.below(bits.size() + 1)), bit);
  }
  std::vector<DimensionPermutation::Cycle> cycles;
  std::vector<AddressDimension> complemented;
  unsigned storage = 0;
  do {
    DimensionPermutation::Cycle cycle;
    const std::uint64_t order = 1 + draws.below(std::min<std::uint64_t>(4, bits.size()));
    for (std::uint64_t i = 0; i < order; ++i) {
      cycle.push_back({.storage = false, .bit = bits.back()});
      bits.pop_back();
    }
    if (storage < storage_bits && !draws.once_in(3)) cycle.push_back({.storage = true, .bit = storage++});
    for (const AddressDimension& dimension : cycle) {
      if (cycle.size() == 1 || draws.once_in(6)) complemented.push_back(dimension);
    }
    cycles.push_back(std::move(cycle));
  } while (!bits.empty() && !draws.once_in(3));
  return {cycles, complemented};
}

/// A workload that `ecube run shuffle` would take, with an equation; nothing if the draw is no such workload.
std::optional<ShuffleWorkload> drawn_shuffle(Draws& draws, unsigned dim, Ports ports) {
  ShuffleWorkload workload;
  const auto storage_bits = static_cast<unsigned>(1 + draws.below(6));
  workload.elements = std::uint64_t{1} << storage_bits;
  if (dim > 1 && storage_bits > 1 && draws.once_in(4)) workload.extend = 1;
  workload.permutation = drawn_permutation(draws, dim - workload.extend, storage_bits - workload.extend);
  workload.ports = ports;
  workload.align = !draws.once_in(3);
  const bool one_port = ports == Ports{} && dim > 1;
  workload.mixed = one_port ? MixedAlgorithm::one_port : draws.of(mixed_algorithms).value;
  workload.real = draws.of(real_algorithms).value;
  if (one_port && workload.real == RealAlgorithm::a1_pipelined) return std::nullopt;
  if (draws.once_in(3)) workload.method = draws.of(shuffle_methods).value;
  if (workload.method == ShuffleMethod::route || unfit(workload, dim)) return std::nullopt;
  const ShuffleFormula formula(workload, dim);
  workload.packet = std::uint32_t{1} << draws.below(5);
  if (workload.packet > formula.largest_packet()) return std::nullopt;
  if (formula.exists() && !formula.fits(workload.packet)) return std::nullopt;
  return workload;
}

std::string names_of(const std::vector<AddressDimension>& dimensions) {
  std::string names;
  for (const AddressDimension& dimension : dimensions) names.append(names.empty() ? "" : ",").append(dimension.name());
  return names;
}

std::string words_of(const ShuffleWorkload& workload, unsigned dim) {
  std::string run = fmt::format("--dim {} --elements {} --packet {} --algorithm {}", dim, workload.elements,
                                workload.packet, algorithm_name(workload));
  for (const DimensionPermutation::Cycle& cycle : workload.permutation.cycles()) run += " --cycle " + names_of(cycle);
  std::vector<AddressDimension> complemented = workload.permutation.dimensions();
  std::erase_if(complemented, [&](const AddressDimension& one) { return !workload.permutation.complements(one); });
  if (!complemented.empty()) run += " --complement " + names_of(complemented);
  if (!workload.align) run += " --align off";
  return run + (workload.extend > 0 ? fmt::format(" --extend {}", workload.extend) : "");
}

std::string sampled_shuffle(const Machine& machine, Draws& draws) {
  for (;;) {
    const unsigned dim = draws.dim();
    try {
      if (const auto workload = drawn_shuffle(draws, dim, machine.node.ports)) return words_of(*workload, dim);
    } catch (const InputError&) {
      continue;  // Two communications need storage dimensions, and this permutation leaves none.
    }
  }
}

struct SampledWorkload {
  std::string_view name;
  std::string (*run)(const Machine& machine, Draws& draws);
  unsigned runs;
  std::string_view axes;
};

constexpr std::array<SampledWorkload, 3> sampled_workloads = {
    {{"exchange", sampled_exchange, 20, "all partitions in any order, 1 .. 2,048 B (64 B above d 6), all block orders"},
     {"combine", sampled_combine, 40,
      "v1 v2 v3 hybrid, to all and to a root, any root, 1 .. 4,096 floats, padded or not"},
     {"shuffle", sampled_shuffle, 40,
      "random cycles, complements, extensions, algorithms and methods, K 2 .. 64, packets of 1 .. 16"}}};

/// The conditions of a machine on which tolerances depend.
std::set<std::string, std::less<>> conditions_of(const Machine& machine) {
  std::set<std::string, std::less<>> result;
  const auto add = [&](bool holds, const char* name) {
    if (holds) result.insert(name);
  };
  add(machine.network.switching == Switching::store_and_forward, "store_and_forward");
  add(machine.node.ports != Ports{}, "several_ports");
  add(machine.node.ports.engines != Ports::n, "few_engines");
  add(machine.network.duplex == Duplex::together, "together");
  add(machine.link.phit_bytes > 1, "wide_phits");
  add(machine.node.startups == Startups::queued, "queued");
  add(machine.library.call_cycles > 0, "call");
  add(machine.library.protocol != Protocol::none, "protocol");
  add(machine.library.protocol == Protocol::forced, "forced");
  add(machine.library.protocol == Protocol::unforced, "unforced");
  add(machine.permute_cycles(element_bytes) > 0, "permutes");
  return result;
}

}  // namespace

std::vector<ValidationFamily> sampled_families() {
  std::vector<ValidationFamily> families;
  for (const SampledWorkload& workload : sampled_workloads) {
    const auto sample = [&workload](ValidationFamily& family, const Machine& machine, std::uint64_t seed) {
      family.set_tolerance(conditions_of(machine));
      family.grid = fmt::format("{} runs drawn with seed {}: d 1 .. {}, {}", workload.runs, seed,
                                sampled_validation_dim, workload.axes);
      Draws draws(seed, family.name);
      std::vector<std::string> runs;
      for (unsigned i = 0; i < workload.runs; ++i) runs.push_back(workload.run(machine, draws));
      return runs;
    };
    for (const Preset& shipped : presets()) {
      // The loops of detailed nodes are no straight lines: `calibrate` has their curves.
      if (resolve(preset_settings(shipped)).node.model == NodeModel::detailed) continue;
      for (const auto& [ports, ports_name] : {std::pair("one", "one-port"), {"2", "2 ports"}, {"n", "n-port"}}) {
        families.push_back({.name = fmt::format("{} {} sampled {}", workload.name, shipped.name, ports_name),
                            .machine = fmt::format("--machine {} --ports {}", shipped.name, ports),
                            .draw = sample});
      }
    }
  }
  return families;
}

}  // namespace ecube
