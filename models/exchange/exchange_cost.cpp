// SPDX-License-Identifier: Apache-2.0
// The cost equations of the complete exchange, and how their parameters are read.
#include "models/exchange/exchange_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "models/exchange/power_of_two.h"
#include "models/machine/equation_parameters.h"
#include "models/machine/error.h"
#include "models/machine/negative_time.h"

namespace ecube {
namespace {

/// `us` for each of the 2^part - 1 messages of a phase.
double per_message(double us, unsigned part) { return scaled(us, part) - us; }

double barriers(double us, unsigned part, const ExchangeOptions& options) {
  switch (options.barrier) {
    case Barrier::none:
      return 0;
    case Barrier::phase:
      return us;
    case Barrier::step:
      break;
    case Barrier::clock:
      return options.slack_us;
  }
  return per_message(us, part);
}

/// phase_cost() without its check: terms that are too large come out infinite or not a number.
ExchangeTerms unchecked_cost(unsigned part, unsigned dim, double block_bytes, const ExchangeParameters& p,
                             const ExchangeOptions& options) {
  const double message_bytes = scaled(block_bytes, dim - part);
  const double lambda_us = p.is_short(message_bytes) ? p.lambda_short_us : p.lambda_us;
  const double hop_us = p.hop_us(message_bytes) + (p.pairwise_sync_messages ? p.hop_us(0) : 0);
  const double bytes_us = p.tau_us_per_byte * block_bytes;
  ExchangeTerms terms;
  terms.startup_us = per_message(lambda_us + (p.pairwise_sync_messages ? p.lambda0_us : 0), part);
  terms.distance_us = per_message((p.pairwise_sync_messages ? 2 : 1) * p.delta_us, part);
  terms.distance_us += options.planes != 0 ? per_message(hop_us, part)
                       : options.hops == HopCount::real
                           ? scaled(hop_us * part, part - 1)  // sum of popcount(1 .. 2^part-1)
                           : per_message(hop_us * dim / 2, part);
  // (2^part - 1) 2^(dim-part) = (1 - 2^-part) 2^dim, whose first factor never overflows.
  terms.transmission_us = scaled(bytes_us * (1 - std::ldexp(1.0, -static_cast<int>(part))), dim);
  const double stored_us = scaled(p.tau_hop_us_per_byte * block_bytes, dim - part);  // of a message, for each hop
  if (stored_us > 0) {
    terms.transmission_us +=
        options.hops == HopCount::real ? scaled(stored_us * part, part - 1) : per_message(stored_us * dim / 2, part);
  }
  if (pays_shuffle(part, dim, options.order, options.identity_shuffle))
    terms.permutation_us = scaled(p.rho_us_per_byte * block_bytes, dim);
  terms.barrier_us = barriers(p.barrier_us, part, options);
  return terms;
}

/// True only if every partition of `dim` can be costed: Direct has the largest intercept and Standard the largest
/// slope, so no line exceeds their sum.
bool all_fit(unsigned dim, double block_bytes, const ExchangeParameters& parameters, const ExchangeOptions& options) {
  const double direct = unchecked_cost(dim, dim, block_bytes, parameters, options).total();
  const double standard = dim * unchecked_cost(1, dim, block_bytes, parameters, options).total();
  return std::isfinite(direct + standard);
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
  throw ErrorText("the time of " + what + " with blocks of " + number(block_bytes) + " B at --dim " +
                  std::to_string(dim) + " is beyond 1.8e308 us, the largest number there is")
      .hint(fits == 0
                ? "the parameters are too large"
                : "with these blocks and parameters every partition can be costed up to --dim " + std::to_string(fits))
      .error();
}

constexpr std::array<ParameterList::Key, 7> keys = {{
    {"lambda", true},
    {"lambda0", false},
    {"delta", false},
    {"delta_hop", false},
    {"tau", true},
    {"rho", false},
    {"barrier", false},
}};
constexpr std::array<double ExchangeParameters::*, keys.size()> fields = {
    &ExchangeParameters::lambda_us,    &ExchangeParameters::lambda0_us,      &ExchangeParameters::delta_us,
    &ExchangeParameters::delta_hop_us, &ExchangeParameters::tau_us_per_byte, &ExchangeParameters::rho_us_per_byte,
    &ExchangeParameters::barrier_us};

}  // namespace

ExchangeTerms& ExchangeTerms::operator+=(const ExchangeTerms& other) {
  startup_us += other.startup_us;
  distance_us += other.distance_us;
  transmission_us += other.transmission_us;
  permutation_us += other.permutation_us;
  barrier_us += other.barrier_us;
  retuning_us += other.retuning_us;
  engine_us += other.engine_us;
  serialised_us += other.serialised_us;
  return *this;
}

ExchangeTerms phase_cost(unsigned part, unsigned dim, double block_bytes, const ExchangeParameters& parameters,
                         const ExchangeOptions& options) {
  const ExchangeTerms terms = unchecked_cost(part, dim, block_bytes, parameters, options);
  require_finite(terms, "a phase over " + std::to_string(part) + " dimensions", dim, block_bytes, parameters, options);
  return terms;
}

double retuning_us(const Partition& partition, unsigned number, double block_bytes,
                   const ExchangeParameters& parameters, const ExchangeOptions& options) {
  if (options.planes == 0) return 0;
  const double planes = options.planes;
  double before = 0;  // masks of earlier phases
  for (unsigned i = 0; i < number; ++i) before += per_message(1, partition.parts()[i]);
  const double masks = before + per_message(1, partition.parts()[number]);
  const double sets = std::ceil(masks / planes) - std::max(1.0, std::ceil(before / planes));
  const bool begins_set = number > 0 && std::fmod(before, planes) == 0;
  double hidden_us = 0;
  if (begins_set && options.retuning != Retuning::after) {
    hidden_us =
        unchecked_cost(partition.parts()[number - 1], partition.dim(), block_bytes, parameters, options).permutation_us;
  }
  return sets * options.retune_us - std::min(hidden_us, options.retune_us);
}

ExchangeTerms exchange_cost(const Partition& partition, double block_bytes, const ExchangeParameters& parameters,
                            const ExchangeOptions& options) {
  ExchangeTerms terms;
  for (unsigned i = 0; i < partition.size(); ++i) {
    terms += unchecked_cost(partition.parts()[i], partition.dim(), block_bytes, parameters, options);
    terms.retuning_us += retuning_us(partition, i, block_bytes, parameters, options);
  }
  const std::string phases = std::to_string(partition.size()) + (partition.size() == 1 ? " phase" : " phases");
  require_finite(terms, "an exchange in " + phases, partition.dim(), block_bytes, parameters, options);
  return terms;
}

Partition best_partition(unsigned dim, double block_bytes, const ExchangeParameters& parameters,
                         const ExchangeOptions& options) {
  Partition best = Partition::direct(dim);
  double least = exchange_cost(best, block_bytes, parameters, options).total();
  for (const Partition& partition : partitions_of(dim)) {
    const double cost = exchange_cost(partition, block_bytes, parameters, options).total();
    if (cost > least || (cost == least && partition.size() >= best.size())) continue;
    least = cost;
    best = partition;
  }
  return best;
}

ExchangeParameters parse_exchange_parameters(std::string_view text) {
  const auto values =
      parse_parameters(text, {.keys = keys,
                              .valid = "lambda, tau, and where wanted delta, delta_hop, rho, barrier, lambda0",
                              .example = "write --params lambda=100,delta=10,tau=2,rho=1,barrier=0 (us, us per byte)"});
  ExchangeParameters parameters;
  for (std::size_t key = 0; key < keys.size(); ++key) parameters.*fields[key] = values[key].value_or(0);
  if (!values[1]) parameters.lambda0_us = parameters.lambda_us;
  return parameters;
}

}  // namespace ecube
