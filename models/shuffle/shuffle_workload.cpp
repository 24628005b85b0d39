// SPDX-License-Identifier: Apache-2.0
// Stages, plans and counts of the chosen algorithms.
#include "models/shuffle/shuffle_workload.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "models/machine/error.h"

namespace ecube {
namespace {

std::vector<std::uint32_t> orders_of(const Factors& factors) {
  std::vector<std::uint32_t> orders;
  for (const Constituent& constituent : factors.mixed) orders.push_back(constituent.order());
  return orders;
}

/// Whether mixed constituents are pipelined on fewer ports than they have dimensions.
bool is_limited(const ShuffleWorkload& workload, std::span<const std::uint32_t> orders, unsigned dim) {
  return workload.mixed != MixedAlgorithm::one_port &&
         workload.ports.used(dim) < std::accumulate(orders.begin(), orders.end(), 0U);
}

RowSchedule mixed_schedule(const ShuffleWorkload& workload, std::span<const std::uint32_t> orders, std::uint32_t rows,
                           unsigned dim) {
  if (is_limited(workload, orders, dim)) return limited_schedule(orders, rows, workload.ports.used(dim));
  switch (workload.mixed) {
    case MixedAlgorithm::pipelined:
      return pipelined_schedule(orders, rows);
    case MixedAlgorithm::concurrent:
      return concurrent_schedule(orders, rows);
    case MixedAlgorithm::aapc:
      return aapc_schedule(orders, rows);
    case MixedAlgorithm::aapc_concurrent:
      return concurrent_aapc_schedule(static_cast<std::uint32_t>(orders.size()), orders.front(), rows);
    case MixedAlgorithm::one_port:
      break;
  }
  return one_port_schedule(orders, rows);
}

/// Exchanges of packets in the schedules of a stage.
std::uint64_t entries_of(const Factors& factors, const ShuffleWorkload& workload, unsigned dim) {
  const std::uint64_t rows = quotient_up(workload.spread_elements() / 2, workload.packet);
  std::uint64_t of_a_row = 0;
  for (const Constituent& mixed : factors.mixed) of_a_row += mixed.order();
  for (const Constituent& real : real_parts(factors, workload, dim).by_a1) of_a_row += real.order() + 1;
  return rows * of_a_row;
}

/// Elements that the nodes move to align and realign them, for each plan.
std::uint64_t moved_of(const Factors& factors, const ShuffleWorkload& workload, unsigned dim) {
  if (!workload.align) return 0;
  const std::uint64_t plans = real_parts(factors, workload, dim).by_a1.size() + (factors.mixed.empty() ? 0 : 1);
  return 2 * workload.spread_elements() * plans;
}

/// Real constituents that need no storage dimension.
ShuffleCount count_by_a2(const ShuffleWorkload& workload, const RealParts& parts, std::uint64_t packet) {
  const std::uint64_t elements = workload.spread_elements();
  ShuffleCount count;
  for (const Constituent& real : parts.by_a2) {
    count += a2_count(real.order(), elements, packet, !workload.all_at_once(real));
  }
  for (const auto& round : parts.rounds) count += a2x2_count(round.size(), elements, packet);
  return count;
}

/// Elements of an extended cube, to its nodes and back.
ShuffleCount spread_and_collected(const ShuffleWorkload& workload, std::uint64_t packet) {
  if (workload.extend == 0) return {};
  ShuffleCount count = spread_count(workload.extend, workload.elements, packet, workload.spread_parts() == 1);
  count += ShuffleCount(count);
  return count;
}

}  // namespace

bool is_two_cycle(const Constituent& real) { return real.order() == 2 && !real.complement[0] && !real.complement[1]; }

RealParts real_parts(const Factors& factors, const ShuffleWorkload& workload, unsigned dim) {
  RealParts parts;
  std::vector<LabelBits> two_cycles;
  const RealAlgorithm squared = workload.two_cycles.value_or(workload.real);
  for (const Constituent& real : factors.real) {
    if (is_a2x2(squared) && is_two_cycle(real)) {
      two_cycles.push_back({{real.dims[0], real.dims[1]}});
    } else {
      (is_a2(workload.real) ? parts.by_a2 : parts.by_a1).push_back(real);
    }
  }
  if (two_cycles.empty()) return parts;
  const std::size_t at_once = squared == RealAlgorithm::a2x2 ? std::max(workload.ports.used(dim) / 2, 1U) : 1;
  const std::size_t rounds = (two_cycles.size() + at_once - 1) / at_once;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto at = [&](std::size_t number) {
      return two_cycles.begin() + static_cast<std::ptrdiff_t>(number * two_cycles.size() / rounds);
    };
    parts.rounds.emplace_back(at(round), at(round + 1));
  }
  return parts;
}

