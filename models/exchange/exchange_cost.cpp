// SPDX-License-Identifier: Apache-2.0
// The cost equations of the complete exchange, and how their parameters are read.
#include "models/exchange/exchange_cost.h"

#include <array>
#include <cstdio>

#include "models/machine/equation_parameters.h"
#include "models/machine/error.h"

namespace ecube {
namespace {

/// `us` for each of the messages of a phase.
double per_message(double us, const PhaseExtent& extent) { return static_cast<double>(us * extent.size) - us; }

double barriers(double us, const PhaseExtent& extent, const ExchangeOptions& options) {
  if (options.barrier == Barrier::clock) return options.slack_us;
  if (options.barrier == Barrier::step) return per_message(us, extent);
  return options.barrier == Barrier::phase ? us : 0;
}

/// phase_cost() without its check: terms that are too large come out infinite or not a number.
ExchangeTerms unchecked_cost(const PhaseExtent& phase, double block_bytes, const ExchangeParameters& p,
                             const ExchangeOptions& options) {
  const bool real = options.hops == HopCount::real;
  const auto message_bytes = static_cast<double>(block_bytes * (phase.nodes / phase.size));
  const double lambda_us = p.is_short(message_bytes) ? p.lambda_short_us : p.lambda_us;
  const double hop_us = p.hop_us(message_bytes) + (p.pairwise_sync_messages ? p.hop_us(0) : 0);
  const double bytes_us = p.tau_us_per_byte * block_bytes;
  const auto by_hops = [&](double us) {
    return real ? static_cast<double>(us * phase.hops * phase.size) : per_message(us * phase.mean_hops, phase);
  };
  ExchangeTerms terms;
  terms.startup_us = per_message(lambda_us + (p.pairwise_sync_messages ? p.lambda0_us : 0), phase);
  terms.distance_us = per_message((p.pairwise_sync_messages ? 2 : 1) * p.delta_us, phase);
  terms.distance_us += by_hops(hop_us);
  // (n - 1) N / n = (1 - 1/n) N, whose first factor never overflows.
  terms.transmission_us = static_cast<double>(bytes_us * static_cast<double>(1 - 1 / phase.size) * phase.nodes);
  const double stored_us = p.tau_hop_us_per_byte * message_bytes;  // of a message, for each hop
  if (stored_us > 0) terms.transmission_us += by_hops(stored_us);
  if (options.order != BlockOrder::inplace &&
      (phase.size < phase.nodes || options.identity_shuffle == IdentityShuffle::charge)) {
    terms.permutation_us = static_cast<double>(p.rho_us_per_byte * block_bytes * phase.nodes);
  }
  terms.barrier_us = barriers(p.barrier_us, phase, options);
  if (options.keeps_steps && stored_us == 0) {
    terms.waiting_us = phase.waits.us(p.delta_us + p.tau_us_per_byte * message_bytes, p.hop_us(message_bytes));
  }
  return terms;
}

/// True only if every partition of `dim` can be costed: Direct has the largest intercept and Standard the largest
/// slope, so no line exceeds their sum.
bool all_fit(unsigned dim, double block_bytes, const ExchangeParameters& parameters, const ExchangeOptions& options) {
  const auto us = [&](unsigned part) {
    return unchecked_cost(PhaseExtent::of_cube(part, dim), block_bytes, parameters, options).total();
  };
  return std::isfinite(us(dim) + dim * us(1));
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

void require_finite(const ExchangeTerms& terms, const std::string& what, unsigned dim, double block_bytes,
                    const ExchangeParameters& parameters, const ExchangeOptions& options) {
  require_no_negative_time(terms.total(), what);
  if (std::isfinite(terms.total())) return;
  unsigned fits = 0;
  for (unsigned fails = dim; fits + 1 < fails;) {
    const unsigned middle = fits + (fails - fits) / 2;
    (all_fit(middle, block_bytes, parameters, options) ? fits : fails) = middle;
  }
  throw InputError("the time of " + what + " with blocks of " + number(block_bytes) + " B at --dim " +
                   std::to_string(dim) + " is beyond 1.8e308 us, the largest number there is")
      .hint(fits == 0
                ? "the parameters are too large"
                : "with these blocks and parameters every partition can be costed up to --dim " + std::to_string(fits));
}

}  // namespace

ExchangeTerms& ExchangeTerms::operator+=(const ExchangeTerms& other) {
  startup_us += other.startup_us;
  distance_us += other.distance_us;
  transmission_us += other.transmission_us;
  permutation_us += other.permutation_us;
  barrier_us += other.barrier_us;
  retuning_us += other.retuning_us;
  waiting_us += other.waiting_us;
  engine_us += other.engine_us;
  serialised_us += other.serialised_us;
  return *this;
}

ExchangeTerms phase_cost(unsigned part, unsigned dim, double block_bytes, const ExchangeParameters& parameters,
                         const ExchangeOptions& options) {
  const ExchangeTerms terms = unchecked_cost(PhaseExtent::of_cube(part, dim), block_bytes, parameters, options);
  require_finite(terms, "a phase over " + std::to_string(part) + " dimensions", dim, block_bytes, parameters, options);
  return terms;
}

ExchangeTerms phase_cost(const PhaseExtent& extent, double block_bytes, const ExchangeParameters& parameters,
                         const ExchangeOptions& options) {
  const ExchangeTerms terms = unchecked_cost(extent, block_bytes, parameters, options);
  require_no_negative_time(terms.total(), "a phase");
  return terms;
}

const PhaseExtent& PhaseExtents::of(unsigned first, unsigned count) {
  std::optional<PhaseExtent>& found = counted_[first * dims_ + count - 1];
  if (found) return *found;
  if (topology_.is_cube()) return found.emplace(PhaseExtent::of_cube(count, static_cast<unsigned>(dims_)));
  PhaseExtent extent{
      .size = 1, .nodes = static_cast<Wide>(topology_.nodes()), .hops = 0, .mean_hops = topology_.mean_distance()};
  for (unsigned i = 0; i < count; ++i) extent.size *= topology_.dimensions()[first + i].radix;
  for (NodeId step = 1; step < extent.size; ++step) {
    NodeId hops = 0;
    NodeId circuits = 1;
    NodeId rest = step;
    for (unsigned i = first; i < first + count; ++i) {
      const NodeId radix = topology_.dimensions()[i].radix;
      const Topology::StepLoad load = topology_.step_load(i, rest % radix);
      hops += load.hops;
      circuits = std::max(circuits, load.circuits);
      rest /= radix;
    }
    hops = std::min(hops, topology_.diameter());
    extent.hops += hops;
    extent.waits += {.hops = hops, .circuits = circuits};
  }
  extent.hops /= static_cast<double>(extent.size);
  return found.emplace(extent);
}

double retuning_us(const Partition& partition, unsigned number, PhaseExtents& extents, double block_bytes,
                   const ExchangeParameters& parameters, const ExchangeOptions& options) {
  const double planes = extents.topology().planes();
  if (planes == 0) return 0;
  double before = 0;  // masks of earlier phases
  for (unsigned i = 0; i < number; ++i) before += std::ldexp(1, static_cast<int>(partition.parts()[i])) - 1;
  const double masks = before + std::ldexp(1, static_cast<int>(partition.parts()[number])) - 1;
  const double sets = std::ceil(masks / planes) - std::max(1.0, std::ceil(before / planes));
  double hidden_us = 0;
  if (number > 0 && std::fmod(before, planes) == 0 && options.retuning != Retuning::after) {
    const PhaseExtent& last = extents.of(0, partition.parts()[number - 1]);
    hidden_us = unchecked_cost(last, block_bytes, parameters, options).permutation_us;
  }
  return sets * options.retune_us - std::min(hidden_us, options.retune_us);
}

ExchangeTerms exchange_cost(const Partition& partition, double block_bytes, const ExchangeParameters& parameters,
                            const ExchangeOptions& options) {
  ExchangeTerms terms;
  for (unsigned i = 0; i < partition.size(); ++i) {
    terms +=
        unchecked_cost(PhaseExtent::of_cube(partition.parts()[i], partition.dim()), block_bytes, parameters, options);
  }
  const std::string phases = std::to_string(partition.size()) + (partition.size() == 1 ? " phase" : " phases");
  require_finite(terms, "an exchange in " + phases, partition.dim(), block_bytes, parameters, options);
  return terms;
}

ExchangeTerms exchange_cost(const Partition& partition, PhaseExtents& extents, double block_bytes,
                            const ExchangeParameters& parameters, const ExchangeOptions& options) {
  if (extents.topology().is_cube()) return exchange_cost(partition, block_bytes, parameters, options);
  ExchangeTerms terms;
  for (const Phase& phase : phases(partition, options.order, extents.topology())) {
    terms += phase_cost(extents.of(phase.first, phase.dims), block_bytes, parameters, options);
    terms += {.retuning_us = retuning_us(partition, phase.index, extents, block_bytes, parameters, options)};
  }
  return terms;
}

Partition best_partition(const Topology& topology, double block_bytes, const ExchangeParameters& parameters,
                         const ExchangeOptions& options) {
  PhaseExtents extents(topology);
  const auto us = [&](const Partition& partition) {
    return exchange_cost(partition, extents, block_bytes, parameters, options).total();
  };
  Partition best = cheapest(partitions_of(topology), us);
  if (!hides_tunings(topology, options)) return best;
  Partition ordered = cheapest(compositions_of(topology.label_bits()), us);
  if (us(ordered) < us(best) * (1 - 1e-9)) return ordered;
  return best;
}

bool hides_tunings(const Topology& topology, const ExchangeOptions& options) {
  return topology.planes() != 0 && options.retuning != Retuning::after && options.order != BlockOrder::inplace;
}

ExchangeParameters parse_exchange_parameters(std::string_view text) {
  ExchangeParameters p;
  const ParameterList::Key keys[] = {{"lambda", true, &p.lambda_us},    {"lambda0", false, &p.lambda0_us},
                                     {"delta", false, &p.delta_us},     {"delta_hop", false, &p.delta_hop_us},
                                     {"tau", true, &p.tau_us_per_byte}, {"rho", false, &p.rho_us_per_byte},
                                     {"barrier", false, &p.barrier_us}};
  const auto given =
      parse_parameters(text, {.keys = keys,
                              .valid = "lambda, tau, and where wanted delta, delta_hop, rho, barrier, lambda0",
                              .example = "write --params lambda=100,delta=10,tau=2,rho=1,barrier=0 (us, us per byte)"});
  if (!given[1]) p.lambda0_us = p.lambda_us;
  return p;
}

}  // namespace ecube
