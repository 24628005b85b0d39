// SPDX-License-Identifier: Apache-2.0
// The cost equations of generalised shuffles.
#include "models/shuffle_cost.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/parameter_list.h"

namespace ecube {
namespace {

std::uint64_t up(std::uint64_t amount, std::uint64_t unit) { return (amount + unit - 1) / unit; }

std::uint64_t sum_of(std::span<const std::uint32_t> orders) {
  return std::accumulate(orders.begin(), orders.end(), std::uint64_t{0});
}

/// Complemented dimensions among those of a real constituent.
std::uint32_t complements_of(const RealConstituent& real) {
  return static_cast<std::uint32_t>(std::count(real.complement.begin(), real.complement.end(), true));
}

}  // namespace

ShuffleTerms shuffle_cost(const ShuffleCount& count, const ShuffleParameters& parameters) {
  return {.startup_us = parameters.tau_us * static_cast<double>(count.startups),
          .transmission_us = parameters.tc_us_per_element * static_cast<double>(count.steps),
          .local_us = parameters.rho_us_per_element * static_cast<double>(count.moved)};
}

ShuffleCount one_port_count(std::span<const std::uint32_t> orders, std::uint64_t elements, std::uint64_t packet) {
  return {.steps = sum_of(orders) * (elements / 2), .startups = sum_of(orders) * up(elements, 2 * packet)};
}

ShuffleCount pipelined_count(std::span<const std::uint32_t> orders, std::uint64_t elements, std::uint64_t packet) {
  if (orders.size() > 1) {
    const std::uint64_t packets = pipelined_steps(orders, up(elements, 2 * packet));
    return {.steps = packets * packet, .startups = packets};
  }
  return {.steps = elements / 2 + (orders.front() - 1) * packet,
          .startups = up(elements, 2 * packet) + orders.front() - 1};
}

ShuffleCount concurrent_count(std::span<const std::uint32_t> orders, std::uint64_t elements, std::uint64_t packet) {
  const std::uint64_t packets = concurrent_steps(orders, up(elements, 2 * packet));
  return {.steps = packets * packet, .startups = packets};
}

ShuffleCount a1_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet, bool one_port) {
  if (!one_port) {
    const std::uint64_t packets = (order + std::uint64_t{1}) * up(up(elements, 2 * packet), order);
    return {.steps = packets * packet, .startups = packets};
  }
  return {.steps = (order + std::uint64_t{1}) * (elements / 2),
          .startups = (order + std::uint64_t{1}) * up(elements, 2 * packet)};
}

ShuffleCount a1_pipelined_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet) {
  const std::uint64_t rows = up(elements, 2 * packet);
  const std::uint64_t packets = rows + std::max<std::uint64_t>(rows, order);
  return {.steps = packets * packet, .startups = packets};
}

ShuffleCount a2_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet, bool one_port) {
  const std::uint64_t share = one_port ? elements : up(elements, order);
  return {.steps = order * share, .startups = order * up(share, packet)};
}

ShuffleCount a2x2_count(std::uint64_t elements, std::uint64_t packet) {
  return {.steps = elements / 2 + packet, .startups = up(elements, 2 * packet) + 1};
}

double lower_bound_us(const DimensionPermutation& permutation, std::uint64_t elements, bool one_port,
                      const ShuffleParameters& parameters) {
  const Factors factors = factor(permutation);
  std::uint64_t startups = 0;
  for (const Constituent& mixed : factors.mixed) startups += mixed.order();
  for (const RealConstituent& real : factors.real) {
    startups += real.order() - ((real.order() - complements_of(real)) % 2 == 1 ? 1 : 0);
  }
  const double data = static_cast<double>(elements) / 2 * parameters.tc_us_per_element *
                      (one_port ? permutation.real_order() : std::min(permutation.real_order(), 1U));
  return std::max(data, static_cast<double>(startups) * parameters.tau_us);
}

ShuffleParameters parse_shuffle_parameters(std::string_view text) {
  static constexpr std::array<ParameterList::Key, 3> keys = {{{"tc", true}, {"tau", true}, {"rho", false}}};
  const auto values =
      parse_parameters(text, {.keys = keys,
                              .valid = "tc, tau, and where wanted rho",
                              .example = "write --params tc=1,tau=100 (us per element, us per packet)"});
  ShuffleParameters parameters;
  parameters.tc_us_per_element = *values[0];
  parameters.tau_us = *values[1];
  parameters.rho_us_per_element = values[2].value_or(0);
  return parameters;
}

}  // namespace ecube