std::vector<DimensionPermutation> stages_of(const ShuffleWorkload& workload) {
  switch (workload.method) {
    case ShuffleMethod::transpositions:
      return transpositions(workload.permutation);
    case ShuffleMethod::two_aapcs:
      return two_aapcs(workload.permutation, workload.spread_elements());
    case ShuffleMethod::route:
      return {};
    case ShuffleMethod::constituents:
      break;
  }
  return {workload.permutation};
}

std::vector<RowSchedule> schedules_of(const DimensionPermutation& stage, const ShuffleWorkload& workload,
                                      unsigned dim) {
  const Factors factors = factor(stage);
  const std::uint64_t entries = entries_of(factors, workload, dim);
  if (entries > most_schedule_entries) {
    const std::uint64_t packet = workload.packet * quotient_up(entries, most_schedule_entries);
    throw InputError("the schedule of " + std::to_string(workload.elements) + " elements in packets of " +
                     std::to_string(workload.packet) + " has " + std::to_string(entries) + " exchanges of packets")
        .valid("up to " + std::to_string(most_schedule_entries) + " exchanges: --packet " + std::to_string(packet) +
               " or more | fewer --elements");
  }
  const std::uint64_t pairs = workload.spread_elements() / 2;
  const auto rows = static_cast<std::uint32_t>((pairs + workload.packet - 1) / workload.packet);
  std::vector<RowSchedule> schedules;
  if (!factors.mixed.empty()) schedules.push_back(mixed_schedule(workload, orders_of(factors), rows, dim));
  for (const Constituent& real : real_parts(factors, workload, dim).by_a1) {
    const bool at_once = workload.all_at_once(real);
    schedules.push_back(at_once && workload.real == RealAlgorithm::a1_pipelined
                            ? a1_pipelined_schedule(real.order(), rows)
                            : a1_schedule(real.order(), rows, !at_once));
  }
  return schedules;
}

std::vector<ShufflePlan> plans_of(const DimensionPermutation& stage, const ShuffleWorkload& workload, unsigned dim) {
  const Factors factors = factor(stage);
  const std::vector<RowSchedule> schedules = schedules_of(stage, workload, dim);
  const std::uint64_t elements = workload.spread_elements();
  std::vector<ShufflePlan> plans;
  auto schedule = schedules.begin();
  if (!factors.mixed.empty()) plans.emplace_back(factors.mixed, elements, workload.packet, *schedule++);
  for (const Constituent& real : real_parts(factors, workload, dim).by_a1) {
    plans.emplace_back(std::vector{real}, elements, workload.packet, *schedule++);
  }
  return plans;
}

ShuffleFormula::ShuffleFormula(const ShuffleWorkload& workload, unsigned dim) : workload_(workload) {
  exists_ = workload.method != ShuffleMethod::route;
  for (const DimensionPermutation& permutation : stages_of(workload)) {
    const Factors factors = factor(permutation);
    Stage& stage = stages_.emplace_back();
    stage.mixed = orders_of(factors);
    const bool limited = is_limited(workload, stage.mixed, dim);
    stage.algorithm = limited ? MixedAlgorithm::one_port : workload.mixed;
    if (limited && workload.ports.used(dim) > 1) exists_ = false;
    stage.real = real_parts(factors, workload, dim);
    stage.moved = moved_of(factors, workload, dim);
  }
}

