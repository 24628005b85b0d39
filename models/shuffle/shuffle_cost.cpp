// SPDX-License-Identifier: Apache-2.0
// The cost equations of generalised shuffles.
#include "models/shuffle/shuffle_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/machine/equation_parameters.h"
#include "models/machine/quantity.h"

namespace ecube {
namespace {

std::uint64_t total_order(std::span<const std::uint32_t> orders) {
  return std::accumulate(orders.begin(), orders.end(), std::uint64_t{0});
}

/// Packets that are all counted as whole.
ShuffleCount in_packets(std::uint64_t packets, std::uint64_t packet) {
  return {.steps = packets * packet, .startups = packets};
}

}  // namespace

ShuffleTerms shuffle_cost(const ShuffleCount& count, const ShuffleParameters& parameters) {
  return {.startup_us = parameters.tau_us * static_cast<double>(count.startups),
          .transmission_us = parameters.tc_us_per_element * static_cast<double>(count.steps),
          .local_us = parameters.rho_us_per_element * static_cast<double>(count.moved)};
}

ShuffleCount mixed_count(MixedAlgorithm algorithm, std::span<const std::uint32_t> orders, std::uint64_t elements,
                         std::uint64_t packet) {
  const std::uint64_t rows = quotient_up(elements, 2 * packet);
  switch (algorithm) {
    case MixedAlgorithm::one_port:
      return {.steps = total_order(orders) * (elements / 2), .startups = total_order(orders) * rows};
    case MixedAlgorithm::pipelined:
      if (orders.size() > 1) return in_packets(pipelined_steps(orders, rows), packet);
      return {.steps = elements / 2 + (orders.front() - 1) * packet, .startups = rows + orders.front() - 1};
    case MixedAlgorithm::concurrent:
      return in_packets(concurrent_steps(orders, rows), packet);
    case MixedAlgorithm::aapc:
      return in_packets(aapc_steps(orders, rows), packet);
    case MixedAlgorithm::aapc_concurrent:
      break;
  }
  return in_packets(concurrent_aapc_steps(orders.size(), orders.front(), rows), packet);
}

ShuffleCount a1_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet, bool one_port) {
  if (!one_port) {
    return in_packets((order + std::uint64_t{1}) * quotient_up(quotient_up(elements, 2 * packet), order), packet);
  }
  return {.steps = (order + std::uint64_t{1}) * (elements / 2),
          .startups = (order + std::uint64_t{1}) * quotient_up(elements, 2 * packet)};
}

ShuffleCount a1_pipelined_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet) {
  const std::uint64_t rows = quotient_up(elements, 2 * packet);
  return in_packets(rows + std::max<std::uint64_t>(rows, order), packet);
}

ShuffleCount a2_count(std::uint32_t order, std::uint64_t elements, std::uint64_t packet, bool one_port) {
  const std::uint64_t share = one_port ? elements : quotient_up(elements, order);
  return {.steps = order * share, .startups = order * quotient_up(share, packet)};
}

ShuffleCount a2x2_count(std::uint64_t cycles, std::uint64_t elements, std::uint64_t packet) {
  const std::uint64_t slots = quotient_up(elements, 2 * cycles);
  if (packet >= slots) return {.steps = 2 * cycles * slots, .startups = 2 * cycles};
  if (2 * packet > slots) return {.steps = (2 * cycles - 1) * packet + slots, .startups = 2 * cycles + 1};
  return {.steps = cycles * slots + packet, .startups = quotient_up(cycles * slots, packet) + 1};
}

ShuffleCount spread_count(unsigned extend, std::uint64_t elements, std::uint64_t packet, bool one_port) {
  ShuffleCount count;
  const std::uint64_t last = elements >> extend;
  const std::uint64_t part = one_port ? last : quotient_up(last, extend);
  for (unsigned left = extend; left-- > 0;) {
    count.steps += part << left;
    count.startups += quotient_up(part << left, packet);
  }
  return count;
}

double best_pipelined_packet(std::uint32_t order, std::uint64_t elements, const ShuffleParameters& parameters) {
  return std::sqrt(static_cast<double>(elements) * parameters.tau_us /
                   (2.0 * (order - 1.0) * parameters.tc_us_per_element));
}

double best_concurrent_packet(std::uint32_t order, std::uint64_t elements, const ShuffleParameters& parameters) {
  const auto k = static_cast<double>(elements);
  return std::min(std::sqrt(k * parameters.tau_us / (4.0 * parameters.tc_us_per_element)), k / (2.0 * (order + 1.0)));
}

double best_a2x2_packet(std::uint64_t cycles, std::uint64_t elements, const ShuffleParameters& parameters) {
  const auto k = static_cast<double>(elements);
  const auto beta = static_cast<double>(cycles);
  const double balanced = std::sqrt(k * parameters.tau_us / (2.0 * parameters.tc_us_per_element));
  const double slots = k / (2 * beta);
  if (cycles == 1 || balanced <= slots / 2) return balanced;
  return parameters.tau_us > (beta - 0.5) * slots * parameters.tc_us_per_element ? slots : slots / 2;
}

double a1_a2_break_even_us(std::uint32_t order, std::uint64_t elements, bool one_port, double tc_us_per_element) {
  const double k = static_cast<double>(elements) / 2 * tc_us_per_element;
  return one_port ? (order - 1.0) * k : (1.0 - 1.0 / order) * k;
}

ShuffleParameters parse_shuffle_parameters(std::string_view text) {
  ShuffleParameters p;
  const ParameterList::Key keys[] = {
      {"tc", true, &p.tc_us_per_element}, {"tau", true, &p.tau_us}, {"rho", false, &p.rho_us_per_element}};
  parse_parameters(text, {.keys = keys,
                          .valid = "tc, tau, and where wanted rho",
                          .example = "write --params tc=1,tau=100 (us per element, us per packet)"});
  return p;
}

}  // namespace ecube