std::uint64_t ShuffleFormula::unit(std::uint64_t packet) const {
  std::uint64_t unit = 1;
  for (const Stage& stage : stages_) {
    const bool together = stage.mixed.size() > 1 || stage.algorithm != MixedAlgorithm::pipelined;
    const bool in_turn = stage.mixed.empty() || stage.algorithm == MixedAlgorithm::one_port;
    if (packet == 1 || !exists_ || in_turn || !together) continue;
    unit = std::max(unit, packet << stage.mixed.size());
  }
  return unit;
}

std::uint64_t ShuffleFormula::largest_packet() const {
  std::uint64_t slots = 0;  // of 2-cycles
  bool pairs = false;
  bool whole = workload_.extend > 0 || workload_.method == ShuffleMethod::route;
  for (const Stage& stage : stages_) {
    pairs = pairs || !stage.mixed.empty() || !stage.real.by_a1.empty();
    whole = whole || !stage.real.by_a2.empty();
    for (const auto& round : stage.real.rounds) slots = std::max(slots, quotient_up(elements(), 2 * round.size()));
  }
  if (pairs) return std::max<std::uint64_t>(elements() / 2, 1);
  return whole || slots == 0 ? std::max<std::uint64_t>(workload_.elements, 1) : slots;
}

ShuffleCount ShuffleFormula::count(std::uint64_t packet) const {
  ShuffleCount count = spread_and_collected(workload_, packet);
  for (const Stage& stage : stages_) {
    if (!stage.mixed.empty()) count += mixed_count(stage.algorithm, stage.mixed, elements(), packet);
    for (const Constituent& real : stage.real.by_a1) {
      count += workload_.real == RealAlgorithm::a1_pipelined && workload_.all_at_once(real)
                   ? a1_pipelined_count(real.order(), elements(), packet)
                   : a1_count(real.order(), elements(), packet, !workload_.all_at_once(real));
    }
    count += count_by_a2(workload_, stage.real, packet);
    count.moved += stage.moved;
  }
  return count;
}

std::optional<ShuffleCount> formula_of(const ShuffleWorkload& workload, unsigned dim) {
  const ShuffleFormula formula(workload, dim);
  if (!formula.exists()) return std::nullopt;
  return formula.count(workload.packet);
}

ShuffleCount count_of(const ShuffleWorkload& workload, unsigned dim) {
  ShuffleCount count = spread_and_collected(workload, workload.packet);
  for (const DimensionPermutation& stage : stages_of(workload)) {
    const Factors factors = factor(stage);
    for (const ShufflePlan& plan : plans_of(stage, workload, dim)) {
      count.startups += plan.steps().size();
      count.steps += plan.elements_in_sequence();
    }
    count += count_by_a2(workload, real_parts(factors, workload, dim), workload.packet);
    count.moved += moved_of(factors, workload, dim);
  }
  return count;
}

double lower_bound_us(const ShuffleWorkload& workload, const ShuffleParameters& parameters) {
  const unsigned extend = workload.extend;
  const bool one_port = workload.ports.engines == 1;
  const Factors factors = factor(workload.permutation);
  std::uint64_t startups = std::uint64_t{2} * extend;
  for (const Constituent& mixed : factors.mixed) startups += mixed.order();
  for (const Constituent& real : factors.real) {
    startups += real.order() - (std::ranges::count(real.complement, false) % 2 == 0 ? 0U : 1U);
  }
  const auto spread = static_cast<double>(workload.spread_elements());
  const double apart =
      extend == 0 ? 0 : 2 * (static_cast<double>(workload.elements) - spread) / (one_port ? 1 : extend);
  const unsigned order = workload.permutation.real_order();
  const double exchanged = spread / 2 * (one_port ? order : std::min(order, 1U));
  return std::max((apart + exchanged) * parameters.tc_us_per_element,
                  static_cast<double>(startups) * parameters.tau_us);
}

}  // namespace ecube
